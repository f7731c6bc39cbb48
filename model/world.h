/* world: the nouns every other module speaks of: figures with their provenance, devices, models, and the runs
 * measured so far. Plain value structs; nothing here allocates. Units are SI: byte, byte/s, FLOP/s, s, W.
 * NAN in a figure means "not known" and is drawn as unknown, never as 0. */
#ifndef RIDGE_WORLD_H
#define RIDGE_WORLD_H

#include <stdbool.h>
#include <stdint.h>

#include "model/benchmark.h"
#include "model/dtype.h"
#include "model/foreign.h"
#include "model/run.h"
#include "model/stair.h"
#include "model/trust.h"

enum source { SOURCE_UNKNOWN, SOURCE_VENDOR, SOURCE_DERIVED, SOURCE_ILLUSTRATIVE, SOURCE_MEASURED, SOURCE_N };
const char *source_name(enum source s); /* "unknown" "vendor" "derived" "illustrative" "measured" */

/* A number and where it comes from. `cite` indexes device.cite[]. */
struct figure {
  double value;     /* NAN: not known */
  uint8_t source;   /* enum source */
  uint8_t cite;     /* index into the owner's cite[]; 0 is the owner's main source */
  bool unverified;  /* carried, but never checked against a source: drawn with a '?' */
};

struct cite { char text[200]; char date[12]; }; /* date: YYYY, YYYY-MM or YYYY-MM-DD; may be empty */

enum family { FAMILY_CPU, FAMILY_GPU, FAMILY_TPU, FAMILY_APPLE, FAMILY_NPU, FAMILY_FPGA, FAMILY_N };
const char *family_name(enum family f);

/* One level of a memory hierarchy, nearest the arithmetic first; the last one is the device's main memory. */
enum { LEVEL_MAX = 6, ASIDE_MAX = 2 };
struct level {
  char name[24];            /* "L1", "shared memory", "HBM3"… */
  int count;                /* identical instances (132 SMs); 1 when shared by all */
  struct figure byte;       /* capacity of one instance, as declared (vendor sheet, or the OS for `here`) */
  struct figure byte_per_s; /* rate of all instances together */
  struct figure latency_s;  /* load-to-use */
  struct figure knee_byte;  /* `here`: the working set at which the measured rate falls, one instance; NAN elsewhere */
  char byte_from[24];       /* `here`: "sysfs", "cpuid", "measured"; empty elsewhere */
};

struct link {
  char name[64];
  struct figure byte_per_s;      /* per direction */
  struct figure byte_per_s_both; /* the both-directions headline, kept apart */
};

/* What only the machine in front of the person has. Zeroed for catalogue devices. */
struct machine {
  bool measured;             /* at least the compute and memory roofs are known */
  char cpu[64], host[64], date[32], compiler[48], flags[96], note[200];
  int threads;               /* threads the roofs were measured with */
  int cpus;                  /* CPUs this process may use (mask and quota) */
  double clock_hz;           /* measured clock; NAN unknown */
  double last_cache_byte;    /* aggregate last-level cache we may use; NAN unknown */
  double memory_cap_byte;    /* bytes a kernel may allocate; NAN unknown */
  double isa_peak[ISA_N][2]; /* FLOP/s, all threads, [isa][0: fp64, 1: fp32]; NAN not measured */
  double isa_peak_one[ISA_N][2]; /* the same on one thread */
  double read_byte_per_s, read_one_byte_per_s; /* DRAM read rate: all threads, one thread */
  double copy_nt_byte_per_s, triad_byte_per_s, triad_nt_byte_per_s; /* bytes the bus carried; NAN not measured */
  double copy_byte_per_s;    /* the same with stores that fetch their lines first */
  double burst_flop_per_s, burst_clock_hz; /* the widest fp32 on all threads in its first moments, and the clock beside it */
  double sustained_flop_per_s, sustained_clock_hz; /* the same after some seconds of nothing else; NAN not measured */
  double quota_cpu;          /* CPUs' worth of time the control group allowed; NAN none */
  char mask[64];             /* the CPUs it was measured on, "0-3,8" */
  struct trust trust[TRUST_MAX]; /* what stands behind each figure */
  int ntrust;
  struct stair stair[STAIR_KIND_N]; /* the measured staircase; n 0: not measured */
  struct plateau plateau[PLATEAU_MAX]; /* what the staircase read by the team consists of; see model/knee.h */
  int nplateau;
};

enum { DEVICE_ID_MAX = 200, CITE_MAX = 8 };
struct device {
  int first;                     /* its place among those shown first, from 1; 0: shown with the others */
  char id[DEVICE_ID_MAX];        /* the interface: device=ID; a path for a person's own file; "here" for this machine */
  char name[96], vendor[32], units[96], headline[160], notes[400];
  char strengths[240], constraints[240], software[240]; /* what it is good at, what it is not, how it is programmed; "" not known */
  enum family family;
  int year;                      /* 0 unknown */
  bool illustrative;             /* invented round numbers: labelled so everywhere */
  struct figure peak[DTYPE_N];   /* dense FLOP/s or OP/s: matrix units where they exist; fp64 and fp32 are vector rates */
  struct figure peak_fp64_matrix;
  struct figure sparse_ratio;    /* by how much the maker's headline exceeds the dense peak, for zeros skipped; NAN: it does not, or unknown */
  struct figure memory_byte, memory_byte_per_s;
  struct figure tdp_w;
  struct figure copy_s, launch_s; /* fixed cost per copy call, per kernel launch; NAN unknown */
  struct level level[LEVEL_MAX];
  int nlevel;
  struct level aside[ASIDE_MAX]; /* caches of a CPU on the same chip: its data pass there, the accelerator's do not */
  int naside;
  struct link host, peer;        /* to the host; to other devices of its kind */
  bool unified;                  /* shares the host's memory: no copy */
  bool is_host;                  /* a CPU: it is the host */
  struct cite cite[CITE_MAX];
  int ncite;
  struct machine machine;        /* only `here` */
};

enum bias { BIAS_QKV = 1, BIAS_OUT = 2, BIAS_FFN = 4, BIAS_HEAD = 8 }; /* which matrices add a bias */

enum { CONVOLUTION_MAX = 40 };
struct convolution {
  char name[24];
  int in, out, kernel, stride, size, groups, count; /* planes; size: height and width going in; groups: 1, or `in` for depthwise */
  bool pool;                                        /* takes the largest instead: no weights */
  bool adds, linear;                                /* a shortcut is added to its result; no activation follows */
};

struct model {
  char id[DEVICE_ID_MAX], name[64], kind[24], attention[64], source[160], notes[300];
  int year;
  double params, params_active, matmul_params; /* total; read at batch 1; multiplied per token */
  double published_params;                     /* NAN when not a plain number */
  int layers, hidden, heads, kv_heads, head_dim, ffn, vocab, max_context; /* 0 unknown or not applicable */
  bool tied, gated;
  double kv_byte_per_token;  /* at 2 bytes an element (bf16); NAN: keeps no KV cache */
  int experts, top_k, expert_ffn, shared_experts, moe_layers; /* 0: dense */
  /* What its parameters consist of besides; meaningful where detailed is set. See model/parameters.h. */
  bool detailed;
  int q_rank, kv_rank, rope_dim, value_dim; /* latent attention (MLA): ranks, the positional part of a head, a value's width; kv_rank 0: none */
  int norms;                 /* norm vectors of the layer's width in a layer */
  bool norm_plain;           /* norms have no parameters */
  bool norm_bias, qk_norm;   /* norms shift as well as scale; queries and keys are normed by head */
  unsigned bias;             /* BIAS_… */
  int positions;             /* learned positions; 0: none is stored */
  int shared_ffn;            /* width of the shared experts together; 0: shared_experts × expert_ffn */
  bool shared_gate, router_bias; /* the shared experts are weighted by a gate; the router has an offset for each expert */
  int window, window_layers; /* layers that look back this many tokens only; 0: all look back to the start */
  int token_types, patch, classes; /* learned vectors of so many kinds of token; values of one patch of a picture; answers instead of a vocabulary */
  bool embedding_norm, pooler; /* the embedding is normed, and nothing after the last layer; a product on each sequence's first token */
  struct convolution convolution[CONVOLUTION_MAX]; /* of a network of convolutions, in order */
  int nconvolution;
  bool decoder;              /* generates tokens one at a time */
  bool illustrative;         /* the chapter's round 7e9 model: geometry is assumed */
};

enum { DEVICE_MAX = 96, MODEL_MAX = 64, RUN_MAX = 192 };
enum { DEVICE_HERE = 0 };    /* world.device[DEVICE_HERE] always exists; unmeasured: NAN figures */
struct world {
  struct device device[DEVICE_MAX];
  int ndevice;
  struct model model[MODEL_MAX];
  int nmodel;
  struct run run[RUN_MAX];   /* newest last, oldest dropped first */
  int nrun;
  char machine[64];          /* names this machine: runs carry it; only runs of this machine are drawn as here's */
  struct foreign foreign[FOREIGN_MAX]; /* what samples= brought in, in the file's order */
  int nforeign, foreign_dropped, foreign_bad; /* dropped: no place left; bad: entries that were refused */
  char foreign_file[128];              /* where they come from; "" none */
  char foreign_trouble[4][256];        /* the first of those refused, in words */
  struct benchmark benchmark;          /* what record= brought in */
  char benchmark_file[128];            /* where it comes from; "" none: benchmark means nothing */
};

/* Every figure unknown; sets nothing else. */
void device_clear(struct device *d);

/* The index of the device or model called id, or -1. */
int device_find(const struct world *w, const char *id);
int model_find(const struct world *w, const char *id);

#endif
