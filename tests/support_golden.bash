# Sourced: puts the invented machine of tests/golden in the place of this one, in a state folder of its own under $folder, with recorded
# lines of the weights kernel beside it ($lines), of the products, chains and heads ($reuse_lines), and of the lab ($lab_lines).
export HOME="$folder" XDG_STATE_HOME="$folder/state" XDG_CONFIG_HOME="$folder/config" LC_ALL=C.UTF-8
unset RIDGE_DATA NO_COLOR
machine=$("$ridge" doctor </dev/null 2>/dev/null | sed -n 's/^  this machine  *//p')
mkdir -p "$folder/state/ridge/machines"
cp tests/golden/machine.json "$folder/state/ridge/machines/$machine.json"
lines="$folder/weights.jsonl" reuse_lines="$folder/reuse.jsonl"
sed "s/\"MACHINE\"/\"$machine\"/" tests/golden/weights.jsonl >"$lines"
sed "s/\"MACHINE\"/\"$machine\"/" tests/golden/reuse.jsonl >"$reuse_lines"
lab_lines="$folder/lab.jsonl"
sed "s/\"MACHINE\"/\"$machine\"/" tests/golden/lab.jsonl >"$lab_lines"
stairs="$folder/hierarchy.jsonl" # a staircase, strides and chains: its L3 is a slice of what is declared
sed "s/\"MACHINE\"/\"$machine\"/" tests/golden/hierarchy.jsonl >"$stairs"
block_lines="$folder/block.jsonl" # one layer, forward and backward: whole 8 % more than its operations alone
sed "s/\"MACHINE\"/\"$machine\"/" tests/golden/block.jsonl >"$block_lines"
