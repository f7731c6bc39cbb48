/* arrival: one service, asked in two ways, simulated request by request.
 *
 *   open     requests come when they come, at a mean rate, whatever the service is doing: a Poisson process, as of many independent users.
 *            What cannot be served at once waits in a queue.
 *   closed   so many clients, each asking again as soon as it has its answer: what most load generators do. A slow service is then asked
 *            less, so a queue never grows beyond the clients and the long waits of the open way are never seen.
 *
 * First come, first served. One queue for all servers, or one each, requests then dealt out at random (each is then an M/D/1 or M/M/1 of
 * its own). Times in s. Pure: the seed decides everything, the generator is splitmix64 (Steele, Lea, Flood 2014); a server's queue is held
 * as the times at which servers fall free (Kiefer and Wolfowitz 1955). Latencies are counted in bins of about 1 %, their sum exactly. */
#ifndef RIDGE_ARRIVAL_H
#define RIDGE_ARRIVAL_H

#include <stdbool.h>
#include <stdint.h>

enum { ARRIVAL_SERVERS = 64, ARRIVAL_CLIENTS = 256, ARRIVAL_BINS = 1024, ARRIVAL_REQUESTS = 1000000 };

struct arrival_in {
  bool closed;
  double rate_per_s; /* open: > 0 */
  double clients;    /* closed: whole, 1 … ARRIVAL_CLIENTS */
  double service_s;  /* mean, > 0 */
  double variety;    /* of the service time, 0: always the mean (D); 1: exponential (M); between: a mixture of the two */
  double servers;    /* whole, 1 … ARRIVAL_SERVERS */
  bool one_queue;
  double seed; /* whole, ≥ 0 */
};

struct arrival_state {
  uint64_t random;
  double now;                      /* open: of the last arrival */
  double done, stay, wait;         /* requests so far; sums of their latencies and of their waits */
  double first, last;              /* first arrival, last departure */
  double shortest, longest;        /* latencies */
  double free_at[ARRIVAL_SERVERS]; /* when each server falls idle */
  double ask_at[ARRIVAL_CLIENTS];  /* closed: a heap of the times at which clients ask next */
  uint32_t bin[ARRIVAL_BINS];
};

void arrival_start(const struct arrival_in *in, struct arrival_state *s);
/* One request more. */
void arrival_step(const struct arrival_in *in, struct arrival_state *s);
/* The state after n requests: the same as n steps from the start. */
void arrival_at(const struct arrival_in *in, double n, struct arrival_state *s);

/* What a state has seen. NAN before the first request. */
double arrival_mean(const struct arrival_state *s); /* latency: wait and service */
double arrival_wait(const struct arrival_state *s);
double arrival_rate(const struct arrival_state *s); /* requests a second, from the first arrival to the last departure */
/* The latency that a share `p` of the requests keeps below: within half a bin; straight between its edges. */
double arrival_quantile(const struct arrival_in *in, const struct arrival_state *s, double p);

/* The share of requests whose latency is below t: to half a bin. */
double arrival_below(const struct arrival_in *in, const struct arrival_state *s, double t);

/* Requests a second that the servers could serve at most. */
double arrival_capacity(const struct arrival_in *in);
/* How much of that an open stream asks for; from 1 on the queue grows without end. */
double arrival_load(const struct arrival_in *in);

#endif
