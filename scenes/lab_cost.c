/* What a token costs: the same device at the same speed, dear when it waits and cheap when it works; and what another would ask. */
#include <math.h>

#include "scenes/lab.h"
#include "scenes/lab_record.h"
#include "tui/plot.h"
#include "tui/widget.h"

enum { CURVE_N = 160 };

enum {
  F_COST,
  F_FULL,
  F_RATE,
  F_FULL_RATE,
  F_BOUGHT,
  F_EVEN,
  F_DECISION,
  F_OWN_HOUR,
  F_BOUGHT_HOUR,
  F_IDLE_HOUR,
  F_ALL,
  F_MONTH,
  F_ENERGY,
  F_ENERGY_MTOKEN,
  F_ENERGY_MOST,
  F_INPUT,
  F_OUTPUT,
  F_N
};

static const struct fact fact_table[F_N] = {
    [F_COST] = {"cost_per_mtoken", "a million", "$/Mtoken", 1, "full_cost_per_mtoken / busy",
                "A million output tokens at this share of busy time. Idle hours are paid for too."},
    [F_FULL] = {"full_cost_per_mtoken", "if never idle", "$/Mtoken", 1, "own_cost_per_hour / (full_token_rate * 3600) * 1e6",
                "The same with requests waiting at all times: what a headline rate promises."},
    [F_RATE] = {"effective_token_rate", "tokens sold", "token/s", 1, "full_token_rate * busy",
                "Output tokens a second over the whole day."},
    [F_FULL_RATE] = {"full_token_rate", "at full load", "token/s", 2, NULL, "The recorded rate."},
    [F_BOUGHT] = {"bought_per_mtoken", "bought", "$/Mtoken", 1, NULL,
                  "What another asks for a million output tokens, with the input that belongs to them where that has a price."},
    [F_EVEN] = {"break_even", "even at", "%", 1, "full_cost_per_mtoken / bought_per_mtoken",
                "Busier than this, an own device is cheaper; above 100 % it never is."},
    [F_DECISION] = {"decision", "cheaper", "", 1, NULL,
                    "own: the device at this share of busy time. buy: the other's price. even: within 1 %."},
    [F_OWN_HOUR] = {"own_cost_per_hour", "own, 1 h", "$/h", 1, "hourly_cost + other_cost", "Device and all beside it, busy or not."},
    [F_BOUGHT_HOUR] = {"bought_cost_per_hour", "bought, 1 h", "$/h", 1, "effective_token_rate * 3600 / 1e6 * bought_per_mtoken",
                       "The same tokens from the other."},
    [F_IDLE_HOUR] = {"idle_cost_per_hour", "paid while idle", "$/h", 2, "own_cost_per_hour * (1 - busy)",
                     "The part of an hour's price in which nothing is served."},
    [F_ALL] = {"cost_per_mtoken_all", "per any token", "$/Mtoken", 2, "cost_per_mtoken * answer_length / (prompt_length + answer_length)",
               "Spread over tokens read as well as written. The chapter charges all to those written."},
    [F_MONTH] = {"own_cost_per_month", "own, a month", "$", 2, "own_cost_per_hour * 730", "Of 730 hours."},
    [F_ENERGY] = {"cost_energy_per_token", "energy a token", "J", 1, NULL,
                  "Mean power while serving, over the rate. Power drawn while idle is not counted."},
    [F_ENERGY_MTOKEN] = {"energy_per_mtoken", "a million take", "J", 2, "cost_energy_per_token * 1e6", "3.6 MJ are a kilowatt-hour."},
    [F_ENERGY_MOST] = {"cost_energy_most", "at its TDP", "J", 2, NULL,
                       "A token's energy if the device drew all that it may. Unknown for a device without one."},
    [F_INPUT] = {"prompt_length", NULL, "n", 2, NULL, "Tokens read for each request."},
    [F_OUTPUT] = {"answer_length", NULL, "n", 2, NULL, "Tokens written for each."},
};

static struct price_in price_in_of(const struct setup *s, const struct lab_record *r) {
  return (struct price_in){.token_per_s = r->record.token_per_s,
                           .usd_per_h = r->record.usd_per_h + s->v[KNOB_BESIDE],
                           .busy = s->v[KNOB_BUSY],
                           .input_token = r->record.input_token,
                           .output_token = r->record.output_token,
                           .api_usd = s->v[KNOB_API],
                           .api_input_usd = s->v[KNOB_API_INPUT]};
}

static const char *decision_of(const struct price *p) {
  double ratio = p->usd / p->bought_usd;
  return isnan(ratio) ? "unknown" : fabs(ratio - 1) < 0.01 ? "even" : ratio < 1 ? "own" : "buy";
}

int lab_cost_facts(const struct world *w, const struct setup *s, struct fact *f) {
  bool shown = lab_view(s) == VIEW_COST;
  facts_begin(f, fact_table, F_N, shown);
  if (!shown) return F_N;
  struct lab_record r;
  struct price p;
  lab_record_of(w, s, &r);
  struct price_in in = price_in_of(s, &r);
  price_of(&in, &p);
  f[F_COST].value = p.usd;
  f[F_FULL].value = p.full_usd;
  f[F_RATE].value = p.token_per_s;
  f[F_FULL_RATE].value = in.token_per_s;
  f[F_BOUGHT].value = p.bought_usd;
  f[F_EVEN].value = p.break_even;
  f[F_DECISION].word = decision_of(&p);
  f[F_OWN_HOUR].value = p.own_usd_per_h;
  f[F_BOUGHT_HOUR].value = p.bought_usd_per_h;
  f[F_IDLE_HOUR].value = p.own_usd_per_h * (1 - in.busy);
  f[F_ALL].value = p.all_usd;
  f[F_MONTH].value = p.own_usd_per_h * 730;
  f[F_ENERGY].value = r.account.joule_per_token;
  f[F_ENERGY_MTOKEN].value = r.account.joule_per_token * 1e6;
  f[F_ENERGY_MOST].value = r.account.tdp_joule_per_token;
  f[F_INPUT].value = in.input_token;
  f[F_OUTPUT].value = in.output_token;
  return F_N;
}

int lab_cost_rows(const struct world *w, const struct setup *s, int row, struct fact *out) {
  if (row >= 20) return 0;
  struct lab_record r;
  struct price p;
  lab_record_of(w, s, &r);
  struct price_in in = price_in_of(s, &r);
  in.busy = (row + 1) * 0.05;
  price_of(&in, &p);
  out[0] = (struct fact){.name = "busy", .unit = "%", .value = in.busy, .meaning = "Share of the time with requests to serve."};
  out[1] =
      (struct fact){.name = "token_rate", .unit = "token/s", .value = p.token_per_s, .meaning = "Output tokens a second over the day."};
  out[2] = (struct fact){.name = "cost_per_mtoken", .unit = "$/Mtoken", .value = p.usd, .meaning = "A million of them, own."};
  out[3] = (struct fact){.name = "bought_per_mtoken", .unit = "$/Mtoken", .value = p.bought_usd, .meaning = "The same, bought."};
  out[4] = (struct fact){.name = "cheaper", .unit = "", .value = NAN, .word = decision_of(&p), .meaning = "Which costs less."};
  return 5;
}

/* ---- words ---- */

static void add_usd(struct text *t, const char *before, double usd, const char *after) {
  text_add(t, before);
  text_add(t, "$");
  text_number(t, usd, "1");
  text_add(t, after);
}

void lab_cost_verdict(const struct fact *f, int n, struct text *t) {
  double cost = fact_value(f, n, "cost_per_mtoken"), full = fact_value(f, n, "full_cost_per_mtoken"), even = fact_value(f, n, "break_even");
  if (isnan(cost)) {
    text_add(t, "Without a rate and the price of an hour there is no price of a token: set throughput and hourly_cost.");
    return;
  }
  text_add(t, "Busy "), text_number(t, full / cost, "%");
  add_usd(t, " of the time, a million tokens cost ", cost, "");
  add_usd(t, "; never idle, ", full, ". Same device, same speed: use makes the difference. ");
  if (even > 1)
    add_usd(t, "Bought for ", fact_value(f, n, "bought_per_mtoken"), " they are always cheaper.");
  else {
    add_usd(t, "Bought for ", fact_value(f, n, "bought_per_mtoken"), ", they are cheaper up to ");
    text_number(t, even, "%");
    text_add(t, " busy, dearer above.");
  }
}

/* ---- picture ---- */

void lab_cost_axes(const struct world *w, const struct setup *s, struct axes *out) {
  struct lab_record r;
  struct price p;
  lab_record_of(w, s, &r);
  struct price_in in = price_in_of(s, &r);
  price_of(&in, &p);
  double bought = p.bought_usd > 0 ? p.bought_usd : s->v[KNOB_API], full = p.full_usd > 0 ? p.full_usd : bought;
  double lo = fmin(full, bought), hi = fmax(full, bought);
  out->x[0] = 0, out->x[1] = 1;
  out->y[0] = lo / 1.6, out->y[1] = fmax(hi * 5, lo * 16);
}

static void money_text(struct text *t, const char *before, double usd) {
  text_clear(t);
  add_usd(t, before, usd, "");
}

static void draw_curve(struct canvas *c, struct rect r, const struct view *v) {
  struct axis x = {v->axes->x[0], v->axes->x[1], false, "%", "of the time busy"},
              y = {v->axes->y[0], v->axes->y[1], true, "", "$ a million tokens"};
  struct plot p;
  struct lab_record rec;
  struct text t;
  if (!plot_begin(&p, c, r, &x, &y)) return;
  lab_record_of(v->world, v->setup, &rec);
  struct price_in in = price_in_of(v->setup, &rec);
  double cost = fact_value(v->fact, v->nfact, "cost_per_mtoken"), full = fact_value(v->fact, v->nfact, "full_cost_per_mtoken");
  double bought = fact_value(v->fact, v->nfact, "bought_per_mtoken"), even = fact_value(v->fact, v->nfact, "break_even");
  double px[CURVE_N], py[CURVE_N];
  for (int i = 0; i < CURVE_N; i++) px[i] = (i + 1.0) / CURVE_N, py[i] = price_at(&in, px[i]);
  plot_curve(&p, px, py, CURVE_N, ROLE_MEMORY);
  plot_hline(&p, bought, ROLE_COMPARE, false);
  money_text(&t, "bought: ", bought);
  plot_label(&p, p.x.lo + (p.x.hi - p.x.lo) * 0.02, bought, t.s, "bought", ROLE_COMPARE, ANCHOR_RIGHT, 2);
  if (even < 1 && even > 0) {
    plot_vline(&p, even, ROLE_GRID, true);
    text_clear(&t);
    text_add(&t, "even at "), text_number(&t, even, "%");
    plot_label(&p, even, p.y.lo * pow(p.y.hi / p.y.lo, 0.05), t.s, "even", ROLE_CEILING, even > 0.6 ? ANCHOR_LEFT : ANCHOR_RIGHT, 1);
  }
  if (full > 0) {
    double edge = even < 1 ? even : 1;
    plot_words(&p, 0, edge, 0, "buy", ROLE_COMPARE);
    if (edge < 1) plot_words(&p, edge, 1, 0, "own", ROLE_MEMORY);
    plot_hline(&p, full, ROLE_GRID, true);
    money_text(&t, "never idle: ", full);
    plot_label(&p, p.x.lo + (p.x.hi - p.x.lo) * 0.02, full, t.s, "never idle", ROLE_DIM, ANCHOR_RIGHT, 3);
    plot_point(&p, in.busy, cost, 'o', ROLE_CEILING);
    money_text(&t, "", cost);
    plot_label(&p, in.busy, cost, t.s, "", ROLE_TEXT, ANCHOR_RIGHT, 0);
  } else
    plot_words(&p, 0, 1, 0.3, "no rate, or no price of an hour", ROLE_DIM);
  plot_end(&p);
}

/* An hour of this traffic, own and bought: what of the own one is paid for waiting. */
static void draw_hour(struct canvas *c, struct rect r, const struct view *v) {
  double own = fact_value(v->fact, v->nfact, "own_cost_per_hour"), bought = fact_value(v->fact, v->nfact, "bought_cost_per_hour");
  double busy = v->setup->v[KNOB_BUSY], full = fmax(own, bought);
  struct part mine[] = {{own * busy, ROLE_MEMORY, 'b', "busy"}, {own * (1 - busy), ROLE_FREE, 'i', "idle"}};
  struct part other[] = {{bought, ROLE_COMPARE, 'p', "bought"}};
  struct text t;
  if (!(full > 0)) return;
  for (int i = 0; i < 2; i++) {
    int y = r.y + 1 + i;
    canvas_text(c, r.x, y, i ? "bought" : "own", 7, ROLE_TEXT, 0);
    widget_bar(c, (struct rect){r.x + 7, y, r.w - 7 - 9, 1}, i ? other : mine, i ? 1 : 2, full, NAN);
    money_text(&t, "", i ? bought : own);
    canvas_text_right(c, r.x + r.w - 8, r.x + r.w, y, t.s, ROLE_TEXT, ATTR_BOLD);
  }
  canvas_text(c, r.x, r.y, "an hour of this traffic", 23, ROLE_AXIS, 0);
  if (r.w >= 46) widget_legend(c, (struct rect){r.x + 25, r.y, r.w - 25, 1}, mine, 2);
}

void lab_cost_draw(struct canvas *c, struct rect r, const struct view *v) {
  int below = r.h >= 14 && r.w >= 34 ? 4 : 0;
  draw_curve(c, (struct rect){r.x, r.y, r.w, r.h - below}, v);
  if (below) draw_hour(c, (struct rect){r.x, r.y + r.h - 3, r.w, 3}, v);
}
