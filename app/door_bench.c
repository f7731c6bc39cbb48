/* door_bench: one kernel run honestly, every step a line of JSON on stdout. The terminal program starts this as its measuring child; a
 * shell may too. */
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/app.h"
#include "app/args.h"
#include "app/emit.h"
#include "app/measuring.h"
#include "app/visit.h"
#include "data/line.h"
#include "kernels/bench.h"
#include "tui/number.h"

struct ask {
  struct request request;
  double threads, seconds, reps, seed;
  bool quick;
};

/* What key=value may set. Choices give the value of one name; numbers have a range. */
struct bench_key {
  const char *key, *unit;
  double lo, hi;
  bool whole;
  const char *(*name)(int); /* choices only */
  int names;
  const char *words;
};

static const char *name_of_dtype(int i) { return dtype_name((enum dtype)i); }
static const char *name_of_isa(int i) { return isa_name((enum isa)i); }
static const char *name_of_rung(int i) { return rung_name((enum rung)i); }
static const char *name_of_switch(int i) { return i ? "on" : "off"; }

enum {
  KEY_N,
  KEY_M,
  KEY_K,
  KEY_BATCH,
  KEY_FMA,
  KEY_CHAIN,
  KEY_STRIDE,
  KEY_HEADS,
  KEY_KV_HEADS,
  KEY_FFN,
  KEY_CONTEXT,
  KEY_MATRICES, /* the shape's, in the order of shape_name */
  KEY_THREADS,
  KEY_SECONDS,
  KEY_REPS,
  KEY_SEED,
  KEY_DTYPE,
  KEY_ISA,
  KEY_RUNG,
  KEY_HOG,
  KEY_QUICK,
  KEY_SUSTAIN,
  KEYS
};
static const struct bench_key key_of[KEYS] = {
    [KEY_N] = {"n", "n", 1, 0x1p40, true, NULL, 0, "side of a matrix or length of a vector"},
    [KEY_M] = {"m", "n", 1, 0x1p40, true, NULL, 0, "rows"},
    [KEY_K] = {"k", "n", 1, 0x1p40, true, NULL, 0, "depth, or width of an attention head"},
    [KEY_BATCH] = {"batch", "n", 1, 0x1p30, true, NULL, 0, "inputs, planes or heads"},
    [KEY_FMA] = {"fma", "n", 1, 4096, true, NULL, 0, "multiply-adds on each loaded element"},
    [KEY_CHAIN] = {"chain", "n", 1, 4096, true, NULL, 0, "operations in a row, or chains of dependent loads side by side"},
    [KEY_STRIDE] = {"stride", "iB", 1, 0x1p30, true, NULL, 0, "bytes from one load to the next"},
    [KEY_HEADS] = {"heads", "n", 1, 0x1p20, true, NULL, 0, "query heads of a layer"},
    [KEY_KV_HEADS] = {"kv_heads", "n", 1, 0x1p20, true, NULL, 0, "heads that keep keys and values"},
    [KEY_FFN] = {"ffn", "n", 1, 0x1p30, true, NULL, 0, "width of the feed-forward part"},
    [KEY_CONTEXT] = {"context", "n", 1, 0x1p30, true, NULL, 0, "tokens each new one meets, the new ones included"},
    [KEY_MATRICES] = {"matrices", "n", 2, 3, true, NULL, 0, "of the feed-forward part: 3 gated, 2 not"},
    [KEY_THREADS] = {"threads", "n", 0, OS_CPU_MAX, true, NULL, 0, "0: as many as this process may use"},
    [KEY_SECONDS] = {"seconds", "s", 0.001, 3600, false, NULL, 0, "at most so long"},
    [KEY_REPS] = {"reps", "n", 1, 8000, true, NULL, 0, "at most so many repetitions"},
    [KEY_SEED] = {"seed", "n", 0, 0x1p53, true, NULL, 0, "of the random data"},
    [KEY_DTYPE] = {"dtype", "", 0, 0, true, name_of_dtype, DTYPE_N, "how values are stored"},
    [KEY_ISA] = {"isa", "", 0, 0, true, name_of_isa, ISA_N, "instruction set"},
    [KEY_RUNG] = {"rung", "", 0, 0, true, name_of_rung, RUNG_N, "which matrix product"},
    [KEY_HOG] = {"hog", "", 0, 0, true, name_of_switch, 2, "spare cores take memory bandwidth away meanwhile"},
    [KEY_QUICK] = {"quick", "", 0, 0, true, name_of_switch, 2, "as for a slider: the clock is not settled first"},
    [KEY_SUSTAIN] = {"sustain", "s", 0, 3600, false, NULL, 0, "go on for so long, whatever the spread, and note the clock"},
};

void bench_help(void) {
  puts("\nkeys:");
  for (int i = 0; i < KEYS; i++) {
    const struct bench_key *k = &key_of[i];
    char takes[160], lo[NUMBER_MAX], hi[NUMBER_MAX];
    int n = 0;
    takes[0] = 0;
    for (int c = 0; c < k->names && n < (int)sizeof takes; c++)
      n += snprintf(takes + n, sizeof takes - (size_t)n, "%s%s", c ? "|" : "", k->name(c));
    if (!k->name) snprintf(takes, sizeof takes, "%s … %s", number_key(lo, k->lo), number_key(hi, k->hi));
    printf("  %-16s %s: %s\n", k->key, k->words, takes);
  }
}

static const char *key_name_at(int i, const void *arg) {
  (void)arg;
  return key_of[i].key;
}
static const char *value_name_at(int i, const void *arg) { return ((const struct bench_key *)arg)->name(i); }
static const char *kernel_name_at(int i, const void *arg) {
  (void)arg;
  return op_name(kernel_table[i]->op);
}

/* "; did you mean a or b?" where something is near, else the whole list. */
static void hint(char out[400], const char *wrong, const char *(*name)(int, const void *), int n, const void *arg) {
  char near[160];
  nearest_names(wrong, name, n, arg, near, sizeof near);
  if (*near) {
    snprintf(out, 400, "; did you mean %s?", near);
    return;
  }
  int used = snprintf(out, 400, "; there is");
  for (int i = 0; i < n && used < 400; i++) used += snprintf(out + used, (size_t)(400 - used), "%s %s", i ? "," : "", name(i, arg));
}

static bool key_value(const struct bench_key *k, const char *value, double *out, struct err *e) {
  char more[400];
  if (k->name) {
    for (int i = 0; i < k->names; i++)
      if (strcmp(k->name(i), value) == 0) return *out = i, true;
    hint(more, value, value_name_at, k->names, k);
    return err_say(e, "unknown %s %.80s%s", k->key, value, more);
  }
  const char *why = number_parse(value, k->unit, out);
  char lo[NUMBER_MAX], hi[NUMBER_MAX];
  number_key(lo, k->lo);
  number_key(hi, k->hi);
  if (why) return err_say(e, "%s: expected a number from %s to %s, found %.80s (%s)", k->key, lo, hi, value, why);
  if (!(*out >= k->lo && *out <= k->hi)) return err_say(e, "%s: expected %s … %s, found %.80s: out of range", k->key, lo, hi, value);
  if (k->whole && *out != round(*out)) return err_say(e, "%s: expected a whole number, found %.80s", k->key, value);
  return true;
}

static bool ask_word(struct ask *a, const char *word, struct err *e) {
  const char *equals = strchr(word, '=');
  char name[32], more[400];
  if (!equals) return err_say(e, "expected key=value, found %.80s", word);
  snprintf(name, sizeof name, "%.*s", (int)(equals - word), word);
  int key = 0;
  while (key < KEYS && strcmp(key_of[key].key, name) != 0) key++;
  if (key == KEYS) {
    hint(more, name, key_name_at, KEYS, NULL);
    return err_say(e, "unknown key %s%s", name, more);
  }
  double v;
  if (!key_value(&key_of[key], equals + 1, &v, e)) return false;
  switch (key) {
  case KEY_N:
  case KEY_M:
  case KEY_K:
  case KEY_BATCH:
  case KEY_FMA:
  case KEY_CHAIN:
  case KEY_STRIDE:
  case KEY_HEADS:
  case KEY_KV_HEADS:
  case KEY_FFN:
  case KEY_CONTEXT:
  case KEY_MATRICES: shape_set(&a->request.shape, key, v); break;
  case KEY_THREADS: a->request.threads = (int)v; break;
  case KEY_SECONDS: a->seconds = v; break;
  case KEY_REPS: a->reps = v; break;
  case KEY_SEED: a->seed = v; break;
  case KEY_DTYPE: a->request.dtype = (enum dtype)v; break;
  case KEY_ISA: a->request.isa = (enum isa)v; break;
  case KEY_RUNG: a->request.rung = (enum rung)v; break;
  case KEY_SUSTAIN: a->request.sustain = v; break;
  case KEY_HOG: a->request.hog = v > 0; break;
  default: a->quick = v > 0; break;
  }
  return true;
}

static bool ask_read(struct ask *a, int argc, char **argv, struct err *e) {
  struct args args;
  char more[400];
  *a = (struct ask){.request = {.shape = {NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN}, .dtype = DTYPE_FP32}, .seed = 1};
  if (!args_read(&args, argc, argv, 0, e)) return false;
  if (args.nword == 0) return err_say(e, "bench needs a kernel: ridge kernels lists them");
  a->request.op = op_find(args.word[0]);
  if (a->request.op == OP_N || !kernel_find(a->request.op)) {
    hint(more, args.word[0], kernel_name_at, kernel_count, NULL);
    return err_say(e, "unknown kernel %.80s%s", args.word[0], more);
  }
  for (int i = 1; i < args.nword; i++)
    if (!ask_word(a, args.word[i], e)) return false;
  struct os_info *os = malloc(sizeof *os);
  if (!os) return err_say(e, "out of memory");
  os_read(os, "");
  if (isnan(a->request.shape.n) && work_uses(a->request.op, "n"))
    a->request.shape.n = work_start_n(a->request.op, a->request.dtype, os->last_cache_byte, os->memory_cap);
  free(os);
  a->request.shape = work_complete(a->request.op, a->request.shape);
  return true;
}

static bool say_line(const struct line *l, void *arg) {
  (void)arg;
  return line_write(stdout, l);
}

int door_bench(int argc, char **argv) {
  struct ask a;
  struct err e;
  if (!ask_read(&a, argc, argv, &e)) return door_refuse(&e, 2);
  measuring_start();
  struct bench_options o = {.seconds = a.seconds, .quick = a.quick, .reps = (int)a.reps, .seed = (uint64_t)a.seed};
  int lock = measuring_lock(say_line, NULL), code = bench_run(&a.request, &o, say_line, NULL);
  os_unlock(lock);
  return emit_close() != 0 ? 1 : code;
}
