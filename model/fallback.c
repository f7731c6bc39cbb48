#include "model/fallback.h"

#include <math.h>

void fallback_of(const struct fallback_in *in, struct fallback_out *out) {
  double fallen = in->fallbacks < in->ops ? in->fallbacks : in->ops, saved = in->host_s - in->accelerated_s;
  out->accelerated_s = (in->ops - fallen) * in->accelerated_s;
  out->host_s = fallen * in->host_s;
  out->crossing_s = 2 * fallen * in->crossing_s;
  out->time_s = out->accelerated_s + out->host_s + out->crossing_s;
  out->host_only_s = in->ops * in->host_s;
  out->gain = out->host_only_s / out->time_s;
  double even = ceil(in->ops * saved / (saved + 2 * in->crossing_s) - 1e-9);
  out->even = saved > 0 && even <= in->ops ? even : NAN;
}
