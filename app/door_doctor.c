/* door_doctor: what works here, what does not, and why; needs no terminal. Each line answers a question that a puzzled person asks. */
#include <errno.h>
#include <langinfo.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <wchar.h>

#include "app/args.h"
#include "app/emit.h"
#include "app/visit.h"
#include "kernels/bench.h"
#include "kernels/library.h"
#include "tui/number.h"
#include "tui/terminal.h"

static void heading(const char *name) { printf("\n%s\n", name); }

static void entry(const char *name, const char *text) { printf("  %-18s %s\n", name, text); }

static void number_entry(const char *name, double v, const char *unit, const char *rest) {
  char number[NUMBER_MAX], text[300];
  if (isnan(v))
    snprintf(text, sizeof text, "not known%s", rest);
  else
    snprintf(text, sizeof text, "%s%s", number_print(number, v, unit, 3, false), rest);
  entry(name, text);
}

/* Whether this locale gives each of some glyphs one column: what the braille and block pictures need. */
static const char *width_words(const char *glyphs) {
  wchar_t wide[64];
  size_t n = mbstowcs(wide, glyphs, 64);
  if (n == (size_t)-1) return "this locale cannot spell them";
  for (size_t i = 0; i < n && i < 64; i++)
    if (wcwidth(wide[i]) != 1) return "not all one column wide in this locale";
  return "each one column wide in this locale";
}

static void glyph_entry(const char *charset, const char *glyphs) {
  char text[200];
  snprintf(text, sizeof text, "%s   %s", glyphs, width_words(glyphs));
  entry(charset, text);
}

static void doctor_terminal(void) {
  char text[512];
  struct winsize size;
  heading("terminal");
  const char *term = getenv("TERM"), *none = getenv("NO_COLOR");
  entry("TERM", term && *term ? term : "not set: the screen cannot open");
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) {
    snprintf(text, sizeof text, "%d columns, %d rows%s", size.ws_col, size.ws_row,
             size.ws_col < 60 || size.ws_row < 18 ? ": too small, 60 by 18 is the least" : "");
    entry("size", text);
  } else {
    entry("size", "stdout is no terminal: the screen cannot open here; print, sweep and snapshot work");
  }
  terminal_describe(text, sizeof text);
  entry("looks", text);
  entry("codeset", nl_langinfo(CODESET));
  entry("NO_COLOR", none && *none ? "set: no colours unless --color always" : "not set");
  puts("  glyphs             a row is right when it stands straight, without boxes or question marks");
  glyph_entry("  braille", "⣀⡠⠔⠊⠉⠑⠢⢄⣀⣤⣶⣿");
  glyph_entry("  block", "▁▂▃▄▅▆▇█▖▗▘▝▞▚▌▐");
  glyph_entry("  box", "┌─┬─┐│╞═╡└─┴─┘┊╱");
  glyph_entry("  signs", "o × · ▸ ◂ ● µ → — ±");
  glyph_entry("  ascii", "o x . > < * u - + | / \\");
}

static void doctor_cpu(const struct os_info *os) {
  char text[512];
  heading("processor");
  entry("name", *os->cpu_name ? os->cpu_name : "not known");
  entry("virtual machine", *os->hypervisor ? os->hypervisor : "no sign of one");
  snprintf(text, sizeof text, "%d cores, %d hardware threads in this process's affinity mask", os->ncore, os->ncpu);
  entry("cores", text);
  if (isnan(os->quota_cpu))
    entry("quota", "none");
  else
    number_entry("quota", os->quota_cpu, "1", " CPUs (control group)");
  snprintf(text, sizeof text, "%d: the lesser of cores and quota", os->threads);
  entry("threads used", text);
  struct cpuid_words words = isa_cpuid();
  text[0] = 0;
  for (int i = ISA_AUTO + 1; i < ISA_N; i++) {
    size_t used = strlen(text);
    if (isa_usable((enum isa)i, &words)) snprintf(text + used, sizeof text - used, "%s%s", used ? " " : "", isa_name((enum isa)i));
  }
  size_t used = strlen(text);
  snprintf(text + used, sizeof text - used, " (%s is the widest)", isa_name(isa_best()));
  entry("instructions", text);
  entry("governor", *os->governor ? os->governor : "not told by the system");
  snprintf(text, sizeof text, " in the last minute%s", os->load > 0.5 ? ": others are computing, measurements will be disturbed" : "");
  number_entry("load", os->load, "1", text);
  entry("power", os->battery ? "on battery: clocks may be lower" : "no battery in use");
}

static void doctor_memory(const struct os_info *os) {
  char name[32], rest[100];
  heading("memory");
  for (int i = 0; i < os->ncache; i++) {
    const struct os_cache *c = &os->cache[i];
    snprintf(name, sizeof name, "L%d cache", c->level);
    snprintf(rest, sizeof rest, " ×%d, from %s", c->instances, c->from);
    number_entry(name, c->byte, "iB", rest);
  }
  if (os->ncache == 0) entry("caches", "the system tells no sizes; the working-set sweep of ridge measure finds the steps");
  number_entry("available", os->memory_available, "iB", "");
  if (isnan(os->memory_limit))
    entry("limit", "none");
  else
    number_entry("limit", os->memory_limit, "iB", " (control group)");
  number_entry("a kernel may take", os->memory_cap, "iB", ", a quarter of what is free");
  if (*os->note) entry("not readable", os->note);
}

static void doctor_libraries(void) {
  char text[300], why[160];
  heading("libraries and accelerators");
  struct library *l = library_open(NULL, 1, why);
  if (l)
    snprintf(text, sizeof text, "%s (%s): ridge bench matmul rung=library", library_name(l), library_file(l));
  else
    snprintf(text, sizeof text, "%s; nothing needs one", why);
  library_close(l);
  entry("BLAS", text);
  bool driver = access("/proc/driver/nvidia/version", F_OK) == 0 || access("/dev/nvidiactl", F_OK) == 0 || access("/dev/dxg", F_OK) == 0;
  entry("GPU", driver ? "a driver is loaded, but ridge does not measure GPUs yet: their figures come from sheets"
                      : "no driver found; ridge does not measure GPUs yet, their figures come from sheets");
}

static void count_warning(const struct err *e, void *arg) {
  int *n = arg;
  if ((*n)++ == 0) heading("warnings");
  printf("  %s\n", e->text);
}

static void doctor_folder(const char *name, bool known, char *path) {
  char text[1200];
  char *slash = strrchr(path, '/');
  if (slash && slash[1] == 0) *slash = 0;
  if (!*path)
    snprintf(text, sizeof text, "nowhere: neither the XDG variable nor HOME names a folder");
  else if (!known)
    snprintf(text, sizeof text, "%s cannot be made: nothing will be kept", path);
  else
    snprintf(text, sizeof text, "%s%s", path, access(path, W_OK) == 0 ? "" : ": not writable, nothing will be kept");
  entry(name, text);
}

static int doctor_files(void) {
  struct err e;
  int warnings = 0;
  char text[1200], path[1024];
  struct world *w = world_read(count_warning, &warnings, &e);
  heading("files");
  entry("data folder", home_data());
  if (w) {
    snprintf(text, sizeof text, "%d devices, %d models, %d warning%s", w->ndevice - 1, w->nmodel, warnings, warnings == 1 ? "" : "s");
    entry("loaded", text);
  } else {
    entry("loaded", e.text);
  }
  doctor_folder("state folder", home_state(path, sizeof path, ""), path);
  doctor_folder("config folder", home_config(path, sizeof path, ""), path);
  if (w) {
    const struct machine *m = &w->device[DEVICE_HERE].machine;
    enum machine_owner owner = machine_file(w, path, sizeof path);
    static const char *const whose[] = {"", " (your own)", " (made for all users of this machine)"};
    snprintf(text, sizeof text, "%s", w->machine);
    entry("this machine", text);
    snprintf(text, sizeof text, "%s%s%s%s", owner ? path : "not measured yet: ridge measure", whose[owner],
             m->measured && *m->date ? ", measured " : "", m->measured ? m->date : "");
    entry("its figures", text);
  }
  free(w);
  return w ? 0 : 1;
}

int door_doctor(int argc, char **argv) {
  struct args a;
  struct err e;
  if (!args_read(&a, argc, argv, 0, &e)) return door_refuse(&e, 2);
  if (a.nword > 0) return door_refuse_text("doctor takes no words", 2);
  struct os_info *os = calloc(1, sizeof *os);
  if (!os) return door_refuse_text("out of memory", 1);
  os_read(os, "");
  puts("ridge doctor: what works here, and why the rest does not");
  doctor_terminal();
  doctor_cpu(os);
  doctor_memory(os);
  doctor_libraries();
  int code = doctor_files(); /* missing data is a failure: no scene can open */
  free(os);
  return emit_close() ? 1 : code;
}
