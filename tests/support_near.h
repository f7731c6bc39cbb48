/* support_near: a number against what it should be. A difference fails the test that asks, with file, line and both numbers. */
#ifndef RIDGE_TESTS_SUPPORT_NEAR_H
#define RIDGE_TESTS_SUPPORT_NEAR_H

#include <stdbool.h>

/* Within rel of want, as a share of want; a want of 0 must be met exactly. NAN is near nothing. */
#define NEAR(got, want, rel) near_check(#got, (got), (want), (rel), __FILE__, __LINE__)
void near_check(const char *what, double got, double want, double rel, const char *file, int line);

/* "1.01e-3": v rounds to these digits. The half unit is widened by the noise of double arithmetic only. */
bool rounds_to(double v, const char *text);

#endif
