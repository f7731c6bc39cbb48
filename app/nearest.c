/* nearest: which known names a wrong one was probably meant to be. */
#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "app/app.h"

enum { NAME_MAX_ = 64, NEAR_MAX = 3 };

static int least(int a, int b) { return a < b ? a : b; }

/* Edits between a and b, where swapping two neighbours counts once (optimal string alignment); case does not count. */
static int edit_distance(const char *a, const char *b) {
  int na = least((int)strlen(a), NAME_MAX_ - 1), nb = least((int)strlen(b), NAME_MAX_ - 1);
  int row[3][NAME_MAX_];
  for (int j = 0; j <= nb; j++) row[0][j] = j;
  for (int i = 1; i <= na; i++) {
    int *now = row[i % 3], *last = row[(i + 2) % 3], *before = row[(i + 1) % 3];
    now[0] = i;
    for (int j = 1; j <= nb; j++) {
      int ca = tolower((unsigned char)a[i - 1]), cb = tolower((unsigned char)b[j - 1]);
      now[j] = least(least(last[j] + 1, now[j - 1] + 1), last[j - 1] + (ca != cb));
      if (i > 1 && j > 1 && ca == tolower((unsigned char)b[j - 2]) && tolower((unsigned char)a[i - 2]) == cb)
        now[j] = least(now[j], before[j - 2] + 1);
    }
  }
  return row[na % 3][nb];
}

/* A small number for a likely meaning, a large one for no likeness. A name that contains what was typed ("h100" in "h100-sxm") is likely
 * whatever its length. */
static int unlikeness(const char *wrong, const char *name) {
  int n = (int)strlen(wrong), d = edit_distance(wrong, name);
  if (n >= 2 && strncmp(name, wrong, (size_t)n) == 0) return 0;
  if (n >= 3 && strstr(name, wrong)) return 1;
  return d <= (n <= 3 ? 1 : n <= 6 ? 2 : n / 3) ? 1 + d : 1000;
}

void nearest_names(const char *wrong, const char *(*name)(int i, const void *arg), int n, const void *arg, char *out, int size) {
  int best[NEAR_MAX], score[NEAR_MAX], found = 0;
  for (int i = 0; i < n; i++) {
    int s = unlikeness(wrong, name(i, arg)), at = found;
    if (s >= 1000) continue;
    while (at > 0 && score[at - 1] > s) at--;
    if (at == NEAR_MAX) continue;
    if (found < NEAR_MAX) found++;
    for (int j = found - 1; j > at; j--) {
      best[j] = best[j - 1];
      score[j] = score[j - 1];
    }
    best[at] = i;
    score[at] = s;
  }
  while (found > 1 && score[found - 1] > score[0]) found--; /* only those as near as the nearest */
  out[0] = 0;
  for (int i = 0, used = 0; i < found && used < size; i++)
    used += snprintf(out + used, (size_t)(size - used), "%s%s", i == 0 ? "" : i == found - 1 ? " or " : ", ", name(best[i], arg));
}
