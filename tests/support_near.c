#include "tests/support_near.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

void near_check(const char *what, double got, double want, double rel, const char *file, int line) {
  if (!(fabs(got - want) <= rel * fabs(want) + 1e-300)) fail_msg("%s:%d: %s is %.9g, not %.9g", file, line, what, got, want);
}

bool rounds_to(double v, const char *text) {
  const char *e = strchr(text, 'e'), *point = strchr(text, '.');
  int exponent = e ? atoi(e + 1) : 0, decimals = point ? (int)((e ? e : text + strlen(text)) - point) - 1 : 0;
  return fabs(v - strtod(text, NULL)) <= pow(10, exponent - decimals) / 2 + 1e-9 * fabs(v);
}
