/* queue: work that arrives one piece at a time, at random, and takes the same time each: M/D/1. Poisson arrivals, one server, constant
 * service, first come first served. How busy the server is, how long a piece waits on average and at a percentile.
 * Source: Erlang 1909 (the distribution), Pollaczek and Khinchine (the mean), Little (numbers from times). Times in s, rates per s.
 *
 * Several servers are replicas: each gets its share of the arrivals at random and has a line of its own. One line for all of them waits
 * less; that is queue_shared_wait, an approximation.
 *
 * Arrivals at or beyond what the servers can take: the line grows for ever, times are INFINITY. NAN in, NAN out. */
#ifndef RIDGE_QUEUE_H
#define RIDGE_QUEUE_H

#include <stdbool.h>

struct queue {
  double capacity_per_s;      /* servers / service: what they can take at most */
  double utilisation;         /* share of the time each is busy: arrivals · service / servers. 1 and more: not stable */
  double wait_s;              /* mean wait before service: ρ · service / (2 · (1 − ρ)) */
  double sojourn_s;           /* mean from arrival to done: wait + service */
  double p50_s, p95_s, p99_s; /* from arrival to done, by queue_wait_at */
  double waiting, inside;     /* mean number waiting, and waiting or served, at all servers together (Little) */
};
/* arrival_per_s of all together; servers ≥ 1. */
void queue_of(double arrival_per_s, double service_s, double servers, struct queue *out);

/* Of one server at utilisation ρ, all in units of the service time. */
double queue_wait_mean(double rho);            /* ρ / (2 (1 − ρ)) */
double queue_wait_below(double rho, double u); /* P(wait ≤ u): Erlang's sum up to u = 12; beyond, its exponential tail */
/* The wait that a share p of all pieces does not exceed: 0 when p ≤ 1 − ρ, since so many find the server free; INFINITY when not stable.
 * In closed form up to one service, then Newton's method on queue_wait_below; beyond 12 services an approximation, the exponential tail
 * (its error there is below 1e-6 of the probability left). */
double queue_wait_at(double rho, double p);

/* The largest ρ at which a share p of all pieces is done within `budget` (wait and service, in services); 0 when the budget is under one
 * service. Times capacity it is the arrival rate that one server may get. */
double queue_load_at(double p, double budget);
/* Replicas needed so that a share p is done within budget_s; NAN when no number of them does: the service alone is longer. */
double queue_servers(double arrival_per_s, double service_s, double p, double budget_s);

/* Mean wait, s, when `servers` share one line (M/D/c): half of M/M/c's with Cosmetatos' correction. An approximation, within 2 % or so of
 * the true mean at ordinary loads; exact for one server. */
double queue_shared_wait(double arrival_per_s, double service_s, double servers);

/* The share of a period that one server is at work on `work_s` that comes once in it: its duty cycle. May exceed 1: then it is not done in
 * time. */
double queue_duty(double work_s, double period_s);

#endif
