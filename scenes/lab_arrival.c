/* Asked openly, or by clients that wait for their answer: the same service, two tests of it. Simulated request by request; beside it what
 * theory says of the open one. */
#include <math.h>

#include "model/arrival.h"
#include "model/queue.h"
#include "scenes/lab.h"
#include "scenes/lab_record.h"
#include "tui/number.h"
#include "tui/plot.h"
#include "tui/widget.h"

/* One request in so many waits longer. */
static const double ONE_IN[] = {2, 4, 10, 20, 100, 1000};
enum { ONE_IN_N = sizeof ONE_IN / sizeof *ONE_IN };

/* Latencies by how many services they last; the last class is all beyond. */
static const double CLASS_TO[] = {1, 2, 4, 8};
enum { CLASS_N = sizeof CLASS_TO / sizeof *CLASS_TO + 1 };

enum {
  F_LOAD,
  F_CAPACITY,
  F_OPEN_MEAN,
  F_OPEN_P50,
  F_OPEN_P95,
  F_OPEN_P99,
  F_CLOSED_RATE,
  F_CLOSED_MEAN,
  F_CLOSED_P50,
  F_CLOSED_P95,
  F_CLOSED_P99,
  F_RATIO,
  F_THEORY_MEAN,
  F_THEORY_ERROR,
  F_THEORY_P50,
  F_THEORY_P95,
  F_THEORY_P99,
  F_OPEN_WAIT,
  F_OPEN_RATE,
  F_OPEN_LONGEST,
  F_OPEN_75,
  F_OPEN_90,
  F_OPEN_999,
  F_CLOSED_75,
  F_CLOSED_90,
  F_CLOSED_999,
  F_SHARED,
  F_STABLE,
  F_OPEN_CLASS,
  F_CLOSED_CLASS = F_OPEN_CLASS + CLASS_N,
  F_N = F_CLOSED_CLASS + CLASS_N
};

static const struct fact fact_table[F_N] = {
    [F_LOAD] = {"offered_load", "load", "%", 1, "requests * service / servers",
                "What is asked for, over what can be served. From 100 % on the queue grows without end."},
    [F_CAPACITY] = {"service_capacity", "at most, a s", "1", 1, "servers / service", "Requests a second that the servers can serve."},
    [F_OPEN_MEAN] = {"open_mean", "open: mean", "s", 1, NULL, "From arrival to done, waiting included, of requests that come at random."},
    [F_OPEN_P50] = {"open_p50", "  p50", "s", 1, NULL, "Half of them take less."},
    [F_OPEN_P95] = {"open_p95", "  p95", "s", 1, NULL, "One in twenty takes longer."},
    [F_OPEN_P99] = {"open_p99", "  p99", "s", 1, NULL, "One in a hundred takes longer."},
    [F_CLOSED_RATE] = {"closed_rate", "closed: a s", "1", 1, NULL,
                       "Requests a second that the clients get served: they ask for as much as there is."},
    [F_CLOSED_MEAN] = {"closed_mean", "  mean", "s", 2, NULL, "Its mean latency: by Little's law clients over rate."},
    [F_CLOSED_P50] = {"closed_p50", "  p50 ", "s", 1, NULL, "Half of its requests take less."},
    [F_CLOSED_P95] = {"closed_p95", "  p95 ", "s", 1, NULL, "One in twenty of its requests takes longer."},
    [F_CLOSED_P99] = {"closed_p99", "  p99 ", "s", 2, NULL, "One in a hundred of its requests takes longer."},
    [F_RATIO] = {"open_over_closed", "p95 apart by", "x", 1, "open_p95 / closed_p95",
                 "By how much the closed test flatters what users will see."},
    [F_THEORY_MEAN] =
        {"md1_mean", "theory: mean", "s", 1, NULL,
         "M/D/1: random arrivals, equal service, a queue each; load / (2 (1 - load)) services of waiting on top of one. A dash: "
         "the load is too high, or service varies, or one queue serves several."},
    [F_THEORY_ERROR] = {"md1_error", "simulated off", "%", 1, "open_mean / md1_mean - 1",
                        "How far the simulated mean lies from it. More requests, less of it: a busy queue forgets slowly."},
    [F_THEORY_P50] = {"md1_p50", "  p50, theory", "s", 2, NULL, "The same law's median."},
    [F_THEORY_P95] = {"md1_p95", "  p95, theory", "s", 2, NULL, "Its 95th percentile."},
    [F_THEORY_P99] = {"md1_p99", "  p99, theory", "s", 2, NULL, "Its 99th."},
    [F_OPEN_WAIT] = {"open_wait", "open: waiting", "s", 2, NULL, "The part of the mean in which nothing is done."},
    [F_OPEN_RATE] = {"open_rate", "open: served", "1", 2, NULL, "Requests a second served, from the first arrival to the last departure."},
    [F_OPEN_LONGEST] = {"open_longest", "open: longest", "s", 2, NULL, "The unluckiest of all simulated."},
    [F_OPEN_75] = {"open_p75", NULL, "s", 2, NULL, "One in four takes longer."},
    [F_OPEN_90] = {"open_p90", NULL, "s", 2, NULL, "One in ten takes longer."},
    [F_OPEN_999] = {"open_p999", "open: p99.9", "s", 2, NULL, "One in a thousand takes longer."},
    [F_CLOSED_75] = {"closed_p75", NULL, "s", 2, NULL, "One in four of the clients' requests takes longer."},
    [F_CLOSED_90] = {"closed_p90", NULL, "s", 2, NULL, "One in ten of them takes longer."},
    [F_CLOSED_999] = {"closed_p999", NULL, "s", 2, NULL, "One in a thousand of them takes longer."},
    [F_SHARED] =
        {"shared_mean", "one queue, mean", "s", 2, NULL,
         "What one queue for all servers would give at this load and equal service: near the truth (M/D/c by Cosmetatos), exact for one."},
    [F_STABLE] = {"queue_state", "queue", "", 2, NULL, "stable, or growing: then every figure depends on how long one looks."},
    [F_OPEN_CLASS] = {"open_within_1", NULL, "%", 2, NULL,
                      "Open: share of requests done within one mean service, not waiting at all when all take the same."},
    {"open_within_2", NULL, "%", 2, NULL, "Open: in more than one service, up to two."},
    {"open_within_4", NULL, "%", 2, NULL, "Open: in more than two, up to four."},
    {"open_within_8", NULL, "%", 2, NULL, "Open: in more than four, up to eight."},
    {"open_beyond_8", NULL, "%", 2, NULL, "Open: in more than eight."},
    [F_CLOSED_CLASS] = {"closed_within_1", NULL, "%", 2, NULL, "Closed: share of requests done within one mean service."},
    {"closed_within_2", NULL, "%", 2, NULL, "Closed: in more than one service, up to two."},
    {"closed_within_4", NULL, "%", 2, NULL, "Closed: in more than two, up to four."},
    {"closed_within_8", NULL, "%", 2, NULL, "Closed: in more than four, up to eight."},
    {"closed_beyond_8", NULL, "%", 2, NULL, "Closed: in more than eight."},
};

static struct arrival_in in_of(const struct setup *s, bool closed) {
  return (struct arrival_in){.closed = closed,
                             .rate_per_s = s->v[KNOB_REQUESTS],
                             .clients = s->v[KNOB_CLIENTS],
                             .service_s = s->v[KNOB_SERVICE],
                             .variety = s->v[KNOB_VARIETY],
                             .servers = s->v[KNOB_SERVERS],
                             /* A client that has its answer finds a free server, if there is one, only where the queue is one. */
                             .one_queue = closed || s->v[KNOB_ONE_QUEUE] > 0.5,
                             .seed = s->v[KNOB_SEED]};
}

/* Theory speaks of equal service and a queue for each server. */
static bool theory_applies(const struct setup *s) {
  return s->v[KNOB_VARIETY] == 0 && (s->v[KNOB_SERVERS] == 1 || s->v[KNOB_ONE_QUEUE] < 0.5);
}

static double known(double v) { return isfinite(v) ? v : NAN; }

static void simulated(const struct setup *s, bool closed, struct fact *f) {
  static const uint8_t fact[2][ONE_IN_N] = {{F_OPEN_P50, F_OPEN_75, F_OPEN_90, F_OPEN_P95, F_OPEN_P99, F_OPEN_999},
                                            {F_CLOSED_P50, F_CLOSED_75, F_CLOSED_90, F_CLOSED_P95, F_CLOSED_P99, F_CLOSED_999}};
  struct arrival_in in = in_of(s, closed);
  struct arrival_state state;
  arrival_at(&in, s->v[KNOB_SIMULATED], &state);
  for (int i = 0; i < ONE_IN_N; i++) f[fact[closed][i]].value = arrival_quantile(&in, &state, 1 - 1 / ONE_IN[i]);
  f[closed ? F_CLOSED_MEAN : F_OPEN_MEAN].value = arrival_mean(&state);
  f[closed ? F_CLOSED_RATE : F_OPEN_RATE].value = arrival_rate(&state);
  double below = 0;
  for (int i = 0; i < CLASS_N; i++) {
    /* A bin and a little more: a request that did not wait is done in one service, not in a hair less. */
    double to = i < CLASS_N - 1 ? arrival_below(&in, &state, CLASS_TO[i] * in.service_s * 1.02) : 1;
    f[(closed ? F_CLOSED_CLASS : F_OPEN_CLASS) + i].value = fmax(to - below, 0);
    below = to;
  }
  if (closed) return;
  f[F_OPEN_WAIT].value = arrival_wait(&state);
  f[F_OPEN_LONGEST].value = state.longest;
}

int lab_arrival_facts(const struct world *w, const struct setup *s, struct fact *f) {
  (void)w;
  bool shown = lab_view(s) == VIEW_ARRIVAL;
  facts_begin(f, fact_table, F_N, shown);
  if (!shown) return F_N;
  struct arrival_in in = in_of(s, false);
  struct queue q;
  f[F_LOAD].value = arrival_load(&in);
  f[F_CAPACITY].value = arrival_capacity(&in);
  f[F_STABLE].word = arrival_load(&in) < 1 ? "stable" : "growing";
  simulated(s, false, f);
  simulated(s, true, f);
  f[F_RATIO].value = f[F_OPEN_P95].value / f[F_CLOSED_P95].value;
  queue_of(in.rate_per_s, in.service_s, in.servers, &q);
  f[F_SHARED].value = known(in.service_s + queue_shared_wait(in.rate_per_s, in.service_s, in.servers));
  if (!theory_applies(s)) return F_N;
  f[F_THEORY_MEAN].value = known(q.sojourn_s);
  f[F_THEORY_P50].value = known(q.p50_s);
  f[F_THEORY_P95].value = known(q.p95_s);
  f[F_THEORY_P99].value = known(q.p99_s);
  f[F_THEORY_ERROR].value = f[F_OPEN_MEAN].value / f[F_THEORY_MEAN].value - 1;
  return F_N;
}

/* The histogram: how many of all fall between two times, in both tests. */
enum { ROW_N = 24 };

int lab_arrival_rows(const struct world *w, const struct setup *s, int row, struct fact *out) {
  (void)w;
  if (row >= ROW_N) return 0;
  struct arrival_in in[2] = {in_of(s, false), in_of(s, true)};
  double share[2], from = 0, to = 0;
  for (int i = 0; i < 2; i++) {
    struct arrival_state state;
    arrival_at(&in[i], s->v[KNOB_SIMULATED], &state);
    double width = s->v[KNOB_SERVICE] / 2;
    from = row * width, to = row + 1 < ROW_N ? from + width : INFINITY;
    share[i] = arrival_below(&in[i], &state, to) - arrival_below(&in[i], &state, from);
  }
  out[0] = (struct fact){.name = "from", .unit = "s", .value = from, .meaning = "Latency at least."};
  out[1] = (struct fact){.name = "to", .unit = "s", .value = known(to), .meaning = "And below; unknown: all beyond."};
  out[2] = (struct fact){.name = "open", .unit = "%", .value = share[0], .meaning = "Share of the requests that come at random."};
  out[3] = (struct fact){.name = "closed", .unit = "%", .value = share[1], .meaning = "Share of those the clients ask."};
  return 4;
}

/* ---- words ---- */

void lab_arrival_verdict(const struct fact *f, int n, struct text *t) {
  double load = fact_value(f, n, "offered_load"), p50 = fact_value(f, n, "open_p50"), p95 = fact_value(f, n, "open_p95");
  double closed = fact_value(f, n, "closed_p95"), rate = fact_value(f, n, "closed_rate");
  if (load >= 1) {
    text_add(t, "Asked for "), text_number(t, load, "%");
    text_add(t, " of what can be served, the queue grows without end. The closed test shows ");
    text_number(t, closed, "s");
    text_add(t, " and no trouble: its clients wait before they ask again, real ones do not.");
    return;
  }
  text_add(t, "At "), text_number(t, load, "%");
  text_add(t, " load half of all users wait up to "), text_number(t, p50, "s");
  text_add(t, ", one in twenty over "), text_number(t, p95, "s");
  text_add(t, ". Clients that wait for their answers report ");
  text_number(t, rate, "1"), text_add(t, " a second at a p95 of "), text_number(t, closed, "s");
  text_add(t, p95 > closed * 1.05 ? ": a queue they never let grow." : p95 < closed * 0.95 ? ": they keep a queue of their own." : ".");
}

/* ---- picture ---- */

/* The latency that one in a thousand exceeds: by theory where it is soon true, which moves with no seed and costs
 * nothing. */
static double top_of(const struct world *w, const struct setup *s) {
  struct arrival_in in = in_of(s, false);
  if (theory_applies(s) && arrival_load(&in) < 0.9) {
    double open = in.service_s * (1 + queue_wait_at(arrival_load(&in), 0.999));
    return fmax(open, in.service_s * ceil(fmax(1, in.clients / in.servers)));
  }
  struct fact f[FACT_MAX];
  int n = lab_arrival_facts(w, s, f);
  return fmax(fact_value(f, n, "open_p999"), fact_value(f, n, "closed_p999"));
}

void lab_arrival_axes(const struct world *w, const struct setup *s, struct axes *out) {
  double top = top_of(w, s);
  out->x[0] = 2, out->x[1] = 1000;
  out->y[0] = 0, out->y[1] = top * 1.15;
  axis_round(&out->y[0], &out->y[1], false, 0);
  out->x2[0] = 0, out->x2[1] = 1;
  out->y2[0] = 0, out->y2[1] = s->v[KNOB_SERVICE] * 6;
  axis_round(&out->y2[0], &out->y2[1], false, 0);
}

static void draw_tail(struct canvas *c, struct rect r, const struct view *v) {
  static const char *const open[ONE_IN_N] = {"open_p50", "open_p75", "open_p90", "open_p95", "open_p99", "open_p999"};
  static const char *const closed[ONE_IN_N] = {"closed_p50", "closed_p75", "closed_p90", "closed_p95", "closed_p99", "closed_p999"};
  static const char *const theory[] = {"md1_p50", "md1_p95", "md1_p99"};
  static const double theory_in[] = {2, 20, 100};
  struct axis x = {v->axes->x[0], v->axes->x[1], true, "", "one request in so many takes longer"};
  struct axis y = {v->axes->y[0], v->axes->y[1], false, "s", "latency"};
  struct plot p;
  if (!plot_begin(&p, c, r, &x, &y)) return;
  for (int way = 0; way < 2; way++) {
    double value[ONE_IN_N];
    enum role role = way ? ROLE_COMPARE : ROLE_MEMORY;
    for (int i = 0; i < ONE_IN_N; i++) {
      value[i] = fact_value(v->fact, v->nfact, way ? closed[i] : open[i]);
      plot_point(&p, ONE_IN[i], value[i], way ? 'c' : 'o', role);
    }
    plot_curve(&p, ONE_IN, value, ONE_IN_N, role);
    plot_label(&p, ONE_IN[way ? 3 : 2], value[way ? 3 : 2], way ? "clients that wait" : "come as they come", way ? "closed" : "open", role,
               way ? ANCHOR_BELOW : ANCHOR_ABOVE, 1);
  }
  for (int i = 0; i < 3; i++) plot_point(&p, theory_in[i], fact_value(v->fact, v->nfact, theory[i]), 0xd7, ROLE_CEILING);
  if (!isnan(fact_value(v->fact, v->nfact, "md1_p99")))
    plot_label(&p, 100, fact_value(v->fact, v->nfact, "md1_p99"), "× theory", "", ROLE_CEILING, ANCHOR_LEFT, 4);
  double service = v->setup->v[KNOB_SERVICE];
  plot_hline(&p, service, ROLE_GRID, true);
  plot_vline(&p, 20, ROLE_GRID, true);
  plot_label(&p, 20, p.y.hi * 0.95, "p95", "", ROLE_DIM, ANCHOR_RIGHT, 5);
  plot_end(&p);
}

/* Mean latency against load, by theory; and where we are. */
static void draw_load(struct canvas *c, struct rect r, const struct view *v) {
  enum { N = 120 };
  struct axis x = {v->axes->x2[0], v->axes->x2[1], false, "%", "load"}, y = {v->axes->y2[0], v->axes->y2[1], false, "s", "mean latency"};
  struct plot p;
  double px[N], py[N], service = v->setup->v[KNOB_SERVICE], load = fact_value(v->fact, v->nfact, "offered_load");
  double mean = fact_value(v->fact, v->nfact, "open_mean"), variety = v->setup->v[KNOB_VARIETY];
  if (!plot_begin(&p, c, r, &x, &y)) return;
  double servers = v->setup->v[KNOB_SERVERS];
  bool shared = servers > 1 && v->setup->v[KNOB_ONE_QUEUE] > 0.5;
  for (int i = 0; i < N; i++) {
    px[i] = i / (double)N;
    double wait = shared ? queue_shared_wait(px[i] * servers / service, service, servers) : service * queue_wait_mean(px[i]);
    /* Pollaczek and Khinchine: equal service waits half as long as exponential. */
    py[i] = service + wait * (1 + variety * variety);
  }
  plot_curve(&p, px, py, N, ROLE_CEILING);
  plot_label(&p, px[N * 4 / 5], py[N * 4 / 5], shared ? "theory, about" : "theory", "theory", ROLE_CEILING, ANCHOR_LEFT, 3);
  plot_hline(&p, service, ROLE_GRID, true);
  plot_label(&p, 0.02, service, "service alone", "", ROLE_DIM, ANCHOR_BELOW, 4);
  if (load <= 1) {
    plot_point(&p, load, mean, 'o', ROLE_MEMORY);
    plot_label(&p, load, mean, "simulated", "", ROLE_MEMORY, ANCHOR_LEFT, 1);
  } else
    plot_words(&p, 0, 1, 0, "more than can be served: no mean to speak of", ROLE_BAD);
  plot_end(&p);
}

/* How long they take, in services: open and closed in pairs of bars. */
static void draw_classes(struct canvas *c, struct rect r, const struct view *v) {
  static const char *const name[2][CLASS_N] = {
      {"open_within_1", "open_within_2", "open_within_4", "open_within_8", "open_beyond_8"},
      {"closed_within_1", "closed_within_2", "closed_within_4", "closed_within_8", "closed_beyond_8"}};
  static const char *const words[CLASS_N] = {"up to 1", "1 to 2", "2 to 4", "4 to 8", "beyond"};
  enum { LABEL = 8, NUMBER = 8 };
  int step = r.h - 1 >= 3 * CLASS_N ? 3 : 2, bar = r.w - LABEL - NUMBER;
  canvas_text(c, r.x, r.y, "latency in services", r.w, ROLE_AXIS, 0);
  for (int i = 0; i < CLASS_N; i++)
    for (int way = 0; way < 2; way++) {
      int y = r.y + 1 + i * step + way;
      char number[NUMBER_MAX];
      double share = fact_value(v->fact, v->nfact, name[way][i]);
      struct part part = {share, way ? ROLE_COMPARE : ROLE_MEMORY, way ? 'c' : 'o', ""};
      if (y >= r.y + r.h) return;
      if (!way) canvas_text(c, r.x, y, words[i], LABEL - 1, ROLE_TEXT, 0);
      if (share > 0) widget_bar(c, (struct rect){r.x + LABEL, y, bar, 1}, &part, 1, 1, NAN);
      canvas_text_right(c, r.x + r.w - NUMBER, r.x + r.w, y, number_print(number, share, "%", 3, v->ascii),
                        way ? ROLE_COMPARE : ROLE_MEMORY, 0);
    }
}

/* The tail always; where there is room the load beside or under it; where there is more, the classes as well. */
void lab_arrival_draw(struct canvas *c, struct rect r, const struct view *v) {
  enum { CLASSES_H = 1 + 2 * CLASS_N };
  bool beside = r.w >= 110, under = !beside && r.h >= 24;
  int w = beside ? r.w * 3 / 5 : r.w, h = under ? r.h * 3 / 5 : r.h;
  struct rect rest = beside ? (struct rect){r.x + w + 1, r.y, r.w - w - 1, r.h} : (struct rect){r.x, r.y + h, r.w, r.h - h};
  draw_tail(c, (struct rect){r.x, r.y, w, h}, v);
  if (!beside && !under) return;
  struct rect load = rest, classes = {0};
  if (beside && rest.h >= CLASSES_H + 10) {
    int classes_h = rest.h >= 3 * CLASS_N + 20 ? 1 + 3 * CLASS_N : CLASSES_H;
    load.h = rest.h - classes_h - 1;
    classes = (struct rect){rest.x, rest.y + load.h + 1, rest.w, classes_h};
  } else if (under && rest.w >= 72 && rest.h >= CLASSES_H) {
    load.w = rest.w * 5 / 9;
    classes = (struct rect){rest.x + load.w + 2, rest.y, rest.w - load.w - 2, rest.h};
  }
  draw_load(c, load, v);
  if (classes.w > 0) draw_classes(c, classes, v);
}
