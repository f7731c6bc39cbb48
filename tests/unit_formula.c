/* Formulas tell the truth: evaluated from the facts and knobs they name, each gives its fact's value, whatever the knobs. */
#include <ctype.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support_world.h"

static struct world *w;

static int world_up(void **state) { (void)state; w = world_invented(); return 0; }
static int world_down(void **state) { (void)state; free(w); return 0; }

struct reader {
  const char *at;
  const struct setup *setup;
  const struct fact *fact;
  int n;
};

static double sum(struct reader *r);

static bool take(struct reader *r, char c) {
  while (*r->at == ' ') r->at++;
  if (*r->at != c) return false;
  r->at++;
  return true;
}

static double call(const char *name, const double *p, int n) {
  double most = p[0], least = p[0];
  for (int i = 1; i < n; i++) most = fmax(most, p[i]), least = fmin(least, p[i]);
  if (n > 1 && strcmp(name, "min") == 0) return least;
  if (n > 1 && strcmp(name, "max") == 0) return most;
  if (n == 1 && strcmp(name, "sqrt") == 0) return sqrt(p[0]);
  if (n == 1 && strcmp(name, "ceil") == 0) return ceil(p[0]);
  if (n == 1 && strcmp(name, "floor") == 0) return floor(p[0]);
  if (n == 1 && strcmp(name, "round") == 0) return nearbyint(p[0]);
  if (n == 1 && strcmp(name, "log2") == 0) return log2(p[0]);
  if (n == 1 && strcmp(name, "log10") == 0) return log10(p[0]);
  fail_msg("no function %s of %d", name, n);
  return NAN;
}

static double atom(struct reader *r) {
  if (take(r, '-')) return -atom(r);
  if (take(r, '(')) {
    double v = sum(r);
    assert_true(take(r, ')'));
    return v;
  }
  double v = NAN;
  if (isdigit((unsigned char)*r->at)) {
    char *end;
    v = strtod(r->at, &end);
    r->at = end;
  } else {
    char name[64];
    size_t n = 0;
    while ((isalnum((unsigned char)*r->at) || *r->at == '_') && n + 1 < sizeof name) name[n++] = *r->at++;
    name[n] = 0;
    if (!n) fail_msg("a name was expected before \"%s\"", r->at);
    if (take(r, '(')) {
      double p[4] = {0};
      int count = 0;
      do p[count++] = sum(r);
      while (count < 4 && take(r, ','));
      assert_true(take(r, ')'));
      return call(name, p, count);
    }
    bool known = false;
    for (int i = 0; i < r->n && !known; i++)
      if (strcmp(r->fact[i].name, name) == 0) v = r->fact[i].value, known = true;
    if (!known) {
      int k = knob_find(name);
      if (k < 0) fail_msg("%s is neither a fact nor a knob", name);
      v = r->setup->v[k];
    }
  }
  return take(r, '^') ? pow(v, atom(r)) : v;
}

static double product(struct reader *r) {
  double v = atom(r);
  for (;;) {
    if (take(r, '*')) v *= atom(r);
    else if (take(r, '/')) v /= atom(r);
    else return v;
  }
}

static double sum(struct reader *r) {
  double v = product(r);
  for (;;) {
    if (take(r, '+')) v += product(r);
    else if (take(r, '-')) v -= product(r);
    else return v;
  }
}

static double roll(uint32_t *seed) { return (*seed = *seed * 1664525u + 1013904223u) / 4294967296.0; }

static void formulas_hold(void **state) {
  (void)state;
  static struct fact fact[FACT_MAX];
  uint32_t seed = 11;
  int checked = 0;
  for (int i = 0; i < scene_count; i++) {
    const struct scene *s = scene_table[i];
    for (int turn = 0; turn < 200; turn++) {
      struct setup person = {0}, setup;
      for (int k = 0; k < s->nknobs && turn; k++) {
        const struct knob *row = &knob_table[s->knobs[k]];
        if (row->kind == KNOB_TEXT || roll(&seed) < 0.6) continue;
        double lo = row->lo, hi = row->kind == KNOB_CHOICE ? choice_count(w, row->list) : row->hi, at = roll(&seed);
        double v = row->kind == KNOB_LOG2     ? lo * pow(hi / lo, at)
                   : row->kind == KNOB_CHOICE ? floor(at * hi)
                   : row->kind == KNOB_SWITCH ? at > 0.5
                                              : lo + (hi - lo) * at;
        person.v[s->knobs[k]] = knob_clamp(w, s->knobs[k], v), person.set[s->knobs[k]] = true;
      }
      setup_for(w, s, &person, &setup);
      int n = s->facts(w, &setup, fact);
      for (int f = 0; f < n; f++) {
        if (!fact[f].formula) continue;
        struct reader r = {fact[f].formula, &setup, fact, n};
        double v = sum(&r), is = fact[f].value;
        if (*r.at) fail_msg("%s %s: \"%s\" is not understood", s->name, fact[f].name, r.at);
        if (!isfinite(v) || !isfinite(is)) continue;
        if (!(fabs(v - is) <= 1e-6 * fmax(fabs(v), fabs(is))))
          fail_msg("%s %s: %s gives %.10g, the fact is %.10g", s->name, fact[f].name, fact[f].formula, v, is);
        checked++;
      }
    }
  }
  assert_true(checked > 2000);
}

/* The evaluator itself: precedence, powers, functions, names. */
static void formulas_are_read(void **state) {
  (void)state;
  static const struct setup none;
  static const struct fact fact[] = {{.name = "a", .value = 3}, {.name = "a_b", .value = 4}};
  static const struct { const char *text; double value; } row[] = {
      {"a + a_b * 2", 11}, {"a - a_b - 1", -2}, {"(a + a_b) / 2", 3.5}, {"2^-a", 0.125}, {"min(a, a_b, 1) * max(a, a_b)", 4}, {"floor(a / 2)", 1}};
  for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
    struct reader r = {row[i].text, &none, fact, 2};
    double v = sum(&r);
    assert_true(v == row[i].value && !*r.at);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(formulas_are_read), cmocka_unit_test(formulas_hold)};
  return cmocka_run_group_tests(tests, world_up, world_down);
}
