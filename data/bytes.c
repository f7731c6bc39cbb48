#include "data/bytes.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool bytes_load(const char *path, size_t max, char **out, size_t *n, struct err *e) {
  *out = NULL;
  *n = 0;
  int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC); /* a FIFO without a writer must not hold the program */
  FILE *f = fd < 0 ? NULL : fdopen(fd, "rb");
  if (fd >= 0 && !f) close(fd);
  if (!f) return err_set(e, path, 0, 0, "", "a file that can be read", strerror(errno));
  struct stat st;
  if (fstat(fileno(f), &st) || !S_ISREG(st.st_mode)) {
    fclose(f);
    return err_set(e, path, 0, 0, "", "a plain file", "something else");
  }
  /* Read what is there, not what stat promised: the file may grow, and /proc says 0. */
  size_t cap = 1 << 14;
  char *text = malloc(cap);
  while (text && *n <= max) {
    size_t got = fread(text + *n, 1, cap - 1 - *n, f);
    if (!got) break;
    *n += got;
    if (*n == cap - 1) {
      char *more = realloc(text, cap *= 2);
      if (!more) free(text);
      text = more;
    }
  }
  bool bad = ferror(f);
  int why = errno;
  fclose(f);
  if (text && !bad) {
    text[*n] = 0;
    *out = text;
    return true;
  }
  free(text);
  return bad ? err_set(e, path, 0, 0, "", "a file that can be read", strerror(why))
             : err_set(e, path, 0, 0, "", "memory for the file", "none left");
}
