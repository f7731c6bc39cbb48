#include "model/crossing.h"

#include <math.h>
#include <stddef.h>

const char *resident_name(enum resident r) {
  static const char *const name[RESIDENT_N] = {"none", "b", "all"};
  return (int)r >= 0 && r < RESIDENT_N ? name[r] : "?";
}

/* Matrices that travel each way: A and B in, C out; what is resident does not travel, and shared memory needs no copy at all. */
static int matrices_in(const struct crossing_in *in) {
  if (in->unified || in->resident == RESIDENT_ALL) return 0;
  return in->resident == RESIDENT_B ? 1 : 2;
}

static int matrices_out(const struct crossing_in *in) { return in->unified || in->resident == RESIDENT_ALL ? 0 : 1; }

void crossing_of(const struct crossing_in *in, struct crossing_out *out) {
  double matrix_byte = in->n * in->n * in->element_byte;
  int m_in = matrices_in(in), m_out = matrices_out(in);
  /* With nothing to carry, an unknown link or copy cost does not matter. */
  double in_link = m_in ? m_in * matrix_byte / in->link_byte_per_s : 0, out_link = m_out ? m_out * matrix_byte / in->link_byte_per_s : 0;
  double copy_in = m_in ? m_in * in->pieces * in->copy_s : 0, copy_out = m_out ? m_out * in->pieces * in->copy_s : 0;

  out->in_copies = m_in * in->pieces;
  out->out_copies = m_out * in->pieces;
  out->flop = 2 * in->n * in->n * in->n * in->reuse;
  out->byte = (m_in + m_out) * matrix_byte;
  out->host_time = out->flop / in->host_flop_per_s;
  out->in_time = copy_in + in_link;
  out->out_time = copy_out + out_link;
  out->compute_time = out->flop / in->device_flop_per_s;
  out->run_time = in->reuse * in->launch_s + out->compute_time;
  out->link_time = in_link + out_link;
  out->fixed_time = copy_in + copy_out + in->reuse * in->launch_s;
  out->overlapped = in->overlap && in->pinned;
  double carrying = out->link_time, moving = out->in_time + out->out_time;
  if (out->overlapped) {
    /* fmax would drop an unknown stage: the slowest of known and unknown is unknown. */
    double sum = out->in_time + out->run_time + out->out_time;
    out->device_time = isnan(sum) ? NAN : fmax(out->in_time, fmax(out->run_time, out->out_time));
    carrying = fmax(in_link, out_link);
    moving = fmax(out->in_time, out->out_time);
  } else {
    out->device_time = out->in_time + out->run_time + out->out_time;
  }
  out->link_share = carrying / out->device_time;
  out->moving_share = moving / out->device_time;
  out->speedup = out->host_time / out->device_time;
  out->effective_flop_per_s = out->flop / out->device_time;
}

/* Host time minus device time at size n: positive where the device wins. One change of sign: the host's cubic term starts below every
 * device stage and grows past each of them once, if at all. */
static double gain(const struct crossing_in *in, double n) {
  struct crossing_in at = *in;
  struct crossing_out out;
  at.n = n;
  crossing_of(&at, &out);
  return out.host_time - out.device_time;
}

enum { CROSSING_N_MAX = 1 << 20 };

double crossing_n(const struct crossing_in *in) {
  double lo = 0, hi = CROSSING_N_MAX, top = gain(in, hi);
  if (isnan(top) || top <= 0) return NAN;
  for (int i = 0; i < 200 && hi - lo > 0; i++) {
    double mid = lo + (hi - lo) / 2;
    if (mid == lo || mid == hi) break;
    if (gain(in, mid) > 0)
      hi = mid;
    else
      lo = mid;
  }
  /* Nothing to pay before the first FLOP: the device wins from the start, and halving would run down to the smallest double. */
  return hi < 1e-6 ? 0 : hi;
}

double crossing_first_n(const struct crossing_in *in) {
  double n = crossing_n(in);
  if (isnan(n)) return NAN;
  /* Rounding may have put the crossing a hair beside a whole number: look from the one before. */
  for (n = fmax(1, floor(n) - 1); n <= CROSSING_N_MAX; n++)
    if (gain(in, n) > 0) return n;
  return NAN;
}

double crossing_reuse_half(const struct crossing_in *in) {
  struct crossing_in one = *in;
  struct crossing_out out;
  one.reuse = 1;
  one.overlap = false;
  crossing_of(&one, &out);
  double k = 1 + floor((2 * out.link_time - (out.in_time + out.out_time)) / out.run_time);
  return isnan(k) ? NAN : fmax(1, k);
}
