/* roof: the roofline model (Williams, Waterman, Patterson, CACM 52(4), 2009): an operation runs at most at the
 * lesser of the machine's arithmetic rate and its memory rate times the operation's arithmetic intensity.
 * All functions: NAN in, NAN out. Rates per second; intensity in FLOP per byte of the stated level. */
#ifndef RIDGE_ROOF_H
#define RIDGE_ROOF_H

enum bound { BOUND_UNKNOWN, BOUND_MEMORY, BOUND_COMPUTE };
const char *bound_name(enum bound b); /* "unknown" "memory" "compute" */

/* FLOP per byte; infinite when byte is 0 and flop is not; NAN when both are 0. */
double roof_intensity(double flop, double byte);

/* peak / bandwidth: the intensity at which the two roofs meet. */
double roof_ridge(double peak_flop_per_s, double byte_per_s);

/* min(peak, bandwidth × intensity). */
double roof_attainable(double peak_flop_per_s, double byte_per_s, double flop_per_byte);

/* max(flop/peak, byte/bandwidth): arithmetic and traffic perfectly overlapped. No time below this is possible. */
double roof_time_lower(double flop, double byte, double peak_flop_per_s, double byte_per_s);

/* flop/peak + byte/bandwidth: no overlap at all. At most twice the lower time; other costs are not in it. */
double roof_time_upper(double flop, double byte, double peak_flop_per_s, double byte_per_s);

/* Which term of roof_time_lower is the larger; at the ridge exactly: compute. */
enum bound roof_bound(double flop, double byte, double peak_flop_per_s, double byte_per_s);

#endif
