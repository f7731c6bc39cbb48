/* cpuid: what the processor says of itself. The functions that decide take the words it said, so that tests can speak for any CPU. */
#ifndef RIDGE_CPUID_H
#define RIDGE_CPUID_H

#include <stdbool.h>
#include <stdint.h>

/* One row of CPUID leaf 4 (Intel) or 0x8000001D (AMD): the same layout. */
struct cpuid_cache {
  int level; /* 1…4 */
  double byte;
  int sharing; /* hardware threads that may share one instance, at most */
};
/* False when the words describe no data or unified cache, or no believable one. */
bool cpuid_cache_decode(uint32_t eax, uint32_t ebx, uint32_t ecx, struct cpuid_cache *out);
/* The caches of the CPU this runs on; 0 when it does not say (or is not x86). */
int cpuid_caches(struct cpuid_cache out[], int max);

/* "KVM", "VMware", … or "" when no hypervisor shows itself. */
void cpuid_hypervisor(char *out, int size);
/* The brand string, or "". */
void cpuid_brand(char *out, int size);

#endif
