#include "scenes/references.h"

#include <stddef.h>

const char *reference_kind_name(enum reference_kind k) {
  static const char *const name[] = {"two readings", "source", "tool", "topic"};
  return k < REFERENCE_N ? name[k] : "";
}

#define READING(scene, title, words, ...)                                                                                                  \
  {                                                                                                                                        \
    REFERENCE_READING, scene, title, words, { __VA_ARGS__ }                                                                                \
  }
#define SOURCE(scene, title, words)                                                                                                        \
  {                                                                                                                                        \
    REFERENCE_SOURCE, scene, title, words, { NULL, NULL }                                                                                  \
  }
#define TOOL(title, words)                                                                                                                 \
  {                                                                                                                                        \
    REFERENCE_TOOL, NULL, title, words, { NULL, NULL }                                                                                     \
  }
#define TOPIC(title, words)                                                                                                                \
  {                                                                                                                                        \
    REFERENCE_TOPIC, NULL, title, words, { NULL, NULL }                                                                                    \
  }

const struct reference reference_table[] = {
    /* ---- where the chapter can be read in two ways ---- */
    READING("decode", "about 240, and 239.3", "A bound that is rounded up is none. It is shown with its digits, never above itself.",
            "token_rate", NULL),
    READING("decode", "143, and 142.857", "The chapter rounds its bound to whole tokens; the fact keeps the digits.", "token_rate", NULL),
    READING(
        "decode", "with activations or without",
        "The intensity counts the bytes of activations, the step that is usually quoted beside it does not. Turn activations on or off: "
        "both then go together.",
        "arithmetic_intensity", "step_time"),
    READING("decode", "exactly twice, or nearly",
            "With twice the memory speed the step halves when it hides the arithmetic, and a little less when it does not.", "step_time",
            "step_time_upper"),
    READING("decode", "attention's own arithmetic",
            "Two operations a parameter leave out what attention does over the context: about one for each byte of cache at 16 bit. layers "
            "counts it apart.",
            "flop", "kv_byte"),
    READING("decode", "the cache of one token",
            "Half a MiB a token is that of 32 layers 4096 wide with a key and a value for each head, our assumption beside the round "
            "model; with "
            "model= it is the model's own.",
            "kv_byte", "ridge_context"),
    READING("hierarchy", "ten times a level?",
            "The rule of thumb does not hold for the figures beside it: the least and the largest step are shown instead.", "order_claim",
            "speed_step_most"),
    READING("hierarchy", "both ways, or each way",
            "A link between devices is advertised with both directions added up, a link to the host with one. Compare only like with like.",
            "peer_link_byte_per_s", "peer_link_both_byte_per_s"),
    READING("hierarchy", "228 kB, or 228 KiB",
            "A multiprocessor's memory is printed in units of 1024 and read here as powers of ten, as vendors print it. One block can use "
            "less.",
            "level_byte", NULL),
    READING("machines", "half the speed?",
            "A laptop's memory has half the rate of one graphics card, four fifths of another machine's, a sixth of a data centre's: which "
            "two are compared decides. view=twins compares any two.",
            "twin_rate_ratio", NULL),
    READING("machines", "makers against themselves",
            "The chapter has 1640 GB/s for a TPU v6e, its maker's page 1638: the file has the maker's, each figure with source and date.",
            "memory_byte_per_s", "rate_from"),
    READING("roofline", "two utilisations",
            "Busy says that some work is resident, share of peak how much of the machine it uses. Neither is called utilisation here; both "
            "stand "
            "beside every measured point.",
            "cores_busy", "of_arithmetic"),
    READING("reuse", "attention: 62, or 2048",
            "The intensity of attention depends on whether its scores are written out: apart and fused are shown together.",
            "attention_intensity", "attention_fused_intensity"),
    READING("reuse", "least bytes, or moved bytes",
            "Each matrix once is the least that any cache allows; tiles move about 2·n³/T elements.", "tile_least_byte", "tile_byte"),
    READING("offload", "on the link: 89 % or 95 %", "Bytes over bandwidth alone, or with the fixed cost of each copy.", "link_share",
            "moving_share"),
    READING("offload", "a thousand, or 38 times",
            "The arithmetic alone, or from end to end. The chapter has two more: 400 for the rates of its first case, and a hundred for a "
            "silent fall back to the CPU, which it does not derive.",
            "kernel_speedup", "speedup"),
    READING("offload", "assumed rates differ",
            "The chapter's CPU has a peak of 768 GFLOP/s, delivers 100 here and 50 in its cases; its accelerator 200, 100 and 20 TFLOP/s. "
            "Each scene "
            "starts with its own section's, and never mixes them.",
            "host_flop_per_s", "device_flop_per_s"),
    READING("offload", "a CPU without memory",
            "The CPU's time has no memory term, the accelerator's has: the line is straight. device=here measures a real one, which bends.",
            "host_time", "host_measured_time"),
    READING("precision", "does the order matter?",
            "Across outputs it does not; inside one sum of rounded numbers it does: the same terms in pieces give another sum.", "sum",
            "sum_in_pieces"),
    READING("fit", "80 GB, or 80 GiB",
            "Sheets say GB. Capacities are read as powers of ten; both units are shown, and a part that meant GiB holds 7 % more.",
            "headroom_byte", "headroom_byte_meant"),
    READING("precision", "smaller, and faster by more",
            "Of compressed weights a size cut of 5.7 to 31.4 % is reported, and up to 36 % less time. The largest cut alone gives 1.46 "
            "times the "
            "speed, 36 % less time is 1.56 times: they were held against different things, and are no chain. stored=free bits=3.89 shows "
            "what the bytes "
            "alone give.",
            "bits_per_weight", "token_rate_over_bf16"),
    READING("layers", "rare by count, or by time",
            "Operations that calculate are few by count; by arithmetic, and in a large batch by time, they are nearly all. Both shares "
            "stand side "
            "by side.",
            "memory_count_share", "memory_share"),
    READING("cases", "two servers, or one", "One already serves ten a second, busy two thirds of the time; the second is for the wait.",
            "embed_busy", "embed_sojourn"),
    READING("cases", "half of 30 ms",
            "Half the target is still longer than the service alone takes: only waiting breaks it. And no p95 follows from a mean without "
            "saying how "
            "requests arrive; at random, here.",
            "ticket_host_time", "ticket_p95"),
    READING("cases", "23.70 days, or 23.73", "From 2.048 s a chunk; from the rounded 2.05 s it would be 23.73.", "bulk_host_chunk",
            "bulk_host_total"),
    READING("cases", "0.16 ms, or 0.198", "The arithmetic alone, or with the fixed costs of the link's section.", "embed_device_compute",
            "embed_device_time"),
    READING("cases", "what the page has lost",
            "The table of decisions and the map of the assistant are missing from it: those shown are rebuilt, and ours.", "embed_decision",
            "part_belongs"),
    READING("lab", "10.7 ms, and 38 ms",
            "The mean between tokens follows from throughput and batch; a p95 of more than three times that is possible, and asks for a "
            "reason. So does "
            "memory that neither weights nor cache explain.",
            "mean_token_time", "p95_over_mean"),
    READING("lab", "who pays for the prompt", "All cost on the tokens written, or spread over those read as well.", "cost_per_mtoken",
            "cost_per_mtoken_all"),
    READING("machines", "128 by 128, or 256",
            "The size of a systolic array is one generation's; that of the TPU v6e is 256 by 256, two of them. Look it up in the maker's "
            "pages.",
            NULL, NULL),
    READING(NULL, "check yourself", "The chapter's heading has no questions under it. G hides what was measured until you have guessed it.",
            NULL, NULL),

    /* ---- sources ---- */
    SOURCE("roofline", "Williams, Waterman, Patterson",
           "Roofline: an insightful visual performance model for multicore architectures. Communications of the ACM 52(4), 2009."),
    SOURCE("reuse", "Dao and others",
           "FlashAttention: fast and memory-efficient exact attention with IO-awareness. 2022, arXiv 2205.14135."),
    SOURCE("cases", "Erlang; Pollaczek, Khinchine", "Waiting for one server: the distribution for equal work, 1909; the mean, 1930 and 1932."),
    SOURCE("precision", "Micikevicius and others",
           "Mixed precision training: weights kept in fp32, passes in 16 bit. 2017, arXiv 1710.03740."),
    SOURCE("precision", "formats, a comparison",
           "From fp32 to int4, with NF4, block formats, AWQ and GPTQ: bytes a parameter, memory of 7 and 70 billion, accuracy, which "
           "hardware runs "
           "them. The table of this scene has the same rows."),
    SOURCE("precision", "LazyWeights",
           "Decode-on-demand edge LLMs: quantised codes are Huffman-coded without loss and decoded between memory and cache."),
    SOURCE("reuse", "KernelMosaic",
           "An open dataset of CUDA tasks with verified solutions and the path to each. The path taught more than the answer: so every "
           "rung of "
           "the ladder here says why it is faster."),
    SOURCE("fit", "Korthikanti and others", "Reducing activation recomputation in large transformer models. 2022, arXiv 2205.05198."),
    SOURCE("decode", "Pope and others", "Efficiently scaling transformer inference. 2022, arXiv 2211.05102."),
    SOURCE(NULL, "the chapter's date",
           "A page of 13 November 2026. Prices and sheets age: every figure has its source and date (machines, view=card)."),

    /* ---- tools to do it for real ---- */
    TOOL("CUDA Toolkit, cuDNN, cuBLAS", "Programming NVIDIA devices, and the libraries that frameworks call. Proprietary, free to use."),
    TOOL("Triton", "Fused kernels for graphics processors, written in Python. MIT."),
    TOOL("torch.compile, its profiler", "Captures the graph, fuses operations, finds the slow one. BSD-3."),
    TOOL("JAX and XLA", "TPUs and GPUs programmed through a compiler. Apache-2.0."),
    TOOL("Cloud TPU", "Google's accelerator, rented by chip or pod. Proprietary, metered."),
    TOOL("MLX and Core ML", "Training and inference on Apple's chips. MIT, and proprietary."),
    TOOL("ROCm", "AMD's stack, on which PyTorch runs. Mostly MIT."),
    TOOL("FPGA Guide", "A sister site on inference with reconfigurable hardware."),

    /* ---- topics beside this one ---- */
    TOPIC("do it for real",
          "Read of training loops and of a first network; time one loop on a CPU, on a graphics processor and with bf16 autocast, and "
          "compare; "
          "see how layout decides whether a kernel is fast (hierarchy, view=stride); fine-tune with LoRA on a machine of unified memory."),
    TOPIC("efficient ML, deployment", "Smaller models and their serving, from training to production."),
    TOPIC("scaling and serving", "Utilisation as the first measurement; serving as a discussion of memory; models on microcontrollers."),
    TOPIC("transformers, context", "Transformer basics, the context window, embeddings, fine-tuning."),
    TOPIC("infrastructure", "Inference and training infrastructure, parallel processing, AI accelerators, cost."),
    TOPIC("what the model knows", "The language model does not know the state of an order: the tool that is allowed to look does, and the "
                                  "model sees what it is given."),
    TOPIC("not shown anywhere", "Two headings of the page, Reference and Latest news, have nothing under them."),
};
const int reference_count = sizeof reference_table / sizeof *reference_table;
