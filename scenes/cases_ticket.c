/* The third case: tickets are sorted one by one by a small model, each within a few hundredths of a second. */
#include <math.h>

#include "model/queue.h"
#include "scenes/cases.h"

enum {
  F_FLOP,
  F_HOST,
  F_CAPACITY,
  F_BUSY,
  F_SOJOURN,
  F_P95,
  F_P99,
  F_NEEDED,
  F_ROOM,
  F_MOST,
  F_GROWN,
  F_COMPUTE,
  F_TRIP,
  F_DEVICE_P95,
  F_DEVICE_BUSY,
  F_EVEN,
  F_BYTE,
  F_COST_SERVERS,
  F_COST_DEVICE,
  F_LIMIT,
  F_N
};

static const struct fact fact_table[F_N] = {
    [F_FLOP] = {"ticket_flop", "a ticket", "flop", 1, "2 * ticket_params * ticket_tokens",
                "Arithmetic of one ticket: 2 FLOP a parameter and token."},
    [F_HOST] = {"ticket_host_time", "on a server", "s", 1, "ticket_flop / host_rate",
                "One ticket on a server, when nobody stands before it."},
    [F_CAPACITY] = {"ticket_capacity", "a server takes", "1", 1, "1 / ticket_host_time",
                    "Tickets a second that one server can take, at most."},
    [F_BUSY] = {"ticket_busy", "servers busy", "%", 1, "ticket_rate * ticket_host_time / ticket_servers",
                "Share of the time each server has a ticket to work on."},
    [F_SOJOURN] = {"ticket_sojourn", "mean, in all", "s", 1, "ticket_host_time * (1 + ticket_busy / (2 * (1 - ticket_busy)))",
                   "Mean time from arrival to done: tickets at random moments, all take the same."},
    [F_P95] = {"ticket_p95", "95 % within", "s", 1, NULL,
               "Nineteen of twenty are done by then. It comes from the line, not from the 12.8 ms: a percentile cannot be had from a mean "
               "service time. "
               "A service time that varies makes it longer."},
    [F_P99] = {"ticket_p99", "99 % within", "s", 2, NULL, "Ninety-nine of a hundred are done by then."},
    [F_NEEDED] = {"ticket_needed", "servers needed", "n", 1, NULL,
                  "The fewest replicas that keep nineteen of twenty within the limit. A dash: no number does."},
    [F_ROOM] = {"ticket_room", "model may grow", "x", 1, "ticket_budget / ticket_host_time",
                "So many times larger it may get before a ticket alone is over the limit; lines break it sooner."},
    [F_MOST] = {"ticket_most", "a server may get", "1", 2, NULL,
                "Tickets a second at one server with nineteen of twenty just within the limit."},
    [F_GROWN] = {"ticket_grown_time", "50 x the model", "s", 2, "50 * ticket_host_time",
                 "One ticket on a server if the model were fifty times larger."},
    [F_COMPUTE] = {"ticket_device_compute", "on accelerator", "s", 1, "ticket_flop / device_rate",
                   "One ticket on the accelerator, arithmetic alone."},
    [F_TRIP] = {"ticket_device_time", "with its trip", "s", 1, "ticket_device_compute + 3 * copy_cost + launch_cost",
                "With three copies and a launch."},
    [F_DEVICE_P95] = {"ticket_device_p95", NULL, "s", 2, NULL, "Nineteen of twenty, on one accelerator."},
    [F_DEVICE_BUSY] = {"ticket_device_busy", "accelerator busy", "%", 1, "ticket_rate * ticket_device_time",
                       "Share of the time the tickets keep an accelerator busy, trips counted."},
    [F_EVEN] = {"ticket_even_rate", "it pays from", "1", 2, "price_ratio * ticket_most",
                "Tickets a second from which the servers needed cost as much as one accelerator."},
    [F_BYTE] = {"ticket_byte", "the model", "byte", 2, NULL, "Bytes of all its parameters, as stored."},
    [F_COST_SERVERS] = {"ticket_cost_servers", NULL, "x", 2, "ticket_servers", "What the servers cost, a server being 1."},
    [F_COST_DEVICE] = {"ticket_cost_device", NULL, "x", 2, "price_ratio", "What one accelerator costs."},
    [F_LIMIT] = {"ticket_limit", NULL, "s", 2, "ticket_budget", "What nineteen of twenty tickets may take."},
};

const struct cases_row cases_ticket_row = {
    .title = "ticket classifier",
    .candidate = {"servers", "accelerator", NULL},
    .brief = {"servers", "accel.", NULL},
    .decision = {"servers, more when more comes", "an accelerator", NULL},
    .check =
        {{STEP_ESTIMATE, "a ticket", "", {"ticket_host_time", "ticket_device_time", NULL}, {NULL}, false},
         {STEP_TARGET,
          "alone",
          "size of the model",
          {"ticket_host_time", "ticket_device_time", NULL},
          {"ticket_limit", "ticket_limit", NULL},
          false},
         {STEP_TARGET,
          "95 % by",
          "response time",
          {"ticket_p95", "ticket_device_p95", NULL},
          {"ticket_limit", "ticket_limit", NULL},
          false},
         {STEP_MEMORY, "the model", "memory", {"ticket_byte", "ticket_byte", NULL}, {"server_byte", "device_byte", NULL}, false},
         {STEP_CONSTRAINT, "busy", "too much work", {"ticket_busy", "ticket_device_busy", NULL}, {"all_of_it", "all_of_it", NULL}, false},
         {STEP_COST, "in servers", "idle accelerator", {"ticket_cost_servers", "ticket_cost_device", NULL}, {NULL}, false}},
    .checks = 6,
};

int cases_ticket_facts(const struct world *w, const struct setup *s, struct fact *out) {
  (void)w;
  double flop = 2 * s->v[KNOB_TICKET_PARAMS] * s->v[KNOB_TICKET_TOKENS], host = s->v[KNOB_HOST_RATE], device = s->v[KNOB_DEVICE_RATE];
  double rate = s->v[KNOB_TICKET_RATE], servers = s->v[KNOB_TICKET_SERVERS], budget = s->v[KNOB_TICKET_BUDGET], service = flop / host;
  double trip = flop / device + 3 * s->v[KNOB_COPY_COST] + s->v[KNOB_LAUNCH_COST];
  struct queue line, accelerated;
  int n = cases_table(s, VIEW_CLASSIFIER, fact_table, F_N, out);
  queue_of(rate, service, servers, &line);
  queue_of(rate, trip, 1, &accelerated);
  out[F_FLOP].value = flop;
  out[F_HOST].value = service;
  out[F_CAPACITY].value = 1 / service;
  out[F_BUSY].value = line.utilisation;
  cases_put(&out[F_SOJOURN], line.sojourn_s);
  if (!(line.utilisation < 1)) out[F_SOJOURN].formula = NULL;
  cases_put(&out[F_P95], line.p95_s);
  cases_put(&out[F_P99], line.p99_s);
  out[F_NEEDED].value = queue_servers(rate, service, 0.95, budget);
  out[F_ROOM].value = budget / service;
  out[F_MOST].value = queue_load_at(0.95, budget / service) / service;
  out[F_GROWN].value = 50 * service;
  out[F_COMPUTE].value = flop / device;
  out[F_TRIP].value = trip;
  cases_put(&out[F_DEVICE_P95], accelerated.p95_s);
  out[F_DEVICE_BUSY].value = accelerated.utilisation;
  out[F_EVEN].value = s->v[KNOB_PRICE_RATIO] * out[F_MOST].value;
  out[F_BYTE].value = s->v[KNOB_TICKET_PARAMS] * dtype_byte((enum dtype)(int)s->v[KNOB_DTYPE]);
  out[F_COST_SERVERS].value = servers;
  out[F_COST_DEVICE].value = s->v[KNOB_PRICE_RATIO];
  out[F_LIMIT].value = budget;
  return n;
}
