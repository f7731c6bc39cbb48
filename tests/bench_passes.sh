#!/usr/bin/env bash
# Do the quick and the thorough pass agree? For make bench: each figure that both have, side by side; on a quiet machine they are within 5 %.
# $1: the lines of a quick pass (ridge measure --json). $2: where the rows go as JSON.
cd "$(dirname "$0")/.." || exit 1
quick=$1 rows=$2
thorough=$(mktemp) || exit 1
trap 'rm -f "$thorough"' EXIT
began=$(date +%s.%N)
./ridge measure --thorough --json >"$thorough" 2>/dev/null || exit 1
took=$(awk -v a="$began" -v b="$(date +%s.%N)" 'BEGIN { printf "%.1f", b - a }')
# Name, what tells it apart, value: of every figure that was measured.
figures() {
  grep '"kind":"figure"' "$1" | grep '"n":' | sed -E 's/.*"name":"([^"]*)"(.*)"value":([^,}]*).*/\1\t\2\t\3/' |
    awk -F'\t' '{ gsub(/["{}]/, "", $2); gsub(/^,|,$/, "", $2); gsub(/,?count:[0-9]*/, "", $2); print $1 " " $2 "\t" $3 }' | sort -t "$(printf '\t')" -k1,1
}
echo
printf '%-52s %12s %12s %8s\n' "both passes (the thorough one took $took s)" quick thorough ratio
join -t "$(printf '\t')" <(figures "$quick") <(figures "$thorough") | awk -F'\t' -v rows="$rows" '
  { r = $2 / $3; apart[n + 1] = r > 1 ? r : 1 / r; far = r < 0.95 || r > 1.05; n++; off += far
    printf "%-52s %12.4g %12.4g %8.3f%s\n", $1, $2, $3, r, far ? "  over 5 % apart" : ""
    printf "{\"figure\":\"%s\",\"quick\":%s,\"thorough\":%s}\n", $1, $2, $3 >>rows }
  END {
    for (i = 2; i <= n; i++) { x = apart[i]; for (k = i - 1; k > 0 && apart[k] > x; k--) apart[k + 1] = apart[k]; apart[k + 1] = x }
    printf "%d of %d figures within 5 %%; in the middle they are %.1f %% apart\n", n - off, n, 100 * (apart[int((n + 1) / 2)] - 1) }'
