/* foreign: points that other programs measured: FLOP, bytes and seconds of one execution, as they counted them. Nothing here can check
 * their counts. Units: FLOP, byte, s. */
#ifndef RIDGE_FOREIGN_H
#define RIDGE_FOREIGN_H

#include <stdbool.h>

enum { FOREIGN_MAX = 60 }; /* as many as there are marks that no other point wears */
struct foreign {
  char mark[2];               /* its letter on the picture and in tables */
  char name[64], program[24]; /* program: "llama-bench", "likwid-bench", what the line says, or "" */
  double flop, byte, s;       /* of one execution; all > 0 */
  double spread;              /* of the times, as a fraction of s; NAN not told */
  int n;                      /* repetitions behind s; 0 not told */
  bool estimate;              /* flop and byte were worked out from other figures, not counted */
};

/* The mark of point i, "A" … "Z", "a" … "z" but "o" (which is our own), "1" … "9"; "" outside 0 … FOREIGN_MAX - 1. */
const char *foreign_mark(int i);

/* What a language model does for one token, from its size: 2 FLOP a parameter (one multiply-add), and every weight read once a pass. A
 * prompt is read in passes of `pass` tokens, generated tokens come one a pass. Per token over prompt + generated of them; the cached keys
 * and values, activations and, in a mixture of experts, the experts left alone are not in it: an estimate. NAN where a figure is missing or
 * no token is. */
struct foreign_token {
  double flop, byte;
};
struct foreign_token foreign_per_token(double params, double weight_byte, double prompt, double generated, double pass);

#endif
