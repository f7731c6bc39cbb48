#include "model/collective.h"

#include <math.h>

static const double ACTIVATION_BYTE = 2, GRADIENT_BYTE = 2, MOST = 65536;

double collective_byte(enum collective what, double byte, double n) {
  return n == 1 ? 0 : byte * (n - 1) / n * (what == COLLECTIVE_REDUCE ? 2 : 1);
}

double collective_time(enum collective what, double byte, double n, double byte_per_s, double fixed_s) {
  return n == 1 ? 0 : collective_byte(what, byte, n) / byte_per_s + fixed_s * (what == COLLECTIVE_REDUCE ? 2 : 1);
}

const char *split_name(enum split s) {
  static const char *const name[SPLIT_N] = {"data", "sharded", "tensor"};
  return name[s];
}

/* What one device does and says in a step. */
static void group_work(const struct group_in *in, struct group_out *out) {
  double n = in->devices, weights = in->params * in->weight_byte;
  switch (in->split) {
  case SPLIT_TENSOR:
    out->flop = 2 * in->params * in->tokens / n;
    out->memory_byte = weights / n;
    out->link_byte = collective_byte(COLLECTIVE_REDUCE, ACTIVATION_BYTE * in->tokens * in->hidden, n) * 2 * in->layers;
    out->exchanges = 4 * in->layers;
    break;
  case SPLIT_SHARDED:
    out->flop = 6 * in->params * in->tokens / n;
    out->memory_byte = 3 * weights; /* forward, and twice backward */
    out->link_byte =
        2 * collective_byte(COLLECTIVE_GATHER, weights, n) + collective_byte(COLLECTIVE_SCATTER, GRADIENT_BYTE * in->params, n);
    out->exchanges = 3 * in->layers;
    break;
  default:
    out->flop = 6 * in->params * in->tokens / n;
    out->memory_byte = 3 * weights;
    out->link_byte = collective_byte(COLLECTIVE_REDUCE, GRADIENT_BYTE * in->params, n);
    out->exchanges = 2 * in->layers;
  }
  if (n == 1) out->exchanges = 0;
}

static void group_times(const struct group_in *in, struct group_out *out) {
  group_work(in, out);
  out->compute_time = out->flop / in->peak_flop_per_s;
  out->memory_time = out->memory_byte / in->byte_per_s;
  out->work_time = isnan(out->compute_time) || isnan(out->memory_time) ? NAN : fmax(out->compute_time, out->memory_time);
  out->byte_time = in->devices == 1 ? 0 : out->link_byte / in->link_byte_per_s;
  out->fixed_time = out->exchanges * in->exchange_s;
  out->link_time = out->byte_time + out->fixed_time;
  double sum = out->work_time + out->link_time, longer = isnan(sum) ? NAN : fmax(out->work_time, out->link_time);
  out->step_time = in->split == SPLIT_TENSOR ? sum : longer;
  out->step_time_other = in->split == SPLIT_TENSOR ? longer : sum;
}

void group_of(const struct group_in *in, struct group_out *out) {
  struct group_in one = *in;
  struct group_out alone;
  one.devices = 1;
  group_times(&one, &alone);
  group_times(in, out);
  out->alone_time = alone.step_time;
  out->speedup = out->alone_time / out->step_time;
  out->efficiency = out->speedup / in->devices;
  out->link_ridge = in->peak_flop_per_s / in->link_byte_per_s;
  out->link_intensity = in->devices == 1 ? NAN : out->flop / out->link_byte;
}

static int keeps_up(const struct group_in *in, double n) {
  struct group_in at = *in;
  struct group_out o;
  at.devices = n;
  group_times(&at, &o);
  return o.link_time <= o.work_time;
}

double group_most(const struct group_in *in) {
  if (!keeps_up(in, 2)) return NAN;
  /* The work of each shrinks with their number, what they say grows: once it is too much it stays so. */
  double fits = 2, not = MOST + 1;
  while (not -fits > 1) {
    double middle = floor((fits + not ) / 2);
    if (keeps_up(in, middle))
      fits = middle;
    else
      not = middle;
  }
  return fits;
}
