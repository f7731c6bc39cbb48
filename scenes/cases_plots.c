/* What each case turns on, as a curve: the wait against arrivals, memory against devices, time against operations that fall back. */
#include <math.h>

#include "model/fallback.h"
#include "model/queue.h"
#include "scenes/cases.h"
#include "tui/plot.h"

enum { CURVE = 160 };

/* The live service on show: arrivals a second, the time of one, servers, and the limit. */
struct service {
  double rate, time, servers, limit;
  const char *name;
};

static struct service service_of(const struct setup *s) {
  bool embed = cases_shown(s) == CASE_EMBED;
  double params = s->v[embed ? KNOB_EMBED_PARAMS : KNOB_TICKET_PARAMS], tokens = s->v[embed ? KNOB_EMBED_TOKENS : KNOB_TICKET_TOKENS];
  return (struct service){.rate = s->v[embed ? KNOB_EMBED_RATE : KNOB_TICKET_RATE],
                          .time = 2 * params * tokens / s->v[KNOB_HOST_RATE],
                          .servers = s->v[embed ? KNOB_EMBED_SERVERS : KNOB_TICKET_SERVERS],
                          .limit = s->v[embed ? KNOB_EMBED_BUDGET : KNOB_TICKET_BUDGET],
                          .name = embed ? "queries a second" : "tickets a second"};
}

static void axes_queue(const struct setup *s, struct axes *out) {
  struct service q = service_of(s);
  double most = fmax(q.servers / q.time * 1.15, q.rate * 1.15);
  if (!(most > 0)) most = 1;
  out->x[0] = 0, out->x[1] = most;
  out->y[0] = fmin(q.time, q.limit) / 1.4, out->y[1] = fmax(q.time, q.limit) * 8;
  axis_round(&out->x[0], &out->x[1], false, 0);
}

static double held(const struct view *v, double devices) { return fact_value(v->fact, v->nfact, "tune_one_byte") / devices; }

void cases_axes(const struct world *w, const struct setup *s, const struct axes *prev, struct axes *out) {
  (void)prev;
  out->x[0] = out->x[1] = out->y[0] = out->y[1] = NAN;
  if (cases_shown(s) == CASE_EMBED || cases_shown(s) == CASE_TICKET) axes_queue(s, out);
  if (cases_shown(s) == CASE_TUNE) {
    struct fact f[FACT_MAX];
    int n = cases_facts(w, s, f);
    double all = fact_value(f, n, "tune_one_byte"), one = fact_value(f, n, "device_byte"), devices = s->v[KNOB_DEVICES];
    if (isnan(all)) all = fact_value(f, n, "tune_state_byte");
    out->x[0] = 1, out->x[1] = fmax(16, fmax(devices, all / one > 0 && all / one < 65536 ? all / one : 1) * 2);
    out->y[0] = fmin(all / out->x[1], one > 0 ? one : all) / 1.5, out->y[1] = fmax(all, one > 0 ? one : all) * 1.5;
    axis_round(&out->y[0], &out->y[1], true, 1);
  }
  if (cases_shown(s) == CASE_EDGE) {
    out->x[0] = 0, out->x[1] = s->v[KNOB_EDGE_OPS];
    out->y[0] = 0;
    out->y[1] = 1.1 * fmax(s->v[KNOB_EDGE_OPS] * (fmax(s->v[KNOB_CPU_OP], s->v[KNOB_NPU_OP]) + s->v[KNOB_CROSSING]) / s->v[KNOB_SUSTAINED],
                           1 / s->v[KNOB_EDGE_RATE]);
    axis_round(&out->y[0], &out->y[1], false, 0);
  }
}

static int samples_of(const struct plot *p) { return p->area.w * 2 < CURVE ? p->area.w * 2 : CURVE; }

static void draw_queue(struct canvas *c, struct rect r, const struct view *v) {
  struct service q = service_of(v->setup);
  struct axis x = {v->axes->x[0], v->axes->x[1], false, "1", q.name}, y = {v->axes->y[0], v->axes->y[1], true, "s", "until done"};
  struct plot p;
  double at[CURVE], mean[CURVE], late[CURVE], full = q.servers / q.time;
  if (!plot_begin(&p, c, r, &x, &y)) return;
  int n = samples_of(&p);
  for (int i = 0; i < n; i++) {
    at[i] = p.x.lo + (p.x.hi - p.x.lo) * i / (n - 1.0);
    double busy = at[i] / full;
    mean[i] = busy < 1 ? (1 + queue_wait_mean(busy)) * q.time : NAN;
    late[i] = busy < 1 ? (1 + queue_wait_at(busy, 0.95)) * q.time : NAN;
  }
  plot_hline(&p, q.limit, ROLE_WARN, true);
  plot_label(&p, p.x.lo, q.limit, "limit", "", ROLE_WARN, ANCHOR_ABOVE, 2);
  if (full < p.x.hi) {
    plot_vline(&p, full, ROLE_GRID, true);
    plot_label(&p, full, p.y.lo * pow(p.y.hi / p.y.lo, 0.9), "all they can take", "full", ROLE_AXIS, ANCHOR_LEFT, 4);
  }
  plot_curve(&p, at, mean, n, ROLE_MEMORY);
  plot_curve(&p, at, late, n, ROLE_ROOF);
  plot_label(&p, at[n * 3 / 5], late[n * 3 / 5], "95 % within", "95 %", ROLE_ROOF, ANCHOR_ABOVE, 1);
  plot_label(&p, at[n / 2], mean[n / 2], "mean", "", ROLE_MEMORY, ANCHOR_BELOW, 3);
  double p95 = fact_value(v->fact, v->nfact, cases_shown(v->setup) == CASE_EMBED ? "embed_p95" : "ticket_p95");
  plot_point(&p, q.rate, isnan(p95) ? p.y.hi * 2 : p95, 0xD7, p95 <= q.limit ? ROLE_CEILING : ROLE_BAD);
  plot_end(&p);
}

static void draw_devices(struct canvas *c, struct rect r, const struct view *v) {
  struct axis x = {v->axes->x[0], v->axes->x[1], true, "n", "devices"}, y = {v->axes->y[0], v->axes->y[1], true, "byte", "each holds"};
  double one = fact_value(v->fact, v->nfact, "device_byte"), devices = v->setup->v[KNOB_DEVICES], all = held(v, 1);
  struct plot p;
  if (isnan(all) || !plot_begin(&p, c, r, &x, &y)) return;
  plot_line(&p, p.x.lo, held(v, p.x.lo), p.x.hi, held(v, p.x.hi), ROLE_ROOF);
  plot_line_label(&p, p.x.lo, held(v, p.x.lo), p.x.hi, held(v, p.x.hi), "everything, split evenly", "split", ROLE_ROOF, 2);
  if (one > 0) {
    plot_hline(&p, one, ROLE_WARN, true);
    plot_label(&p, p.x.hi, one, "memory of one", "memory", ROLE_WARN, ANCHOR_ABOVE, 1);
  }
  double lora = fact_value(v->fact, v->nfact, "tune_lora_byte");
  plot_point(&p, 1, lora, 'a', lora > one ? ROLE_BAD : ROLE_GOOD);
  plot_label(&p, 1, lora, "adapters", "", ROLE_GOOD, ANCHOR_RIGHT, 3);
  plot_point(&p, devices, held(v, devices), 0xD7, held(v, devices) > one ? ROLE_BAD : ROLE_CEILING);
  plot_end(&p);
}

static void draw_fallback(struct canvas *c, struct rect r, const struct view *v) {
  const struct setup *s = v->setup;
  struct axis x = {v->axes->x[0], v->axes->x[1], false, "n", "operations that fall back"},
              y = {v->axes->y[0], v->axes->y[1], false, "s", "an answer, warm"};
  struct fallback_in in = {
      .ops = s->v[KNOB_EDGE_OPS], .accelerated_s = s->v[KNOB_NPU_OP], .host_s = s->v[KNOB_CPU_OP], .crossing_s = s->v[KNOB_CROSSING]};
  struct fallback_out none, all;
  struct plot p;
  double warm = s->v[KNOB_SUSTAINED], limit = 1 / s->v[KNOB_EDGE_RATE], even = fact_value(v->fact, v->nfact, "edge_even");
  if (!plot_begin(&p, c, r, &x, &y)) return;
  fallback_of(&in, &none);
  in.fallbacks = in.ops;
  fallback_of(&in, &all);
  plot_hline(&p, limit, ROLE_WARN, true);
  plot_label(&p, p.x.hi, limit, "limit", "", ROLE_WARN, ANCHOR_ABOVE, 2);
  plot_hline(&p, none.host_only_s / warm, ROLE_MEMORY, false);
  plot_label(&p, p.x.hi, none.host_only_s / warm, "CPU alone", "CPU", ROLE_MEMORY, ANCHOR_BELOW, 1);
  plot_line(&p, 0, none.time_s / warm, in.ops, all.time_s / warm, ROLE_ROOF);
  plot_line_label(&p, 0, none.time_s / warm, in.ops, all.time_s / warm, "NPU, and back for each", "NPU", ROLE_ROOF, 2);
  if (even > 0) plot_vline(&p, even, ROLE_GRID, true);
  double now = fact_value(v->fact, v->nfact, "edge_npu_warm"), fallen = fmin(s->v[KNOB_FALLBACKS], in.ops);
  plot_point(&p, fallen, now, 0xD7, now <= limit ? ROLE_CEILING : ROLE_BAD);
  plot_end(&p);
}

void cases_draw_plot(struct canvas *c, struct rect r, const struct view *v) {
  switch (cases_shown(v->setup)) {
  case CASE_TUNE: draw_devices(c, r, v); break;
  case CASE_EDGE: draw_fallback(c, r, v); break;
  default: draw_queue(c, r, v); break;
  }
}
