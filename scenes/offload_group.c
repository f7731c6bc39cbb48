#include "scenes/offload_group.h"

#include <math.h>
#include <string.h>

#include "model/ladder.h"
#include "model/step.h"

enum {
  G_STEP,
  G_SPEEDUP,
  G_EFFICIENCY,
  G_WORK,
  G_LINK,
  G_BOUND,
  G_MOST,
  G_RIDGE,
  G_INTENSITY,
  G_TOKENS,
  G_EACH,
  G_COMPUTE,
  G_MEMORY,
  G_BYTES,
  G_FIXED,
  G_FLOP,
  G_LINK_BYTE,
  G_EXCHANGES,
  G_ALONE,
  G_OTHER,
  G_PEAK,
  G_RATE,
  G_LINK_RATE,
  G_FROM,
  G_SPLIT,
  G_DEVICES,
  G_N
};

static const struct fact fact_table[G_N] = {
    [G_STEP] = {"group_step_time", "a step", "s", 1, "max(group_work_time, group_link_time)",
                "In training the exchanges of one layer run while the next one is worked on: the longer of the two counts. A bound."},
    [G_SPEEDUP] = {"group_speedup", "speed-up", "x", 1, "group_alone_time / group_step_time",
                   "Against one device that does all of it, whether it has room for it or not."},
    [G_EFFICIENCY] = {"group_efficiency", "of perfect", "%", 1, "group_speedup / devices",
                      "The speed-up as a share of the number of devices."},
    [G_WORK] = {"group_work_time", "work of each", "s", 1, "max(group_compute_time, group_memory_time)",
                "Arithmetic of one device, or reading its weights where that takes longer."},
    [G_LINK] = {"group_link_time", "exchanges", "s", 1, "group_byte_time + group_fixed_time",
                "What the exchanges take: bytes over the link, and a fixed time each."},
    [G_BOUND] = {"group_bound", "limited by", "", 1, NULL, "What takes longest: arithmetic, memory, or the links between the devices."},
    [G_MOST] = {"group_most", "pays up to", "n", 1, NULL,
                "The largest number of devices whose exchanges take no longer than their work. Unknown: not even two."},
    [G_RIDGE] =
        {"group_link_ridge", "link ridge", "flop/byte", 1, "group_peak_flop_per_s / group_link_byte_per_s",
         "Arithmetic that a device can do in the time of one byte over its link: the ridge of a roofline whose memory is the others."},
    [G_INTENSITY] = {"group_link_intensity", "asked for", "flop/byte", 1, "group_flop / group_link_byte",
                     "Arithmetic for each byte over the link. Below the link ridge the links are the limit. Shared work has less of it."},
    [G_TOKENS] = {"group_tokens", "tokens a step", "n", 2, NULL,
                  "Training: batch times context. Serving, cut by tensors: the batch, one token each."},
    [G_EACH] = {"group_device_tokens", "of each device", "n", 2, NULL, "Tokens one device works on. Cut by tensors, all work on all."},
    [G_COMPUTE] = {"group_compute_time", "arithmetic", "s", 2, "group_flop / group_peak_flop_per_s", "Of one device."},
    [G_MEMORY] = {"group_memory_time", "reading weights", "s", 2, NULL, "Of one device: forward, and in training twice backward."},
    [G_BYTES] = {"group_byte_time", "link bytes", "s", 2, "group_link_byte / group_link_byte_per_s",
                 "Bytes over the rate of one direction."},
    [G_FIXED] = {"group_fixed_time", "fixed costs", "s", 2, "group_exchanges * launch_cost",
                 "Starting so many exchanges, each at the cost of a launch: our assumption. With few tokens nothing else matters."},
    [G_FLOP] = {"group_flop", "FLOP of each", "flop", 2, NULL,
                "2 for each parameter and token forward, 4 backward; attention is left out."},
    [G_LINK_BYTE] =
        {"group_link_byte", "sent by each", "byte", 2, NULL,
         "Through one device's link in a step, one direction. An all-reduce of b bytes is 2 b (n - 1)/n, an all-gather half that."},
    [G_EXCHANGES] = {"group_exchanges", "exchanges", "n", 2, NULL,
                     "All-gathers and reduce-scatters in a step; an all-reduce is one of each."},
    [G_ALONE] = {"group_alone_time", "one device", "s", 2, NULL, "The same work on one device."},
    [G_OTHER] = {"group_step_time_other", "not overlapped", "s", 2, "group_work_time + group_link_time",
                 "If every exchange were waited for: at most twice as long."},
    [G_PEAK] = {"group_peak_flop_per_s", "peak of each", "flop/s", 2, NULL, "Dense arithmetic of one device in this data type."},
    [G_RATE] = {"group_byte_per_s", "memory rate", "byte/s", 2, NULL, "Memory of one device."},
    [G_LINK_RATE] = {"group_link_byte_per_s", "link rate", "byte/s", 2, NULL,
                     "One device's link to the others, in one direction; expect 85 to 90 % of it."},
    [G_FROM] = {"group_link_from", "link figure", "", 2, NULL, "Where the link's rate comes from."},
    [G_SPLIT] = {"group_split", NULL, "", 2, NULL, "How the work is cut."},
    [G_DEVICES] = {"group_devices", NULL, "n", 2, NULL, "How many devices share it."},
};

bool group_view(const struct setup *s) { return (int)s->v[KNOB_VIEW] == VIEW_DEVICES; }

static enum split split_of(const struct setup *s) { return (enum split)(int)s->v[KNOB_SPLIT]; }

static void follow(struct setup *s, int knob, double v) {
  if (!s->set[knob]) s->v[knob] = v;
}

/* Round numbers of ours: eight of the chapter's accelerators, a batch of a few million tokens' fraction, or one user's next token. */
void group_resolve(const struct world *w, struct setup *s) {
  int device = device_find(w, "h100-sxm"), preset = (int)s->v[KNOB_LINK];
  if (device >= 0) follow(s, KNOB_DEVICE, device);
  follow(s, KNOB_DTYPE, DTYPE_BF16);
  follow(s, KNOB_DEVICES, 8);
  follow(s, KNOB_BATCH, split_of(s) == SPLIT_TENSOR ? 1 : 64);
  const struct device *d = &w->device[(int)s->v[KNOB_DEVICE]];
  if (preset > 0)
    s->v[KNOB_LINK_RATE] = link_preset_rate(preset);
  else
    follow(s, KNOB_LINK_RATE, d->peer.byte_per_s.value);
}

bool group_applies(const struct setup *s, int knob) {
  switch (knob) {
  case KNOB_VIEW:
  case KNOB_SPLIT:
  case KNOB_DEVICES:
  case KNOB_DEVICE:
  case KNOB_MODEL:
  case KNOB_BATCH:
  case KNOB_DTYPE:
  case KNOB_LINK:
  case KNOB_LAUNCH_COST: return true;
  case KNOB_CONTEXT: return split_of(s) != SPLIT_TENSOR;
  case KNOB_LINK_RATE: return (int)s->v[KNOB_LINK] == 0;
  default: return false;
  }
}

struct group_in group_input(const struct world *w, const struct setup *s) {
  const struct device *d = &w->device[(int)s->v[KNOB_DEVICE]];
  struct geometry g = geometry_of(w->nmodel > 0 ? &w->model[(int)s->v[KNOB_MODEL]] : NULL, NAN);
  enum dtype stored = (enum dtype)(int)s->v[KNOB_DTYPE], math = ladder_math(d, stored);
  bool serving = split_of(s) == SPLIT_TENSOR;
  return (struct group_in){.split = split_of(s),
                           .devices = s->v[KNOB_DEVICES],
                           .params = g.decoder ? g.matmul_params : NAN,
                           .layers = g.layers,
                           .hidden = g.hidden,
                           .tokens = s->v[KNOB_BATCH] * (serving ? 1 : s->v[KNOB_CONTEXT]),
                           .weight_byte = dtype_byte(stored),
                           .peak_flop_per_s = math == DTYPE_N ? NAN : ladder_peak(d, math, ISA_AUTO, 0),
                           .byte_per_s = ladder_memory_rate(d),
                           .link_byte_per_s = s->v[KNOB_LINK_RATE],
                           .exchange_s = s->v[KNOB_LAUNCH_COST]};
}

static const char *bound_of(const struct group_in *in, const struct group_out *o) {
  if (isnan(o->step_time)) return "unknown";
  if (in->devices > 1 && o->link_time > o->work_time) return "links";
  return o->memory_time > o->compute_time ? "memory" : "arithmetic";
}

int group_facts(const struct world *w, const struct setup *s, struct fact *out) {
  facts_begin(out, fact_table, G_N, group_view(s));
  struct setup at = *s;
  if (!group_view(s)) group_resolve(w, &at), at.v[KNOB_LINK_RATE] = w->device[(int)at.v[KNOB_DEVICE]].peer.byte_per_s.value;
  struct group_in in = group_input(w, &at);
  struct group_out o;
  bool serving = in.split == SPLIT_TENSOR;
  group_of(&in, &o);
  out[G_SPLIT].word = split_name(in.split);
  out[G_BOUND].word = bound_of(&in, &o);
  out[G_FROM].word = (int)at.v[KNOB_LINK] > 0    ? link_preset_name((int)at.v[KNOB_LINK])
                     : at.set[KNOB_LINK_RATE]    ? "typed in"
                     : isnan(in.link_byte_per_s) ? "unknown"
                                                 : w->device[(int)at.v[KNOB_DEVICE]].peer.name;
  if (!group_view(s)) { /* the knobs mean other things there */
    out[G_BOUND].word = NULL;
    return G_N;
  }
  out[G_STEP].value = o.step_time;
  out[G_SPEEDUP].value = o.speedup;
  out[G_EFFICIENCY].value = o.efficiency;
  out[G_WORK].value = o.work_time;
  out[G_LINK].value = o.link_time;
  out[G_MOST].value = group_most(&in);
  out[G_RIDGE].value = o.link_ridge;
  out[G_INTENSITY].value = o.link_intensity;
  out[G_TOKENS].value = in.tokens;
  out[G_EACH].value = serving ? in.tokens : in.tokens / in.devices;
  out[G_COMPUTE].value = o.compute_time;
  out[G_MEMORY].value = o.memory_time;
  out[G_BYTES].value = o.byte_time;
  out[G_FIXED].value = o.fixed_time;
  out[G_FLOP].value = o.flop;
  out[G_LINK_BYTE].value = o.link_byte;
  out[G_EXCHANGES].value = o.exchanges;
  out[G_ALONE].value = o.alone_time;
  out[G_OTHER].value = o.step_time_other;
  out[G_PEAK].value = in.peak_flop_per_s;
  out[G_RATE].value = in.byte_per_s;
  out[G_LINK_RATE].value = in.link_byte_per_s;
  out[G_DEVICES].value = in.devices;
  if (in.devices == 1) out[G_INTENSITY].formula = out[G_BYTES].formula = NULL;
  if (serving) {
    out[G_STEP].formula = "group_work_time + group_link_time";
    out[G_STEP].meaning = "Cut by tensors, each layer waits for its exchanges before the next can begin: they add up.";
    out[G_OTHER].formula = "max(group_work_time, group_link_time)";
    out[G_OTHER].label = "if overlapped";
    out[G_OTHER].meaning = "If the exchanges could hide behind the work: at best half as long.";
  }
  return G_N;
}

int group_rows(const struct world *w, const struct setup *s, int row, struct fact *out) {
  static const uint8_t column[] = {G_DEVICES, G_WORK, G_LINK, G_STEP, G_SPEEDUP, G_EFFICIENCY, G_INTENSITY, G_BOUND};
  struct setup at = *s;
  struct fact all[G_N];
  if (row < 0 || row > 10) return 0;
  at.v[KNOB_DEVICES] = 1 << row;
  group_facts(w, &at, all);
  for (size_t i = 0; i < sizeof column; i++) out[i] = all[column[i]];
  return sizeof column;
}

/* ---- in words ---- */

static void add_number(struct text *t, const char *before, double v, const char *unit, const char *after) {
  text_add(t, before);
  text_number(t, v, unit);
  text_add(t, after);
}

static void add_gain(const struct fact *f, struct text *t) {
  text_count(t, f[G_DEVICES].value);
  add_number(t, " devices are ", f[G_SPEEDUP].value, "x", " as fast as one");
}

void group_verdict(const struct fact *f, int n, struct text *t) {
  const struct fact *g = fact_find(f, n, fact_table[0].name);
  bool serving = strcmp(g[G_SPLIT].word, "tensor") == 0, links = strcmp(g[G_BOUND].word, "links") == 0;
  double most = g[G_MOST].value;
  if (g[G_DEVICES].value == 1) {
    text_add(t, "One device has nobody to talk to. Turn devices up: what does each do, and what must it tell the others?");
    return;
  }
  if (isnan(g[G_SPEEDUP].value)) {
    text_add(t, isnan(g[G_LINK_RATE].value) ? "How fast this device's link to its like is, is not known: choose a link."
                                            : "Not known: the sheet lacks a figure, or this model does not make tokens.");
    return;
  }
  add_gain(g, t);
  if (serving) {
    add_number(t, ": each layer waits for its exchanges, ", g[G_LINK].value, "s", " of ");
    add_number(t, "", g[G_STEP].value, "s", " a step. ");
    text_add(t, g[G_FIXED].value > g[G_BYTES].value
                    ? "Nearly all of that is starting them: a larger batch is free, faster links do not help."
                    : "Faster links or fewer tokens at once help; faster arithmetic does not.");
  } else if (links) {
    text_add(t, ": the links are the limit. ");
    add_number(t, "", g[G_INTENSITY].value, "flop/byte", " are asked, ");
    add_number(t, "", g[G_RIDGE].value, "flop/byte", " needed. More tokens for each or faster links help; faster devices do not.");
  } else {
    text_add(t, ": the exchanges hide behind the work. ");
    if (most < 65536)
      text_add(t, "Beyond "), text_count(t, most),
          text_add(t, " each has too few tokens to hide them. Faster links move that up, faster arithmetic down.");
    else
      text_add(t, "No number of devices changes that here.");
  }
}
