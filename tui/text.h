/* text: a bounded string that sentences are built in. Never overflows: what does not fit is cut at a character. */
#ifndef RIDGE_TEXT_H
#define RIDGE_TEXT_H

#include <stdbool.h>

enum { TEXT_MAX = 1024 };
struct text { char s[TEXT_MAX]; int n; };

void text_clear(struct text *t);
void text_add(struct text *t, const char *s);
/* `%` + arguments is not offered: a sentence is words and numbers with units. */
void text_number(struct text *t, double v, const char *unit); /* through number.h, 3 digits: "22 GB/s", "—" for NAN */
void text_count(struct text *t, double v);                    /* "64", "1,048,576", "2.1 million" are all numbers in words' place: "64" */
void text_line(struct text *t, const char *label, double v, const char *unit); /* label, space, number */

/* Break s into lines of at most `width` columns at spaces; returns the number of lines, writing at most `max` of them as
 * (start,length) byte pairs. A word longer than width is cut. */
int text_wrap(const char *s, int width, int max, int start[], int length[]);

#endif
