#!/bin/sh
# gpu-stand-in.sh — stands for hscope, gpu-check and PyTorch where a test asks how tools/gpu-first-contact.sh ends, not what a GPU computes.
#
# In the step BREAK_STEP, or in all, it does what BREAK_HOW says: crash, hang, memory, flood. TAKE names a command that takes ten seconds.
# SPDX-License-Identifier: LGPL-2.1-or-later
if [ "$BREAK_STEP" = all ] || [ "${BREAK_STEP:-none}" = "$FIRST_CONTACT_STEP" ]; then
  case $BREAK_HOW in
    crash) kill -SEGV $$ ;;
    hang)
      trap '' TERM INT HUP
      sleep 1000 &
      while :; do wait; done
      ;;
    memory)
      # shellcheck disable=SC3045
      ulimit -v 300000
      exec awk 'BEGIN { text = "x"; while (1) text = text text }'
      ;;
    flood) exec head -c 30000000 /dev/zero ;;
  esac
fi
[ "$TAKE" != "$1" ] || sleep 10
json=''
command=$1
while [ $# -gt 0 ]; do
  case $1 in
    --json) [ -z "$2" ] || json=$2 ;;
    --case) case_name=$2 ;;
    --shard) shard=$2 ;;
  esac
  shift
done
case $command in
  --version) echo "hscope 1.2.3" ;;
  devices) echo "gpu:0    ${STAND_IN_GPU:-a GPU}" ;;
  bench) echo "{\"case\": \"$case_name\", \"seconds\": [0.001, 0.0011, 0.0012], \"checksum\": 1}" ;;
  selftest)
    echo "{\"operator\": \"dot\", \"passed\": true, \"seconds\": 1, \"operators\": [{\"name\": \"dot\", \"passed\": true, \"failure\": null, \"comparisons\": 3, \"error\": 1e-7}], \"samples\": 1}"
    echo "{\"model\": \"mlp $shard\", \"mode\": \"static\", \"passed\": false, \"failure\": \"output 0 differs\", \"arrays\": 3, \"error\": 0.5}"
    ;;
  report) echo '{"median": 0.002, "gpu_median": 0.001, "gpu_busy_seconds": 0.0009, "gpu_no_operator_seconds": 0, "between_seconds": 0.0001, "traced_over_clean": 1.1}' ;;
  questions) echo "gpucheck 4, cuDNN refuses WGRAD_MODE_SET: yes, it gives CUDNN_STATUS_NOT_SUPPORTED (3000)." ;;
  counters) echo "check 13, counters of the GPU may be read: yes." ;;
  times) echo '{"forward_median": 0.0008, "with_copies_median": 0.001}' >"$json" ;;
  sweep) echo '{"cell": "lstm", "training": false, "units": 8, "batch": 1, "steps": 2, "algorithm": "standard", "math": "fma", "recorded": false, "median": 0.0005, "low": 0.0004, "high": 0.0006}' ;;
  torch) echo '{"case": "lstm-infer-h8-t2-b1-fused", "form": "eager", "tf32": false, "median": 0.002, "seconds": [0.002, 0.002, 0.0021]}' ;;
  ceilings) echo '{"what": "float32 product", "unit": "operation", "amount": 1e12, "median": 0.02, "low": 0.019, "high": 0.021}' ;;
esac
exit 0
