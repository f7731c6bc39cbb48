#include "tests/support_kernel.h"

#include "kernels/library.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

void bed_start(struct bed *b, const struct request *r, const struct lanes_real *lanes) {
  static struct os_info os; /* read once: it takes longer than a small kernel */
  int cpu[16];
  if (os.ncpu == 0) os_read(&os, "");
  for (int i = 0; i < 16; i++) cpu[i] = os.cpu[i % (os.ncpu > 0 ? os.ncpu : 1)];
  *b = (struct bed){.pool = {.cap = NAN}, .kernel = kernel_find(r->op)};
  assert_non_null(b->kernel);
  int threads = r->threads > 0 ? r->threads : 1;
  b->job = (struct job){.request = *r,
                        .isa = r->isa,
                        .threads = threads,
                        .team = team_start(cpu, threads),
                        .pool = &b->pool,
                        .seed = 1234567,
                        .pipeline = {NAN, NAN, NAN, NAN},
                        .done = r->shape,
                        .budget = INFINITY,
                        .lanes = lanes};
  assert_non_null(b->job.team);
  const char *why = b->kernel->usable(&b->job);
  if (!why) why = b->kernel->setup(&b->job);
  if (why) fail_msg("%s refused: %s", op_name(r->op), why);
}

double bed_residual(struct bed *b, int runs, bool full) {
  if (b->kernel->reset) b->kernel->reset(&b->job);
  b->job.runs = 0;
  for (int i = 0; i < runs; i++) {
    b->kernel->run(&b->job);
    b->job.runs++;
  }
  return b->kernel->residual(&b->job, full);
}

void bed_free(struct bed *b) {
  if (b->job.close) b->job.close(&b->job);
  team_stop(b->job.team);
  library_close(b->job.blas);
  pool_free(&b->pool);
}

struct shape shape_of(double n, double m, double k, double batch) {
  return (struct shape){.n = n, .m = m, .k = k, .batch = batch, .fma = 1, .chain = 1};
}

const enum isa *isas_here(void) {
  static enum isa have[ISA_N + 1];
  struct cpuid_words words = isa_cpuid();
  int n = 0;
  for (int isa = ISA_SCALAR; isa < ISA_N; isa++)
    if (lanes_of((enum isa)isa) && isa_usable((enum isa)isa, &words)) have[n++] = (enum isa)isa;
  have[n] = ISA_N;
  return have;
}
