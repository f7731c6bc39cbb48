#!/usr/bin/env bash
# What each scene shows at its start, on an invented machine with round numbers: text and roles at two sizes, and the facts. Kept under
# tests/golden; `UPDATE=1 bash tests/tier_golden.sh` writes them anew, and the difference is then read before it is committed.
cd "$(dirname "$0")/.." || exit 1
ridge=${RIDGE:-$PWD/ridge}
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
. tests/support_golden.bash
failed=0

if "$ridge" print roofline --csv </dev/null 2>/dev/null | grep -q '^peak_flop_per_s,100000000000,\|^peak_flop_per_s,1e11,'; then
  echo 'ok - the invented machine is taken for this one'
else
  echo 'not ok - the invented machine is taken for this one'
  exit 1
fi

# Numbers to 3 digits, so that a last bit that differs between two C libraries changes no golden.
facts() { "$ridge" print "$@" --csv | awk -F, 'NR > 1 && $2 ~ /^-?[0-9.]+(e[-+]?[0-9]+)?$/ { $2 = sprintf("%.3g", $2) } { print $1 "," $2 "," $3 }'; }

golden() { # FILE COMMAND…: compares what the command prints with the file
  local file=tests/golden/$1
  shift
  "$@" >"$folder/now" 2>"$folder/err" </dev/null
  local code=$?
  if [ -n "$UPDATE" ]; then cp "$folder/now" "$file"; fi
  if [ $code -eq 0 ] && [ -s "$folder/now" ] && cmp -s "$folder/now" "$file"; then echo "ok - $file"; else
    echo "not ok - $file (exit code $code; UPDATE=1 writes it anew)"
    head -n 3 "$folder/err" | sed 's/^/#   /'
    diff "$file" "$folder/now" 2>&1 | head -n 12 | sed 's/^/#   /'
    failed=1
  fi
}

scenes=$("$ridge" scenes </dev/null | awk 'NR > 1 { print $2 }')
[ -n "$scenes" ] || { echo 'not ok - there are scenes'; exit 1; }
for scene in $scenes; do
  for size in 80x24 120x40; do
    golden "$scene.$size.text" "$ridge" snapshot "$scene" --size $size --format text
    golden "$scene.$size.roles" "$ridge" snapshot "$scene" --size $size --format roles
  done
  golden "$scene.facts" facts "$scene"
done
for size in 80x24 120x40; do
  golden "roofline.measured.$size.text" "$ridge" snapshot roofline batch=4 --lines "$lines" --size $size --format text
done
for view in tile fusion attention; do
  for size in 80x24 120x40; do
    golden "reuse.$view.$size.text" "$ridge" snapshot reuse view=$view --lines "$reuse_lines" --size $size --format text
  done
  golden "reuse.$view.facts" facts reuse view=$view --lines "$reuse_lines"
done
golden reuse.second.80x24.text "$ridge" snapshot reuse detail=2 --lines "$reuse_lines" --size 80x24 --format text
golden reuse.traffic.text "$ridge" snapshot reuse device=illustrative --size 120x40 --format text
for view in levels staircase stride chains; do
  for size in 80x24 120x40; do
    golden "hierarchy.$view.$size.text" "$ridge" snapshot hierarchy view=$view stride=256 chains=4 working_set=64Mi --lines "$stairs" --size $size --format text
  done
  golden "hierarchy.$view.facts" facts hierarchy view=$view stride=256 chains=4 working_set=64Mi --lines "$stairs"
done
golden roofline.measured.facts facts roofline batch=4 --lines "$lines"
golden decode.measured.facts facts decode --lines "$lines"
for view in first spread async sustained small; do
  golden "lab.$view.80x24.text" "$ridge" snapshot lab view=$view --lines "$lab_lines" --size 80x24 --format text
  golden "lab.$view.facts" facts lab view=$view --lines "$lab_lines"
done
for view in record cost arrival; do
  for size in 80x24 120x40; do golden "lab.$view.$size.text" "$ridge" snapshot lab view=$view --size $size --format text; done
  golden "lab.$view.facts" facts lab view=$view
done
for size in 80x24 120x40; do golden "lab.spread.$size.roles" "$ridge" snapshot lab view=spread --lines "$lab_lines" --size $size --format roles; done

for view in bits line accumulate gradients scale; do
  for size in 80x24 120x40; do golden "precision.$view.$size.text" "$ridge" snapshot precision view=$view --size $size --format text; done
done
golden precision.measured.120x40.text "$ridge" snapshot precision stored=fp32 device=here --lines "$lines" --size 120x40 --format text
for view in plot balance card peak cpu twins choose; do
  for size in 80x24 120x40; do golden "machines.$view.$size.text" "$ridge" snapshot machines view=$view peel_sparsity=on --size $size --format text; done
done
for split in data tensor; do
  for size in 80x24 120x40; do golden "offload.$split.$size.text" "$ridge" snapshot offload view=devices split=$split --size $size --format text; done
done
for view in queue items lanes; do
  for size in 80x24 120x40; do golden "feed.$view.$size.text" "$ridge" snapshot feed view=$view item_byte=150k --size $size --format text; done
done
for view in list roof count fix grow conv; do
  for size in 80x24 120x40; do golden "layers.$view.$size.text" "$ridge" snapshot layers view=$view phase=prefill context=512 --size $size --format text; done
done
for size in 80x24 120x40; do
  golden "layers.block.$size.text" "$ridge" snapshot layers view=block phase=training context=512 --lines "$block_lines" --size $size --format text
done
golden layers.block.facts facts layers view=block phase=training context=512 --lines "$block_lines"
golden layers.training.120x40.text "$ridge" snapshot layers phase=training model=mixtral-8x7b batch=8 fix=fuse --size 120x40 --format text
for view in finetune classifier edge summary placement; do
  for size in 80x24 120x40; do golden "cases.$view.$size.text" "$ridge" snapshot cases view=$view --size $size --format text; done
done
golden machines.all.120x40.text "$ridge" snapshot machines all=on sort=balance --size 120x40 --format text

for size in 80x24 120x40; do
  golden "diagnose.open.$size.text" "$ridge" snapshot diagnose seed=3 probe_host=on probe_copies=on answer=upload --size $size --format text
  golden "diagnose.time.$size.text" "$ridge" snapshot diagnose seed=12 probe_memory=on probe_clocks=on --size $size --format text
  golden "diagnose.checklist.$size.text" "$ridge" snapshot diagnose view=checklist see_device=computing see_memory=planned --size $size --format text
  golden "diagnose.faults.$size.text" "$ridge" snapshot diagnose view=faults answer=heat --size $size --format text
done
golden diagnose.faults.200x60.text "$ridge" snapshot diagnose view=faults answer=leak --size 200x60 --format text
golden diagnose.open.facts facts diagnose seed=3 probe_host=on probe_copies=on answer=upload

# A golden of a scene that is gone proves nothing.
for file in tests/golden/*.text; do
  scene=${file##*/} scene=${scene%%.*}
  case " $(echo $scenes) " in *" $scene "*) ;; *) echo "not ok - $file belongs to no scene"; failed=1 ;; esac
done

# The comparison must be able to fail: one changed character.
sed '3s/./#/' tests/golden/roofline.80x24.text >"$folder/changed"
if "$ridge" snapshot roofline --size 80x24 --format text 2>/dev/null </dev/null | cmp -s - "$folder/changed"; then
  echo 'not ok - a changed character is noticed'
  failed=1
else
  echo 'ok - a changed character is noticed'
fi
exit $failed
