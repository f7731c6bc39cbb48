/* Writing this machine's file: everything a device knows, so that device_load gives back the same device to the last bit. */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "data/catalogue.h"
#include "data/json_out.h"
#include "data/record.h"

static void text_write(struct json_out *o, const char *key, const char *text) {
  if (text[0]) json_out_string(o, key, text);
}

static void figure_write(struct json_out *o, const char *key, const struct figure *f) {
  if (isnan(f->value) && f->source == SOURCE_UNKNOWN && !f->unverified) return; /* never heard of: left out */
  json_out_object(o, key);
  json_out_number(o, "value", f->value);
  if (f->source != SOURCE_UNKNOWN) json_out_string(o, "from", source_name((enum source)f->source));
  if (f->cite) json_out_number(o, "cite", f->cite);
  if (f->unverified) json_out_bool(o, "unverified", true);
  json_out_end(o);
}

static void levels_write(struct json_out *o, const char *key, const struct level *level, int count) {
  if (!count) return;
  json_out_array(o, key);
  for (int i = 0; i < count; i++) {
    const struct level *l = &level[i];
    json_out_object(o, NULL);
    json_out_string(o, "name", l->name);
    json_out_number(o, "count", l->count);
    text_write(o, "byte_from", l->byte_from);
    figure_write(o, "byte", &l->byte);
    figure_write(o, "byte_per_s", &l->byte_per_s);
    figure_write(o, "latency_s", &l->latency_s);
    figure_write(o, "knee_byte", &l->knee_byte);
    json_out_end(o);
  }
  json_out_end(o);
}

static void link_write(struct json_out *o, const char *key, const struct link *l) {
  json_out_object(o, key);
  text_write(o, "name", l->name);
  figure_write(o, "byte_per_s", &l->byte_per_s);
  figure_write(o, "byte_per_s_both", &l->byte_per_s_both);
  json_out_end(o);
}

static void isa_peaks_write(struct json_out *o, const char *key, const double (*peak)[2]) {
  json_out_object(o, key);
  for (int i = 0; i < ISA_N; i++) {
    if (isnan(peak[i][0]) && isnan(peak[i][1])) continue;
    json_out_object(o, isa_name((enum isa)i));
    if (!isnan(peak[i][0])) json_out_number(o, "fp64", peak[i][0]);
    if (!isnan(peak[i][1])) json_out_number(o, "fp32", peak[i][1]);
    json_out_end(o);
  }
  json_out_end(o);
}

static void machine_write(struct json_out *o, const struct machine *m) {
  json_out_object(o, "machine");
  json_out_bool(o, "measured", m->measured);
  json_out_number(o, "threads", m->threads);
  json_out_number(o, "cpus", m->cpus);
  for (int i = 0; i < machine_text_count; i++) text_write(o, machine_text[i].key, (const char *)m + machine_text[i].offset);
  for (int i = 0; i < machine_number_count; i++) {
    double v = *(const double *)(const void *)((const char *)m + machine_number[i].offset);
    if (!isnan(v)) json_out_number(o, machine_number[i].key, v);
  }
  isa_peaks_write(o, "isa_peak", m->isa_peak);
  isa_peaks_write(o, "isa_peak_one", m->isa_peak_one);
  if (!isnan(m->quota_cpu)) json_out_number(o, "quota_cpu", m->quota_cpu);
  trust_write(o, m);
  stair_write(o, m);
  json_out_end(o);
}

static void device_write(struct json_out *o, const struct device *d) {
  json_out_object(o, NULL);
  json_out_string(o, "id", d->id);
  json_out_string(o, "name", d->name);
  json_out_string(o, "family", family_name(d->family));
  text_write(o, "vendor", d->vendor);
  if (d->year) json_out_number(o, "year", d->year);
  if (d->illustrative) json_out_bool(o, "illustrative", true);
  text_write(o, "units", d->units);
  text_write(o, "headline", d->headline);
  text_write(o, "notes", d->notes);
  text_write(o, "strengths", d->strengths);
  text_write(o, "constraints", d->constraints);
  text_write(o, "software", d->software);
  if (d->first) json_out_number(o, "first", d->first);
  if (d->unified) json_out_bool(o, "unified", true);
  if (d->is_host != (d->family == FAMILY_CPU)) json_out_bool(o, "is_host", d->is_host);
  if (d->ncite) json_out_array(o, "sources");
  for (int i = 0; i < d->ncite; i++) {
    json_out_object(o, NULL);
    json_out_string(o, "text", d->cite[i].text);
    text_write(o, "date", d->cite[i].date);
    json_out_end(o);
  }
  if (d->ncite) json_out_end(o);
  json_out_object(o, "peak");
  for (int t = 0; t < DTYPE_N; t++) figure_write(o, dtype_name((enum dtype)t), &d->peak[t]);
  figure_write(o, "fp64_matrix", &d->peak_fp64_matrix);
  json_out_end(o);
  json_out_object(o, "memory");
  figure_write(o, "byte", &d->memory_byte);
  figure_write(o, "byte_per_s", &d->memory_byte_per_s);
  json_out_end(o);
  levels_write(o, "levels", d->level, d->nlevel);
  levels_write(o, "aside", d->aside, d->naside);
  link_write(o, "host_link", &d->host);
  link_write(o, "peer_link", &d->peer);
  figure_write(o, "sparse_ratio", &d->sparse_ratio);
  figure_write(o, "tdp_w", &d->tdp_w);
  figure_write(o, "copy_s", &d->copy_s);
  figure_write(o, "launch_s", &d->launch_s);
  machine_write(o, &d->machine);
  json_out_end(o);
}

/* All of it on the disk before it takes the old file's place: a crash leaves the old file or the new one, never half. */
static bool file_write(int fd, const char *text, size_t n) {
  while (n) {
    ssize_t done = write(fd, text, n);
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) return false;
    text += done;
    n -= (size_t)done;
  }
  return fsync(fd) == 0;
}

static void folder_sync(const char *path) {
  char folder[4096];
  if (snprintf(folder, sizeof folder, "%s", path) >= (int)sizeof folder) return;
  char *slash = strrchr(folder, '/');
  if (slash) slash[slash == folder] = 0;
  int fd = open(slash ? folder : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return; /* the rename stands anyway; only its durability is the system's business */
  fsync(fd);
  close(fd);
}

bool device_save(const char *path, const struct device *d, struct err *e) {
  char fresh[4096];
  if (snprintf(fresh, sizeof fresh, "%s.XXXXXX", path) >= (int)sizeof fresh)
    return err_set(e, path, 0, 0, "", "a shorter path", "a long one");
  struct json_out o;
  json_out_start(&o, 2, 3);
  device_write(&o, d);
  bool ok = !o.failed;
  if (!ok) err_set(e, path, 0, 0, "", "memory for the file", "none left");
  int fd = ok ? mkstemp(fresh) : -1;
  if (ok && fd < 0) ok = err_set(e, path, 0, 0, "", "a folder that can be written", strerror(errno));
  if (ok && !(file_write(fd, o.text, o.n) && file_write(fd, "\n", 1) && fchmod(fd, 0644) == 0))
    ok = err_set(e, path, 0, 0, "", "a file that can be written", strerror(errno));
  if (fd >= 0 && close(fd) && ok) ok = err_set(e, path, 0, 0, "", "a file that can be written", strerror(errno));
  if (ok && rename(fresh, path)) ok = err_set(e, path, 0, 0, "", "a place to put the file", strerror(errno));
  if (!ok && fd >= 0) unlink(fresh);
  if (ok) folder_sync(path);
  json_out_free(&o);
  return ok;
}
