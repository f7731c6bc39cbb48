/* number: the one file that knows how numbers with units look and how people type them. Values are SI; on the screen they get
 * prefixes. Always a decimal point, whatever the locale. */
#ifndef RIDGE_NUMBER_H
#define RIDGE_NUMBER_H

#include <stdbool.h>
#include <stddef.h>

enum { NUMBER_MAX = 32 };
/* Units in use: "1" (a plain number), "%" (a fraction printed as a percentage), "x" (a ratio), "s", "byte", "iB" (bytes shown with binary
 * prefixes: MiB), "byte/s", "flop", "flop/s", "flop/byte", "token/s", "element", "item/s", "W", "J", "flop/J", "Hz", "n" (a whole count), "" (none). */

/* v in `digits` significant digits (3 or 4) with the unit's prefix: "21.3 GFLOP/s", "7.00 ms", "128 MiB", "0.500", "89.4 %".
 * NAN gives "—" ("-" when ascii), infinity "∞" ("inf"). The width of a given unit is steady from frame to frame. Returns out. */
char *number_print(char out[NUMBER_MAX], double v, const char *unit, int digits, bool ascii);
/* The same split for columns that stand under one another. */
void number_split(double v, const char *unit, int digits, bool ascii, char value[NUMBER_MAX], char suffix[NUMBER_MAX]);
/* The shortest text that reads back as exactly v and is pleasant to type: "4Ki" is not used, "4096", "7e9", "0.5", "2T" is not used. */
char *number_key(char out[NUMBER_MAX], double v);
/* All digits needed to read back exactly (JSON, CSV); "null" for NAN and infinities. */
char *number_exact(char out[NUMBER_MAX], double v);

/* Read what a person types: 0.007, 7e9, 2^20, 4k M G T (powers of 1000), Ki Mi Gi Ti (1024), m µ u n for the small ones when a unit
 * follows ("7ms", "10us"), with or without the unit ("25GB/s", "25 GB/s", "25e9"). `unit` is the knob's unit. A leading or trailing blank
 * is allowed; anything else left over is an error. Returns NULL when fine, else a short reason in words (static). */
const char *number_parse(const char *s, const char *unit, double *out);

/* Tick label for a power-of-ten axis value: "0.1", "1", "10", "100", "1k"… in the unit of the axis after scaling. */
char *number_tick(char out[NUMBER_MAX], double v);
/* The prefix that suits the range lo…hi of `unit`: *scale (1e9) and its name ("GFLOP/s"). */
void number_axis(double lo, double hi, const char *unit, bool ascii, double *scale, char name[NUMBER_MAX]);

/* The unit of the value as it is held, for data that programs read: shares, ratios and counts are plain numbers ("1"), "iB" is "byte";
 * every other unit is its own. */
const char *number_si(const char *unit);

#endif
