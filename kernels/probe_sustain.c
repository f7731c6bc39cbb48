/* probe_sustain: what the widest arithmetic does in the first moment, and what is left of it after some seconds. */
#include "kernels/probe_inner.h"

int probe_sustain_steps(const struct probe *p) {
  (void)p;
  return 0;
}

void probe_sustain(struct probe *p) { (void)p; }
