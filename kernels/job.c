/* job: what every kernel needs: its share of the work, arrays of random values, its inner loops. */
#include <assert.h>
#include <math.h>

#include "kernels/bench.h"
#include "kernels/lanes.h"

void share_of(size_t n, size_t grain, int rank, int of, size_t *lo, size_t *hi) {
  assert(grain > 0 && of > 0 && rank >= 0 && rank < of);
  /* Whole grains, the first `extra` ranks one more; no product of n and rank, which could overflow. */
  size_t grains = n / grain + (n % grain != 0), each = grains / (size_t)of, extra = grains % (size_t)of, r = (size_t)rank;
  size_t first = each * r + (r < extra ? r : extra), count = each + (r < extra);
  *lo = first >= grains ? n : first * grain;
  *hi = first + count >= grains ? n : (first + count) * grain;
}

enum dtype job_real(const struct job *j) { return dtype_real(j->request.dtype); }

const struct lanes_real *job_lanes(const struct job *j) { return j->lanes ? j->lanes : lanes_for(j->isa, job_real(j)); }

double job_eps(const struct job *j) { return job_real(j) == DTYPE_FP64 ? 0x1p-53 : 0x1p-24; }

void job_share(const struct job *j, size_t n, int rank, size_t *lo, size_t *hi) {
  share_of(n, 64 / (size_t)dtype_byte(job_real(j)), rank, j->threads, lo, hi);
}

/* Filling is not what is timed: the widest loops the machine has do it, whatever the job was asked to use. */
static uint64_t stream_key(const struct job *j, int stream) {
  uint64_t state = j->seed + UINT64_C(0x632be59bd9b4e019) * (uint64_t)(stream + 1);
  return random_next(&state);
}

void job_fill(const struct job *j, void *p, size_t first, size_t n, double lo, double hi, int stream) {
  /* Not isa_best(): asking the CPU what it is takes tens of microseconds in a virtual machine, and a check calls this per element. */
  lanes_for(j->isa, job_real(j))->fill(p, first, n, stream_key(j, stream), lo, hi);
}

void job_fill_by(const struct job *j, const struct lanes_real *by, void *p, size_t first, size_t n, double lo, double hi, int stream) {
  by->fill(p, first, n, stream_key(j, stream), lo, hi);
}

struct fill {
  const struct job *job;
  const struct lanes_real *lanes;
  char *array;
  size_t n, byte;
  double lo, hi;
  uint64_t key;
};

static void fill_part(int rank, int of, void *arg) {
  const struct fill *f = arg;
  size_t lo, hi;
  share_of(f->n, 64 / f->byte, rank, of, &lo, &hi);
  f->lanes->fill(f->array + lo * f->byte, lo, hi - lo, f->key, f->lo, f->hi);
}

void *job_array(struct job *j, size_t n, double lo, double hi, int stream) {
  size_t byte = (size_t)dtype_byte(job_real(j));
  struct fill f = {j, lanes_for(isa_best(), job_real(j)), pool_take(j->pool, n, byte), n, byte, lo, hi, stream_key(j, stream)};
  if (f.array) team_run(j->team, fill_part, &f);
  return f.array;
}

/* splitmix64 (Steele, Lea, Flood 2014) */
uint64_t random_next(uint64_t *state) {
  uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
  z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
  return z ^ z >> 31;
}

double residual_worse(double worst, double error) { return isnan(worst) || error <= worst ? worst : error; }
