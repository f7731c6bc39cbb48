/* The first case: text becomes vectors, a few questions a second and, now and then, the whole index anew. */
#include <math.h>

#include "model/queue.h"
#include "scenes/cases.h"

enum {
  F_FLOP,
  F_HOST,
  F_CAPACITY,
  F_BUSY,
  F_WAIT,
  F_SOJOURN,
  F_P95,
  F_NEEDED,
  F_STABLE,
  F_SHARED,
  F_COMPUTE,
  F_TRIP,
  F_DEVICE_P95,
  F_DEVICE_BUSY,
  F_TRIP_BUSY,
  F_RATES,
  F_TRIPS,
  F_CHUNK,
  F_CHUNK_HOST,
  F_CHUNK_DEVICE,
  F_BULK_HOST,
  F_BULK_DEVICE,
  F_BULK_SPARE,
  F_BULK_SERVERS,
  F_DUTY,
  F_OWNED_BUSY,
  F_FLEET_BUSY,
  F_BYTE,
  F_COST_SERVERS,
  F_COST_OWNED,
  F_COST_HIRED,
  F_LIMIT,
  F_BULK_LIMIT,
  F_HIRE,
  F_N
};

static const struct fact fact_table[F_N] = {
    [F_FLOP] = {"embed_flop", "a query", "flop", 1, "2 * embed_params * embed_tokens",
                "Arithmetic of one question: 2 FLOP a parameter and token."},
    [F_HOST] = {"embed_host_time", "on a server", "s", 1, "embed_flop / host_rate",
                "One question on a server. Short texts use its vector units poorly: 50 GFLOP/s is the chapter's figure, not a peak."},
    [F_CAPACITY] = {"embed_capacity", "a server takes", "1", 1, "1 / embed_host_time",
                    "Questions a second that one server can take, at most."},
    [F_BUSY] = {"embed_busy", "servers busy", "%", 1, "embed_rate * embed_host_time / embed_servers",
                "Share of the time each server has a question to work on."},
    [F_WAIT] = {"embed_wait", "mean wait", "s", 2, "embed_busy / (2 * (1 - embed_busy)) * embed_host_time",
                "Mean time in line: questions at random moments, all take the same, a line before each server."},
    [F_SOJOURN] = {"embed_sojourn", "mean, in all", "s", 1, "embed_wait + embed_host_time", "Mean time from the question to its vector."},
    [F_P95] =
        {"embed_p95", "95 % within", "s", 1, NULL,
         "Nineteen of twenty have their vector by then. From the distribution of the wait, not from its mean; beyond twelve services an "
         "approximation."},
    [F_NEEDED] = {"embed_needed", "servers needed", "n", 1, NULL,
                  "The fewest servers that keep nineteen of twenty within the limit. A dash: no number does."},
    [F_STABLE] = {"embed_stable", "to keep up", "n", 2, "floor(embed_rate * embed_host_time) + 1",
                  "The fewest servers with which the line does not grow for ever. More are headroom."},
    [F_SHARED] = {"embed_shared_wait", "wait, one line", "s", 2, NULL, "Mean wait if all servers shared one line: an approximation."},
    [F_COMPUTE] = {"embed_device_compute", "on accelerator", "s", 1, "embed_flop / device_rate",
                   "One question on the accelerator, arithmetic alone."},
    [F_TRIP] = {"embed_device_time", "with its trip", "s", 1, "embed_device_compute + 3 * copy_cost + launch_cost",
                "With three copies and a launch, as they were counted for one product; the few bytes cost nothing."},
    [F_DEVICE_P95] = {"embed_device_p95", NULL, "s", 2, NULL, "Nineteen of twenty, on one accelerator."},
    [F_DEVICE_BUSY] = {"embed_device_busy", "live: busy", "%", 1, "embed_rate * embed_device_compute",
                       "Share of the time the questions keep the accelerator calculating."},
    [F_TRIP_BUSY] = {"embed_trip_busy", "trips counted", "%", 2, "embed_rate * embed_device_time",
                     "The same with copies and launches counted."},
    [F_RATES] = {"rate_ratio", "ratio of rates", "x", 2, "device_rate / host_rate",
                 "Accelerator over server by their rates on this work alone."},
    [F_TRIPS] = {"trip_ratio", "one by one", "x", 2, "embed_host_time / embed_device_time",
                 "The same for a single question with its trip."},
    [F_CHUNK] = {"bulk_flop", "a chunk", "flop", 2, "2 * embed_params * chunk_tokens", "Arithmetic of one piece of text."},
    [F_CHUNK_HOST] = {"bulk_host_chunk", "  on a server", "s", 2, "bulk_flop / host_rate", "One piece of text on a server."},
    [F_CHUNK_DEVICE] = {"bulk_device_chunk", "  on accel.", "s", 2, "bulk_flop / device_rate",
                        "One piece on the accelerator; in bulk the trips hide behind the arithmetic."},
    [F_BULK_HOST] = {"bulk_host_total", "index, 1 server", "s", 1, "chunks * bulk_host_chunk",
                     "All pieces on one server that does nothing else."},
    [F_BULK_DEVICE] = {"bulk_device_total", "on accelerator", "s", 1, "chunks * bulk_device_chunk", "All pieces on one accelerator."},
    [F_BULK_SPARE] = {"bulk_spare_time", "by spare time", "s", 1, "bulk_host_total / (embed_servers * (1 - embed_busy))",
                      "All pieces in the time that the questions leave on the servers there are."},
    [F_BULK_SERVERS] = {"bulk_servers", "servers for it", "n", 2, "ceil(bulk_host_total / reindex_within)",
                        "Servers that would do it within the limit and nothing else."},
    [F_DUTY] = {"bulk_duty", "duty cycle", "%", 1, "bulk_device_total / reindex_every",
                "Share of the time an accelerator would work on the index: what it is hired for."},
    [F_OWNED_BUSY] = {"owned_busy", "owned: busy", "%", 2, "bulk_duty + embed_trip_busy",
                      "Share of the time an accelerator of one's own would be busy with questions and index."},
    [F_FLEET_BUSY] = {"fleet_busy", NULL, "%", 2, "embed_busy + bulk_host_total / (embed_servers * reindex_every)",
                      "Share of the time the servers would be busy with both."},
    [F_BYTE] = {"embed_byte", "the model", "byte", 2, NULL, "Bytes of all its parameters, as stored."},
    [F_COST_SERVERS] = {"embed_cost_servers", NULL, "x", 2, "embed_servers", "What the servers alone cost, a server being 1."},
    [F_COST_OWNED] = {"embed_cost_owned", NULL, "x", 2, "price_ratio", "What one accelerator costs that is there all the time."},
    [F_COST_HIRED] = {"embed_cost_hired", NULL, "x", 2, "embed_servers + price_ratio * bulk_duty",
                      "The servers, and an accelerator for as long as the index takes."},
    [F_LIMIT] = {"embed_limit", NULL, "s", 2, "embed_budget", "What nineteen of twenty questions may take."},
    [F_BULK_LIMIT] = {"reindex_limit", NULL, "s", 2, "reindex_within", "What the index may take."},
    [F_HIRE] = {"hire_allowed", NULL, "", 2, NULL, "Whether an accelerator may be hired by the hour."},
};

const struct cases_row cases_embed_row = {
    .title = "search embedding",
    .candidate = {"servers", "accelerator", "servers+hired"},
    .brief = {"servers", "accel.", "+ hired"},
    .decision = {"servers for both", "an accelerator for both", "servers live, accelerator hired for the index"},
    .check = {{STEP_ESTIMATE, "a query", "", {"embed_host_time", "embed_device_time", "embed_host_time"}, {NULL}, false},
              {STEP_TARGET,
               "95 % by",
               "response time",
               {"embed_p95", "embed_device_p95", "embed_p95"},
               {"embed_limit", "embed_limit", "embed_limit"},
               false},
              {STEP_TARGET,
               "index in",
               "time for the index",
               {"bulk_spare_time", "bulk_device_total", "bulk_device_total"},
               {"reindex_limit", "reindex_limit", "reindex_limit"},
               false},
              {STEP_MEMORY,
               "the model",
               "memory",
               {"embed_byte", "embed_byte", "embed_byte"},
               {"server_byte", "device_byte", "server_byte"},
               false},
              {STEP_CONSTRAINT,
               "busy",
               "too much work",
               {"fleet_busy", "owned_busy", "embed_busy"},
               {"all_of_it", "all_of_it", "all_of_it"},
               false},
              {STEP_CONSTRAINT, "may hire", "no hiring", {NULL, NULL, "hire_allowed"}, {NULL}, false},
              {STEP_COST, "in servers", "duty cycle", {"embed_cost_servers", "embed_cost_owned", "embed_cost_hired"}, {NULL}, false}},
    .checks = 7,
};

int cases_embed_facts(const struct world *w, const struct setup *s, struct fact *out) {
  (void)w;
  double flop = 2 * s->v[KNOB_EMBED_PARAMS] * s->v[KNOB_EMBED_TOKENS], chunk = 2 * s->v[KNOB_EMBED_PARAMS] * s->v[KNOB_CHUNK_TOKENS];
  double host = s->v[KNOB_HOST_RATE], device = s->v[KNOB_DEVICE_RATE], rate = s->v[KNOB_EMBED_RATE], servers = s->v[KNOB_EMBED_SERVERS];
  double trip = flop / device + 3 * s->v[KNOB_COPY_COST] + s->v[KNOB_LAUNCH_COST];
  struct queue live, accelerated;
  int n = cases_table(s, VIEW_EMBEDDING, fact_table, F_N, out);
  queue_of(rate, flop / host, servers, &live);
  queue_of(rate, trip, 1, &accelerated);
  out[F_FLOP].value = flop;
  out[F_HOST].value = flop / host;
  out[F_CAPACITY].value = host / flop;
  out[F_BUSY].value = live.utilisation;
  cases_put(&out[F_WAIT], live.wait_s);
  cases_put(&out[F_SOJOURN], live.sojourn_s);
  cases_put(&out[F_P95], live.p95_s);
  out[F_NEEDED].value = queue_servers(rate, flop / host, 0.95, s->v[KNOB_EMBED_BUDGET]);
  out[F_STABLE].value = floor(rate * flop / host) + 1;
  cases_put(&out[F_SHARED], queue_shared_wait(rate, flop / host, servers));
  out[F_COMPUTE].value = flop / device;
  out[F_TRIP].value = trip;
  cases_put(&out[F_DEVICE_P95], accelerated.p95_s);
  out[F_DEVICE_BUSY].value = rate * flop / device;
  out[F_TRIP_BUSY].value = accelerated.utilisation;
  out[F_RATES].value = device / host;
  out[F_TRIPS].value = flop / host / trip;
  out[F_CHUNK].value = chunk;
  out[F_CHUNK_HOST].value = chunk / host;
  out[F_CHUNK_DEVICE].value = chunk / device;
  double bulk = s->v[KNOB_CHUNKS] * chunk / host, fast = s->v[KNOB_CHUNKS] * chunk / device, every = s->v[KNOB_REINDEX_EVERY];
  out[F_BULK_HOST].value = bulk;
  out[F_BULK_DEVICE].value = fast;
  cases_put(&out[F_BULK_SPARE], live.utilisation < 1 ? bulk / (servers * (1 - live.utilisation)) : bulk * INFINITY);
  if (!(live.utilisation < 1)) out[F_BULK_SPARE].formula = NULL;
  out[F_BULK_SERVERS].value = ceil(bulk / s->v[KNOB_REINDEX_WITHIN]);
  out[F_DUTY].value = queue_duty(fast, every);
  out[F_OWNED_BUSY].value = queue_duty(fast, every) + accelerated.utilisation;
  out[F_FLEET_BUSY].value = live.utilisation + queue_duty(bulk, servers * every);
  out[F_BYTE].value = s->v[KNOB_EMBED_PARAMS] * dtype_byte((enum dtype)(int)s->v[KNOB_DTYPE]);
  out[F_COST_SERVERS].value = servers;
  out[F_COST_OWNED].value = s->v[KNOB_PRICE_RATIO];
  out[F_COST_HIRED].value = servers + s->v[KNOB_PRICE_RATIO] * queue_duty(fast, every);
  out[F_LIMIT].value = s->v[KNOB_EMBED_BUDGET];
  out[F_BULK_LIMIT].value = s->v[KNOB_REINDEX_WITHIN];
  out[F_HIRE].word = s->v[KNOB_HIRE] > 0.5 ? "yes" : "no";
  return n;
}
