/* The compute roof against the clock, for `make bench`: in turn, on every core at once, the peak loop and a chain of dependent additions
 * that counts cycles. Argument: pairs. Prints a line a pair: FLOP/s of the roof, the clock in Hz (mean over the cores), lanes, threads. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "kernels/lanes.h"
#include "kernels/timing.h"

static void clock_part(int rank, int of, void *arg) {
  (void)of;
  ((double *)arg)[rank] = clock_measure(0.01);
}

int main(int argc, char **argv) {
  int pairs = argc > 1 ? atoi(argv[1]) : 9;
  static struct os_info os;
  static double clock_hz[OS_CPU_MAX];
  os_read(&os, "");
  struct pool pool = {.cap = NAN};
  struct job j;
  char why[256];
  struct request r = {.op = OP_PEAK, .shape = {NAN, NAN, NAN, 1, 1}, .dtype = DTYPE_FP32};
  const struct kernel *k = kernel_find(OP_PEAK);
  if (!job_open(&j, k, &r, &os, &pool, INFINITY, 1, why)) {
    fprintf(stderr, "%s\n", why);
    return 1;
  }
  clock_settle(j.team, 0.3);
  for (int pair = 0; pair < pairs; pair++) {
    double before = 0, after = 0, best = 0;
    team_run(j.team, clock_part, clock_hz);
    for (int i = 0; i < j.threads; i++) before += clock_hz[i] / j.threads;
    for (int i = 0; i < 8; i++) {
      struct sample s = job_sample(&j, k, 40, 1e-9);
      best = fmax(best, s.flop / s.time);
    }
    team_run(j.team, clock_part, clock_hz);
    for (int i = 0; i < j.threads; i++) after += clock_hz[i] / j.threads;
    printf("%.8g %.8g %d %d\n", best, fmax(before, after), job_lanes(&j)->lanes, j.threads);
  }
  job_close(&j);
  return 0;
}
