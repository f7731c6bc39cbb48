/* The fourth case: a small model on a device in the hand: its memory, its battery, its heat, and no network to lean on. */
#include <math.h>

#include "model/fallback.h"
#include "scenes/cases.h"

enum {
  F_FP32,
  F_INT8,
  F_STORED,
  F_CPU,
  F_NPU,
  F_GAIN,
  F_EVEN,
  F_CPU_WARM,
  F_NPU_WARM,
  F_SERVER,
  F_CPU_ENERGY,
  F_NPU_ENERGY,
  F_CPU_LIFE,
  F_NPU_LIFE,
  F_ONLINE,
  F_LIMIT,
  F_ROOM,
  F_LIFE,
  F_N
};

static const struct fact fact_table[F_N] = {
    [F_FP32] = {"edge_fp32_byte", "in fp32", "byte", 1, "edge_params * 4", "The weights in 32 bit."},
    [F_INT8] = {"edge_int8_byte", "in int8", "byte", 1, "edge_params", "The weights in 8 bit: what the NPU takes."},
    [F_STORED] = {"edge_stored_byte", "for the CPU", "byte", 2, NULL, "The weights as the CPU uses them."},
    [F_CPU] = {"edge_host_time", "an answer, CPU", "s", 1, "edge_ops * cpu_op",
               "All operations on the device's CPU, as long as it is cool."},
    [F_NPU] = {"edge_npu_time", "an answer, NPU", "s", 1,
               "(edge_ops - min(fallbacks, edge_ops)) * npu_op + min(fallbacks, edge_ops) * (cpu_op + 2 * crossing)",
               "On the NPU; what it does not know runs on the CPU, and the data cross over and back each time."},
    [F_GAIN] = {"edge_gain", "NPU is faster", "x", 1, "edge_host_time / edge_npu_time", "CPU over NPU: under 1 the NPU costs time."},
    [F_EVEN] = {"edge_even", "no gain from", "n", 1, NULL,
                "Operations falling back from which the NPU gains nothing. A dash: it gains whatever falls back, or never."},
    [F_CPU_WARM] = {"edge_host_warm", "CPU, warm", "s", 1, "edge_host_time / sustained",
                    "The same after minutes of work: what a short test does not see."},
    [F_NPU_WARM] = {"edge_npu_warm", "NPU, warm", "s", 1, "edge_npu_time / sustained", "The same after minutes of work."},
    [F_SERVER] = {"edge_server_time", "by a server", "s", 2, "network", "To a server and back; its own time is small beside that."},
    [F_CPU_ENERGY] = {"edge_host_energy", "an answer, CPU", "J", 2, "edge_host_time * cpu_power",
                      "Energy of an answer. Slower when warm, but drawing less: taken as the same."},
    [F_NPU_ENERGY] = {"edge_npu_energy", "an answer, NPU", "J", 2, NULL, "The NPU's time at its power, the rest at the CPU's."},
    [F_CPU_LIFE] = {"edge_host_life", "battery, CPU", "s", 1, "battery / (edge_host_energy * edge_rate)",
                    "How long the battery lasts at that many answers a second; screen and radio not counted."},
    [F_NPU_LIFE] = {"edge_npu_life", "battery, NPU", "s", 1, "battery / (edge_npu_energy * edge_rate)", "The same on the NPU."},
    [F_ONLINE] = {"edge_online", "may use a server", "", 2, NULL, "Whether it may lean on a network: not when it must work offline."},
    [F_LIMIT] = {"edge_limit", "may take", "s", 2, "1 / edge_rate", "What an answer may take: the next question comes then."},
    [F_ROOM] = {"edge_room_byte", NULL, "byte", 2, "edge_room", "What the device can spare for the weights."},
    [F_LIFE] = {"edge_life_limit", NULL, "s", 2, "battery_life", "How long the battery must last."},
};

const struct cases_row cases_edge_row = {
    .title = "edge model",
    .candidate = {"its CPU", "its NPU, int8", "a server"},
    .brief = {"CPU", "NPU", "server"},
    .decision = {"its CPU", "its NPU, in int8", "a server elsewhere"},
    .check = {{STEP_ESTIMATE, "an answer", "", {"edge_host_time", "edge_npu_time", "edge_server_time"}, {NULL}, false},
              {STEP_TARGET,
               "when warm",
               "response time",
               {"edge_host_warm", "edge_npu_warm", "edge_server_time"},
               {"edge_limit", "edge_limit", "edge_limit"},
               false},
              {STEP_MEMORY,
               "the model",
               "memory",
               {"edge_stored_byte", "edge_int8_byte", NULL},
               {"edge_room_byte", "edge_room_byte", NULL},
               false},
              {STEP_CONSTRAINT,
               "battery",
               "battery",
               {"edge_host_life", "edge_npu_life", NULL},
               {"edge_life_limit", "edge_life_limit", NULL},
               true},
              {STEP_CONSTRAINT, "may use it", "must work offline", {NULL, NULL, "edge_online"}, {NULL}, false},
              {STEP_COST, "energy", "energy", {"edge_host_energy", "edge_npu_energy", NULL}, {NULL}, false}},
    .checks = 6,
};

int cases_edge_facts(const struct world *w, const struct setup *s, struct fact *out) {
  (void)w;
  struct fallback_in in = {.ops = s->v[KNOB_EDGE_OPS],
                           .fallbacks = s->v[KNOB_FALLBACKS],
                           .accelerated_s = s->v[KNOB_NPU_OP],
                           .host_s = s->v[KNOB_CPU_OP],
                           .crossing_s = s->v[KNOB_CROSSING]};
  struct fallback_out o;
  double params = s->v[KNOB_EDGE_PARAMS], rate = s->v[KNOB_EDGE_RATE];
  int n = cases_table(s, VIEW_EDGE, fact_table, F_N, out);
  fallback_of(&in, &o);
  out[F_FP32].value = params * 4;
  out[F_INT8].value = params;
  out[F_STORED].value = params * dtype_byte((enum dtype)(int)s->v[KNOB_EDGE_DTYPE]);
  out[F_CPU].value = o.host_only_s;
  out[F_NPU].value = o.time_s;
  out[F_GAIN].value = o.gain;
  out[F_EVEN].value = o.even;
  out[F_CPU_WARM].value = o.host_only_s / s->v[KNOB_SUSTAINED];
  out[F_NPU_WARM].value = o.time_s / s->v[KNOB_SUSTAINED];
  out[F_SERVER].value = s->v[KNOB_NETWORK];
  out[F_CPU_ENERGY].value = o.host_only_s * s->v[KNOB_CPU_POWER];
  out[F_NPU_ENERGY].value = o.accelerated_s * s->v[KNOB_NPU_POWER] + (o.host_s + o.crossing_s) * s->v[KNOB_CPU_POWER];
  out[F_CPU_LIFE].value = s->v[KNOB_BATTERY] / (out[F_CPU_ENERGY].value * rate);
  out[F_NPU_LIFE].value = s->v[KNOB_BATTERY] / (out[F_NPU_ENERGY].value * rate);
  out[F_ONLINE].word = s->v[KNOB_OFFLINE] > 0.5 ? "no" : "yes";
  out[F_LIMIT].value = 1 / rate;
  out[F_ROOM].value = s->v[KNOB_EDGE_ROOM];
  out[F_LIFE].value = s->v[KNOB_LIFE];
  return n;
}
