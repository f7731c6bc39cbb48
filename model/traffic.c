#include "model/traffic.h"

#include <math.h>

static double lesser(double a, double b) { return isnan(a) || isnan(b) ? NAN : a < b ? a : b; }

double traffic_tile_byte(double n, double tile, double element_byte) {
  double side = lesser(tile, n);
  return element_byte * n * n * (2 * n / side + 1);
}

double traffic_tile_intensity(double n, double tile, double element_byte) {
  return 2 * n * n * n / traffic_tile_byte(n, tile, element_byte);
}

double traffic_tile_rule(double tile, double element_byte) { return tile / element_byte; }

double traffic_tile_set(double tile, double element_byte) { return 3 * tile * tile * element_byte; }

double traffic_tile_ridge(double ridge, double element_byte) {
  if (!(ridge > 0) || !isfinite(ridge)) return NAN;
  double tile = 1;
  while (traffic_tile_rule(tile, element_byte) < ridge) tile *= 2;
  return tile;
}

double traffic_chain_ridge(double ridge, double element_byte) {
  if (!(ridge > 0) || !isfinite(ridge)) return NAN;
  double operations = ceil(2 * element_byte * ridge);
  return operations < 1 ? 1 : operations;
}

double traffic_attention_limit(double width, double element_byte) { return width / element_byte; }

/* n·width / (element_byte · (width + n)) = ridge, for n. */
double traffic_attention_ridge(double ridge, double width, double element_byte) {
  double room = width - element_byte * ridge;
  if (!(ridge > 0) || !(room > 0)) return NAN;
  return ceil(element_byte * ridge * width / room);
}

double traffic_attention_fused_ridge(double ridge, double element_byte) {
  if (!(ridge > 0) || !isfinite(ridge)) return NAN;
  return ceil(element_byte * ridge);
}

double traffic_rung_intensity(enum rung rung, double n, double element_byte) {
  double least = 3 * n * n, element = least;
  if (rung == RUNG_PLAIN) element = 2 * n * n * n + n * n;
  if (rung == RUNG_REORDERED) element = n * n * n + 2 * n * n;
  if (rung == RUNG_TILED) {
    double depth = 64, columns = 2048 / element_byte;
    element = n * n * (1 + fmax(1, n / columns) + 2 * fmax(1, n / depth));
  }
  return 2 * n * n * n / (element_byte * fmax(element, least));
}
