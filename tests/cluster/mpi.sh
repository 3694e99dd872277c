#!/bin/sh
# mpi.sh — several processes train one model with Open MPI: the same losses as one process, and sentences where it fails.
# usage: mpi.sh HSCOPE
#
# Prints TAP; skips where Debian's package openmpi-bin or Python is missing.
# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck disable=SC2317,SC2181 # functions are called by name; the status of long commands is checked below them
hscope=$(realpath "${1:?usage: mpi.sh HSCOPE}") || exit 2
model='gallery:lstm-lm?hidden=48&embedding=16&batch=8'

echo 1..12
skip () {
  for i in 1 2 3 4 5 6 7 8 9 10 11 12; do echo "ok $i # SKIP $1"; done
  exit 0
}
command -v mpirun >/dev/null || skip "Open MPI is not installed"
command -v python3 >/dev/null || skip "Python is not installed"
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
trap 'exit 1' INT TERM
cd "$work" || exit 2
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
# Open MPI keeps memory of plug-ins that it has unloaded, where LeakSanitizer cannot name them.
without_leaks=${ASAN_OPTIONS:-}:detect_leaks=0
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_btl_base_warn_component_unused=0 OMPI_MCA_orte_base_help_aggregate=1

mpirun -n 1 true >mpirun.log 2>&1 || { sed 's/^/# /' mpirun.log; skip "mpirun starts no process here"; }

check () { # check NUMBER NAME STATUS
  if [ "$3" -eq 0 ]; then echo "ok $1 $2"; else echo "not ok $1 $2"; failed=1; fi
}
train () { # train PROCESSES NAME ARGUMENTS…: what they print lies in NAME.log
  processes=$1; name=$2; shift 2
  if [ "$processes" -eq 1 ]; then
    timeout 120 "$hscope" train "$@" --sample 0 >"$name.log" 2>&1
  else
    ASAN_OPTIONS=$without_leaks timeout 120 mpirun -n "$processes" "$hscope" train "$@" --sample 0 --data-parallel >"$name.log" 2>&1
  fi
}
says () { grep -q "$2" "$1.log" || { sed 's/^/# /' "$1.log"; return 1; }; }

# Losses of all steps: each process adds its rows first, so the last bits differ.  Tolerance: 1e-5 of the loss.
train 1 one "$model" --epochs 1 --log one.jsonl --output one && train 4 four "$model" --epochs 1 --log four.jsonl --output four
check 1 "four processes train the language model" $?
python3 - <<'END_PYTHON'
import json
one, four = ([json.loads(line) for line in open(name)] for name in ("one.jsonl", "four.jsonl"))
worst = max(abs(a["loss"] - b["loss"]) / a["loss"] for a, b in zip(one, four))
early = sum(step["early"] for step in four) / len(four)
waiting = sum(step["waiting"] for step in four)
print(f"# {len(four)} steps, losses differ by at most {worst:.1e}; {early:.0%} of the gradients sent early; waited {waiting:.2f} s")
raise SystemExit(not (len(one) == len(four) > 100 and worst < 1e-5 and early > 0.5 and waiting > 0))
END_PYTHON
check 2 "every loss is that of one process, and gradients travel during the backward pass" $?
grep -E '^[0-9]+ (steps|processes)' one.log four.log | sed 's/^/# /'

# Small whole numbers: every sum is exact, so its order does not matter.
"$hscope" new 'mlp?inputs=2&hidden=2&classes=2' --output exact >new.log 2>&1
python3 - <<'END_PYTHON'
import struct, zipfile
def array(shape, values):
    head = f"{{'descr': '<f4', 'fortran_order': False, 'shape': {shape}, }}".encode()
    head += b" " * (63 - (10 + len(head)) % 64) + b"\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head + struct.pack(f"<{len(values)}f", *values)
with zipfile.ZipFile("exact.npz", "w") as archive:
    archive.writestr("data.npy", array((3, 8, 2), [(i * 7 % 5) - 1 for i in range(48)]))
    archive.writestr("label.npy", array((3, 8, 2), [(i * 3 % 4) - 1 for i in range(48)]))
with zipfile.ZipFile("whole.npz", "w") as archive:
    for layer, (units, inputs) in enumerate([(2, 2), (1, 2), (2, 1)]):
        name = f"hybridsequential0_dense{layer}"
        archive.writestr(name + "_weight.npy", array((units, inputs), [1 + i % 2 for i in range(units * inputs)]))
        archive.writestr(name + "_bias.npy", array((units,), [0] * units))
END_PYTHON
exact () { train "$1" "$2" exact-symbol.json whole.npz --data exact.npz --loss l2 --optimizer sgd \
  --set learning_rate=0.015625 --epochs 1 --output "$2"; }
exact 1 exact1 && exact 2 exact2 && exact 4 exact4 && says exact4 "^3 steps" &&
  cmp exact1-0001.params exact2-0001.params && cmp exact1-0001.params exact4-0001.params
check 3 "where every sum is exact, one, two and four processes write the same bytes" $?

[ "$(grep -c '^wrote' four.log)" -eq "$(grep '^wrote' four.log | sort -u | wc -l)" ] && [ "$(grep -c '^epoch 1' four.log)" -eq 1 ]
check 4 "the first process alone prints and writes" $?

train 3 odd "$model" --epochs 1
[ $? -ne 0 ] && says odd "of shape (35, 8) cannot be divided among 3 processes along axis 1" && [ "$(grep -c '^error' odd.log)" -eq 1 ]
check 5 "a batch that cannot be divided is one sentence" $?

timeout 120 mpirun -n 1 "$hscope" train "$model" --epochs 1 --data-parallel : \
  -n 1 "$hscope" train 'gallery:lstm-lm?hidden=24&embedding=16&batch=8' --epochs 1 --data-parallel >other.log 2>&1
[ $? -ne 0 ] && says other "the processes have different models" && [ "$(grep -c '^error' other.log)" -eq 1 ]
check 6 "different models are one sentence" $?

timeout 120 mpirun -n 1 "$hscope" train "$model" --epochs 1 --data-parallel : \
  -n 1 "$hscope" train missing.json --epochs 1 --data-parallel >missing.log 2>&1
[ $? -ne 0 ] && says missing "error: process 1 of 2: .*missing.json"
check 7 "a process that cannot begin ends all, and says why" $?

wait_for () { # wait_for TENTHS COMMAND…
  left=$1; shift
  until "$@"; do
    left=$((left - 1))
    [ "$left" -gt 0 ] || return 1
    sleep 0.1
  done
}
has_epoch () { grep -q '^epoch 2' "$1.log"; }
is_gone () { ! kill -0 "$1" 2>/dev/null; }
timeout 60 mpirun -n 3 "$hscope" train 'gallery:mlp?batch=12' --epochs 100000 --data-parallel >killed.log 2>&1 &
whole=$!
wait_for 600 has_epoch killed
workers=$(pgrep -P "$(pgrep -P "$whole")")
kill -9 "$(echo "$workers" | tail -n 1)"
wait "$whole"
[ $? -ne 124 ] && says killed "exited on signal 9"
gone=$?
for worker in $workers; do wait_for 100 is_gone "$worker" || gone=1; done
check 8 "when one process is killed all end, and mpirun says which" "$gone"

# Stopped in an epoch, and resumed: the bytes of a training that was never stopped.
together () { timeout 120 mpirun -n 2 "$hscope" train 'gallery:mlp?inputs=64&hidden=32&batch=8' --epochs 40 --data-parallel --output "$@"; }
together whole >whole.log 2>&1
together half >half.log 2>&1 &
stopped=$!
wait_for 600 has_epoch half
pkill -TERM -P "$(pgrep -P "$stopped" timeout)" mpirun
wait "$stopped"
together half --resume >resumed.log 2>&1
says resumed "^note: resumed from" && [ "$(grep -c '^note' resumed.log)" -eq 1 ] && cmp whole-0040.params half-0040.params
check 9 "a training that is stopped and resumed writes the same bytes" $?

# A gradient is averaged when the slowest process has it, so nobody has an average before its own gradient, nor before it is sent.
timeout 120 mpirun -n 4 "$hscope" train 'gallery:mlp?batch=64' --epochs 1 --data-parallel --json >times.json 2>times.log
python3 - <<'END_PYTHON'
import json
parallel = json.load(open("times.json"))["parallel"]
gradients = parallel["gradients"]
print(f"# {len(gradients)} gradients; the last is ready after {max(max(g['ready']) for g in gradients) * 1e3:.1f} ms")
raise SystemExit(not (len(gradients) > 5 and sum(g["bytes"] for g in gradients) == parallel["gradient_bytes"] and
    all(len(g["ready"]) == len(g["averaged"]) == 4 for g in gradients) and
    all(0 < ready <= averaged for g in gradients for ready, averaged in zip(g["ready"], g["averaged"]))))
END_PYTHON
check 10 "times of every gradient in every process are told" $?

# A capture has the last steps of all processes on one clock; no average ends before all have sent the gradient, to within what
# the clocks are known to agree.
train 1 alone "$model" --epochs 1 --capture one.hscope &&
  train 4 together "$model" --epochs 1 --capture four.hscope --alone one.hscope &&
  "$hscope" report four.hscope --json >four.json 2>>together.log && "$hscope" report one.hscope four.hscope >both.log 2>&1
python3 - <<'END_PYTHON'
import json, struct, zlib
told = json.load(open("four.json"))["captures"][0]
processes = told["processes"]
data = open("four.hscope", "rb").read()
size, n_sections = struct.unpack_from("<QI", data, 16)
sections = {kind: (offset, count) for kind, entry, offset, count in
            (struct.unpack_from("<IIQQ", data, 32 + 24 * i) for i in range(n_sections))}
offset, count = sections[7]
spans = {}
for i in range(count):
    begin, packed, node, step, graph, run, part = struct.unpack_from("<QQIIHHI", data, offset + 32 * i)
    if packed >> 40 & 15 == 8:
        spans.setdefault((run, part, node), []).append((packed >> 56, begin, begin + (packed & (1 << 40) - 1)))
slack = 1e9 * told["conditions"]["processes.clock"] + 1
averages = {key: list for key, list in spans.items() if key[1] == 4}
causal = all(max(begin for _, begin, _ in list) <= min(end for _, _, end in list) + slack for list in averages.values())
whole = all(sorted(process for process, _, _ in list) == [0, 1, 2, 3] for list in averages.values())
inside = all(0 < p["forward_seconds"] and 0 < p["backward_seconds"] and 0 < p["averaging_seconds"] and
             0 <= p["hidden_seconds"] <= p["averaging_seconds"] and
             abs(p["computing_seconds"] + p["update_seconds"] + p["waiting_seconds"] - p["step_seconds"]) < 0.01 * p["step_seconds"]
             for p in processes)
hidden = sum(p["hidden_seconds"] for p in processes) / sum(p["averaging_seconds"] for p in processes)
print("# waiting:", ", ".join(f"{p['waiting_share']:.0%}" for p in processes),
      f"of a step; {hidden:.0%} of the averaging is hidden; speed-up {told['speed_up']:.2f}; clocks agree to {slack / 1e3:.0f} µs")
raise SystemExit(not (len(processes) == 4 and len(averages) > 16 and causal and whole and inside and hidden > 0 and
                      told["speed_up"] > 0))
END_PYTHON
check 11 "a capture shows forward and backward pass, each gradient's average and waiting of all processes" $?
says both "4 processes are .* times as fast as one" && [ "$(grep -c '^wrote' together.log)" -eq 1 ] &&
  ! "$hscope" train "$model" --epochs 1 --capture not.hscope --alone four.hscope >alone.log 2>&1 &&
  says alone "no capture of a training in one process"
check 12 "the speed-up compares with a capture of one process" $?
exit "${failed:-0}"
