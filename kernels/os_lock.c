/* os_lock: the queue of those who want to measure on one machine. One file, one byte a place: byte 0 is held by who measures, byte k by who
 * waits in place k. The locks are the kernel's (of the open file, not of the process), so the place of one that died is free at once, and
 * nothing is ever written into the file. */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kernels/os.h"

enum { PLACES = 1 << 30 }; /* a queue that never empties must not run out of them: each joins behind the last */
static const double LOOK_S = 0.1;

static struct flock place_of(long k) { return (struct flock){.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = k, .l_len = 1}; }

static bool place_take(int f, long k) {
  struct flock l = place_of(k);
  return fcntl(f, F_OFD_SETLK, &l) == 0;
}

static void place_leave(int f, long k) {
  struct flock l = place_of(k);
  l.l_type = F_UNLCK;
  fcntl(f, F_OFD_SETLK, &l);
}

/* A lock that another holds in [from, to): the system names one of them, not always the first. False: none. */
static bool held_find(int f, long from, long to, struct flock *out) {
  *out = place_of(from);
  out->l_len = to - from;
  return from < to && fcntl(f, F_OFD_GETLK, out) == 0 && out->l_type != F_UNLCK;
}

/* How many others hold places in [from, to). */
static int held_count(int f, long from, long to) {
  struct flock l;
  if (!held_find(f, from, to, &l)) return 0;
  return 1 + held_count(f, from, l.l_start) + held_count(f, l.l_start + l.l_len, to);
}

int os_lock_open(const char *path) {
  /* Never a name that another user chose: no link is followed, nothing but a plain file is taken, and what is there is not made anew (in a
   * shared folder the system refuses that for another's file). */
  const int how = O_RDWR | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK;
  int f = open(path, how);
  if (f < 0 && errno == ENOENT) {
    f = open(path, how | O_CREAT | O_EXCL, 0666);
    if (f >= 0)
      fchmod(f, 0666); /* whoever comes first must not lock the others out by his umask */
    else if (errno == EEXIST)
      f = open(path, how);
  }
  struct stat s;
  if (f >= 0 && (fstat(f, &s) != 0 || !S_ISREG(s.st_mode))) {
    close(f);
    return -1;
  }
  return f;
}

/* Behind the last who waits. 0: no place is left, or this file system has no such locks. */
static long queue_join(int f) {
  struct flock l;
  long next = 1;
  while (held_find(f, next, PLACES, &l)) next = l.l_start + l.l_len;
  for (; next < PLACES; next++)
    if (place_take(f, next)) return next;
  return 0;
}

bool os_lock_wait(int f, bool (*wait)(int before, double s, void *arg), void *arg) {
  if (held_count(f, 0, PLACES) == 0 && place_take(f, 0)) return true;
  long place = queue_join(f);
  double start = os_clock();
  for (;;) {
    int before = held_count(f, 0, place > 0 ? place : PLACES);
    if (before == 0 && place_take(f, 0)) break;
    if (place == 0 || (wait && !wait(before, os_clock() - start, arg))) {
      if (place > 0) place_leave(f, place);
      return false;
    }
    os_sleep(LOOK_S);
  }
  place_leave(f, place);
  return true;
}

void os_unlock(int handle) {
  if (handle >= 0) close(handle);
}
