/* Parameter counts from dimensions against the published counts, for every decoder of the catalogue and for configurations as they lie on
 * disk. Run from the repository's root. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "data/catalogue.h"
#include "model/parameters.h"

static struct world *world;

/* To the unit: total, active and multiplied, of every decoder whose dimensions are public. */
static void catalogue_counts(void **state) {
  (void)state;
  int counted = 0;
  for (int i = 0; i < world->nmodel; i++) {
    const struct model *m = &world->model[i];
    struct parameters p;
    if (!m->decoder || m->illustrative) continue;
    if (!parameters_of(m, &p)) fail_msg("%s: dimensions are missing", m->id);
    if (p.total != m->params || p.active != m->params_active || p.matmul != m->matmul_params)
      fail_msg("%s: %.0f %.0f %.0f, not %.0f %.0f %.0f", m->id, p.total, p.active, p.matmul, m->params, m->params_active, m->matmul_params);
    if (2 * parameters_kv(m) != m->kv_byte_per_token) fail_msg("%s: %.0f byte a token", m->id, 2 * parameters_kv(m));
    counted++;
  }
  assert_true(counted >= 17);
}

int main(void) {
  struct err e = {0};
  world = calloc(1, sizeof *world);
  if (!world || !catalogue_load(world, "data", NULL, NULL, &e)) {
    fprintf(stderr, "%s\n", e.text);
    return 1;
  }
  const struct CMUnitTest tests[] = {cmocka_unit_test(catalogue_counts)};
  int failed = cmocka_run_group_tests(tests, NULL, NULL);
  free(world);
  return failed;
}
