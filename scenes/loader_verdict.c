/* The feed scene in words: who waits, what would end it, and what would not. */
#include <math.h>
#include <string.h>

#include "scenes/loader.h"

static void add_number(struct text *t, const char *before, double v, const char *unit, const char *after) {
  text_add(t, before);
  text_number(t, v, unit);
  text_add(t, after);
}

static void add_workers(struct text *t, double n) {
  text_count(t, n);
  text_add(t, n == 1 ? " worker" : " workers");
}

static double value(const struct fact *f, int n, const char *name) { return fact_value(f, n, name); }

/* What the run here said; short, for it comes last. */
static void add_here(const struct fact *f, int n, struct text *t) {
  double measured = value(f, n, "measured_busy"), expected = value(f, n, "here_busy");
  if (isnan(measured)) return;
  add_number(t, " Run here, a thread as device: ", measured, "%", "");
  if (strcmp(fact_word(f, n, "flags"), "disturbed") == 0)
    text_add(t, ": others took cores.");
  else if (!isnan(expected))
    add_number(t, " (", expected, "%", " expected).");
  else
    text_add(t, ".");
}

static void verdict_nobody(const struct fact *f, int n, struct text *t) {
  double needed = value(f, n, "workers_needed");
  add_number(t, "Nobody prepares ahead: each step waits for its batch, so the device is busy ", value(f, n, "device_busy"), "%", ". ");
  add_number(t, "One worker lets the two overlap: ", value(f, n, "gain_worker"), "x", " the rate");
  if (needed > 1) text_add(t, "; "), add_workers(t, needed), text_add(t, " would feed it");
  text_add(t, ".");
}

static void verdict_workers(const struct fact *f, int n, struct text *t) {
  double needed = value(f, n, "workers_needed"), useful = value(f, n, "workers_useful");
  text_add(t, "The device waits: ");
  add_workers(t, value(f, n, "workers_set"));
  add_number(t, value(f, n, "workers_set") == 1 ? " brings " : " bring ", value(f, n, "item_per_s"), "item/s", ", ");
  add_number(t, "it could use ", value(f, n, "device_item_per_s"), "item/s", ": ");
  add_number(t, "busy ", value(f, n, "device_busy"), "%", ". ");
  if (!isnan(needed))
    add_workers(t, needed), text_add(t, " would feed it. ");
  else
    text_add(t, "More than "), add_workers(t, useful), text_add(t, " bring nothing: storage or cores end it. ");
  if (!isnan(value(f, n, "measured_busy")))
    text_add(t, isnan(needed) ? "" : "A faster device does not help.");
  else if (value(f, n, "spread_loss") > 0.02)
    text_add(t, "A deeper queue evens out the slow ones; a faster device does not help.");
  else
    text_add(t, "A faster device or a deeper queue would not help.");
}

void loader_verdict(const struct fact *f, int n, struct text *t) {
  const char *limit = fact_word(f, n, "limit");
  double busy = value(f, n, "device_busy"), loss = value(f, n, "spread_loss"), workers = value(f, n, "workers_set");
  if (isnan(busy)) {
    text_add(t, "Not known.");
    return;
  }
  if (workers == 0 && strcmp(limit, "workers") == 0)
    verdict_nobody(f, n, t);
  else if (strcmp(limit, "workers") == 0)
    verdict_workers(f, n, t);
  else if (strcmp(limit, "storage") == 0) {
    add_number(t, "All wait for the storage: it brings ", value(f, n, "storage_item_per_s"), "item/s", ", the device is busy ");
    add_number(t, "", busy, "%", ". ");
    text_add(t, "Smaller items, faster storage or a copy in memory help; more workers do not.");
  } else if (strcmp(limit, "cores") == 0) {
    add_number(t, "The cores are full: they prepare ", value(f, n, "core_item_per_s"), "item/s", ", the device is busy ");
    add_number(t, "", busy, "%", ". ");
    text_add(t, "More workers only share them. Cheaper items, items prepared once for all, or more cores help.");
  } else if (loss > 0.02) {
    add_number(t, "Fed in the mean, yet busy only ", busy, "%", ": when slow items come together the queue runs empty. ");
    text_add(t, "A deeper queue or one worker more evens that out");
    text_add(t, isnan(value(f, n, "measured_busy")) ? "; a faster device does not." : ".");
  } else {
    double wait = value(f, n, "workers_wait"), gain = value(f, n, "gain_device");
    add_number(t, "The device is fed: busy ", busy, "%", "");
    if (wait > 0.02)
      add_number(t, ", and the workers wait ", wait, "%", " of their time");
    else if (workers > 0)
      text_add(t, ", and the workers just keep up");
    text_add(t, ". More workers bring nothing");
    if (gain > 1.005)
      add_number(t, "; a device twice as fast brings ", gain, "x", ".");
    else
      text_add(t, ", nor does a faster device: all are equally slow.");
  }
  add_here(f, n, t);
}
