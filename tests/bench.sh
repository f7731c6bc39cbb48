#!/usr/bin/env bash
# make bench: what the terminal program costs, and what the kernels reach on this machine. A table on stdout, the same as JSON in
# build/bench.json. Nothing here is tested: times belong to one machine at one moment. `RIDGE_BENCH_IDLE_S=60` for the long idle watch.
cd "$(dirname "$0")/.." || exit 1
json=build/bench.json
state=$(mktemp -d) || exit 1
trap 'rm -rf "$state"' EXIT
export XDG_STATE_HOME="$state"

echo "ridge bench: $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo 2>/dev/null | head -n 1), $(nproc 2>/dev/null || echo '?') CPUs, load $(cut -d' ' -f1 /proc/loadavg 2>/dev/null), $(date -u +%Y-%m-%dT%H:%MZ)"
echo
build/release/tests/bench_screen >"$state/screen" || exit 1
printf '%-50s %12s %-6s %s\n' 'the program on the terminal' value unit target
sed -E 's/^\{"what":"(.*)","value":([^,]*),"unit":"(.*)","target":"(.*)"\}$/\1\t\2\t\3\t\4/' "$state/screen" |
  awk -F'\t' '{ printf "%-50s %12s %-6s %s\n", $1, $2, $3, $4 }'

echo
./ridge measure --json >"$state/machine" 2>/dev/null || exit 1
./ridge measure || exit 1
bash tests/bench_passes.sh "$state/machine" "$state/passes"

# One kernel: its median time, the FLOP and bytes it says it did (a slow rung does a slab of the rows), and the roof that the roofline scene
# draws over it.
kernel() { # NAME key=value…
  local name=$1 most flop byte time spread
  shift
  ./ridge bench "$name" "$@" seconds=1 >"$state/lines" 2>/dev/null
  field() { grep "\"kind\":\"$1\"" "$state/lines" | tail -n 1 | sed -nE "s/.*\"$2\":([^,}]*).*/\1/p"; }
  time=$(field result median) spread=$(field result spread) flop=$(field sample flop) byte=$(field sample byte)
  [ -n "$time" ] && [ -n "$flop" ] || { printf '%-44s %s\n' "$name $*" refused; return; }
  most=$(./ridge print roofline device=here op="$name" "$@" --csv 2>/dev/null | awk -F, '$1 == "attainable_flop_per_s" { print $2 }')
  awk -v n="$name $*" -v t="$time" -v s="$spread" -v f="$flop" -v b="$byte" -v a="$most" 'BEGIN {
    printf "%-44s %9.2f %9.2f %9.2f %6.1f %% %6.2f %%\n", n, f / t / 1e9, b / t / 1e9, a / 1e9, 100 * f / t / a, 100 * s }'
  printf '{"kernel":"%s","knobs":"%s","time":%s,"spread":%s,"flop":%s,"byte":%s,"at_most":%s}\n' "$name" "$*" "$time" "$spread" "$flop" "$byte" "${most:-null}" >>"$state/kernels"
}
echo
printf '%-44s %9s %9s %9s %8s %8s\n' kernel GFLOP/s GB/s 'at most' 'of roof' spread
for batch in 1 4 16 64 256; do kernel weights batch=$batch; done
for n in 256 512 1024 2048; do kernel matmul n=$n; done
for rung in plain reordered tiled vectorised all-cores; do kernel matmul n=1024 rung=$rung; done
for op in dot add saxpy relu layernorm softmax depthwise attention attention_fused; do kernel $op; done
for fma in 1 16 256; do kernel dial fma=$fma; done
for chain in 1 8 64; do kernel chain chain=$chain; kernel chain_fused chain=$chain; done

bash tests/bench_compare.sh "$state/compare"

{
  printf '{"screen":[%s],\n' "$(paste -sd, "$state/screen")"
  printf '"machine":[%s],\n' "$(paste -sd, "$state/machine")"
  printf '"passes":[%s],\n' "$(paste -sd, "$state/passes")"
  printf '"kernels":[%s],\n' "$(paste -sd, "$state/kernels")"
  printf '"compared":[%s]}\n' "$(paste -sd, "$state/compare")"
} >"$json"
echo
echo "as JSON: $json"
