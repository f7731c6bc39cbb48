#include "kernels/cpuid.h"

#include <stdio.h>
#include <string.h>

#include "kernels/bench.h"
#include "kernels/lanes.h"

#if defined(__x86_64__)
#include <cpuid.h>

/* Which register files the system saves on a task switch: without that, using them is an illegal instruction whatever CPUID says. */
static uint64_t xcr0_read(void) {
  uint32_t low, high;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return (uint64_t)high << 32 | low;
}

struct cpuid_words isa_cpuid(void) {
  struct cpuid_words w = {.x86 = true};
  uint32_t a, b, c, d;
  if (__get_cpuid(1, &a, &b, &c, &d)) {
    w.leaf1_ecx = c;
    w.leaf1_edx = d;
    if (c >> 27 & 1) w.xcr0 = xcr0_read();
  }
  if (__get_cpuid_count(7, 0, &a, &b, &c, &d)) {
    w.leaf7_ebx = b;
    w.leaf7_ecx = c;
    if (a >= 1 && __get_cpuid_count(7, 1, &a, &b, &c, &d)) w.leaf7_1_eax = a;
  }
  return w;
}

int cpuid_caches(struct cpuid_cache out[], int max) {
  static const uint32_t leaf[] = {4, 0x8000001Du};
  uint32_t a, b, c, d;
  int n = 0;
  for (int l = 0; l < 2 && n == 0; l++)
    for (uint32_t i = 0; i < 16 && n < max; i++) {
      if (!__get_cpuid_count(leaf[l], i, &a, &b, &c, &d) || (a & 31) == 0) break;
      if (cpuid_cache_decode(a, b, c, &out[n])) n++;
    }
  return n;
}

static void printable(char *out, int size, const uint32_t *word, int n) {
  char text[64] = "";
  memcpy(text, word, (size_t)n * 4);
  text[n * 4] = '\0';
  const char *from = text + strspn(text, " ");
  int len = 0;
  for (; *from && len < size - 1; from++)
    if (*from >= ' ' && *from < 127) out[len++] = *from;
  while (len > 0 && out[len - 1] == ' ') len--;
  out[len] = '\0';
}

void cpuid_brand(char *out, int size) {
  uint32_t w[12], a, b, c, d;
  out[0] = '\0';
  if (!__get_cpuid(0x80000000u, &a, &b, &c, &d) || a < 0x80000004u) return;
  for (uint32_t i = 0; i < 3; i++) __get_cpuid(0x80000002u + i, &w[4 * i], &w[4 * i + 1], &w[4 * i + 2], &w[4 * i + 3]);
  printable(out, size, w, 12);
}

void cpuid_hypervisor(char *out, int size) {
  static const struct {
    const char *vendor, *name;
  } known[] = {
      {"KVMKVMKVM", "KVM"},     {"Microsoft Hv", "Hyper-V"}, {"VMwareVMware", "VMware"},     {"XenVMMXenVMM", "Xen"},
      {"TCGTCGTCGTCG", "QEMU"}, {"bhyve bhyve", "bhyve"},    {"VBoxVBoxVBox", "VirtualBox"}, {"prl hyperv", "Parallels"},
  };
  uint32_t a, b, c, d, w[3];
  out[0] = '\0';
  if (!__get_cpuid(1, &a, &b, &c, &d) || !(c >> 31)) return;
  __cpuid(0x40000000u, a, w[0], w[1], w[2]);
  char vendor[16];
  printable(vendor, sizeof vendor, w, 3);
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    if (strcmp(vendor, known[i].vendor) == 0) {
      snprintf(out, (size_t)size, "%s", known[i].name);
      return;
    }
  snprintf(out, (size_t)size, "%s", vendor[0] ? vendor : "unnamed");
}
#else
#if defined(__aarch64__) && defined(__linux__)
#include <sys/auxv.h>
#endif

struct cpuid_words isa_cpuid(void) {
  struct cpuid_words w = {0};
#if defined(__aarch64__)
  w.arm_neon = true; /* part of every 64-bit ARM */
#if defined(__linux__)
  w.arm_dot = getauxval(AT_HWCAP) >> 20 & 1;   /* ASIMDDP */
  w.arm_bf16 = getauxval(AT_HWCAP2) >> 14 & 1; /* BF16 */
#endif
#endif
  return w;
}
int cpuid_caches(struct cpuid_cache out[], int max) {
  (void)out, (void)max;
  return 0;
}
void cpuid_brand(char *out, int size) {
  (void)size;
  out[0] = '\0';
}
void cpuid_hypervisor(char *out, int size) {
  (void)size;
  out[0] = '\0';
}
#endif

bool cpuid_cache_decode(uint32_t eax, uint32_t ebx, uint32_t ecx, struct cpuid_cache *out) {
  uint32_t type = eax & 31; /* 1 data, 2 instructions, 3 unified */
  if (type != 1 && type != 3) return false;
  int level = (int)(eax >> 5 & 7);
  double byte = (double)((ebx >> 22) + 1) * ((ebx >> 12 & 1023) + 1) * ((ebx & 4095) + 1) * ((double)ecx + 1);
  if (level < 1 || level > 4 || byte < 1024 || byte > 4.0 * 1024 * 1024 * 1024) return false;
  *out = (struct cpuid_cache){level, byte, (int)(eax >> 14 & 4095) + 1};
  return true;
}

bool isa_usable(enum isa isa, const struct cpuid_words *w) {
  enum { FMA = 1 << 12, OSXSAVE = 1 << 27, AVX = 1 << 28, SSE2 = 1 << 26, AVX2 = 1 << 5 };
  const uint32_t avx512 = 1u << 16 | 1u << 17 | 1u << 30 | 1u << 31; /* F, DQ, BW, VL: what the 512-bit file is compiled for */
  const uint32_t leaf1 = FMA | OSXSAVE | AVX;
  switch (isa) {
  case ISA_SCALAR: return true;
  case ISA_SSE2: return w->x86 && (w->leaf1_edx & SSE2);
  case ISA_AVX2: return w->x86 && (w->leaf1_ecx & leaf1) == leaf1 && (w->leaf7_ebx & AVX2) && (w->xcr0 & 0x6) == 0x6;
  case ISA_AVX512: return isa_usable(ISA_AVX2, w) && (w->leaf7_ebx & avx512) == avx512 && (w->xcr0 & 0xe6) == 0xe6;
  case ISA_NEON: return w->arm_neon;
  case ISA_AUTO:
  case ISA_N: break;
  }
  return false;
}

bool dot_usable(enum isa isa, enum dtype t, const struct cpuid_words *w) {
  enum { AVX512_VNNI = 1 << 11, AVX_VNNI = 1 << 4, AVX512_BF16 = 1 << 5 };
  if (!isa_usable(isa, w)) return false;
  switch (isa) {
  case ISA_AVX2: return t == DTYPE_INT8 && (w->leaf7_1_eax & AVX_VNNI);
  case ISA_AVX512: return t == DTYPE_INT8 ? (w->leaf7_ecx & AVX512_VNNI) != 0 : t == DTYPE_BF16 && (w->leaf7_1_eax & AVX512_BF16);
  case ISA_NEON: return t == DTYPE_INT8 ? w->arm_dot : t == DTYPE_BF16 && w->arm_bf16;
  default: return false;
  }
}

enum isa isa_best(void) {
  struct cpuid_words w = isa_cpuid();
  for (int i = ISA_N - 1; i > ISA_AUTO; i--)
    if (lanes_of((enum isa)i) && isa_usable((enum isa)i, &w)) return (enum isa)i;
  return ISA_SCALAR;
}
