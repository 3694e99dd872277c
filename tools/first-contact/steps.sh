#!/bin/sh
# shellcheck disable=SC2034,SC2154
# steps.sh — part of gpu-first-contact.sh: what is asked of a GPU, in the order of its worth.
#
# The environment may set what is measured and how much of it: LENGTH, UNITS, BATCHES, NETWORKS, SHARDS, GALLERY, GOLDENS, GALLERY_MODELS, OPERATORS (of
# the self-test), CHECKED and RACING (of compute-sanitizer), SECONDS_EACH, REPEAT, RUNS, PRODUCT (rows).
# SPDX-License-Identifier: LGPL-2.1-or-later

LENGTH=${LENGTH:-100}
UNITS=${UNITS:-512 256 1024}
BATCHES=${BATCHES:-1 32}
NETWORKS=${NETWORKS-resnet18-infer-b1 transformer-encoder-layer lm-train lenet-train-b32 lenet-infer-b1 mlp sgemm-1024 softmax-1000x1000}
GOLDENS=${GOLDENS:-$here/tests/data/goldens/models}
GALLERY_MODELS=${GALLERY_MODELS:-all}
OPERATORS=${OPERATORS:-all}
CHECKED=${CHECKED:-RNN FullyConnected softmax Embedding Convolution _update_adam}
RACING=${RACING:-softmax topk transpose BatchNorm}
SECONDS_EACH=${SECONDS_EACH:-5}
REPEAT=${REPEAT:-7}
RUNS=${RUNS:-60}
PRODUCT=${PRODUCT:-8192}
[ -d "$GOLDENS" ] || GOLDENS=$here/../tests/data/goldens/models

# One process for each processor but two, at most fourteen.
processors=$(nproc 2>/dev/null || echo 2)
SHARDS=${SHARDS:-$((processors > 16 ? 14 : processors > 3 ? processors - 2 : 2))}

# --- The machine ---

# shellcheck disable=SC2016
facts='
uname -srm
ldd --version 2>&1 | head -n 1
cat /etc/os-release 2>/dev/null
nproc; free -m 2>/dev/null; df -k "$TMPDIR" 2>/dev/null
grep -m 1 "model name" /proc/cpuinfo
cat /proc/driver/nvidia/version 2>/dev/null || echo "There is no /proc/driver/nvidia/version."
ldconfig -p 2>/dev/null | grep -E "libcuda\.so|libcudnn|libcublas|libnvrtc|libcupti"
ldconfig -p 2>/dev/null | grep -F libstdc++
ls -d /usr/local/cuda* /usr/local/nvidia/lib64 2>/dev/null
echo "HYB_GPU_PATH=$HYB_GPU_PATH"; echo "HYB_CUPTI=$HYB_CUPTI"; echo "PYTHON=$1"; echo "TORCH_PYTHON=$2"
command -v ncu compute-sanitizer nvcc xz
timeout -k 1 5 nvidia-smi 2>/dev/null || echo "nvidia-smi is missing or fails."
timeout -k 1 5 nvidia-smi --query-gpu=name,driver_version,compute_cap,memory.total,clocks.sm,clocks.mem,clocks.max.sm,persistence_mode,compute_mode --format=csv 2>/dev/null
:
'

has_driver () {
  [ -e /proc/driver/nvidia/version ] || [ -e /dev/nvidiactl ] || timeout -k 1 5 nvidia-smi -L >/dev/null 2>&1
}

machine () {
  start facts 10 sh -c "$facts" sh "$PYTHON" "$TORCH_PYTHON"
  start version 5 "$HSCOPE" --version --verbose
  start devices 10 "$HSCOPE" devices
  await
  # Where there is a driver everything is tried, whatever hscope thinks of it: PyTorch may still have an answer.
  if has_passed devices && grep -q '^gpu  *none: ' "$results/devices.txt" && ! has_driver; then
    is_absent=yes
    sed -n 's/^gpu[:0-9]*  */There is no GPU to be used: /p' "$results/devices.txt" | head -n 1
    return
  fi
  start questions 10 "$GPU_CHECK" questions
  start counters 10 "$GPU_CHECK" counters
  start small-gpu 10 "$HSCOPE" run gallery:mlp --init uniform --seed 3 --random-values --device gpu --output "$work/gpu.npz"
  start small-cpu 10 "$HSCOPE" run gallery:mlp --init uniform --seed 3 --random-values --output "$work/cpu.npz"
  await
  try small-difference 5 "$HSCOPE" weights "$work/cpu.npz" "$work/gpu.npz"
}

# --- Times ---

# bench_case CASE SECONDS: one line of JSON. The first run of a case compiles kernels.
bench_case () { try "bench-$1" "$2" "$HSCOPE" bench --case "$1" --device gpu --repeat "$REPEAT"; }

# One after the other, since each is a measurement.
bench () {
  for phase in infer train; do
    for units in $UNITS; do
      for batch in $BATCHES; do
        for cell in lstm gru; do
          bench_case "$cell-$phase-h$units-t$LENGTH-b$batch-fused" 8
        done
      done
    done
  done
  for form in unrolled foreach; do
    for phase in infer train; do
      bench_case "lstm-$phase-h${UNITS%% *}-t$LENGTH-b1-$form" 20
    done
  done
  for network in $NETWORKS; do
    bench_case "$network" 12
  done
}

# What others make of the same layers on the same card: PyTorch, and cuDNN without anything around it.
peers () {
  # shellcheck disable=SC2086
  if [ -n "$TORCH_PYTHON" ]; then
    try torch 50 "$TORCH_PYTHON" "$here/first-contact/torch-times.py" --seconds "$(scaled 48)" --length "$LENGTH" --units $UNITS --batches $BATCHES
  else
    row torch absent 0 0
  fi
  for algorithm in standard persist-static persist-dynamic persist-small; do
    # shellcheck disable=SC2086
    try "cudnn-$algorithm" 12 "$GPU_CHECK" sweep --algorithm $algorithm --steps "$LENGTH" --sizes "$UNITS" --batches "$BATCHES" --runs "$RUNS"
  done
}

# --- Results ---

# shards NAME SECONDS ARGUMENT…: the self-test in several processes at once.
shards () {
  kind=$1 each=$2
  shift 2
  for shard in $(seq "$SHARDS"); do
    start "$kind-$shard" "$each" "$HSCOPE" selftest --device gpu --json-lines --shard "$shard/$SHARDS" "$@"
  done
  await
}

# operators: the arguments of the self-test for OPERATORS.
operator_arguments () { for name in $OPERATORS; do printf -- '--operator=%s ' "$name"; done; }
model_arguments () { for name in $GALLERY_MODELS; do printf -- '--model=%s ' "$name"; done; }

# shellcheck disable=SC2046
selftest () { shards selftest 88 --part-seconds "$(scaled 25)" $(operator_arguments); }

# shellcheck disable=SC2046
models () {
  shards gallery 40 --part-seconds "$(scaled 20)" $(model_arguments)
  shards goldens 40 --part-seconds "$(scaled 20)" --goldens "$GOLDENS"
}

# --- Profiles ---

# measure NAME SECONDS MODEL OPTION…: a profile with its report as JSON.
measure () {
  measured=$1 each=$2 what=$3
  shift 3
  try "profile-$measured" "$each" "$HSCOPE" profile "$what" --init uniform --time-limit "$(scaled "$SECONDS_EACH")" --capture "$work/$measured.hscope" "$@" &&
    "$HSCOPE" report "$work/$measured.hscope" --json >"$results/$measured.json" 2>/dev/null
}

# compare_direct BATCH UNITS: an LSTM and nothing else, by hscope and by cuDNN called directly, both with copies and by events.
compare_direct () {
  size=$1x$2
  cat >"$work/lstm-$2-symbol.json" <<END
{"nodes": [
  {"op": "null", "name": "data", "inputs": []},
  {"op": "null", "name": "parameters", "inputs": []},
  {"op": "null", "name": "state", "inputs": []},
  {"op": "null", "name": "cell", "inputs": []},
  {"op": "RNN", "name": "lstm", "attrs": {"mode": "lstm", "num_layers": "1", "state_size": "$2"},
   "inputs": [[0, 0, 0], [1, 0, 0], [2, 0, 0], [3, 0, 0]]}],
 "arg_nodes": [0, 1, 2, 3], "heads": [[4, 0, 0]]}
END
  try "direct-$size" 5 "$GPU_CHECK" times --steps "$LENGTH" --batch "$1" --units "$2" --json "$results/direct-$size.json"
  measure "lstm-$size" 10 "$work/lstm-$2-symbol.json" --device gpu --mode static --shape "data=$LENGTH,$1,$2" \
    --shape "state=1,$1,$2" --shape "cell=1,$1,$2"
}

profiles () {
  model="gallery:lstm-unrolled?batch=1&length=$LENGTH"
  measure gpu-static 14 "$model" --device gpu --mode static
  start convert-foreach 5 "$HSCOPE" convert "$model" --to foreach --output "$work/foreach"
  start convert-fused 5 "$HSCOPE" convert "$model" --to fused --output "$work/fused"
  await
  # These forms take any number of steps, so it is said again.
  measure gpu-fused 12 "$work/fused-symbol.json" --device gpu --mode static --shape "data0=$LENGTH,1"
  for batch in $BATCHES; do compare_direct "$batch" "${UNITS%% *}"; done
  measure gpu-foreach 14 "$work/foreach-symbol.json" --device gpu --mode static --shape "data0=$LENGTH,1"
  measure gpu-imperative 14 "$model" --device gpu --mode imperative
  try ladder 20 "$HSCOPE" compare "$model" --init uniform --device gpu --modes imperative,static --time-limit "$(scaled 12)" --json
}

# --- Ceilings ---

# profile_kernels NAME MODEL: three kernels, with NVIDIA's profiler. It leaves the clocks alone.
profile_kernels () {
  try "$1" 15 ncu --clock-control none --launch-skip 4 --launch-count 3 --section SpeedOfLight --section LaunchStats --section Occupancy \
    "$HSCOPE" bench --case "$2" --device gpu --repeat 1 --runs 3
}

ceilings () {
  try ceilings 15 "$GPU_CHECK" ceilings --product "$PRODUCT"
  if command -v ncu >/dev/null; then
    profile_kernels ncu-softmax softmax-1000x1000
    profile_kernels ncu-unrolled "lstm-infer-h${UNITS%% *}-t5-b32-unrolled"
  else
    row ncu absent 0 0
  fi
}

# --- NVIDIA's checker ---

sanitizer () {
  if ! command -v compute-sanitizer >/dev/null; then
    row compute-sanitizer absent 0 0
    return
  fi
  for operator in $CHECKED; do
    start "memcheck-$operator" 30 compute-sanitizer --tool memcheck --error-exitcode 9 "$HSCOPE" selftest --in-process --device gpu --quick --operator "$operator"
  done
  await
  for operator in $RACING; do
    start "racecheck-$operator" 30 compute-sanitizer --tool racecheck --error-exitcode 9 "$HSCOPE" selftest --in-process --device gpu --quick --operator "$operator"
  done
  await
}

# --- The rest ---

rest () {
  # Fast products may differ by more than the self-test tolerates, which is an answer and no failure.
  start math-fast 15 "$HSCOPE" selftest --device gpu --math fast --json-lines --operator RNN --operator FullyConnected --operator dot
  start train 15 "$HSCOPE" train 'gallery:mlp?hidden=64&batch=32' --epochs 1 --device gpu
  await
  measure cpu-static 12 "gallery:lstm-unrolled?batch=1&length=$LENGTH" --device cpu --mode static
}

step machine 15 machine
step bench 75 bench
step peers 90 peers
step selftest 90 selftest
step models 60 models
step profile 75 profiles
step ceilings 45 ceilings
step sanitizer 60 sanitizer
step rest 30 rest
