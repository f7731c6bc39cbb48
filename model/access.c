#include "model/access.h"

#include <math.h>

double access_share(double element_byte, double stride_byte) {
  double step = stride_byte < element_byte ? element_byte : stride_byte > ACCESS_LINE_BYTE ? ACCESS_LINE_BYTE : stride_byte;
  return element_byte / step;
}

double access_rate(double element_byte, double stride_byte, double byte_per_s, double load_per_s) {
  double asked = access_share(element_byte, stride_byte) * byte_per_s, loads = load_per_s * element_byte;
  return stride_byte > element_byte && loads < asked ? loads : asked;
}

double access_loads(double clock_hz, int threads) { return 2 * clock_hz * threads; }

double access_chain_rate(double chains, double latency_s, double limit_byte_per_s) {
  double rate = chains * ACCESS_LINE_BYTE / latency_s;
  return limit_byte_per_s < rate ? limit_byte_per_s : rate;
}

double access_in_flight(double byte_per_s, double latency_s) { return byte_per_s * latency_s / ACCESS_LINE_BYTE; }
