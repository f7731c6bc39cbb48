#include "scenes/knob.h"

#include <math.h>
#include <string.h>

#include "model/arrival.h"
#include "model/capacity.h"
#include "model/checklist.h"
#include "model/choose.h"
#include "model/collective.h"
#include "model/crossing.h"
#include "model/feed.h"
#include "model/sheet.h"
#include "model/packing.h"
#include "model/profile.h"

#define FOLLOWS NAN
#define CHOICE_START(i) .kind = KNOB_CHOICE, .unit = "", .lo = 0, .start = (i), .whole = true
#define SWITCH_START(i) .kind = KNOB_SWITCH, .unit = "", .lo = 0, .hi = 1, .start = (i), .whole = true
#define COUNT(a, b, s) .kind = KNOB_LOG2, .unit = "n", .lo = (a), .hi = (b), .start = (s), .whole = true

const struct knob knob_table[KNOB_N] = {
    [KNOB_DEVICE] = {"device", "device", CHOICE_START(0), .list = CHOICE_DEVICE,
                     .help = "Whose roofs are drawn. here is this machine, measured; the others carry the figures of their sheets."},
    [KNOB_COMPARE] = {"compare", "compare with", CHOICE_START(0), .list = CHOICE_COMPARE,
                      .help = "A second device whose roofs are drawn beside the first."},
    [KNOB_OP] = {"op", "operation", CHOICE_START(OP_WEIGHTS), .list = CHOICE_OP,
                 .help = "The computation. weights is one layer of a model used by a batch of inputs; each has a real kernel but custom."},
    [KNOB_DTYPE] = {"dtype", "data type", CHOICE_START(DTYPE_FP32), .list = CHOICE_DTYPE,
                    .help = "How values are stored. Fewer bits are fewer bytes to move."},
    [KNOB_MATH] = {"math", "arithmetic", CHOICE_START(0), .list = CHOICE_MATH,
                   .help = "The arithmetic used. auto: the stored type if the device lists it, else bf16, else fp32."},
    [KNOB_N_SIZE] = {"n", "size n", COUNT(1, 17179869184.0, FOLLOWS),
                     .help = "The size: side of a matrix, or length of a vector. Until set it suits the operation and this machine's caches."},
    [KNOB_M] = {"m", "rows m", COUNT(1, 1073741824.0, FOLLOWS), .help = "Rows of the result. Equal to n until set."},
    [KNOB_K] = {"k", "depth k", COUNT(1, 1073741824.0, FOLLOWS),
                .help = "Length of each dot product. Equal to n until set; for attention the width of a head, 128 until set."},
    [KNOB_FMA] = {"fma", "multiply-adds", COUNT(1, 256, 1), .help = "Multiply-adds done on each element once it has been loaded: the intensity dial."},
    [KNOB_CHAIN] = {"chain", "operations", COUNT(1, 256, 8),
                    .help = "Element-wise operations in a row. Fused, they share one pass over memory."},
    [KNOB_TILE] = {"tile", "tile side", COUNT(1, 4096, 32),
                   .help = "Side of the square tiles a matrix product is computed in: each number fetched is used so often before it is dropped."},
    [KNOB_LENGTH] = {"length", "elements", COUNT(1, 17179869184.0, FOLLOWS),
                     .help = "Elements a chain of operations goes over. Until set more than this machine's caches hold."},
    [KNOB_SEQUENCE] = {"sequence", "sequence", COUNT(1, 1048576, 4096), .help = "Tokens that attend to one another in one head."},
    [KNOB_AGAINST] = {"against", "against", CHOICE_START(RUNG_PLAIN), .list = CHOICE_RUNG,
                      .help = "The matrix product to set beside the chosen one: old against new, over the size n."},
    [KNOB_BATCH] = {"batch", "batch", COUNT(1, 65536, 1),
                    .help = "How many inputs share one pass over the weights. It is the intensity knob: bytes stay, arithmetic grows."},
    [KNOB_ISA] = {"isa", "instructions", CHOICE_START(ISA_AUTO), .list = CHOICE_ISA,
                  .help = "Instruction set of the kernel. scalar really cripples the arithmetic; a memory-bound point does not move."},
    [KNOB_THREADS] = {"threads", "threads", COUNT(1, 1024, FOLLOWS), .help = "Threads of the kernel. All the cores we may use until set."},
    [KNOB_HOG] = {"hog", "memory hog", SWITCH_START(0),
                  .help = "Cripple the memory: cores left free copy large arrays all the while. Needs a spare core: on two cores, threads=1."},
    [KNOB_RUNG] = {"rung", "rung", CHOICE_START(RUNG_AUTO), .list = CHOICE_RUNG,
                   .help = "Which matrix product: plain loops, reordered, tiled, vectorised, all cores, a BLAS library. auto is the fastest of ours."},
    [KNOB_PEAK] = {"peak", "peak", .unit = "flop/s", .kind = KNOB_LOG2, .lo = 1e6, .hi = 1e18, .start = FOLLOWS,
                   .help = "Arithmetic roof. The device's own until set: p doubles it for a what-if."},
    [KNOB_BANDWIDTH] = {"bandwidth", "bandwidth", .unit = "byte/s", .kind = KNOB_LOG2, .lo = 1e6, .hi = 1e15, .start = FOLLOWS,
                        .help = "Memory roof. The device's own until set: w doubles it for a what-if."},
    [KNOB_FLOP] = {"flop", "arithmetic", .unit = "flop", .kind = KNOB_LOG2, .lo = 1, .hi = 1e24, .start = 1e9,
                   .help = "Arithmetic of a custom operation; one multiply-add is 2 FLOP."},
    [KNOB_BYTE] = {"byte", "traffic", .unit = "byte", .kind = KNOB_LOG2, .lo = 1, .hi = 1e24, .start = 1e9,
                   .help = "Bytes a custom operation moves to and from memory."},
    [KNOB_TIME] = {"time", "measured time", .unit = "s", .kind = KNOB_LOG2, .lo = 1e-12, .hi = 1e9, .start = FOLLOWS,
                   .help = "Time measured elsewhere, of a custom operation (its point is then drawn as yours) or of a whole pass."},
    [KNOB_MODEL] = {"model", "model", CHOICE_START(0), .list = CHOICE_MODEL, .help = "The language model; or a path: a JSON file, a Hugging Face config.json, its folder."},
    [KNOB_PARAMS] = {"params", "parameters", .unit = "n", .kind = KNOB_LOG2, .lo = 1e3, .hi = 1e15, .start = FOLLOWS,
                     .help = "Parameters instead of a model's; then 32 layers, 4096 wide, 32 heads are assumed."},
    [KNOB_KV_DTYPE] = {"kv_dtype", "KV data type", CHOICE_START(DTYPE_BF16), .list = CHOICE_DTYPE, .help = "How cached keys and values are stored."},
    [KNOB_CONTEXT] = {"context", "context", COUNT(1, 16777216, 2048), .help = "Tokens each sequence already holds; each keeps its keys and values in memory."},
    [KNOB_KV] = {"kv", "count KV reads", SWITCH_START(0), .help = "Count the reading of cached keys and values in every step."},
    [KNOB_ACTIVATIONS] = {"activations", "activations too", SWITCH_START(0), .help = "Count the bytes of activations going in and out of each layer."},
    [KNOB_WIDTH] = {"width", "layer width", COUNT(64, 1048576, FOLLOWS), .help = "Width of a layer, for the activation bytes. The model's until set."},
    [KNOB_DEADLINE] = {"deadline", "deadline", .unit = "s", .kind = KNOB_LOG2, .lo = 1e-4, .hi = 100, .start = 0.05,
                       .help = "Longest acceptable time for one token."},
    [KNOB_WORKING_SET] = {"working_set", "working set", .unit = "iB", .kind = KNOB_LOG2, .lo = 1024, .hi = 17592186044416.0, .start = 65536, .whole = true,
                          .help = "Bytes the computation keeps coming back to: the nearest level that holds them serves it."},
    [KNOB_STRIDE] = {"stride", "stride", .unit = "iB", .kind = KNOB_LOG2, .lo = 4, .hi = 1048576, .start = 4, .whole = true,
                     .help = "Bytes from one load to the next: contiguous, then one element of a cache line, then one of a page. A power of two."},
    [KNOB_CHAINS] = {"chains", "chains", COUNT(1, 8, 1),
                     .help = "Chains of dependent loads that run side by side: 1, 2, 4 or 8. Each waits for its own loads only."},
    [KNOB_HOST_RATE] = {"host_rate", "host rate", .unit = "flop/s", .kind = KNOB_LOG2, .lo = 1e6, .hi = 1e18, .start = 100e9,
                        .help = "Arithmetic rate the host delivers on the product."},
    [KNOB_DEVICE_RATE] = {"device_rate", "device rate", .unit = "flop/s", .kind = KNOB_LOG2, .lo = 1e6, .hi = 1e18, .start = 100e12,
                          .help = "Arithmetic rate the device delivers on the product."},
    [KNOB_LINK] = {"link", "link", CHOICE_START(0), .list = CHOICE_LINK, .help = "A known host link; custom uses link_rate."},
    [KNOB_LINK_RATE] = {"link_rate", "link rate", .unit = "byte/s", .kind = KNOB_LOG2, .lo = 1e6, .hi = 1e14, .start = 25e9,
                        .help = "Bytes a second over the link, in one direction."},
    [KNOB_COPY_COST] = {"copy_cost", "cost of a copy", .unit = "s", .kind = KNOB_LINEAR, .lo = 0, .hi = 1e-2, .start = 10e-6, .step = 1e-6,
                        .help = "Fixed time of one copy call, whatever its size."},
    [KNOB_LAUNCH_COST] = {"launch_cost", "launch cost", .unit = "s", .kind = KNOB_LINEAR, .lo = 0, .hi = 1e-2, .start = 8e-6, .step = 1e-6,
                          .help = "Fixed time of starting one kernel on the device."},
    [KNOB_RESIDENT] = {"resident", "already there", CHOICE_START(RESIDENT_NONE), .list = CHOICE_RESIDENT,
                       .help = "What the device holds already: nothing, the second matrix, or everything."},
    [KNOB_REUSE] = {"reuse", "uses per copy", COUNT(1, 1048576, 1), .help = "Products done with one set of copies, each with its own launch."},
    [KNOB_PIECES] = {"pieces", "calls a matrix", COUNT(1, 1048576, 1), .help = "Into how many copy calls each matrix is split."},
    [KNOB_OVERLAP] = {"overlap", "overlap", SWITCH_START(0), .help = "Copy the next product while this one runs. Needs pinned memory."},
    [KNOB_PINNED] = {"pinned", "pinned memory", SWITCH_START(0), .help = "Host memory the link can read by itself, so that copies need no waiting."},
    [KNOB_UNIFIED] = {"unified", "unified memory", SWITCH_START(0), .help = "Host and device share one memory: nothing is copied."},
    [KNOB_RATES] = {"rates", "rates", CHOICE_START(0), .list = CHOICE_RATES,
                    .help = "chapter: the round rates given by the knobs. device: what this machine measured against the chosen device's sheet."},
    [KNOB_DEVICES] = {"devices", "devices", COUNT(1, 65536, 1), .help = "How many such devices share the load, split perfectly."},
    [KNOB_USE] = {"use", "use", CHOICE_START(USE_INFERENCE), .list = CHOICE_USE, .help = "What the model is loaded for; training keeps far more in memory."},
    [KNOB_RECIPE] = {"recipe", "recipe, bytes", CHOICE_START(RECIPE_16), .list = CHOICE_RECIPE,
                     .help = "Training recipe: 16 (2 weights, 2 gradients, 4 master, 8 Adam), 18 (gradients in fp32), 10 (weights and fp32 moments only)."},
    [KNOB_FAMILY] = {"family", "family", CHOICE_START(0), .list = CHOICE_FAMILY, .help = "Only devices of this kind; all of them, not just the first dozen."},
    [KNOB_SORT] = {"sort", "sort by", CHOICE_START(SORT_USUAL), .list = CHOICE_SORT,
                   .help = "The order of the devices. rate is that of memory; balance is peak over rate, for the data type chosen."},
    [KNOB_REVERSE] = {"reverse", "other way round", SWITCH_START(0), .help = "The least first instead of the most."},
    [KNOB_ALL] = {"all", "all devices", SWITCH_START(0), .help = "Off: the dozen worth knowing first. On: the whole catalogue."},
    [KNOB_ADVERTISED] = {"advertised", "as advertised", SWITCH_START(0),
                         .help = "Count each peak as the headline does: the smallest data type, and zeros skipped where the sheet does so."},
    [KNOB_SIDE] = {"side", "side", CHOICE_START(SIDE_FIGURES), .list = CHOICE_SIDE,
                   .help = "The side of the card in sight where there is no room for all: figures, what it is good for, who says so."},
    [KNOB_PEEL_SPARSITY] = {"peel_sparsity", "no sparsity", SWITCH_START(0), .help = "Takes off what the headline counts for zeros that are skipped: half of all weights."},
    [KNOB_PEEL_PRECISION] = {"peel_precision", "my data type", SWITCH_START(0), .help = "Takes the peak of the chosen data type in place of the smallest one."},
    [KNOB_PEEL_OPERATION] = {"peel_operation", "any operation", SWITCH_START(0),
                             .help = "Takes the vector units in place of the matrix units: all that is not one large dense product."},
    [KNOB_PEEL_USE] = {"peel_use", "real use", SWITCH_START(0), .help = "Counts only the share of the peak that real code keeps busy."},
    [KNOB_UTILISATION] = {"utilisation", "share in use", .unit = "%", .kind = KNOB_LINEAR, .lo = 0.01, .hi = 1, .start = 0.75, .step = 0.01,
                          .help = "Share of the peak that real code reaches. Large products were seen at 0.5 to 0.95 of it; 0.75 is our assumption."},
    [KNOB_CORES] = {"cores", "cores", COUNT(1, 1024, 8), .help = "Cores that calculate."},
    [KNOB_UNITS] = {"units", "units a core", COUNT(1, 16, 2), .help = "Vector units for multiply-adds in each core."},
    [KNOB_LANES] = {"lanes", "lanes a unit", COUNT(1, 128, 8), .help = "Numbers a vector unit holds: 8 of fp32 in 256 bit, 16 in 512."},
    [KNOB_CLOCK] = {"clock", "clock", .unit = "Hz", .kind = KNOB_LINEAR, .lo = 1e8, .hi = 1e10, .start = 3e9, .step = 1e8,
                    .help = "Cycles a second while all cores do vector work: less than the turbo clock of one core."},
    [KNOB_INTENSITY] = {"intensity", "intensity", .unit = "flop/byte", .kind = KNOB_LOG2, .lo = 0.0078125, .hi = 65536, .start = 1,
                        .help = "Arithmetic for each byte fetched. 1 is one token of a model in 16 bit; large products reach hundreds."},
    [KNOB_NEED] = {"need", "must hold", .unit = "byte", .kind = KNOB_LOG2, .lo = 1e3, .hi = 1e16, .start = 14e9,
                   .help = "Bytes that must be in the device's memory at once."},
    [KNOB_SPECIAL] = {"special", "it has also", CHOICE_START(SPECIAL_NONE), .list = CHOICE_SPECIAL,
                      .help = "What the work has besides numbers. Devices that are poor at it come after all the others, with the reason."},
    [KNOB_SECOND_BANDWIDTH] = {"second_bandwidth", "other bandwidth", .unit = "byte/s", .kind = KNOB_LOG2, .lo = 1e6, .hi = 1e15, .start = 2e12,
                               .help = "Memory rate of the second of two devices with the same peak."},
    [KNOB_FORMAT] = {"format", "format", CHOICE_START(CODING_FP16), .list = CHOICE_FORMAT,
                     .help = "How a number is written in bits. An exponent gives range, a mantissa gives digits; integers have neither."},
    [KNOB_VALUE] = {"value", "value", .unit = "1", .kind = KNOB_LINEAR, .lo = -1e300, .hi = 1e300, .start = 0.37, .step = 0.01,
                    .help = "The number to store. In bits and line an arrow goes to the next number the format has, a stride doubles it."},
    [KNOB_BIT] = {"bit", "bit", .unit = "n", .kind = KNOB_LINEAR, .lo = 1, .hi = 64, .start = 1, .whole = true, .step = 1,
                  .help = "The bit in focus, counted from the left: 1 is the sign."},
    [KNOB_FLIPS] = {"flips", "turned over", .unit = "", .kind = KNOB_TEXT, .start = 0, .slot = SLOT_FLIPS,
                    .help = "Bits turned over after storing, counted from the left, as 1,5. An arrow turns the bit in focus."},
    [KNOB_SATURATE] = {"saturate", "saturate", SWITCH_START(0), .help = "What is too large becomes the largest number instead of infinity."},
    [KNOB_TERM] = {"term", "each term", .unit = "1", .kind = KNOB_LINEAR, .lo = -1e30, .hi = 1e30, .start = 1, .step = 0.1,
                   .help = "The number that is added again and again, first rounded into the format."},
    [KNOB_TERMS] = {"terms", "terms", COUNT(1, 1e12, 5000), .help = "How many terms are added."},
    [KNOB_ACCUMULATOR] = {"accumulator", "sum kept in", CHOICE_START(0), .list = CHOICE_ACCUMULATOR,
                          .help = "The format of the running sum. same: that of the terms. Matrix units take few bits in and keep a wider sum."},
    [KNOB_GRADIENT] = {"gradient", "gradients near", .unit = "1", .kind = KNOB_LOG2, .lo = 1e-40, .hi = 1e10, .start = 1e-8,
                       .help = "A typical gradient's size; half are smaller. They are taken to spread over several powers of two."},
    [KNOB_LOSS_SCALE] = {"loss_scale", "loss scale", COUNT(1, 4294967296.0, 1),
                         .help = "The loss, and with it every gradient, is multiplied by this before storing and divided after."},
    [KNOB_RANGE] = {"range", "range", .unit = "1", .kind = KNOB_LINEAR, .lo = 0.1, .hi = 1e6, .start = 12.7, .step = 0.1,
                    .help = "The largest magnitude among ordinary weights."},
    [KNOB_OUTLIER] = {"outlier", "outlier", .unit = "1", .kind = KNOB_LINEAR, .lo = 0, .hi = 1e6, .start = 0, .step = 12.7,
                      .help = "One weight made this large; 0: none. What shares a scale with it pays."},
    [KNOB_GRAIN] = {"grain", "one scale per", CHOICE_START(GRAIN_TENSOR), .list = CHOICE_GRAIN,
                    .help = "What shares one scale: the whole tensor, a channel (a row of weights), or a group of neighbours in it."},
    [KNOB_GROUP] = {"group", "group of", COUNT(2, 256, 32), .help = "Neighbours that share one scale when the grain is a group."},
    [KNOB_STORED] = {"stored", "stored as", CHOICE_START(PACKING_BF16), .list = CHOICE_STORED,
                     .help = "How weights are kept: plain numbers, integers with a scale, or blocks; AWQ is laid out as GPTQ. free takes the bits typed in."},
    [KNOB_BITS] = {"bits", "bits a weight", .unit = "1", .kind = KNOB_LINEAR, .lo = 0.1, .hi = 64, .start = 3.89, .step = 0.05,
                   .help = "Bits a weight, all counted, for stored=free: a mixed file, or a compressed one."},
    [KNOB_STEP_COST] = {"step_cost", "fixed a step", .unit = "s", .kind = KNOB_LINEAR, .lo = 0, .hi = 1, .start = 0, .step = 1e-4,
                        .help = "Time of a step that does not shrink with the weights: launches, attention, sampling. Fewer bits do not touch it."},
    [KNOB_SPLIT] = {"split", "split by", CHOICE_START(SPLIT_DATA), .list = CHOICE_SPLIT,
                    .help = "data: each device trains the whole model on its part of the batch. sharded: the same, each keeping a part of the weights. "
                            "tensor: serving, every matrix cut."},
    [KNOB_PREPARE] = {"prepare", "what is prepared", CHOICE_START(PREPARE_IMAGES), .list = CHOICE_PREPARE,
                      .help = "Start values, ours. images: decoded by two workers. text: one thread tokenises. requests: one thread does all a service does "
                              "before the device: authenticate, filter by tenant, tokenise, retrieve, schedule."},
    [KNOB_WORKERS] = {"workers", "loader workers", .unit = "n", .kind = KNOB_LINEAR, .lo = 0, .hi = FEED_WORKERS, .start = 2, .whole = true, .step = 1,
                      .help = "Workers that read and prepare batches while the device computes. 0: the program does it itself, between two steps."},
    [KNOB_ITEM_COST] = {"item_cost", "cost of an item", .unit = "s", .kind = KNOB_LINEAR, .lo = 1e-6, .hi = 10, .start = 0.02, .step = 1e-3,
                        .help = "What one core takes to prepare one item: decode, tokenise, augment. 20 ms is our example."},
    [KNOB_DEVICE_STEP] = {"device_step", "device step", .unit = "s", .kind = KNOB_LINEAR, .lo = 1e-6, .hi = 100, .start = 0.008, .step = 1e-3,
                          .help = "What the device takes for one batch when it need not wait. 8 ms is our example."},
    [KNOB_QUEUE] = {"queue", "queue depth", COUNT(1, FEED_QUEUE, 2), .help = "Batches that may stand ready. When they do, workers wait."},
    [KNOB_SLOW] = {"slow", "slowest items", .unit = "x", .kind = KNOB_LOG2, .lo = 1, .hi = 64, .start = 1,
                   .help = "One item in ten takes so many times as long as the others, picked by a seed; the mean stays. 1: all are alike."},
    [KNOB_ITEM_BYTE] = {"item_byte", "bytes an item", .unit = "byte", .kind = KNOB_LINEAR, .lo = 0, .hi = 1e12, .start = 0, .step = 50e3,
                        .help = "What an item is on storage. 0: the data are in memory already. A photograph is some 100 kB."},
    [KNOB_STORAGE_RATE] = {"storage_rate", "storage rate", .unit = "byte/s", .kind = KNOB_LOG2, .lo = 1e3, .hi = 1e13, .start = 500e6,
                           .help = "What the storage delivers, all workers together: a disk 200 MB/s, a network share 100 MB/s to 1 GB/s, flash some GB/s."},
    [KNOB_RECORD] = {"record", "record", .unit = "", .kind = KNOB_TEXT, .start = 0, .slot = SLOT_RECORD,
                     .help = "A JSON file with a benchmark's record. Until one is given, the chapter's, of invented numbers."},
    [KNOB_INPUT] = {"input_tokens", "tokens read", COUNT(1, 1e9, FOLLOWS), .help = "Tokens of one prompt. The record's until set."},
    [KNOB_OUTPUT] = {"output_tokens", "tokens written", COUNT(1, 1e9, FOLLOWS), .help = "Tokens of one answer. The record's until set."},
    [KNOB_THROUGHPUT] = {"throughput", "throughput", .unit = "token/s", .kind = KNOB_LOG2, .lo = 1e-6, .hi = 1e12, .start = FOLLOWS,
                         .help = "Output tokens a second of all requests together, at full load. The record's until set."},
    [KNOB_FIRST_P50] = {"ttft_p50", "first token, p50", .unit = "s", .kind = KNOB_LOG2, .lo = 1e-9, .hi = 1e6, .start = FOLLOWS,
                        .help = "Half of all requests have their first token by then."},
    [KNOB_FIRST_P95] = {"ttft_p95", "first token, p95", .unit = "s", .kind = KNOB_LOG2, .lo = 1e-9, .hi = 1e6, .start = FOLLOWS,
                        .help = "Nineteen of twenty requests have their first token by then."},
    [KNOB_TOKEN_P50] = {"token_p50", "a token, p50", .unit = "s", .kind = KNOB_LOG2, .lo = 1e-9, .hi = 1e6, .start = FOLLOWS,
                        .help = "Half of all tokens follow the one before within this time."},
    [KNOB_TOKEN_P95] = {"token_p95", "a token, p95", .unit = "s", .kind = KNOB_LOG2, .lo = 1e-9, .hi = 1e6, .start = FOLLOWS,
                        .help = "Nineteen of twenty tokens follow the one before within this time."},
    [KNOB_ALLOCATED] = {"allocated", "memory reserved", .unit = "byte", .kind = KNOB_LOG2, .lo = 1, .hi = 1e18, .start = FOLLOWS,
                        .help = "What the program took from the device, used or not. The record's until set."},
    [KNOB_USED] = {"peak_used", "memory used", .unit = "byte", .kind = KNOB_LOG2, .lo = 1, .hi = 1e18, .start = FOLLOWS,
                   .help = "The most it really used of that. The record's until set."},
    [KNOB_BUSY] = {"busy", "time busy", .unit = "%", .kind = KNOB_LINEAR, .lo = 0.01, .hi = 1, .start = FOLLOWS, .step = 0.01,
                   .help = "Share of the time in which there are requests to serve: not how well it is used then. The record's, else 40 %."},
    [KNOB_POWER] = {"power", "power", .unit = "W", .kind = KNOB_LOG2, .lo = 1e-6, .hi = 1e9, .start = FOLLOWS,
                    .help = "Mean power of the device while it serves. The record's until set."},
    [KNOB_HOURLY] = {"hourly_cost", "an hour costs", .unit = "$/h", .kind = KNOB_LINEAR, .lo = 0, .hi = 1e6, .start = FOLLOWS, .step = 0.1,
                     .help = "What the device costs an hour, rented or written off, busy or not. The record's until set."},
    [KNOB_BESIDE] = {"other_cost", "and beside it", .unit = "$/h", .kind = KNOB_LINEAR, .lo = 0, .hi = 1e6, .start = 0, .step = 0.1,
                     .help = "What an hour costs besides the device: people, spares, failures. 0 compares as the chapter does."},
    [KNOB_API] = {"api_price", "bought at", .unit = "$/Mtoken", .kind = KNOB_LINEAR, .lo = 0.001, .hi = 1e6, .start = 0.6, .step = 0.05,
                  .help = "What another asks for a million tokens written. 0.60 is an invented price."},
    [KNOB_API_INPUT] = {"api_input_price", "input bought at", .unit = "$/Mtoken", .kind = KNOB_LINEAR, .lo = 0, .hi = 1e6, .start = 0, .step = 0.05,
                        .help = "What another asks for a million tokens read. 0 compares as the chapter does, by tokens written alone."},
    [KNOB_REQUESTS] = {"requests", "requests a s", .unit = "1", .kind = KNOB_LINEAR, .lo = 0.01, .hi = 1e6, .start = 10, .step = 0.5,
                       .help = "Requests a second, from many who know nothing of each other: at random moments."},
    [KNOB_SERVICE] = {"service", "service time", .unit = "s", .kind = KNOB_LOG2, .lo = 1e-6, .hi = 1e4, .start = 0.064,
                      .help = "What one request takes once it is served. 64 ms is the chapter's search query on one CPU."},
    [KNOB_VARIETY] = {"variety", "it varies by", .unit = "%", .kind = KNOB_LINEAR, .lo = 0, .hi = 1, .start = 0, .step = 0.05,
                      .help = "Standard deviation of the service time over its mean. 0: all take the same. 100 %: as lengths of answers do."},
    [KNOB_SERVERS] = {"servers", "servers", COUNT(1, ARRIVAL_SERVERS, 1), .help = "Servers, or places in one that are served side by side."},
    [KNOB_ONE_QUEUE] = {"one_queue", "one queue", SWITCH_START(0),
                        .help = "One queue for all servers. Off: one each, and requests are dealt out at random."},
    [KNOB_CLIENTS] = {"clients", "clients", COUNT(1, ARRIVAL_CLIENTS, 1),
                      .help = "The other way to test: so many clients, each asking again once it is answered. They never let a queue grow."},
    [KNOB_SIMULATED] = {"simulated", "simulated", COUNT(100, 20000, 10000), .help = "How many requests are simulated each way. One in a thousand needs thousands."},
    [KNOB_SEED] = {"seed", "seed", .unit = "n", .kind = KNOB_LINEAR, .lo = 0, .hi = 4294967295.0, .start = 1, .whole = true, .step = 1,
                   .help = "Start of the random numbers: the same seed gives the same. In diagnose it draws the hidden fault."},
    [KNOB_EMBED_PARAMS] = {"embed_params", "parameters", COUNT(1e3, 1e13, 100e6), .help = "Parameters of the model that turns text into a vector."},
    [KNOB_EMBED_TOKENS] = {"embed_tokens", "tokens a query", COUNT(1, 1e6, 16), .help = "Tokens of one question. Each costs two FLOP a parameter."},
    [KNOB_EMBED_RATE] = {"embed_rate", "queries a s", .unit = "1", .kind = KNOB_LINEAR, .lo = 0, .hi = 1e7, .start = 10, .step = 1,
                         .help = "Questions a second, at random moments."},
    [KNOB_EMBED_SERVERS] = {"embed_servers", "servers", COUNT(1, 65536, 2), .help = "Servers without an accelerator that share the questions, each with a line of its own."},
    [KNOB_EMBED_BUDGET] = {"embed_budget", "95 % within", .unit = "s", .kind = KNOB_LINEAR, .lo = 1e-4, .hi = 1e4, .start = 0.2, .step = 0.01,
                           .help = "Nineteen of twenty questions must be embedded within this time. 200 ms is our example."},
    [KNOB_CHUNKS] = {"chunks", "chunks to index", COUNT(1, 1e12, 1e6), .help = "Pieces of text that are embedded anew when the model changes."},
    [KNOB_CHUNK_TOKENS] = {"chunk_tokens", "tokens a chunk", COUNT(1, 1e6, 512), .help = "Tokens of one piece of text."},
    [KNOB_REINDEX_WITHIN] = {"reindex_within", "index ready in", .unit = "s", .kind = KNOB_LINEAR, .lo = 60, .hi = 1e9, .start = 86400, .step = 3600,
                             .help = "How long embedding all chunks may take. A day is our example."},
    [KNOB_REINDEX_EVERY] = {"reindex_every", "once in", .unit = "s", .kind = KNOB_LINEAR, .lo = 60, .hi = 1e9, .start = 2592000, .step = 86400,
                            .help = "How often all chunks are embedded anew. 30 days is our example; with the work it makes the duty cycle."},
    [KNOB_HIRE] = {"hire", "may hire", SWITCH_START(1), .help = "Whether an accelerator may be hired by the hour. Off: own rooms, or no quota."},
    [KNOB_HOST_MEMORY] = {"host_memory", "server memory", .unit = "byte", .kind = KNOB_LOG2, .lo = 1e6, .hi = 1e15, .start = 64e9,
                          .help = "Memory of one server. 64 GB is our example."},
    [KNOB_HOST_BANDWIDTH] = {"host_bandwidth", "server's rate", .unit = "byte/s", .kind = KNOB_LOG2, .lo = 1e6, .hi = 1e15, .start = 100e9,
                             .help = "Bytes a second that a server reads from its memory. 100 GB/s is our example."},
    [KNOB_PRICE_RATIO] = {"price_ratio", "accelerator costs", .unit = "x", .kind = KNOB_LINEAR, .lo = 0.1, .hi = 10000, .start = 20, .step = 1,
                          .help = "So many times what a server costs, for the same time. 20 is our example: put in your own prices."},
    [KNOB_TUNE_PARAMS] = {"tune_params", "parameters", COUNT(1e3, 1e14, 7e9), .help = "Parameters of the model to be trained further."},
    [KNOB_TUNE_TOKENS] = {"tune_tokens", "tokens in all", COUNT(1, 1e16, 5e8), .help = "Tokens it is trained on, all rounds counted. 500 million is our example."},
    [KNOB_TUNE_WITHIN] = {"tune_within", "ready within", .unit = "s", .kind = KNOB_LINEAR, .lo = 60, .hi = 1e9, .start = 86400, .step = 3600,
                          .help = "How long the training may take. A day is our example."},
    [KNOB_TUNE_USE] = {"tune_use", "share of peak", .unit = "%", .kind = KNOB_LINEAR, .lo = 0.01, .hi = 1, .start = 0.4, .step = 0.01,
                       .help = "Share of the peak that training reaches: 0.40 to 0.55 was published for large models; 0.40 is our assumption."},
    [KNOB_TUNE_STEP] = {"tune_step", "tokens a step", COUNT(1, 1e9, 65536), .help = "Tokens between two updates, all devices together: what crosses the links does so once a step. 65536 is our example."},
    [KNOB_JAX] = {"jax", "written for XLA", SWITCH_START(0), .help = "The training program runs on JAX or another road to XLA, as a TPU needs."},
    [KNOB_GOOGLE] = {"google", "Google's cloud", SWITCH_START(0), .help = "It may run in Google's cloud: TPUs are nowhere else."},
    [KNOB_TICKET_PARAMS] = {"ticket_params", "parameters", COUNT(1e3, 1e13, 5e6), .help = "Parameters of the model that sorts tickets."},
    [KNOB_TICKET_TOKENS] = {"ticket_tokens", "tokens a ticket", COUNT(1, 1e6, 64), .help = "Tokens of one ticket."},
    [KNOB_TICKET_RATE] = {"ticket_rate", "tickets a s", .unit = "1", .kind = KNOB_LINEAR, .lo = 0, .hi = 1e7, .start = 20, .step = 1,
                          .help = "Tickets a second, one by one at random moments. 20 is our example."},
    [KNOB_TICKET_BUDGET] = {"ticket_budget", "95 % within", .unit = "s", .kind = KNOB_LINEAR, .lo = 1e-4, .hi = 1e4, .start = 0.03, .step = 0.001,
                            .help = "Nineteen of twenty tickets must be sorted within this time."},
    [KNOB_TICKET_SERVERS] = {"ticket_servers", "servers", COUNT(1, 65536, 1), .help = "Replicas of the classifier on servers without an accelerator, each with a line of its own."},
    [KNOB_EDGE_PARAMS] = {"edge_params", "parameters", COUNT(1e3, 1e12, 3e6), .help = "Parameters of the model that runs on the device in the hand."},
    [KNOB_EDGE_DTYPE] = {"edge_dtype", "CPU's data type", CHOICE_START(DTYPE_FP32), .list = CHOICE_DTYPE,
                         .help = "How the weights are stored when the device's CPU runs the model. The NPU takes int8 alone."},
    [KNOB_EDGE_ROOM] = {"edge_room", "room for it", .unit = "byte", .kind = KNOB_LOG2, .lo = 1e3, .hi = 1e12, .start = 8e6,
                        .help = "Memory that the device can spare for the weights. 8 MB is our example."},
    [KNOB_EDGE_RATE] = {"edge_rate", "answers a s", .unit = "1", .kind = KNOB_LINEAR, .lo = 0.01, .hi = 1e5, .start = 15, .step = 1,
                        .help = "Answers a second it must give, one after the other, as for the frames of a camera. 15 is our example."},
    [KNOB_EDGE_OPS] = {"edge_ops", "operations", COUNT(1, 10000, 20), .help = "Operations the model is a chain of. 20 is our example."},
    [KNOB_FALLBACKS] = {"fallbacks", "not supported", .unit = "n", .kind = KNOB_LINEAR, .lo = 0, .hi = 10000, .start = 0, .whole = true, .step = 1,
                        .help = "Operations the NPU does not know. No error: each runs on the CPU, and the data cross over and back."},
    [KNOB_NPU_OP] = {"npu_op", "NPU, one of them", .unit = "s", .kind = KNOB_LINEAR, .lo = 1e-7, .hi = 10, .start = 0.4e-3, .step = 0.1e-3,
                     .help = "What an operation takes on the NPU. 0.4 ms is our example."},
    [KNOB_CPU_OP] = {"cpu_op", "CPU, one of them", .unit = "s", .kind = KNOB_LINEAR, .lo = 1e-7, .hi = 10, .start = 2e-3, .step = 0.1e-3,
                     .help = "What an operation takes on the device's CPU, whatever the data type. 2 ms is our example."},
    [KNOB_CROSSING] = {"crossing", "a crossing", .unit = "s", .kind = KNOB_LINEAR, .lo = 0, .hi = 10, .start = 1.5e-3, .step = 0.1e-3,
                       .help = "What it takes to hand the data from NPU to CPU or back. 1.5 ms is our example."},
    [KNOB_SUSTAINED] = {"sustained", "speed when warm", .unit = "%", .kind = KNOB_LINEAR, .lo = 0.05, .hi = 1, .start = 0.7, .step = 0.05,
                        .help = "Share of its first speed that the device keeps once it is warm. 70 % is our example: measure yours for minutes."},
    [KNOB_NPU_POWER] = {"npu_power", "NPU's power", .unit = "W", .kind = KNOB_LINEAR, .lo = 0.001, .hi = 1000, .start = 2, .step = 0.5, .help = "What it draws while the NPU works. 2 W is our example."},
    [KNOB_CPU_POWER] = {"cpu_power", "CPU's power", .unit = "W", .kind = KNOB_LINEAR, .lo = 0.001, .hi = 1000, .start = 4, .step = 0.5, .help = "What it draws while the CPU works or data cross. 4 W is our example."},
    [KNOB_BATTERY] = {"battery", "battery", .unit = "J", .kind = KNOB_LINEAR, .lo = 1, .hi = 1e9, .start = 36000, .step = 3600,
                      .help = "What the battery gives for this. 36 kJ, which are 10 Wh, is our example."},
    [KNOB_LIFE] = {"battery_life", "must last", .unit = "s", .kind = KNOB_LINEAR, .lo = 60, .hi = 1e9, .start = 28800, .step = 3600, .help = "How long it must run from one charge. 8 h is our example."},
    [KNOB_OFFLINE] = {"offline", "works offline", SWITCH_START(1), .help = "Whether it must work without a network."},
    [KNOB_NETWORK] = {"network", "network", .unit = "s", .kind = KNOB_LINEAR, .lo = 0, .hi = 100, .start = 0.05, .step = 0.01,
                      .help = "What a question takes to a server and back. 50 ms is our example."},
    [KNOB_PART] = {"part", "part", .unit = "n", .kind = KNOB_LINEAR, .lo = 1, .hi = 10, .start = 8, .whole = true, .step = 1,
                   .help = "The part of the assistant under the hand, in the order a question passes them."},
    [KNOB_ACCELERATED] = {"accelerated", "own placing", .unit = "", .kind = KNOB_TEXT, .start = 0, .slot = SLOT_ACCELERATED,
                          .help = "The parts placed on the accelerator, by number, as 4,8. An arrow moves the part under the hand. Until set: the answer model alone."},
    [KNOB_PART_TIME] = {"part_time", "each small part", .unit = "s", .kind = KNOB_LINEAR, .lo = 0, .hi = 100, .start = 0.005, .step = 0.001,
                        .help = "What a part takes that decides, looks up or writes down. 5 ms is our example."},
    [KNOB_ANSWER_WITHIN] = {"answer_within", "answer within", .unit = "s", .kind = KNOB_LINEAR, .lo = 0.01, .hi = 1e5, .start = 5, .step = 0.5,
                            .help = "When the whole answer must be there. 5 s is our example."},
    [KNOB_ANSWER] = {"answer", "answer", CHOICE_START(0), .list = CHOICE_ANSWER,
                     .help = "What you think is wrong. Once it is given the fault is named, and why it is that and not what looks like it."},
    [KNOB_SURE] = {"sure", "sure", SWITCH_START(1),
                   .help = "Whether the answer counts. An arrow on the answer takes this back, so that walking through the answers gives nothing away."},
    [KNOB_PROBE_DEVICE] = {"probe_device", "probe: device", SWITCH_START(0), .help = "Costs 1: whether the device is listed, seen by the framework, and computes. What is spent stays spent."},
    [KNOB_PROBE_MEMORY] = {"probe_memory", "probe: memory", SWITCH_START(0), .help = "Costs 1: memory allocated and in use over time. What is spent stays spent."},
    [KNOB_PROBE_CLOCKS] = {"probe_clocks", "probe: clocks", SWITCH_START(0), .help = "Costs 1: clock, heat, power and throughput over time. What is spent stays spent."},
    [KNOB_PROBE_HOST] = {"probe_host", "probe: host", SWITCH_START(0), .help = "Costs 2: cores, loaders, storage and the queue before the device. What is spent stays spent."},
    [KNOB_PROBE_COPIES] = {"probe_copies", "probe: copies", SWITCH_START(0), .help = "Costs 2: how many copies a step, how large, and how busy the link is. What is spent stays spent."},
    [KNOB_PROBE_TRACE] = {"probe_trace", "probe: trace", SWITCH_START(0), .help = "Costs 3: one step kernel by kernel; the service stops for it. What is spent stays spent."},
    [KNOB_PROBE_REQUESTS] = {"probe_requests", "probe: requests", SWITCH_START(0), .help = "Costs 1: how many requests come, how long they are, how many share a step. What is spent stays spent."},
    [KNOB_PROBE_PROVIDER] = {"probe_provider", "probe: provider", SWITCH_START(0), .help = "Costs 1: quota, devices free in the region, notices. What is spent stays spent."},
    [KNOB_SEE_DEVICE] = {"see_device", "1. device", CHOICE_START(0), .list = CHOICE_SEE_DEVICE, .help = "The system does not list it, the framework does not see it, a trivial kernel fails, or it computes."},
    [KNOB_SEE_MEMORY] = {"see_memory", "2. memory", CHOICE_START(0), .list = CHOICE_SEE_MEMORY, .help = "As planned, more than planned, climbs in use, climbs without being in use (holes), or jumps at the end."},
    [KNOB_SEE_CLOCKS] = {"see_clocks", "3. clock", CHOICE_START(0), .list = CHOICE_SEE_CLOCKS, .help = "At its full value, low from the start, or falling."},
    [KNOB_SEE_BUSY] = {"see_busy", "4. time busy", CHOICE_START(0), .list = CHOICE_SEE_BUSY, .help = "Share of time in which anything runs on the device: below or above 70 %."},
    [KNOB_SEE_PEAK] = {"see_peak", "4. of peak", CHOICE_START(0), .list = CHOICE_SEE_PEAK, .help = "Share of the arithmetic peak, against what it reaches when all is well: below or above 70 %."},
    [KNOB_SEE_HOST] = {"see_host", "4. host", CHOICE_START(0), .list = CHOICE_SEE_HOST, .help = "Cores at work, loaders waiting for storage, loaders blocked because the queue is full, or nothing to do."},
    [KNOB_SEE_COPIES] = {"see_copies", "5. copies", CHOICE_START(0), .list = CHOICE_SEE_COPIES, .help = "In each step: few; very many small ones; large ones; or many back and forth (shuttle)."},
    [KNOB_PHASE] = {"phase", "phase", CHOICE_START(PHASE_DECODE), .list = CHOICE_PHASE,
                    .help = "prefill: a whole prompt at once. decode: one token for each sequence. training: all tokens, forward and backward."},
    [KNOB_FIX] = {"fix", "try a fix", CHOICE_START(FIX_NONE), .list = CHOICE_FIX,
                  .help = "One thing done about it: every picture then shows the work as it would be."},
    [KNOB_OPERATION] = {"operation", "pick, by time", .unit = "n", .kind = KNOB_LINEAR, .lo = 1, .hi = OPERATIONS_MAX, .start = 1, .whole = true,
                        .step = 1, .help = "The operation looked at: 1 takes the most time, 2 the next."},
    [KNOB_FASTER] = {"faster", "made faster", .unit = "x", .kind = KNOB_LOG2, .lo = 1, .hi = 1e6, .start = 2,
                     .help = "So many times faster the picked operation is made. The others take as long as before."},
    [KNOB_SHARE] = {"share", "its share", .unit = "%", .kind = KNOB_LINEAR, .lo = 0, .hi = 1, .start = FOLLOWS, .step = 0.01,
                    .help = "Share of the time that is made faster. The picked operation's until set."},
    [KNOB_FUSED] = {"fused", "fused", SWITCH_START(0),
                    .help = "Norms, sums and activations are done while a product's numbers are at hand, and scores never leave the chip."},
    [KNOB_MASKED] = {"masked", "skip the mask", SWITCH_START(0),
                     .help = "Count only scores of tokens before: half a square. Off: the full square, as most published counts have it."},
    [KNOB_LINE_USE] = {"line_use", "of lines used", .unit = "%", .kind = KNOB_LINEAR, .lo = 0.01, .hi = 1, .start = 1, .step = 0.05,
                       .help = "Share of every fetched line of activations and cache that is used: 1 when they lie in the order they are read in."},
    [KNOB_UPDATE] = {"update", "the update too", SWITCH_START(0),
                     .help = "Count the optimizer as well: it reads and writes each parameter's copies and moments once a step, as the recipe has them."},
    [KNOB_RECOMPUTE] = {"recompute", "recompute", SWITCH_START(0),
                        .help = "Training: keep only what goes into each layer and compute the rest again on the way back: less memory, a third more arithmetic."},
    [KNOB_VIEW] = {"view", "view", CHOICE_START(0), .list = CHOICE_VIEW, .help = "Which of this scene's pictures is shown."},
    [KNOB_SECONDS] = {"seconds", "run for", .unit = "s", .kind = KNOB_LOG2, .lo = 0.125, .hi = 3600, .start = FOLLOWS,
                      .help = "How long a measurement goes on, whatever its spread. 60 s for a sustained run, else 2 s, until set."},
    [KNOB_SAMPLES] = {"samples", "samples", .unit = "", .kind = KNOB_TEXT, .start = 0, .slot = SLOT_SAMPLES,
                      .help = "A file of points that other programs measured: JSON lines of name, flop, byte and s, what llama-bench -o json "
                              "or likwid-bench prints, or ridge time. Each gets a letter."},
    [KNOB_PICK] = {"pick", "pick a point", .unit = "n", .kind = KNOB_LINEAR, .lo = 0, .hi = FOREIGN_MAX, .start = 0, .whole = true, .step = 1,
                   .help = "The one sample shown alone, with its figures: 1 is A, 2 is B. 0 shows all."},
    [KNOB_WHY] = {"why", "why here", SWITCH_START(0), .hidden = true,
                  .help = "Lists what was checked about the point, and what that says of where it stands."},
    [KNOB_DETAIL] = {"detail", "detail", .unit = "n", .kind = KNOB_LINEAR, .lo = 1, .hi = 3, .start = 1, .whole = true, .hidden = true, .step = 1,
                     .help = "1 first things, 2 all roofs and facts, 3 formulas with live numbers."},
    [KNOB_GUESS] = {"guess", "guess", .unit = "", .kind = KNOB_LOG2, .lo = 1e-18, .hi = 1e24, .start = FOLLOWS, .hidden = true,
                    .help = "A guess for the first measured fact, drawn as ? beside it."},
    [KNOB_GUESSING] = {"guessing", "guess first", SWITCH_START(0), .hidden = true, .help = "Hide the measured value until a guess is in."},
};

static const struct { const char *name; double rate; } link_table[] = {
    {"custom", NAN}, {"pcie3-x16", 15.75e9}, {"pcie4-x16", 31.5e9}, {"pcie5-x16", 63e9}, {"ethernet-100g", 12.5e9}, {"nvlink-c2c", 450e9},
};

double link_preset_rate(int i) { return link_table[i].rate; }
const char *link_preset_name(int i) { return link_table[i].name; }
int link_preset_count(void) { return (int)(sizeof link_table / sizeof *link_table); }

static const char *const prepare_word[] = {"images", "text", "requests"};
static const char *const side_word[] = {"figures", "words", "sources"};
static const char *const rates_word[] = {"chapter", "device"};

const char *view_name(enum view_id v) {
  static const char *const name[VIEW_N] = {"first",     "spread", "async",  "sustained", "small",  "levels",
                                           "staircase", "stride", "chains", "tile",      "fusion", "attention",
                                           "table",     "plot",   "balance", "card",     "peak",   "cpu",  "twins", "choose",
                                           "storage",   "bits",   "line",   "accumulate", "gradients", "scale",
                                           "workers",   "queue",  "items",  "lanes", "trip", "devices",
                                           "record",    "cost",   "arrival",
                                           "embedding", "finetune", "classifier", "edge", "summary", "placement",
                                           "game",    "checklist", "faults",
                                           "list",      "roof",   "count",  "fix",       "grow",   "conv", "block"};
  return name[v];
}

int choice_count(const struct world *w, enum choice list) {
  switch (list) {
  case CHOICE_DEVICE: return w->ndevice;
  case CHOICE_COMPARE: return w->ndevice + 1;
  case CHOICE_MODEL: return w->nmodel;
  case CHOICE_OP: return OP_SCENE_N;
  case CHOICE_DTYPE: return DTYPE_N;
  case CHOICE_MATH: return DTYPE_N + 1;
  case CHOICE_ISA: return ISA_N;
  case CHOICE_RUNG: return RUNG_N;
  case CHOICE_LINK: return link_preset_count();
  case CHOICE_RESIDENT: return RESIDENT_N;
  case CHOICE_RATES: return 2;
  case CHOICE_USE: return USE_N;
  case CHOICE_RECIPE: return RECIPE_N;
  case CHOICE_FAMILY: return FAMILY_N + 1;
  case CHOICE_SORT: return SORT_N;
  case CHOICE_SIDE: return SIDE_N;
  case CHOICE_SPECIAL: return SPECIAL_N;
  case CHOICE_FORMAT: return CODING_N;
  case CHOICE_ACCUMULATOR: return CODING_N + 1;
  case CHOICE_GRAIN: return GRAIN_N;
  case CHOICE_STORED: return PACKING_N;
  case CHOICE_ANSWER: return FAULT_N + 1;
  case CHOICE_SEE_DEVICE:
  case CHOICE_SEE_MEMORY:
  case CHOICE_SEE_CLOCKS:
  case CHOICE_SEE_BUSY:
  case CHOICE_SEE_PEAK:
  case CHOICE_SEE_HOST:
  case CHOICE_SEE_COPIES: return sign_count((enum sign)(list - CHOICE_SEE_DEVICE));
  case CHOICE_PHASE: return PHASE_N;
  case CHOICE_FIX: return FIX_N;
  case CHOICE_PREPARE: return PREPARE_N;
  case CHOICE_SPLIT: return SPLIT_N;
  case CHOICE_VIEW: return VIEW_N;
  case CHOICE_NONE: break;
  }
  return 0;
}

const char *choice_key(const struct world *w, enum choice list, int i) {
  if (i < 0 || i >= choice_count(w, list)) return "";
  switch (list) {
  case CHOICE_DEVICE: return w->device[i].id;
  case CHOICE_COMPARE: return i == 0 ? "none" : w->device[i - 1].id;
  case CHOICE_MODEL: return w->model[i].id;
  case CHOICE_OP: return op_name((enum op)i);
  case CHOICE_DTYPE: return dtype_name((enum dtype)i);
  case CHOICE_MATH: return i == 0 ? "auto" : dtype_name((enum dtype)(i - 1));
  case CHOICE_ISA: return isa_name((enum isa)i);
  case CHOICE_RUNG: return rung_name((enum rung)i);
  case CHOICE_LINK: return link_preset_name(i);
  case CHOICE_RESIDENT: return resident_name((enum resident)i);
  case CHOICE_RATES: return rates_word[i];
  case CHOICE_USE: return use_name((enum use)i);
  case CHOICE_RECIPE: return recipe_name((enum recipe)i);
  case CHOICE_FAMILY: return i == 0 ? "all" : family_name((enum family)(i - 1));
  case CHOICE_SORT: return sort_name((enum sort)i);
  case CHOICE_SIDE: return side_word[i];
  case CHOICE_SPECIAL: return special_name((enum special)i);
  case CHOICE_FORMAT: return coding_name((enum coding)i);
  case CHOICE_ACCUMULATOR: return i == 0 ? "same" : coding_name((enum coding)(i - 1));
  case CHOICE_GRAIN: return grain_name((enum grain)i);
  case CHOICE_STORED: return packing_name((enum packing)i);
  case CHOICE_ANSWER: return i == 0 ? "none" : fault_key((enum fault)(i - 1));
  case CHOICE_SEE_DEVICE:
  case CHOICE_SEE_MEMORY:
  case CHOICE_SEE_CLOCKS:
  case CHOICE_SEE_BUSY:
  case CHOICE_SEE_PEAK:
  case CHOICE_SEE_HOST:
  case CHOICE_SEE_COPIES: return sign_word((enum sign)(list - CHOICE_SEE_DEVICE), i);
  case CHOICE_PHASE: return phase_name((enum phase)i);
  case CHOICE_FIX: return fix_name((enum fix)i);
  case CHOICE_PREPARE: return prepare_word[i];
  case CHOICE_SPLIT: return split_name((enum split)i);
  case CHOICE_VIEW: return view_name((enum view_id)i);
  case CHOICE_NONE: break;
  }
  return "";
}

int choice_find(const struct world *w, enum choice list, const char *key) {
  int n = choice_count(w, list);
  for (int i = 0; i < n; i++)
    if (strcmp(choice_key(w, list, i), key) == 0) return i;
  return -1;
}

int knob_find(const char *key) {
  for (int i = 0; i < KNOB_N; i++)
    if (strcmp(knob_table[i].key, key) == 0) return i;
  return -1;
}

const char *knob_text(const struct setup *s, int knob) { return s->set[knob] ? s->text[knob_table[knob].slot] : ""; }

static double knob_high(const struct world *w, const struct knob *k) {
  if (k == &knob_table[KNOB_PICK]) return w->nforeign; /* no further than there are samples */
  return k->kind == KNOB_CHOICE ? choice_count(w, k->list) - 1 : k->hi;
}

double knob_clamp(const struct world *w, int knob, double v) {
  const struct knob *k = &knob_table[knob];
  if (k->kind == KNOB_TEXT) return 0;
  if (isnan(v)) return isnan(k->start) ? NAN : k->lo;
  if (k->whole) v = round(v);
  double hi = knob_high(w, k);
  return v < k->lo ? k->lo : v > hi ? hi : v;
}

double knob_step(const struct world *w, int knob, double v, int direction, bool coarse) {
  const struct knob *k = &knob_table[knob];
  if (k->kind == KNOB_TEXT) return 0;
  if (k->kind == KNOB_SWITCH) return v > 0.5 ? 0 : 1;
  if (k->kind == KNOB_CHOICE) { /* around the end: a list has no edge to get stuck at */
    int n = choice_count(w, k->list), i = (int)v + direction * (coarse ? 8 : 1);
    if (coarse) return knob_clamp(w, knob, i);
    return n > 0 ? (i + n) % n : 0;
  }
  if (isnan(v)) v = k->lo;
  if (k->kind == KNOB_LINEAR) return knob_clamp(w, knob, (round(v / k->step) + direction * (coarse ? 10 : 1)) * k->step);
  /* To the next power of two, times what a coarse step skips; a value between two powers goes to the nearer one in that direction. */
  double e = log2(v), next = direction > 0 ? floor(e + 1e-9) + (coarse ? 4 : 1) : ceil(e - 1e-9) - (coarse ? 4 : 1);
  return knob_clamp(w, knob, exp2(next));
}
