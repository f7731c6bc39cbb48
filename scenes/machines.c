/* machines: what does the sheet not say? The catalogue as a table, as points and as cards; a peak peeled and a peak built; two devices with
 * one peak; and which device serves a workload. */
#include "scenes/machines.h"

#include <math.h>
#include <string.h>

#include "model/work.h"

enum view_id machines_view(const struct setup *s) { return (enum view_id)(int)s->v[KNOB_VIEW]; }

const struct device *machines_device(const struct world *w, const struct setup *s) { return &w->device[(int)s->v[KNOB_DEVICE]]; }

struct sheet machines_sheet(const struct world *w, const struct setup *s, int device) {
  return sheet_of(&w->device[device], (enum dtype)(int)s->v[KNOB_DTYPE], s->v[KNOB_ADVERTISED] > 0.5);
}

struct job machines_job(const struct setup *s) {
  return (struct job){.flop = s->v[KNOB_FLOP],
                      .flop_per_byte = s->v[KNOB_INTENSITY],
                      .need_byte = s->v[KNOB_NEED],
                      .devices = s->v[KNOB_DEVICES],
                      .dtype = (enum dtype)(int)s->v[KNOB_DTYPE],
                      .special = (enum special)(int)s->v[KNOB_SPECIAL]};
}

int machines_list(const struct world *w, const struct setup *s, uint8_t out[DEVICE_MAX]) {
  int family = (int)s->v[KNOB_FAMILY];
  struct shelf shelf = {.family = family == 0 ? FAMILY_N : family - 1,
                        .all = s->v[KNOB_ALL] > 0.5,
                        .reverse = s->v[KNOB_REVERSE] > 0.5,
                        .advertised = s->v[KNOB_ADVERTISED] > 0.5,
                        .sort = (enum sort)(int)s->v[KNOB_SORT],
                        .dtype = (enum dtype)(int)s->v[KNOB_DTYPE],
                        .always = (int)s->v[KNOB_DEVICE]};
  int n = shelf_list(w, &shelf, out);
  if (machines_view(s) != VIEW_CHOOSE) return n;
  struct offer offer[DEVICE_MAX];
  struct job job = machines_job(s);
  choose_rank(w, out, n, &job, offer);
  for (int i = 0; i < n; i++) out[i] = (uint8_t)offer[i].device;
  return n;
}

struct peeled machines_peeled(const struct world *w, const struct setup *s) {
  bool off[PEEL_N];
  for (int i = 0; i < PEEL_N; i++) off[i] = s->v[KNOB_PEEL_SPARSITY + i] > 0.5;
  return peel_of(machines_device(w, s), (enum dtype)(int)s->v[KNOB_DTYPE], off, s->v[KNOB_UTILISATION]);
}

struct twins machines_twins(const struct world *w, const struct setup *s) {
  int other = (int)s->v[KNOB_COMPARE] - 1;
  struct twins t = {
      .name = {"A", "B"}, .peak = {s->v[KNOB_PEAK], s->v[KNOB_PEAK]}, .byte_per_s = {s->v[KNOB_BANDWIDTH], s->v[KNOB_SECOND_BANDWIDTH]}};
  if (other < 0) return t;
  int index[2] = {(int)s->v[KNOB_DEVICE], other};
  t.real = true;
  for (int i = 0; i < 2; i++) {
    struct sheet sheet = sheet_of(&w->device[index[i]], (enum dtype)(int)s->v[KNOB_DTYPE], false);
    t.name[i] = machines_brief(w->device[index[i]].id);
    t.peak[i] = sheet.peak;
    t.byte_per_s[i] = sheet.byte_per_s;
  }
  return t;
}

struct twin_op machines_op(int i) {
  static const struct {
    const char *name;
    enum op op;
    double n, batch;
  } table[TWIN_OPS] = {{"add two vectors", OP_ADD, 16777216, 1},
                       {"one token", OP_WEIGHTS, 4096, 1},
                       {"softmax of rows", OP_SOFTMAX, 4096, 1},
                       {"64 tokens", OP_WEIGHTS, 4096, 64},
                       {"large product", OP_MATMUL, 4096, 1}};
  struct shape shape = {table[i].n, NAN, NAN, table[i].batch, 1, NAN, .stride = NAN};
  shape = work_complete(table[i].op, shape);
  struct work work = work_of(table[i].op, shape, DTYPE_BF16);
  return (struct twin_op){table[i].name, work.flop / work.byte};
}

struct built machines_here(const struct world *w) {
  const struct machine *m = &w->device[DEVICE_HERE].machine;
  struct built b = {.isa = ISA_AUTO, .threads = NAN, .units = NAN, .lanes = NAN, .clock_hz = NAN, .flop_per_s = NAN, .flop_per_cycle = NAN};
  if (!m->measured) return b;
  for (int i = ISA_SCALAR; i < ISA_N; i++)
    if (m->isa_peak[i][1] > 0 && !(m->isa_peak[i][1] < b.flop_per_s)) b.isa = (enum isa)i, b.flop_per_s = m->isa_peak[i][1];
  if (m->threads > 0) b.threads = m->threads;
  b.clock_hz = m->clock_hz;
  b.lanes = peel_lanes(b.isa);
  b.flop_per_cycle = b.flop_per_s / (b.threads * b.clock_hz);
  b.units = peel_units(b.flop_per_s, b.threads, b.lanes, b.clock_hz);
  return b;
}

struct request machines_product(void) {
  struct shape shape = {.n = 1024, .m = 1024, .k = 1024, .batch = NAN, .fma = NAN, .chain = NAN, .stride = NAN};
  return (struct request){.op = OP_MATMUL, .shape = shape, .dtype = DTYPE_FP32, .isa = ISA_AUTO, .rung = RUNG_AUTO};
}

double machines_product_rate(const struct world *w) {
  struct request r = machines_product();
  const struct run *run = run_find(w, &r, w->machine);
  return run ? run->flop / run_time(run) : NAN;
}

/* Where a peak is taken apart, m runs what shows how much of one is reached. */
static int machines_measures(const struct world *w, const struct setup *s, struct request out[REQUEST_MAX]) {
  (void)w;
  if (machines_view(s) != VIEW_PEAK && machines_view(s) != VIEW_CPU) return 0;
  out[0] = machines_product();
  return 1;
}

const char *machines_brief(const char *id) {
  const char *slash = strrchr(id, '/');
  return slash && slash[1] ? slash + 1 : id;
}

const char *figure_word(const struct figure *f) {
  static const char *const unsure[SOURCE_N] = {"unknown?", "vendor?", "derived?", "illustrative?", "measured?"};
  return f->unverified ? unsure[f->source] : source_name((enum source)f->source);
}

/* A family chosen shows one of its own, unless the person chose a device. */
static void family_resolve(const struct world *w, struct setup *s) {
  int family = (int)s->v[KNOB_FAMILY] - 1;
  if (family < 0 || s->set[KNOB_DEVICE] || (int)machines_device(w, s)->family == family) return;
  uint8_t list[DEVICE_MAX];
  int n = machines_list(w, s, list);
  for (int i = 0; i < n; i++)
    if ((int)w->device[list[i]].family == family) {
      s->v[KNOB_DEVICE] = list[i];
      return;
    }
}

static void machines_resolve(const struct world *w, struct setup *s) {
  if (isnan(s->v[KNOB_PEAK])) s->v[KNOB_PEAK] = 200e12;
  if (isnan(s->v[KNOB_BANDWIDTH])) s->v[KNOB_BANDWIDTH] = 1e12;
  if (machines_view(s) == VIEW_TWINS && !s->set[KNOB_INTENSITY]) s->v[KNOB_INTENSITY] = 30;
  family_resolve(w, s);
}

/* The device knob goes through the list as it is shown, around its end. */
static bool machines_turn(const struct world *w, const struct setup *s, int knob, int direction, bool coarse, struct setup *person) {
  uint8_t list[DEVICE_MAX];
  if (knob != KNOB_DEVICE) return false;
  int n = machines_list(w, s, list), at = 0;
  for (int i = 0; i < n; i++)
    if (list[i] == (int)s->v[KNOB_DEVICE]) at = i;
  if (n == 0) return false;
  int next = at + direction * (coarse ? 8 : 1);
  if (coarse) next = next < 0 ? 0 : next >= n ? n - 1 : next;
  person->v[KNOB_DEVICE] = list[(next + n) % n];
  person->set[KNOB_DEVICE] = true;
  return true;
}

static bool machines_applies(const struct setup *s, int knob) {
  enum view_id view = machines_view(s);
  bool list = view == VIEW_TABLE || view == VIEW_PLOT || view == VIEW_BALANCE, pair = view == VIEW_TWINS && s->v[KNOB_COMPARE] > 0;
  switch (knob) {
  case KNOB_DEVICE: return view != VIEW_CPU && (view != VIEW_TWINS || pair);
  case KNOB_DTYPE: return view != VIEW_CPU && view != VIEW_PLOT && (view != VIEW_TWINS || pair);
  case KNOB_FAMILY:
  case KNOB_ALL: return list || view == VIEW_CARD || view == VIEW_CHOOSE;
  case KNOB_SORT:
  case KNOB_REVERSE: return view == VIEW_TABLE || view == VIEW_CARD;
  case KNOB_ADVERTISED: return view == VIEW_TABLE || view == VIEW_BALANCE;
  case KNOB_SIDE: return view == VIEW_CARD;
  case KNOB_PEEL_SPARSITY:
  case KNOB_PEEL_PRECISION:
  case KNOB_PEEL_OPERATION:
  case KNOB_PEEL_USE:
  case KNOB_UTILISATION: return view == VIEW_PEAK;
  case KNOB_CORES:
  case KNOB_UNITS:
  case KNOB_LANES:
  case KNOB_CLOCK: return view == VIEW_CPU;
  case KNOB_COMPARE: return view == VIEW_TWINS;
  case KNOB_PEAK:
  case KNOB_BANDWIDTH:
  case KNOB_SECOND_BANDWIDTH: return view == VIEW_TWINS && !pair;
  case KNOB_INTENSITY: return view == VIEW_TWINS || view == VIEW_CHOOSE;
  case KNOB_FLOP:
  case KNOB_NEED:
  case KNOB_SPECIAL:
  case KNOB_DEVICES: return view == VIEW_CHOOSE;
  default: return true;
  }
}

static const uint8_t view_list[] = {VIEW_TABLE, VIEW_PLOT, VIEW_BALANCE, VIEW_CARD, VIEW_PEAK, VIEW_CPU, VIEW_TWINS, VIEW_CHOOSE};
static const uint8_t knob_list[] = {
    KNOB_VIEW,           KNOB_DEVICE,           KNOB_SORT,     KNOB_DTYPE,  KNOB_SIDE,    KNOB_PEEL_SPARSITY,
    KNOB_PEEL_PRECISION, KNOB_PEEL_OPERATION,   KNOB_PEEL_USE, KNOB_CORES,  KNOB_UNITS,   KNOB_LANES,
    KNOB_CLOCK,          KNOB_INTENSITY,        KNOB_FLOP,     KNOB_NEED,   KNOB_SPECIAL, KNOB_PEAK,
    KNOB_BANDWIDTH,      KNOB_SECOND_BANDWIDTH, KNOB_COMPARE,  KNOB_FAMILY, KNOB_ALL,     KNOB_ADVERTISED,
    KNOB_UTILISATION,    KNOB_DEVICES,          KNOB_REVERSE};
/* A token of the chapter's model of 7e9 parameters in 16 bit: 2 FLOP for each, all of them read, all of them held. */
static const struct start start_list[] = {{KNOB_DEVICE, 0, "h100-sxm"}, {KNOB_DTYPE, 0, "bf16"},   {KNOB_FLOP, 14e9, NULL},
                                          {KNOB_NEED, 14e9, NULL},      {KNOB_INTENSITY, 1, NULL}, {KNOB_COMPARE, 0, NULL}};

const struct scene scene_machines = {
    .address = "5.1",
    .name = "machines",
    .question = "What does the sheet not say?",
    .section = "data sheets: two numbers and their ratio, what a peak assumes, which device for which work",
    .next = "lab",
    .knobs = knob_list,
    .nknobs = sizeof knob_list,
    .nfirst = 24,
    .hand = KNOB_DEVICE,
    .starts = start_list,
    .nstarts = sizeof start_list / sizeof *start_list,
    .views = view_list,
    .nviews = sizeof view_list,
    .min_w = 24,
    .min_h = 4,
    .applies = machines_applies,
    .resolve = machines_resolve,
    .turn = machines_turn,
    .facts = machines_facts,
    .rows = machines_rows,
    .verdict = machines_verdict,
    .measures = machines_measures,
    .axes = machines_axes,
    .draw = machines_draw,
};
