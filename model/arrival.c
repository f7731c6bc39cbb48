#include "model/arrival.h"

#include <assert.h>
#include <math.h>
#include <string.h>

static uint64_t random_bits(uint64_t *state) {
  uint64_t z = *state += 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

/* In (0, 1): its logarithm is finite. */
static double random_share(uint64_t *state) { return ((double)(random_bits(state) >> 11) + 0.5) * 0x1p-53; }

static double random_exponential(uint64_t *state, double mean) { return -log(random_share(state)) * mean; }

void arrival_start(const struct arrival_in *in, struct arrival_state *s) {
  assert(in->service_s > 0 && in->servers >= 1 && in->servers <= ARRIVAL_SERVERS);
  assert(in->closed ? in->clients >= 1 && in->clients <= ARRIVAL_CLIENTS : in->rate_per_s > 0);
  memset(s, 0, sizeof *s);
  s->random = (uint64_t)in->seed;
}

/* Bins grow by 1 % from a hundredth of a service on. */
static const double BIN_GROWTH = 0.01, BIN_FIRST = 0.01;

static int bin_of(const struct arrival_in *in, double latency) {
  double share = latency / (in->service_s * BIN_FIRST);
  if (!(share > 1)) return 0;
  double i = 1 + log(share) / log1p(BIN_GROWTH);
  return i < ARRIVAL_BINS - 1 ? (int)i : ARRIVAL_BINS - 1;
}

/* The lower edge of a bin. */
static double bin_edge(const struct arrival_in *in, int i) {
  return i == 0 ? 0 : in->service_s * BIN_FIRST * exp((i - 1) * log1p(BIN_GROWTH));
}

/* The smallest of a heap takes a new value and sinks to its place. */
static void heap_sink(double *heap, int n, double v) {
  int at = 0;
  for (int child = 1; child < n; child = 2 * at + 1) {
    if (child + 1 < n && heap[child + 1] < heap[child]) child++;
    if (!(heap[child] < v)) break;
    heap[at] = heap[child];
    at = child;
  }
  heap[at] = v;
}

/* A deterministic share and an exponential one, so that the mean stays and the variety is the coefficient of variation. */
static double service_of(const struct arrival_in *in, uint64_t *random) {
  if (!(in->variety > 0)) return in->service_s;
  return in->service_s * (1 - in->variety) + random_exponential(random, in->service_s * in->variety);
}

void arrival_step(const struct arrival_in *in, struct arrival_state *s) {
  int servers = (int)in->servers, clients = (int)in->clients, at = 0;
  double asked = in->closed ? s->ask_at[0] : (s->now += random_exponential(&s->random, 1 / in->rate_per_s));
  if (in->one_queue) /* the first server to fall free; the times are a heap */
    at = 0;
  else
    at = (int)(random_share(&s->random) * servers);
  double begun = fmax(asked, s->free_at[at]), service = service_of(in, &s->random), left = begun + service, latency = left - asked;
  if (in->one_queue)
    heap_sink(s->free_at, servers, left);
  else
    s->free_at[at] = left;
  if (in->closed) heap_sink(s->ask_at, clients, left);
  if (s->done == 0) s->first = asked;
  s->last = fmax(s->last, left);
  s->shortest = s->done == 0 ? latency : fmin(s->shortest, latency);
  s->longest = fmax(s->longest, latency);
  s->done += 1;
  s->stay += latency;
  s->wait += begun - asked;
  s->bin[bin_of(in, latency)]++;
}

void arrival_at(const struct arrival_in *in, double n, struct arrival_state *s) {
  assert(n >= 0 && n <= ARRIVAL_REQUESTS);
  arrival_start(in, s);
  while (s->done < n) arrival_step(in, s);
}

double arrival_mean(const struct arrival_state *s) { return s->done > 0 ? s->stay / s->done : NAN; }
double arrival_wait(const struct arrival_state *s) { return s->done > 0 ? s->wait / s->done : NAN; }
double arrival_rate(const struct arrival_state *s) { return s->done > 0 ? s->done / (s->last - s->first) : NAN; }

/* What of a bin was seen: all of it may be one and the same time, of a service that never varies and nobody waits for. */
static double bin_lo(const struct arrival_in *in, const struct arrival_state *s, int i) { return fmax(bin_edge(in, i), s->shortest); }
static double bin_hi(const struct arrival_in *in, const struct arrival_state *s, int i) {
  return i + 1 < ARRIVAL_BINS ? fmin(bin_edge(in, i + 1), s->longest) : s->longest;
}

double arrival_quantile(const struct arrival_in *in, const struct arrival_state *s, double p) {
  double want = p * s->done, seen = 0;
  for (int i = 0; i < ARRIVAL_BINS && s->done > 0; i++) {
    if (s->bin[i] == 0 || seen + s->bin[i] < want) {
      seen += s->bin[i];
      continue;
    }
    double lo = bin_lo(in, s, i), hi = bin_hi(in, s, i);
    return lo + (hi - lo) * (want - seen) / s->bin[i];
  }
  return s->done > 0 ? s->longest : NAN;
}

double arrival_below(const struct arrival_in *in, const struct arrival_state *s, double t) {
  if (!(s->done > 0)) return NAN;
  if (t > s->longest) return 1;
  int at = bin_of(in, t);
  double below = 0, lo = bin_lo(in, s, at), hi = bin_hi(in, s, at);
  for (int i = 0; i < at; i++) below += s->bin[i];
  if (hi > lo) below += s->bin[at] * fmax(0, fmin((t - lo) / (hi - lo), 1));
  return below / s->done;
}

double arrival_capacity(const struct arrival_in *in) { return in->servers / in->service_s; }
double arrival_load(const struct arrival_in *in) { return in->closed ? NAN : in->rate_per_s / arrival_capacity(in); }
