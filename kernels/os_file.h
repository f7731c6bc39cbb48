/* os_file: the little text files in which Linux tells what it knows, under any root. For os_read.c and os_group.c alone. */
#ifndef RIDGE_OS_FILE_H
#define RIDGE_OS_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "kernels/os.h"

/* The first bytes of root + path, without blanks and newlines at the end. False and "" when there is no such file or it is empty. */
__attribute__((format(printf, 4, 5))) bool file_read(char *out, size_t size, const char *root, const char *path, ...);
/* The number of unsigned digits at s, blanks before it skipped; NAN when there are none ("max", "-1"). */
double digits_read(const char *s);
/* The number after `key` at the start of a line of text; NAN when there is none. */
double field_read(const char *text, const char *key);
/* The words after `key`, blanks and a colon, at the start of a line. */
bool words_read(const char *text, const char *key, char *out, size_t size);
/* "0-3,8" into set[]; returns how many were new. Of a broken list, what could be read of it. */
int list_read(const char *s, bool set[OS_CPU_MAX]);

/* The tightest CPU quota and memory limit of the control groups this process is in, into *o (os_group.c). */
void limits_read(struct os_info *o, const char *root);

#endif
