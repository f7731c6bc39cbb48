#include <langinfo.h>
#include <string.h>
#include <wchar.h>

#include "tui/terminal_inner.h"

bool locale_utf8(void) {
  const char *c = nl_langinfo(CODESET);
  return c && (!strcmp(c, "UTF-8") || !strcmp(c, "utf8") || !strcmp(c, "UTF8"));
}

enum charset charset_choose(const char *term, bool acs, const char **why) {
  if (!locale_utf8()) {
    *why = acs ? "the locale is not UTF-8, the terminal has line drawing" : "the locale is not UTF-8";
    return acs ? CHARSET_ACS : CHARSET_ASCII;
  }
  if (wcwidth(0x2500) != 1) return *why = "the locale gives lines another width", CHARSET_ASCII;
  if (!strcmp(term, "linux")) return *why = "the console's font has lines but no dots", CHARSET_ACS;
  if (wcwidth(0x2584) != 1) return *why = "the locale gives blocks another width", CHARSET_ACS;
  if (wcwidth(0x28ff) != 1) return *why = "the locale gives braille another width", CHARSET_BLOCK;
  return *why = "the locale is UTF-8", CHARSET_BRAILLE;
}
