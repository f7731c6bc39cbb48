/* home: where the data, the state and the configuration lie, and the world that every door starts with. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/app.h"
#include "app/args.h"
#include "data/catalogue.h"
#include "kernels/bench.h"

enum { PATH_SIZE = 1024 };

static bool is_folder(const char *path) {
  struct stat s;
  return stat(path, &s) == 0 && S_ISDIR(s.st_mode);
}

/* The folder of the running program, links followed; false where the system does not tell. */
static bool program_folder(char *out, size_t size) {
  ssize_t n = readlink("/proc/self/exe", out, size - 1);
  if (n <= 0) return false;
  out[n] = 0;
  char *slash = strrchr(out, '/');
  if (!slash) return false;
  *slash = 0;
  return true;
}

const char *home_data(void) {
  const char *given = getenv("RIDGE_DATA");
  if (given && *given) return given;
  /* Beside the program in a checkout, above build/MODE and build/MODE/tests, and where `make install` puts it, wherever that was moved to.
   */
  static const char *const near[] = {"data", "../../data", "../../../data", "../share/ridge"};
  char folder[PATH_SIZE], path[2 * PATH_SIZE], devices[2 * PATH_SIZE + 16];
  bool known = program_folder(folder, sizeof folder);
  for (size_t i = 0; known && i < sizeof near / sizeof *near; i++) {
    bool build = near[i][0] == '.' && strstr(near[i], "data");
    if (build && !strstr(folder, "/build/")) continue;
    snprintf(path, sizeof path, "%s/%s", folder, near[i]);
    snprintf(devices, sizeof devices, "%s/devices", path);
    if (!is_folder(devices)) continue;
    setenv("RIDGE_DATA", path, 1);
    return getenv("RIDGE_DATA");
  }
  return RIDGE_DATADIR;
}

/* mkdir -p of every folder above the last slash of path; mode is what each that is made gets, whatever the umask. */
static bool make_folders(const char *path, mode_t mode) {
  char part[PATH_SIZE];
  for (const char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
    int n = (int)(slash - path);
    if (n >= (int)sizeof part) return false;
    snprintf(part, sizeof part, "%.*s", n, path);
    if (mkdir(part, mode) == 0)
      chmod(part, mode);
    else if (errno != EEXIST && !is_folder(part))
      return false;
  }
  return true;
}

/* XDG: a relative path in the variable is to be ignored; HOME with `under` is the fallback. */
static bool xdg_path(const char *variable, const char *under, const char *name, char *out, int size) {
  const char *base = getenv(variable), *home = getenv("HOME");
  int n;
  if (base && base[0] == '/')
    n = snprintf(out, (size_t)size, "%s/ridge/%s", base, name);
  else if (home && home[0] == '/')
    n = snprintf(out, (size_t)size, "%s/%s/ridge/%s", home, under, name);
  else
    n = size;
  if (n >= size) {
    out[0] = 0;
    return false;
  }
  return make_folders(out, 0700);
}

bool home_state(char *out, int size, const char *name) { return xdg_path("XDG_STATE_HOME", ".local/state", name, out, size); }

bool home_config(char *out, int size, const char *name) { return xdg_path("XDG_CONFIG_HOME", ".config", name, out, size); }

/* One file per machine: a home folder may be shared by many, whose roofs differ. */
bool machine_path(const struct world *w, char *out, int size) {
  char name[128];
  snprintf(name, sizeof name, "machines/%s.json", w->machine);
  return home_state(out, size, name);
}

/* The file made once for all who use this machine: where a system keeps what changes, else beside the data. */
static bool machine_system(const struct world *w, bool data, char *out, int size) {
  const char *given = getenv("RIDGE_SYSTEM"), *folder = data ? home_data() : given && *given ? given : "/var/lib/ridge";
  return snprintf(out, (size_t)size, "%s/machines/%s.json", folder, w->machine) < size;
}

/* A name that leads nowhere (a loop of links, a link to nothing) is there too: reading it then says what is wrong with it. */
static bool is_there(const char *path) {
  struct stat s;
  return lstat(path, &s) == 0;
}

enum machine_owner machine_file(const struct world *w, char *out, int size) {
  if (machine_path(w, out, size) && is_there(out)) return MACHINE_MINE;
  for (int data = 0; data < 2; data++)
    if (machine_system(w, data, out, size) && is_there(out)) return MACHINE_SYSTEM;
  out[0] = 0;
  return MACHINE_NONE;
}

static bool machine_read(struct world *w, void (*warn)(const struct err *, void *), void *arg) {
  char path[2 * PATH_SIZE];
  struct err e;
  enum machine_owner owner = machine_file(w, path, sizeof path);
  if (owner == MACHINE_NONE) return false;
  struct device *d = malloc(sizeof *d);
  if (!d) return false;
  bool read = device_load(path, d, &e);
  if (read && d->machine.measured) {
    w->device[DEVICE_HERE] = *d;
    snprintf(w->device[DEVICE_HERE].id, sizeof w->device[DEVICE_HERE].id, "here");
    w->device[DEVICE_HERE].is_host = true;
  } else if (!read && warn) {
    struct err said;
    err_say(&said, "%.400s; this machine counts as not measured (ridge measure --fresh%s writes the file anew)", e.text,
            owner == MACHINE_SYSTEM ? " --system" : "");
    warn(&said, arg);
  }
  free(d);
  return w->device[DEVICE_HERE].machine.measured;
}

static void print_warning(const struct err *e, void *arg) {
  (void)arg;
  fprintf(stderr, "ridge: warning: %s\n", e->text);
}

bool machine_load(struct world *w) { return machine_read(w, print_warning, NULL); }

bool machine_save(const struct world *w, struct err *e) {
  char path[PATH_SIZE];
  if (!machine_path(w, path, sizeof path))
    return err_say(e, "cannot keep this machine's figures: %s is not a folder that can be made (%s)", *path ? path : "$HOME",
                   strerror(errno));
  return device_save(path, &w->device[DEVICE_HERE], e);
}

bool machine_save_system(const struct world *w, struct err *e) {
  char path[PATH_SIZE];
  if (!machine_system(w, false, path, sizeof path) || !make_folders(path, 0755))
    return err_say(e, "cannot keep this machine's figures for all: %s: %s (sudo ridge measure --system)", path, strerror(errno));
  return device_save(path, &w->device[DEVICE_HERE], e);
}

struct world *world_read(void (*warn)(const struct err *, void *), void *arg, struct err *e) {
  struct world *w = calloc(1, sizeof *w);
  if (!w) {
    err_say(e, "out of memory");
    return NULL;
  }
  if (!catalogue_load(w, home_data(), warn, arg, e)) {
    free(w);
    return NULL;
  }
  machine_name(w->machine, "");
  machine_read(w, warn, arg);
  return w;
}

struct world *world_open(void) {
  struct err e;
  struct world *w = world_read(print_warning, NULL, &e);
  if (!w) fprintf(stderr, "ridge: no data: %s\nridge: --data DIR or RIDGE_DATA names the folder with devices/ and models/\n", e.text);
  return w;
}
