#include "model/queue.h"

#include <assert.h>
#include <math.h>
#include <stddef.h>

/* Erlang's sum alternates and loses digits as it gets long; where it ends the tail is exact to more digits than anybody needs. */
enum { SUM_END = 12, NEWTON_MAX = 60 };

double queue_wait_mean(double rho) {
  if (rho >= 1) return INFINITY;
  return rho / (2 * (1 - rho));
}

/* P(wait > u) → constant · e^(−decay · u), decay the positive root of ρ (e^x − 1) = x. The function is convex and the start right of the
 * root, so that Newton's method comes down to it and never passes it. */
static double tail_decay(double rho) {
  double x = fmin(2 * (1 - rho) / rho, 2 * log(2 / rho));
  for (int i = 0; i < NEWTON_MAX; i++) {
    double step = (rho * expm1(x) - x) / (rho * exp(x) - 1);
    if (!(step > 1e-15 * x)) break;
    x -= step;
  }
  return x;
}

static double tail_constant(double rho, double decay) { return (1 - rho) / (rho * exp(decay) - 1); }

/* P(wait ≤ u) = (1 − ρ) Σ_k e^(ρ v) (−ρ v)^k / k!, v = u − k, for k ≤ u; and its slope in u. */
static double erlang_sum(double rho, double u, double *slope) {
  double sum = 0, rise = 0;
  for (int k = 0; k <= (int)u; k++) {
    double at = rho * (u - k), term = exp(at), before = 0;
    for (int i = 1; i <= k; i++) before = term, term *= -at / i;
    sum += term;
    rise += rho * (term - before);
  }
  if (slope) *slope = (1 - rho) * rise;
  return (1 - rho) * sum;
}

double queue_wait_below(double rho, double u) {
  if (isnan(rho) || isnan(u)) return NAN;
  if (u < 0) return 0;
  if (rho >= 1) return 0;
  if (rho <= 0) return 1;
  if (u < SUM_END) return erlang_sum(rho, u, NULL);
  double decay = tail_decay(rho);
  return 1 - tail_constant(rho, decay) * exp(-decay * u);
}

double queue_wait_at(double rho, double p) {
  assert(!(p < 0) && !(p >= 1));
  if (isnan(rho)) return NAN;
  if (rho >= 1) return INFINITY;
  if (rho <= 0 || p <= 1 - rho) return 0;
  double first = log(p / (1 - rho)) / rho;
  if (first <= 1) return first;
  double decay = tail_decay(rho), u = log(tail_constant(rho, decay) / (1 - p)) / decay;
  if (u >= SUM_END) return u;
  if (!(u > 1)) u = 1;
  double lo = 1, hi = SUM_END;
  for (int i = 0; i < NEWTON_MAX; i++) { /* kept between what is known to be too little and too much */
    double slope, off = erlang_sum(rho, u, &slope) - p;
    if (off < 0)
      lo = u;
    else
      hi = u;
    double next = u - off / slope;
    if (!(next >= lo && next <= hi)) next = (lo + hi) / 2;
    if (fabs(next - u) <= 1e-13 * u) return next;
    u = next;
  }
  return u;
}

void queue_of(double arrival_per_s, double service_s, double servers, struct queue *out) {
  double rho = arrival_per_s * service_s / servers;
  out->capacity_per_s = servers / service_s;
  out->utilisation = rho;
  out->wait_s = queue_wait_mean(rho) * service_s;
  out->sojourn_s = out->wait_s + service_s;
  out->p50_s = (queue_wait_at(rho, 0.50) + 1) * service_s;
  out->p95_s = (queue_wait_at(rho, 0.95) + 1) * service_s;
  out->p99_s = (queue_wait_at(rho, 0.99) + 1) * service_s;
  out->waiting = arrival_per_s * out->wait_s;
  out->inside = arrival_per_s * out->sojourn_s;
}

double queue_load_at(double p, double budget) {
  if (isnan(budget)) return NAN;
  if (budget < 1) return 0;
  double lo = 1 - p, hi = 1; /* up to 1 − p so many find the server free */
  for (int i = 0; i < 50; i++) {
    double rho = (lo + hi) / 2;
    if (queue_wait_at(rho, p) + 1 <= budget)
      lo = rho;
    else
      hi = rho;
  }
  return lo;
}

double queue_servers(double arrival_per_s, double service_s, double p, double budget_s) {
  double load = queue_load_at(p, budget_s / service_s);
  if (!(load > 0)) return NAN;
  double servers = ceil(arrival_per_s * service_s / load * (1 - 1e-12));
  return servers < 1 ? 1 : servers;
}

double queue_shared_wait(double arrival_per_s, double service_s, double servers) {
  double load = arrival_per_s * service_s, rho = load / servers;
  if (isnan(rho)) return NAN;
  if (rho >= 1) return INFINITY;
  if (rho <= 0) return 0;
  double blocked = 1; /* Erlang's loss formula, one server after the other; then the share that must wait */
  for (double k = 1; k <= servers; k++) {
    blocked = load * blocked / (k + load * blocked);
    if (blocked < 1e-300) return 0;
  }
  double delayed = blocked / (1 - rho * (1 - blocked)), exponential = delayed * service_s / (servers * (1 - rho));
  double correction = 1 + (1 - rho) * (servers - 1) * (sqrt(4 + 5 * servers) - 2) / (16 * rho * servers);
  return exponential / 2 * correction;
}

double queue_duty(double work_s, double period_s) { return work_s / period_s; }
