#include "data/catalogue.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data/record.h"

enum { FILE_MAX = 512 };

/* The ids (file names without .json) in one folder, sorted. More than FILE_MAX are left unread. */
struct names {
  char id[FILE_MAX][72];
  int n;
};

static int id_compare(const void *a, const void *b) { return strcmp(a, b); }

static bool names_read(struct names *names, const char *folder, struct err *e) {
  names->n = 0;
  DIR *d = opendir(folder);
  if (!d) return err_set(e, folder, 0, 0, "", "a folder that can be read", strerror(errno));
  for (struct dirent *f; (f = readdir(d)) && names->n < FILE_MAX;) {
    size_t n = strlen(f->d_name);
    if (f->d_name[0] == '.' || n <= 5 || n >= 5 + sizeof *names->id || strcmp(f->d_name + n - 5, ".json")) continue;
    snprintf(names->id[names->n++], sizeof *names->id, "%.*s", (int)n - 5, f->d_name);
  }
  closedir(d);
  qsort(names->id, (size_t)names->n, sizeof *names->id, id_compare);
  return true;
}

static void here_start(struct device *d) {
  device_clear(d);
  snprintf(d->id, sizeof d->id, "here");
  snprintf(d->name, sizeof d->name, "this machine");
  d->family = FAMILY_CPU;
  d->is_host = true;
}

/* The id is what people type and the file name is what they see: they must be one word. */
static bool id_check(const char *path, const char *name, const char *id, struct err *e) {
  if (!strcmp(name, id)) return true;
  char expected[96], found[96];
  snprintf(expected, sizeof expected, "the file's name, \"%.64s\"", name);
  snprintf(found, sizeof found, "\"%.64s\"", id);
  return err_set(e, path, 0, 0, "id", expected, found);
}

static bool full(const char *path, int max, struct err *e) {
  char expected[32];
  snprintf(expected, sizeof expected, "at most %d files", max);
  return err_set(e, path, 0, 0, "", expected, "one more");
}

static bool one_load(struct world *w, const char *path, const char *name, bool device, struct err *e) {
  if (device ? w->ndevice == DEVICE_MAX : w->nmodel == MODEL_MAX) return full(path, device ? DEVICE_MAX - 1 : MODEL_MAX, e);
  if (device) {
    struct device *d = &w->device[w->ndevice];
    if (!device_load(path, d, e) || !id_check(path, name, d->id, e)) return false;
    if (!strcmp(d->id, "here")) return err_set(e, path, 0, 0, "id", "a device of the catalogue", "\"here\", this machine");
    w->ndevice++;
  } else {
    struct model *m = &w->model[w->nmodel];
    if (!model_load(path, m, e) || !id_check(path, name, m->id, e)) return false;
    w->nmodel++;
  }
  return true;
}

static bool folder_load(struct world *w, const char *dir, bool device, void (*warn)(const struct err *, void *), void *arg, struct err *e) {
  char path[4096];
  struct names *names = malloc(sizeof *names);
  if (!names) return err_set(e, dir, 0, 0, "", "memory for the catalogue", "none left");
  snprintf(path, sizeof path, "%s/%s", dir, device ? "devices" : "models");
  bool ok = names_read(names, path, e);
  for (int i = 0; ok && i < names->n; i++) {
    struct err bad;
    snprintf(path, sizeof path, "%s/%s/%s.json", dir, device ? "devices" : "models", names->id[i]);
    if (!one_load(w, path, names->id[i], device, &bad) && warn) warn(&bad, arg);
  }
  free(names);
  return ok;
}

bool catalogue_load(struct world *w, const char *dir, void (*warn)(const struct err *, void *), void *arg, struct err *e) {
  w->ndevice = 1;
  w->nmodel = 0;
  here_start(&w->device[DEVICE_HERE]);
  return folder_load(w, dir, true, warn, arg, e) && folder_load(w, dir, false, warn, arg, e);
}

int catalogue_add_device(struct world *w, const char *path, struct err *e) {
  struct device d;
  if (strlen(path) >= sizeof d.id) return err_set(e, path, 0, 0, "", "a path of at most 199 bytes", "a longer one"), -1;
  if (!device_load(path, &d, e)) return -1;
  int at = device_find(w, path);
  if (at < 0) {
    if (w->ndevice == DEVICE_MAX) return full(path, DEVICE_MAX - 1, e), -1;
    at = w->ndevice++;
  }
  snprintf(d.id, sizeof d.id, "%s", path);
  w->device[at] = d;
  return at;
}

int catalogue_add_model(struct world *w, const char *path, struct err *e) {
  struct model m;
  if (strlen(path) >= sizeof m.id) return err_set(e, path, 0, 0, "", "a path of at most 199 bytes", "a longer one"), -1;
  if (!model_load(path, &m, e)) return -1;
  int at = model_find(w, path);
  if (at < 0) {
    if (w->nmodel == MODEL_MAX) return full(path, MODEL_MAX, e), -1;
    at = w->nmodel++;
  }
  snprintf(m.id, sizeof m.id, "%s", path);
  w->model[at] = m;
  return at;
}
