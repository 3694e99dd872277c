#!/bin/sh
# slurm.sh — a sweep on a real Slurm: 48 cells on two nodes, killed half way, resumed, one node drained, the controller killed.
# usage: slurm.sh HSCOPE [FOLDER]    FOLDER: for files, removed at the end unless it is given
#
# Starts munged, slurmctld and two slurmd of its own on this machine, with their own key and ports, and stops them at the
# end. Slurm lets only root do this. Prints TAP; skips where Debian's packages slurmctld, slurmd and munge are missing.
# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck disable=SC2317 # functions are called by name
hscope=$(realpath "${1:?usage: slurm.sh HSCOPE [FOLDER]}") || exit 2
PATH=$PATH:/usr/sbin

echo 1..9
skip () {
  for i in 1 2 3 4 5 6 7 8 9; do echo "ok $i # SKIP $1"; done
  exit 0
}
for program in munged slurmctld slurmd sbatch squeue scancel scontrol; do
  command -v "$program" >/dev/null || skip "Slurm or munge is not installed"
done
[ "$(id -u)" -eq 0 ] || skip "only root can start the nodes of Slurm"

tests=$(cd "$(dirname "$0")/.." && pwd) || exit 2
# shellcheck source=tests/temporary-folder.sh
. "$tests/temporary-folder.sh"
if [ -n "$2" ]; then mkdir -p "$2" && work=$(realpath "$2") || exit 2; fi
chmod 755 "$work"
stop () {
  for file in "$work"/slurmd-fake1.pid "$work"/slurmd-fake2.pid "$work"/slurmctld.pid "$work"/munge/pid; do
    [ -s "$file" ] && kill "$(cat "$file")" 2>/dev/null
  done
  sleep 1
}
trap stop EXIT
trap 'exit 1' INT TERM

mkdir -p "$work/state" "$work/spool-fake1" "$work/spool-fake2" "$work/munge"
chmod 700 "$work/munge"
head -c 1024 /dev/urandom >"$work/munge/key" && chmod 400 "$work/munge/key"
host=$(hostname -s)
port=$((20000 + $$ % 10000))
cat >"$work/slurm.conf" <<END
ClusterName=hybridscope
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$port
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket=$work/munge/socket
CredType=cred/munge
StateSaveLocation=$work/state
SlurmdSpoolDir=$work/spool-%n
SlurmctldPidFile=$work/slurmctld.pid
SlurmdPidFile=$work/slurmd-%n.pid
SlurmctldLogFile=$work/slurmctld.log
SlurmdLogFile=$work/slurmd-%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
ReturnToService=2
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/none
KillWait=5
MinJobAge=10
NodeName=fake1 NodeHostname=$host NodeAddr=127.0.0.1 Port=$((port + 1)) CPUs=1
NodeName=fake2 NodeHostname=$host NodeAddr=127.0.0.1 Port=$((port + 2)) CPUs=1
PartitionName=main Nodes=fake1,fake2 Default=YES MaxTime=INFINITE State=UP
END
SLURM_CONF=$work/slurm.conf
export SLURM_CONF

check () { # check NUMBER NAME: the status of the last command
  if [ "$3" -eq 0 ]; then echo "ok $1 $2"; else echo "not ok $1 $2"; failed=1; fi
}
count () { find "$work/sweep/cells" -type f -name "*.$1" 2>/dev/null | wc -l; }
wait_for () { # wait_for SECONDS COMMAND…
  left=$((10 * $1)); shift
  until "$@"; do
    left=$((left - 1))
    [ "$left" -gt 0 ] || return 1
    sleep 0.1
  done
}
are_idle () { [ "$(sinfo --noheader --Node --states=idle 2>/dev/null | wc -l)" -eq 2 ]; }
has_ended () { ! kill -0 "$1" 2>/dev/null; }
is_half_done () { [ "$(count json)" -ge 16 ] || has_ended "$watcher"; } # what does not run is not waited for
is_at_work () { [ "$(count json)" -gt "$half" ] || has_ended "$watcher"; }
has_no_jobs () { [ -z "$(squeue --noheader)" ]; }

start () {
  munged --force --key-file="$work/munge/key" --socket="$work/munge/socket" --pid-file="$work/munge/pid" \
    --log-file="$work/munge/log" --seed-file="$work/munge/seed" &&
    slurmctld -c && slurmd -N fake1 && slurmd -N fake2 && wait_for 60 are_idle
}
if ! start; then
  tail -n 3 "$work"/*.log "$work/munge/log" | sed 's/^/# /'
  skip "the nodes of Slurm do not start here"
fi
check 1 "two nodes are idle" 0

# 2 models × 3 forms × 2 batch sizes × 2 lengths × inference and training.
"$hscope" sweep --models 'gallery:lstm-lm?hidden=8&embedding=8&vocabulary=16,gallery:lstm-hybrid?hidden=8&embedding=8&vocabulary=16' \
  --variants unrolled,foreach,fused --batch 1,2 --length 3,4 --passes inference,training --samples 6 --output "$work/sweep" \
  --target slurm --jobs 2 2>"$work/first.log" &
watcher=$!
wait_for 300 is_half_done && [ "$(count json)" -ge 16 ]
check 2 "half of the cells are done" $?

# The watcher and all tasks are killed at once.
kill -9 "$watcher"
wait "$watcher" 2>/dev/null
scancel --signal=KILL --full "$(cat "$work/sweep/slurm-job")"
scancel "$(cat "$work/sweep/slurm-job")"
wait_for 60 has_no_jobs
half=$(count json)
[ "$half" -lt 48 ]
check 3 "the sweep is killed before its end, $half cells are done" $?

# One node is drained while the resumed sweep runs.
"$hscope" sweep --output "$work/sweep" --resume --target slurm --jobs 2 >"$work/second.out" 2>"$work/second.log" &
watcher=$!
wait_for 60 is_at_work
scontrol update NodeName=fake2 State=DRAIN Reason=test
drained=$(sinfo --noheader --nodes=fake2 --format=%T)
# The controller is killed, too, and another one is started when it has written what it knows and squeue misses it.
controller=$(cat "$work/slurmctld.pid")
kill "$controller"
wait_for 60 has_ended "$controller" && ! squeue >/dev/null 2>&1 && slurmctld
restarted=$?
wait "$watcher" && [ "$restarted" -eq 0 ]
check 4 "the resumed sweep ends with 0, with another controller at its end" $?

[ "$(wc -l <"$work/sweep/cells.jsonl")" -eq 48 ] && [ "$(grep -c '"status": "done"' "$work/sweep/cells.jsonl")" -eq 48 ]
check 5 "48 cells are done" $?
[ "$(sed 's/{"cell": \([0-9]*\),.*/\1/' "$work/sweep/cells.jsonl" | sort -n | uniq | wc -l)" -eq 48 ]
check 6 "every cell is once in the table" $?
[ "$(find "$work/sweep/captures" -name '[0-9]*.hscope' | wc -l)" -eq 48 ] && [ "$(count part)" -eq 0 ]
check 7 "every cell has its capture, and none is left" $?

case $drained in drain*) true;; *) false;; esac
check 8 "one node is drained while it runs: $drained" $?

# A target behind srun: one run on the node that is left.
mkdir -p "$work/config/hybridscope"
printf '[node]\nlauncher = srun --quiet --partition main\nprogram = %s\n' "$hscope" >"$work/config/hybridscope/targets.ini"
far () { XDG_CONFIG_HOME=$work/config timeout 40 "$hscope" "$@"; }
cd "$work" && "$hscope" new mlp --output net >new.log 2>&1 && far targets check node >check.out 2>&1 &&
  "$hscope" run net-symbol.json --init uniform --output here.npz >here.log 2>&1 &&
  far run net-symbol.json --init uniform --output there.npz --target node >there.log 2>&1 && cmp here.npz there.npz
check 9 "srun is the launcher of a target: a run there gives the bytes of a run here" $?
sed 's/^/# /' check.out
grep '"status": "failed"' "$work/sweep/cells.jsonl" | sed 's/^/# /'
sed 's/^/# /' "$work/first.log" "$work/second.log" "$work/second.out"
exit "${failed:-0}"
