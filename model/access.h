/* access: what the pattern of loads costs: how much of each line is of use at a stride, how fast several chains of dependent loads go, how
 * many lines must be on their way at once. A line is 64 bytes, as on nearly every CPU. Sizes in bytes, rates in byte/s, times in s. */
#ifndef RIDGE_ACCESS_H
#define RIDGE_ACCESS_H

#define ACCESS_LINE_BYTE 64.0
#define ACCESS_PAGE_BYTE 4096.0

/* The share of the bytes carried that was asked for: an element in every `stride` bytes of a line, at least one a line.
 * element / min(max(stride, element), 64). */
double access_share(double element_byte, double stride_byte);

/* Bytes a second that can be asked for at this stride: the share of what the memory carries, and no more than the loads a core can start:
 * load_per_s elements. NAN load_per_s: not known, not a bound. A contiguous walk takes whole registers a load and has no such bound. */
double access_rate(double element_byte, double stride_byte, double byte_per_s, double load_per_s);

/* Loads one core starts a second, one element each: two a clock cycle, as on most cores since 2011. */
double access_loads(double clock_hz, int threads);

/* Bytes a second that `chains` chains of dependent loads bring, a line each load: chains · 64 B / latency, and no more than limit (NAN:
 * none). */
double access_chain_rate(double chains, double latency_s, double limit_byte_per_s);

/* Little's law (1961): lines on their way at once = rate · latency / 64 B. */
double access_in_flight(double byte_per_s, double latency_s);

#endif
