#include "data/record.h"

#include "model/world.h"

#define TEXT(field)                                                                                                                        \
  { #field, offsetof(struct machine, field), sizeof((struct machine){0}.field) }
const struct machine_text machine_text[] = {TEXT(cpu), TEXT(host), TEXT(date), TEXT(compiler), TEXT(flags), TEXT(mask), TEXT(note)};
const int machine_text_count = sizeof machine_text / sizeof *machine_text;

#define NUMBER(field, what)                                                                                                                \
  { #field, offsetof(struct machine, field), what }
const struct machine_number machine_number[] = {
    NUMBER(clock_hz, "a clock in Hz"),
    NUMBER(last_cache_byte, "a size in byte"),
    NUMBER(memory_cap_byte, "a size in byte"),
    NUMBER(read_byte_per_s, "a rate in byte/s"),
    NUMBER(read_one_byte_per_s, "a rate in byte/s"),
    NUMBER(copy_nt_byte_per_s, "a rate in byte/s"),
    NUMBER(copy_byte_per_s, "a rate in byte/s"),
    NUMBER(triad_byte_per_s, "a rate in byte/s"),
    NUMBER(triad_nt_byte_per_s, "a rate in byte/s"),
    NUMBER(burst_flop_per_s, "a rate in FLOP/s"),
    NUMBER(burst_clock_hz, "a clock in Hz"),
    NUMBER(sustained_flop_per_s, "a rate in FLOP/s"),
    NUMBER(sustained_clock_hz, "a clock in Hz"),
};
const int machine_number_count = sizeof machine_number / sizeof *machine_number;
