#include "model/foreign.h"

#include <math.h>

const char *foreign_mark(int i) {
  /* One string a mark, ended by its own NUL. */
  static const char mark[FOREIGN_MAX][2] = {"A", "B", "C", "D", "E", "F", "G", "H", "I", "J", "K", "L", "M", "N", "O",
                                            "P", "Q", "R", "S", "T", "U", "V", "W", "X", "Y", "Z", "a", "b", "c", "d",
                                            "e", "f", "g", "h", "i", "j", "k", "l", "m", "n", "p", "q", "r", "s", "t",
                                            "u", "v", "w", "x", "y", "z", "1", "2", "3", "4", "5", "6", "7", "8", "9"};
  return i >= 0 && i < FOREIGN_MAX ? mark[i] : "";
}

struct foreign_token foreign_per_token(double params, double weight_byte, double prompt, double generated, double pass) {
  double tokens = prompt + generated;
  if (!(params > 0) || !(weight_byte > 0) || !(prompt >= 0) || !(generated >= 0) || !(tokens > 0) || !(pass >= 1))
    return (struct foreign_token){NAN, NAN};
  return (struct foreign_token){2 * params, weight_byte * (ceil(prompt / pass) + generated) / tokens};
}
