/* fallback: a chain of operations on an accelerator that does not know all of them. What it does not know runs on the host, and the data
 * cross over and back: no error, only time. Times in s. NAN in, NAN out. */
#ifndef RIDGE_FALLBACK_H
#define RIDGE_FALLBACK_H

struct fallback_in {
  double ops, fallbacks;        /* operations in a row; of them, not supported, none beside another. More than ops: all */
  double accelerated_s, host_s; /* one operation on the accelerator, on the host */
  double crossing_s;            /* one hand-over of the data */
};

/* Where the time goes: the accelerator's part, the host's, and the crossings: two for each operation that falls back. */
struct fallback_out {
  double accelerated_s, host_s, crossing_s, time_s;
  double host_only_s; /* all of it on the host, nothing handed over */
  double gain;        /* host_only_s / time_s: under 1 the accelerator costs time */
  double even; /* the fewest fallbacks at which it gains nothing: ceil(ops (h − a) / (h − a + 2 c)); NAN: never, or it never gains */
};
void fallback_of(const struct fallback_in *in, struct fallback_out *out);

#endif
