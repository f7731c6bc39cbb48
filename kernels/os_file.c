#include "kernels/os_file.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The first bytes of root + path, without the last newline. False and "" when there is no such file or it is empty. */
bool file_read(char *out, size_t size, const char *root, const char *path, ...) {
  char name[1024];
  int n = snprintf(name, sizeof name, "%s", root);
  out[0] = '\0';
  if (n < 0 || (size_t)n >= sizeof name) return false;
  va_list ap;
  va_start(ap, path);
  int m = vsnprintf(name + n, sizeof name - (size_t)n, path, ap);
  va_end(ap);
  if (m < 0 || (size_t)(n + m) >= sizeof name) return false;
  FILE *f = fopen(name, "re");
  if (!f) return false;
  size_t got = fread(out, 1, size - 1, f);
  fclose(f);
  out[got] = '\0';
  while (got > 0 && (out[got - 1] == '\n' || out[got - 1] == ' ')) out[--got] = '\0';
  return got > 0;
}

/* The number of unsigned digits at s; NAN when there are none. "max" is NAN, as cgroups mean it. */
double digits_read(const char *s) {
  s += strspn(s, " \t");
  if (*s < '0' || *s > '9') return NAN;
  double v = 0;
  for (; *s >= '0' && *s <= '9'; s++) v = v * 10 + (*s - '0');
  return v;
}

/* The number after `key` at the start of a line of text; NAN when there is none. */
double field_read(const char *text, const char *key) {
  size_t n = strlen(key);
  for (const char *line = text; line && *line; line = strchr(line, '\n'), line = line ? line + 1 : NULL)
    if (strncmp(line, key, n) == 0) return digits_read(line + n);
  return NAN;
}

/* The words after "key", blanks and a colon, at the start of a line. */
bool words_read(const char *text, const char *key, char *out, size_t size) {
  size_t n = strlen(key);
  for (const char *line = text; line && *line; line = strchr(line, '\n'), line = line ? line + 1 : NULL) {
    if (strncmp(line, key, n) != 0) continue;
    const char *from = line + n + strspn(line + n, " \t:");
    size_t len = strcspn(from, "\n");
    if (len >= size) len = size - 1;
    memcpy(out, from, len);
    out[len] = '\0';
    return len > 0;
  }
  return false;
}

/* "0-3,8" into set[]; returns how many were new. Broken lists give what could be read of them. */
int list_read(const char *s, bool set[OS_CPU_MAX]) {
  int count = 0;
  while (*s) {
    char *end;
    long a = strtol(s, &end, 10), b = a;
    if (end == s || a < 0) break;
    if (*end == '-') {
      s = end + 1;
      b = strtol(s, &end, 10);
      if (end == s || b < a) break;
    }
    for (long i = a; i <= b && i < OS_CPU_MAX; i++) {
      if (!set[i]) count++;
      set[i] = true;
    }
    s = end;
    if (*s == ',')
      s++;
    else
      break;
  }
  return count;
}
