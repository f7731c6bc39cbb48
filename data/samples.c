#include "data/samples.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data/bytes.h"
#include "data/json_out.h"
#include "data/node.h"
#include "data/samples_inner.h"

enum { LINE_MAX_BYTE = 1 << 16 };

/* ---- taking entries in ---- */

void taken_add(struct taken *t, const struct foreign *f) {
  if (t->world.n == FOREIGN_MAX) {
    t->world.dropped++;
    return;
  }
  struct foreign *to = &t->point[t->world.n];
  *to = *f;
  memcpy(to->mark, foreign_mark(t->world.n), sizeof to->mark);
  t->world.n++;
}

void taken_refuse(struct taken *t, const struct err *e) {
  if (t->world.bad < TROUBLE_MAX) snprintf(t->trouble[t->world.bad], sizeof t->trouble[0], "%.*s", (int)sizeof t->trouble[0] - 1, e->text);
  if (t->world.bad++ == 0) t->first = *e;
}

/* ---- JSON ---- */

enum { KEY_TEXT = 256 };
static const double AMOUNT_MOST = 1e24, TIME_LEAST = 1e-12, TIME_MOST = 1e9; /* as of a custom operation's knobs */

/* A number that must be there. */
static bool amount(const struct node *n, const char *key, const char *what, double lo, double hi, double *out, struct err *e) {
  *out = NAN;
  OR_FALSE(node_number(n, key, what, lo, hi, out, e));
  return !isnan(*out) || node_missing(n, key, what, e);
}

/* The start of a text that may be longer than its place, never half a character. */
static void text_cut(char *out, size_t size, const char *in) {
  size_t n = strlen(in);
  if (n >= size)
    for (n = size - 1; n > 0 && ((unsigned char)in[n] & 0xc0) == 0x80;) n--;
  memcpy(out, in, n);
  out[n] = 0;
}

static bool own_read(const struct node *n, struct foreign *f, struct err *e) {
  static const char *const known[] = {"name", "flop", "byte", "s", "program", "n", "spread", "startup_s", "note", NULL};
  struct node kind = node_member(n, "kind");
  char text[KEY_TEXT] = "";
  double ignored = NAN;
  if (kind.at) return node_refuse(&kind, "a sample: name, flop, byte, s (lines of ridge bench go to --lines)", e);
  OR_FALSE(node_object(n, known, e));
  OR_FALSE(node_string(n, "name", text, sizeof text, e));
  if (!text[0]) return node_missing(n, "name", "what was run", e);
  text_cut(f->name, sizeof f->name, text);
  OR_FALSE(amount(n, "flop", "FLOP of one execution", 1, AMOUNT_MOST, &f->flop, e));
  OR_FALSE(amount(n, "byte", "bytes of one execution", 1, AMOUNT_MOST, &f->byte, e));
  OR_FALSE(amount(n, "s", "seconds of one execution", TIME_LEAST, TIME_MOST, &f->s, e));
  OR_FALSE(node_string(n, "program", f->program, sizeof f->program, e));
  OR_FALSE(node_int(n, "n", 0, 1000000000, &f->n, e));
  OR_FALSE(node_number(n, "spread", "a fraction of s", 0, AMOUNT_MOST, &f->spread, e));
  OR_FALSE(node_number(n, "startup_s", "seconds", 0, AMOUNT_MOST, &ignored, e));
  return node_string(n, "note", text, sizeof text, e);
}

/* The name of the model's file without folder and ending, and what was asked of it: "qwen2-7b-q4_0 tg128". */
static void llama_name(char *out, size_t size, const char *file, double prompt, double generated) {
  char base[KEY_TEXT], what[40] = "";
  const char *slash = strrchr(file, '/');
  snprintf(base, sizeof base, "%.200s", slash ? slash + 1 : file);
  char *dot = strstr(base, ".gguf");
  if (dot) *dot = 0;
  if (prompt > 0) snprintf(what, sizeof what, " pp%.0f", prompt);
  if (generated > 0) snprintf(what + strlen(what), sizeof what - strlen(what), " tg%.0f", generated);
  size_t n = strlen(what);
  text_cut(out, size - n, base);
  memcpy(out + strlen(out), what, n + 1);
}

/* Its objects have some forty keys, more in each version; only those used are read. */
static bool llama_read(const struct node *n, struct foreign *f, struct err *e) {
  char file[1024] = "";
  double params, size, rate, prompt = 0, generated = 0, pass = 512, deviation = NAN;
  OR_FALSE(node_string(n, "model_filename", file, sizeof file, e));
  OR_FALSE(amount(n, "model_n_params", "the number of parameters", 1, AMOUNT_MOST, &params, e));
  OR_FALSE(amount(n, "model_size", "bytes of the weights", 1, AMOUNT_MOST, &size, e));
  OR_FALSE(amount(n, "avg_ts", "tokens a second", 1 / TIME_MOST, 1 / TIME_LEAST, &rate, e));
  OR_FALSE(node_number(n, "n_prompt", "tokens of the prompt", 0, 1e12, &prompt, e));
  OR_FALSE(node_number(n, "n_gen", "tokens generated", 0, 1e12, &generated, e));
  OR_FALSE(node_number(n, "n_ubatch", "tokens of one pass", 1, 1e12, &pass, e));
  OR_FALSE(node_number(n, "stddev_ts", "tokens a second", 0, AMOUNT_MOST, &deviation, e));
  struct foreign_token token = foreign_per_token(params, size, prompt, generated, pass);
  if (isnan(token.flop)) return node_missing(n, "n_gen", "tokens generated, or n_prompt: tokens of the prompt", e);
  struct node samples = node_member(n, "samples_ts");
  llama_name(f->name, sizeof f->name, file, prompt, generated);
  snprintf(f->program, sizeof f->program, "llama-bench");
  f->flop = token.flop;
  f->byte = token.byte;
  f->s = 1 / rate;
  f->spread = deviation / rate;
  f->n = node_count(&samples);
  f->estimate = true;
  return true;
}

/* line: of the object in the file, where the text parsed was that line alone; 0 when json knows its lines itself. */
static void entry_take(struct taken *t, const struct node *n, const char *name, int line) {
  struct foreign f = {.spread = NAN};
  struct err e;
  struct node rate = node_member(n, "avg_ts"), params = node_member(n, "model_n_params");
  bool llama = rate.at || params.at;
  if (node_is_object(n) ? (llama ? llama_read(n, &f, &e) : own_read(n, &f, &e)) : node_refuse(n, "a sample: an object", &e)) {
    taken_add(t, &f);
    return;
  }
  if (line) err_set(&e, name, line, e.column, e.key, e.expected, e.found);
  taken_refuse(t, &e);
}

/* A whole text of JSON: one array of entries, or one entry over several lines. */
static bool whole_take(struct taken *t, const char *text, size_t n, const char *name, struct err *e) {
  struct json j;
  if (!json_parse(&j, text, n, name, e)) return false;
  struct node root = node_root(&j);
  if (node_is_object(&root))
    entry_take(t, &root, name, 0);
  else
    for (int i = 0, count = node_count(&root); i < count; i++) {
      struct node at = node_element(&root, i);
      entry_take(t, &at, name, 0);
    }
  json_free(&j);
  return true;
}

static void line_take(struct taken *t, const char *text, size_t n, const char *name, int line) {
  struct json j;
  struct err e;
  if (n > LINE_MAX_BYTE) {
    err_set(&e, name, line, 0, "", "a line of at most 65536 bytes", "a longer one");
    taken_refuse(t, &e);
    return;
  }
  if (!json_parse(&j, text, n, name, &e)) {
    err_set(&e, name, line, e.column, e.key, e.expected, e.found);
    taken_refuse(t, &e);
    return;
  }
  struct node root = node_root(&j);
  entry_take(t, &root, name, line);
  json_free(&j);
}

static void lines_take(struct taken *t, const char *text, size_t n, const char *name) {
  const char *end = text + n;
  for (int line = 1; text < end; line++) {
    const char *stop = memchr(text, '\n', (size_t)(end - text));
    size_t length = (size_t)((stop ? stop : end) - text);
    size_t blank = strspn(text, " \t\r");
    if (blank < length) line_take(t, text, length, name, line);
    text += length + 1;
  }
}

/* ---- the whole ---- */

static bool json_take(struct taken *t, const char *text, size_t n, const char *name, struct err *e) {
  char first = text[strspn(text, " \t\r\n")];
  if (whole_take(t, text, n, name, e)) return true;
  if (first == '[') return false; /* an array that is broken somewhere has no entries to trust */
  lines_take(t, text, n, name);
  return true;
}

bool samples_parse(struct world *w, const char *text, size_t n, const char *name, struct err *e) {
  if (n > SAMPLES_BYTE_MAX) return err_set(e, name, 0, 0, "", "a file of at most 4 MiB", "a larger one");
  struct taken *t = calloc(1, sizeof *t);
  if (!t) return err_set(e, name, 0, 0, "", "memory for the samples", "none left");
  bool ok = true;
  if (likwid_is(text))
    likwid_take(t, text, name);
  else if (strchr("[{", text[strspn(text, " \t\r\n")]) && text[strspn(text, " \t\r\n")])
    ok = json_take(t, text, n, name, e);
  else
    ok = err_set(e, name, 0, 0, "", "JSON lines of name, flop, byte and s, or what llama-bench -o json or likwid-bench prints",
                 text[strspn(text, " \t\r\n")] ? "something else" : "nothing");
  if (ok && t->world.n == 0) ok = t->world.bad ? (*e = t->first, false) : err_set(e, name, 0, 0, "", "at least one sample", "none");
  if (ok) {
    memcpy(w->foreign, t->point, sizeof w->foreign);
    memcpy(w->foreign_trouble, t->trouble, sizeof w->foreign_trouble);
    w->nforeign = t->world.n;
    w->foreign_dropped = t->world.dropped;
    w->foreign_bad = t->world.bad;
    text_cut(w->foreign_file, sizeof w->foreign_file, name);
  }
  free(t);
  return ok;
}

bool samples_load(struct world *w, const char *path, struct err *e) {
  char *text, home[4096];
  size_t n;
  const char *folder = getenv("HOME");
  if (path[0] == '~' && path[1] == '/' && folder && snprintf(home, sizeof home, "%s%s", folder, path + 1) >= (int)sizeof home)
    return err_set(e, path, 0, 0, "", "a shorter path", "one of more than 4095 bytes");
  if (!bytes_load(path[0] == '~' && path[1] == '/' && folder ? home : path, SAMPLES_BYTE_MAX, &text, &n, e)) return false;
  bool ok = samples_parse(w, text, n, path, e);
  free(text);
  return ok;
}

int sample_print(const struct foreign *f, double startup_s, char *out, int size) {
  struct json_out o;
  json_out_start_at(&o, out, (size_t)size);
  json_out_object(&o, NULL);
  json_out_string(&o, "name", f->name);
  json_out_number(&o, "flop", f->flop);
  json_out_number(&o, "byte", f->byte);
  json_out_number(&o, "s", f->s);
  if (f->n > 0) json_out_number(&o, "n", f->n);
  if (!isnan(f->spread)) json_out_number(&o, "spread", f->spread);
  if (!isnan(startup_s)) json_out_number(&o, "startup_s", startup_s);
  if (f->program[0]) json_out_string(&o, "program", f->program);
  json_out_end(&o);
  return o.failed ? -1 : (int)o.n;
}
