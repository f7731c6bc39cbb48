/* The measuring child's lines: they read back exactly, hostile ones are refused, and figures land where the table in line.h says. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "data/line.h"

static uint32_t dice = 2463534242u;
static uint32_t roll(uint32_t n) {
  dice ^= dice << 13;
  dice ^= dice >> 17;
  dice ^= dice << 5;
  return dice % n;
}
static double number(void) {
  if (roll(8) == 0) return NAN;
  double v = (double)roll(1000000007) / 1000000007.0 * pow(10, (int)roll(24) - 12);
  return roll(9) ? v : -v;
}
/* A time or an amount of work: between what a kernel can have taken or done. */
static double amount(double lo, double hi) {
  double v = fabs(number());
  return v < lo ? lo : v > hi ? hi : v;
}

static void words(char *out, int size) {
  static const char *const piece[] = {"a", "Z9", " ", "\"", "\\", "é", "µ", "{", "}", ":", "…", "/", "𝛼", "'"};
  out[0] = 0;
  for (int n = (int)roll(40); n > 0; n--) {
    const char *p = piece[roll(sizeof piece / sizeof *piece)];
    if (strlen(out) + strlen(p) < (size_t)size) strcat(out, p);
  }
}
static void word_one(char *out, int size) {
  do words(out, size);
  while (!out[0]);
}

static bool same(double a, double b) { return a == b || (isnan(a) && isnan(b)); }

static void line_invent(struct line *l, enum line_kind kind) {
  line_clear(l, kind);
  if (roll(3) == 0) words(l->reason, sizeof l->reason);
  switch (kind) {
  case LINE_START:
  case LINE_SAMPLE:
  case LINE_RESULT:
    l->request = (struct request){(enum op)roll(OP_N),
                                  {number(), number(), number(), number(), number(), number(), .stride = number()},
                                  (enum dtype)roll(DTYPE_N),
                                  (enum isa)roll(ISA_N),
                                  (enum rung)roll(RUNG_N),
                                  (int)roll(1000),
                                  roll(2) == 1,
                                  roll(2) ? roll(3600) : 0};
    for (int i = SHAPE_COMMON; i < SHAPE_N; i++)
      shape_set(&l->request.shape, i, work_uses(l->request.op, shape_name(i)) ? number() : NAN);
    words(l->machine, sizeof l->machine);
    break;
  case LINE_FIGURE:
    word_one(l->name, sizeof l->name);
    if (roll(2)) strcpy(l->name, "peak"); /* the only one that carries a data type */
    if (!strcmp(l->name, "peak")) l->request.dtype = (enum dtype)roll(DTYPE_N);
    l->request.isa = (enum isa)roll(ISA_N);
    l->request.threads = (int)roll(100);
    l->level = (int)roll(LEVEL_MAX + 1) - 1;
    l->count = (int)roll(200);
    l->value = number();
    words(l->text, sizeof l->text);
    words(l->from, sizeof l->from);
    break;
  case LINE_PROGRESS: l->done = number(), l->total = number(); break;
  default: break;
  }
  if (kind == LINE_SAMPLE) {
    l->rep = (int)roll(100000);
    l->sample =
        (struct sample){amount(1e-15, 1e9), amount(0, 1e30),    amount(0, 1e30), amount(0, 1e30), number(),
                        number(),           roll(1u << 31),     amount(0, 1e9),  amount(1, 1e12), amount(0, 1e15),
                        (enum isa)roll(ISA_N), (int)roll(64),   roll(2),         roll(1u << FLAG_COUNT), "", NAN,
                        NAN,                NAN,                NAN,             .step_time = NAN};
    words(l->sample.by, sizeof l->sample.by);
    l->sample.quant_error = roll(2) ? amount(0, 1) : NAN;
    l->sample.busy = roll(2) ? amount(0, 1) : NAN;
    l->sample.ready = l->sample.item_time = l->sample.step_time = isnan(l->sample.busy) ? NAN : amount(0, 1e9);
    l->sample.nparts = roll(12) ? 0 : (int)roll(WORK_PART_MAX + 1);
    for (int i = 0; i < l->sample.nparts; i++) l->sample.inside[i] = amount(1e-15, 1e9), l->sample.alone[i] = amount(1e-15, 1e9);
  }
  if (kind == LINE_RESULT) {
    l->count = (int)roll(1000000);
    l->best = number(), l->median = number(), l->p95 = number(), l->spread = number(), l->residual = number();
    l->flags = roll(1u << FLAG_COUNT);
  }
}

static void line_equal(const struct line *a, const struct line *b) {
  assert_int_equal(a->kind, b->kind);
  assert_true(request_equal(&a->request, &b->request));
  assert_string_equal(a->machine, b->machine);
  assert_int_equal(a->rep, b->rep);
  const struct sample *s = &a->sample, *t = &b->sample;
  assert_true(same(s->time, t->time) && same(s->flop, t->flop) && same(s->byte, t->byte) && same(s->byte_bus, t->byte_bus));
  assert_true(same(s->cpu_time, t->cpu_time) && same(s->residual, t->residual) && same(s->seed, t->seed));
  assert_true(same(s->at, t->at) && same(s->clock_hz, t->clock_hz) && same(s->faults, t->faults));
  assert_true(same(s->quant_error, t->quant_error));
  assert_true(same(s->busy, t->busy) && same(s->ready, t->ready) && same(s->item_time, t->item_time) && same(s->step_time, t->step_time));
  assert_true(s->isa == t->isa && s->threads == t->threads && s->warm == t->warm && s->flags == t->flags);
  assert_string_equal(s->by, t->by);
  assert_int_equal(s->nparts, t->nparts);
  for (int i = 0; i < s->nparts; i++) assert_true(same(s->inside[i], t->inside[i]) && same(s->alone[i], t->alone[i]));
  assert_true(same(a->done, b->done) && same(a->total, b->total));
  assert_int_equal(a->count, b->count);
  assert_true(same(a->best, b->best) && same(a->median, b->median) && same(a->p95, b->p95) && same(a->spread, b->spread));
  assert_true(same(a->residual, b->residual) && same(a->value, b->value));
  assert_int_equal(a->flags, b->flags);
  assert_int_equal(a->level, b->level);
  assert_string_equal(a->name, b->name);
  assert_string_equal(a->text, b->text);
  assert_string_equal(a->from, b->from);
  assert_string_equal(a->reason, b->reason);
}

static void round_trip(void **state) {
  (void)state;
  char text[LINE_BYTE_MAX + 1];
  for (int i = 0; i < 12000; i++) {
    struct line a, b;
    struct err e = {0};
    line_invent(&a, (enum line_kind)(i % LINE_KIND_N));
    int n = line_print(&a, text, sizeof text);
    assert_true(n > 0);
    assert_int_equal(n, (int)strlen(text));
    assert_null(strchr(text, '\n'));
    if (!line_read(text, &b, &e)) fail_msg("%s\n%s", e.text, text);
    line_equal(&a, &b);
  }
}

/* The longest line there can be still fits: every string full of characters that take six bytes each. */
static void longest_line(void **state) {
  (void)state;
  for (int k = 0; k < LINE_KIND_N; k++) {
    struct line a;
    char text[LINE_BYTE_MAX + 1];
    line_clear(&a, (enum line_kind)k);
    memset(a.machine, '\x01', sizeof a.machine - 1);
    memset(a.reason, '\x01', sizeof a.reason - 1);
    memset(a.text, '\x01', sizeof a.text - 1);
    memset(a.name, '\x01', sizeof a.name - 1);
    memset(a.from, '\x01', sizeof a.from - 1);
    a.request = (struct request){.op = OP_BLOCK_TRAIN,
                                 .dtype = DTYPE_FP32,
                                 .isa = ISA_SCALAR,
                                 .rung = RUNG_ALL_CORES,
                                 .threads = 1000000,
                                 .hog = true,
                                 .sustain = 1.0 / 3e-5};
    for (int i = 0; i < SHAPE_N; i++) shape_set(&a.request.shape, i, -1.0 / 3e-300);
    a.sample.nparts = WORK_PART_MAX;
    for (int i = 0; i < WORK_PART_MAX; i++) a.sample.inside[i] = a.sample.alone[i] = 1.0 / 3e+5;
    memset(a.sample.by, '\x01', sizeof a.sample.by - 1);
    a.sample.time = a.sample.flop = a.sample.byte = a.sample.byte_bus = a.sample.cpu_time = a.sample.residual = a.sample.seed =
        a.sample.at = a.sample.clock_hz = a.sample.faults = -1.0 / 3e-300;
    a.sample.flags = a.flags = (1u << FLAG_COUNT) - 1;
    a.best = a.median = a.p95 = a.spread = a.residual = -1.0 / 3e-300;
    assert_true(line_print(&a, text, sizeof text) > 0);
    assert_int_equal(line_print(&a, text, 40), -1); /* and one that does not fit says so */
  }
}

static void written_file(void **state) {
  (void)state;
  struct line a, b;
  struct err e = {0};
  char text[LINE_BYTE_MAX + 2];
  FILE *f = tmpfile();
  assert_non_null(f);
  line_clear(&a, LINE_FIGURE);
  strcpy(a.name, "read");
  a.request.threads = 2;
  a.value = 4.7e10;
  assert_true(line_write(f, &a));
  rewind(f);
  assert_non_null(fgets(text, sizeof text, f));
  fclose(f);
  assert_string_equal(text, "{\"kind\":\"figure\",\"name\":\"read\",\"threads\":2,\"value\":4.7e10}\n");
  text[strcspn(text, "\n")] = 0;
  assert_true(line_read(text, &b, &e));
  line_equal(&a, &b);
  f = fopen("/dev/full", "w");
  if (!f) return;
  assert_false(line_write(f, &a));
  fclose(f);
}

static void refusals(void **state) {
  (void)state;
  static const struct {
    const char *text, *message;
  } row[] = {
      {"", "1:1: expected a value, found the end of the text"},
      {"hello", "1:1: expected a value, found hello"},
      {"{}", "1:1: kind: expected what the line is: start progress sample result figure refused, found no such key"},
      {"[]", "1:1: expected an object, found an empty array"},
      {"{\"kind\":\"sneeze\"}", "1:9: kind: expected one of start progress sample result figure refused, found \"sneeze\""},
      {"{\"kind\":\"refused\"}", "1:1: reason: expected why it was refused, found no such key"},
      {"{\"kind\":\"refused\",\"reason\":5}", "1:28: reason: expected text in quotes, found 5"},
      {"{\"kind\":\"figure\"}", "1:1: name: expected the figure's name, found no such key"},
      {"{\"kind\":\"figure\",\"name\":\"read\",\"value\":\"1\"}", "1:40: value: expected a number, found \"1\""},
      {"{\"kind\":\"figure\",\"name\":\"read\",\"value\":1e999}", "1:40: value: expected a number below 1.8e308, found 1e999"},
      {"{\"kind\":\"figure\",\"name\":\"read\",\"value\":1,\"value\":2}", "1:42: value: expected each key once, found the same key again"},
      {"{\"kind\":\"figure\",\"name\":\"level\",\"level\":6}", "1:41: level: expected a whole number, 0 to 5, found 6"},
      {"{\"kind\":\"figure\",\"name\":\"a name that is longer than its thirty-one bytes\"}",
       "1:25: name: expected text of at most 31 bytes, found 47 bytes"},
      {"{\"kind\":\"progress\",\"dome\":1}", "1:20: dome: expected a known key (the nearest is \"done\"), found \"dome\""},
      {"{\"kind\":\"start\",\"kernel\":\"dot\"}", "1:1: knobs: expected the kernel's knobs, found no such key"},
      {"{\"kind\":\"start\",\"knobs\":{}}", "1:1: kernel: expected the kernel's name, found no such key"},
      {"{\"kind\":\"start\",\"kernel\":\"add\",\"knobs\":{\"dtype\":\"fp31\"}}",
       "1:49: knobs.dtype: expected one of fp64 fp32 tf32 fp16 bf16 fp8 int8 fp4 int4, found \"fp31\""},
      {"{\"kind\":\"sample\",\"kernel\":\"add\",\"knobs\":{},\"flags\":[\"odd\"]}",
       "1:53: flags[0]: expected a flag's name, found \"odd\""},
      {"{\"kind\":\"sample\",\"kernel\":\"add\",\"knobs\":{},\"time\":1e-308}",
       "1:51: time: expected a number, 1e-15 to 1e9, found 1e-308"},
      {"{\"kind\":\"sample\",\"kernel\":\"add\",\"knobs\":{},\"time\":0}", "1:51: time: expected a number, 1e-15 to 1e9, found 0"},
      {"{\"kind\":\"sample\",\"kernel\":\"add\",\"knobs\":{},\"flop\":-1}", "1:51: flop: expected a number, 0 to 1e30, found -1"},
      {"{\"kind\":\"sample\",\"kernel\":\"add\",\"knobs\":{},\"warm\":1}", "1:51: warm: expected true or false, found 1"},
      {"{\"kind\":\"result\",\"kernel\":\"add\",\"knobs\":{},\"n\":-1}", "1:48: n: expected a whole number, 0 to 1000000000, found -1"},
      {"{\"kind\":\"progress\",\"done\":1} {\"kind\":\"progress\"}", "1:30: expected nothing after the value, found '{'"},
  };
  for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
    struct line l, before;
    struct err e = {0};
    memset(&l, 0x5a, sizeof l);
    before = l;
    assert_false(line_read(row[i].text, &l, &e));
    assert_string_equal(e.text, row[i].message);
    assert_memory_equal(&l, &before, sizeof l); /* a refused line changes nothing */
  }
  char *huge = malloc(100000);
  struct line l;
  struct err e = {0};
  assert_non_null(huge);
  memset(huge, ' ', 99999);
  huge[99999] = 0;
  assert_false(line_read(huge, &l, &e));
  assert_string_equal(e.text, "expected a line of at most 8192 bytes, found a longer one");
  memset(huge, '[', 4096);
  huge[4096] = 0;
  assert_false(line_read(huge, &l, &e));
  free(huge);
}

/* A child that has lost its mind: damaged lines are refused or read, never trusted into a crash. */
static void hostile_lines(void **state) {
  (void)state;
  char text[LINE_BYTE_MAX + 1];
  int refused = 0;
  for (int i = 0; i < 30000; i++) {
    struct line a, b;
    struct err e = {0};
    line_invent(&a, (enum line_kind)(i % LINE_KIND_N));
    int n = line_print(&a, text, sizeof text);
    for (int k = 1 + (int)roll(3); k > 0 && n > 1; k--) {
      int at = (int)roll((uint32_t)n);
      switch (roll(5)) {
      case 0: text[at] = (char)(1 + roll(255)); break;
      case 1: text[n = at] = 0; break;
      case 2: memmove(text + at, text + at + 1, (size_t)(n - at)), n--; break;
      case 3: memmove(text + at, text, (size_t)(n - at) / 2); break;
      default: text[at] = "{}[]\",:0e-."[roll(11)];
      }
    }
    if (line_read(text, &b, &e)) {
      struct device d;
      device_clear(&d);
      line_apply(&b, &d);
      for (int t = 0; t < DTYPE_N; t++) assert_true(isnan(d.peak[t].value) || (isfinite(d.peak[t].value) && d.peak[t].value > 0));
      assert_true(d.nlevel >= 0 && d.nlevel <= LEVEL_MAX);
    } else {
      refused++;
      assert_true(e.text[0]);
    }
  }
  assert_true(refused > 10000);
}

static bool say(struct device *d, const char *text) {
  struct line l;
  struct err e = {0};
  if (!line_read(text, &l, &e)) fail_msg("%s\n%s", e.text, text);
  return line_apply(&l, d);
}

#define F "{\"kind\":\"figure\",\"name\":"
static void figures_land(void **state) {
  (void)state;
  struct device d;
  device_clear(&d);
  assert_true(say(&d, F "\"threads\",\"value\":2}"));
  assert_true(say(&d, F "\"cpus\",\"value\":4}"));
  assert_true(say(&d, F "\"cpu\",\"text\":\"A processor\"}"));
  assert_true(say(&d, F "\"level\",\"level\":0,\"text\":\"L1\",\"count\":2,\"from\":\"sysfs\",\"value\":32768}"));
  assert_true(say(&d, F "\"level\",\"level\":1,\"text\":\"L3\",\"count\":1,\"from\":\"cpuid\",\"value\":null}"));
  assert_true(say(&d, F "\"level\",\"level\":2,\"text\":\"memory\",\"value\":8e9}"));
  assert_int_equal(d.nlevel, 3);
  assert_string_equal(d.level[0].name, "L1");
  assert_string_equal(d.level[1].byte_from, "cpuid");
  assert_int_equal(d.level[0].count, 2);
  assert_true(d.level[0].byte.value == 32768 && d.level[0].byte.source == SOURCE_MEASURED);
  assert_true(isnan(d.level[1].byte.value));
  assert_true(say(&d, F "\"level_rate\",\"level\":0,\"threads\":2,\"value\":4e11}"));
  assert_true(say(&d, F "\"level_rate\",\"level\":0,\"threads\":1,\"value\":2e11}")); /* known, but not the level's rate */
  assert_true(say(&d, F "\"level_latency\",\"level\":0,\"value\":1e-9}"));
  assert_true(say(&d, F "\"level_knee\",\"level\":1,\"value\":4194304}"));
  assert_true(d.level[0].byte_per_s.value == 4e11 && d.level[0].latency_s.value == 1e-9 && d.level[1].knee_byte.value == 4194304);
  assert_false(say(&d, F "\"level_rate\",\"level\":4,\"value\":1e9}")); /* no such level was named */
  assert_false(say(&d, F "\"level_mood\",\"level\":0,\"value\":1e9}"));

  assert_true(say(&d, F "\"peak\",\"isa\":\"scalar\",\"dtype\":\"fp32\",\"threads\":2,\"value\":1e10}"));
  assert_true(say(&d, F "\"peak\",\"isa\":\"avx2\",\"dtype\":\"fp32\",\"threads\":2,\"value\":2e11}"));
  assert_true(say(&d, F "\"peak\",\"isa\":\"avx2\",\"dtype\":\"fp32\",\"threads\":1,\"value\":1.1e11}"));
  assert_true(say(&d, F "\"peak\",\"isa\":\"avx2\",\"dtype\":\"fp64\",\"threads\":2,\"value\":1e11}"));
  assert_true(d.peak[DTYPE_FP32].value == 2e11 && d.peak[DTYPE_FP32].source == SOURCE_MEASURED && d.peak[DTYPE_FP64].value == 1e11);
  assert_true(d.machine.isa_peak[ISA_SCALAR][1] == 1e10 && d.machine.isa_peak[ISA_AVX2][1] == 2e11);
  assert_true(d.machine.isa_peak_one[ISA_AVX2][1] == 1.1e11 && isnan(d.machine.isa_peak_one[ISA_SCALAR][1]));
  assert_true(say(&d, F "\"peak\",\"isa\":\"avx2\",\"dtype\":\"fp32\",\"threads\":2,\"value\":1.9e11}"));
  assert_true(d.peak[DTYPE_FP32].value == 1.9e11); /* measured again: the new reading counts */
  assert_false(say(&d, F "\"peak\",\"isa\":\"avx2\",\"dtype\":\"fp16\",\"threads\":2,\"value\":1e11}"));
  assert_false(say(&d, F "\"peak\",\"isa\":\"avx2\",\"dtype\":\"fp32\",\"threads\":2,\"value\":-1}"));
  assert_false(say(&d, F "\"peak\",\"isa\":\"avx2\",\"dtype\":\"fp32\",\"threads\":2,\"value\":null}"));
  assert_true(d.peak[DTYPE_FP32].value == 1.9e11);
  assert_true(say(&d, F "\"peak\",\"isa\":\"avx512\",\"dtype\":\"int8\",\"threads\":2,\"value\":1e12}"));
  assert_true(d.peak[DTYPE_INT8].value == 1e12 && d.peak[DTYPE_FP32].value == 1.9e11); /* a unit of its own */

  assert_false(d.machine.measured);
  assert_true(say(&d, F "\"read\",\"threads\":1,\"value\":1.5e10}"));
  assert_false(d.machine.measured);
  assert_true(say(&d, F "\"read\",\"threads\":2,\"value\":2.5e10}"));
  assert_true(d.machine.measured);
  assert_true(d.machine.read_one_byte_per_s == 1.5e10 && d.machine.read_byte_per_s == 2.5e10);
  assert_true(d.memory_byte_per_s.value == 2.5e10 && d.memory_byte_per_s.source == SOURCE_MEASURED &&
              d.level[2].byte_per_s.value == 2.5e10);
  assert_true(say(&d, F "\"copy_nt\",\"threads\":2,\"value\":2e10}"));
  assert_true(say(&d, F "\"triad\",\"threads\":2,\"value\":2.1e10}"));
  assert_true(say(&d, F "\"triad_nt\",\"threads\":2,\"value\":2.2e10}"));
  assert_true(say(&d, F "\"triad_nt\",\"threads\":1,\"value\":9e9}"));
  assert_true(d.machine.copy_nt_byte_per_s == 2e10 && d.machine.triad_byte_per_s == 2.1e10 && d.machine.triad_nt_byte_per_s == 2.2e10);
  assert_true(say(&d, F "\"clock\",\"value\":3.4e9}"));
  assert_true(say(&d, F "\"last_cache\",\"value\":3.2e7}"));
  assert_true(say(&d, F "\"memory_cap\",\"value\":1e9}"));
  assert_true(say(&d, F "\"memory\",\"value\":1.6e10}"));
  assert_true(d.machine.clock_hz == 3.4e9 && d.machine.last_cache_byte == 3.2e7 && d.machine.memory_cap_byte == 1e9);
  assert_true(d.memory_byte.value == 1.6e10 && d.level[2].byte.value == 1.6e10);
  assert_string_equal(d.machine.cpu, "A processor");
  assert_true(d.machine.threads == 2 && d.machine.cpus == 4);
  assert_true(say(&d, F "\"compiler\",\"text\":\"gcc 12.2.0 with a very long tale about where it came from, é…………\"}"));
  assert_true(strlen(d.machine.compiler) < sizeof d.machine.compiler);
  assert_false(say(&d, F "\"weather\",\"value\":20}"));
  assert_false(say(&d, F "\"weather\",\"text\":\"rain\"}"));
  assert_false(say(&d, "{\"kind\":\"progress\",\"done\":1,\"total\":2}"));
}

/* A team of one is everybody: one reading is both. */
static void one_thread(void **state) {
  (void)state;
  struct device d;
  device_clear(&d);
  assert_true(say(&d, F "\"threads\",\"value\":1}"));
  assert_true(say(&d, F "\"peak\",\"isa\":\"sse2\",\"dtype\":\"fp64\",\"threads\":1,\"value\":5e9}"));
  assert_true(say(&d, F "\"read\",\"threads\":1,\"value\":5e9}"));
  assert_true(d.machine.isa_peak[ISA_SSE2][0] == 5e9 && d.machine.isa_peak_one[ISA_SSE2][0] == 5e9 && d.peak[DTYPE_FP64].value == 5e9);
  assert_true(d.machine.read_byte_per_s == 5e9 && d.machine.read_one_byte_per_s == 5e9 && d.machine.measured);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(round_trip),    cmocka_unit_test(longest_line), cmocka_unit_test(written_file), cmocka_unit_test(refusals),
      cmocka_unit_test(hostile_lines), cmocka_unit_test(figures_land), cmocka_unit_test(one_thread),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
