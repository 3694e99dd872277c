#!/bin/sh
# ssh.sh — a target behind a real SSH: an sshd on the loopback address, with its own keys and port, and a second account.
# usage: ssh.sh HSCOPE [WINDOW [BUNDLE]]    WINDOW: the program far-window, which drives the window on the target, or “”
#                                           BUNDLE: a tarball of packaging/build-tarball.sh, to be installed there
#
# sshd is stopped at the end, and the account that was made is removed. Without the rights to make one, the account is this one.
# Prints TAP; skips where Debian's package openssh-server is missing.
# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck disable=SC2317,SC2181 # functions are called by name; the status of long commands is checked below them
hscope=$(realpath "${1:?usage: ssh.sh HSCOPE [WINDOW [BUNDLE]]}") || exit 2
window=${2:+$(realpath "$2")}
bundle=${3:+$(realpath "$3")}
display=$(realpath "$(dirname "$0")/../app/with-display.sh")
PATH=$PATH:/usr/sbin

echo 1..13
skip () {
  for i in 1 2 3 4 5 6 7 8 9 10 11 12 13; do echo "ok $i # SKIP $1"; done
  exit 0
}
for program in sshd ssh ssh-keygen; do
  command -v "$program" >/dev/null || skip "openssh-server is not installed"
done

tests=$(cd "$(dirname "$0")/.." && pwd) || exit 2
# shellcheck source=tests/temporary-folder.sh
. "$tests/temporary-folder.sh"
user=$(id -un)
made=
end_all () { # end_all "NUMBER…": kills these processes
  for number in $1; do kill -KILL "$number" 2>/dev/null; done
}
clean () {
  [ -s "$work/sshd.pid" ] && kill "$(cat "$work/sshd.pid")" 2>/dev/null
  [ -z "$made" ] || { end_all "$(ps -o pid= -u "$made")"; sleep 0.2; userdel -r "$made" 2>/dev/null; }
}
trap clean EXIT
trap 'exit 1' INT TERM
chmod 755 "$work"

# A second account where this is root; its own files, and nothing of this one, are what it may write.
if [ "$(id -u)" -eq 0 ] && command -v useradd >/dev/null; then
  name=hscope-test-$$
  useradd -m -d "$work/home" -s /bin/sh -p '*' "$name" 2>/dev/null && user=$name made=$name
fi
[ -n "$made" ] || mkdir -p "$work/home"
su - "$user" -c "test -x '$hscope'" 2>/dev/null || { [ -z "$made" ] || skip "the second account cannot reach hscope"; }

port=$((30000 + $$ % 10000))
mkdir -p "$work/keys" "$work/authorized" "$work/home/runs" "$work/config/hybridscope"
ssh-keygen -q -t ed25519 -N '' -f "$work/keys/host" && ssh-keygen -q -t ed25519 -N '' -f "$work/keys/user" || exit 2
cp "$work/keys/user.pub" "$work/authorized/keys"
chmod 755 "$work/authorized" && chmod 644 "$work/authorized/keys"
[ -z "$made" ] || chown -R "$user" "$work/home"
cat >"$work/sshd_config" <<END
ListenAddress 127.0.0.1
Port $port
HostKey $work/keys/host
PidFile $work/sshd.pid
AuthorizedKeysFile $work/authorized/keys
PasswordAuthentication no
KbdInteractiveAuthentication no
PermitRootLogin yes
StrictModes no
UsePAM no
AcceptEnv *SAN_OPTIONS
END
[ "$(id -u)" -ne 0 ] || mkdir -p /run/sshd
"$(command -v sshd)" -f "$work/sshd_config" -E "$work/sshd.log" || skip "sshd does not start here"
cat >"$work/config/hybridscope/targets.ini" <<END
[far]
launcher = ssh -F none -p $port -i $work/keys/user -o BatchMode=yes -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null -o LogLevel=ERROR -o SendEnv=*SAN_OPTIONS $user@127.0.0.1
program = $hscope
folder = $work/home/runs
END
export XDG_CONFIG_HOME="$work/config" TMPDIR="$work"
cd "$work" || exit 2

check () { # check NUMBER NAME STATUS
  if [ "$3" -eq 0 ]; then echo "ok $1 $2"; else echo "not ok $1 $2"; failed=1; fi
}
says () { grep -q "$2" "$1" || { sed 's/^/# /' "$1"; return 1; }; }
nothing_left () { # no folder there and no process of this test on either side, within some seconds
  for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
    left=$(ls "$work/home/runs"; for p in /proc/[0-9]*; do
      [ "$(readlink "$p/exe")" = "$hscope" ] && grep -qas "$work" "$p/environ" "$p/cmdline" && tr '\0' ' ' <"$p/cmdline"; done)
    [ -z "$left" ] && return 0
    sleep 0.5
  done
  echo "# left: $left"
  return 1
}
start () { # trains there, until it is interrupted; $pid is hscope here
  "$hscope" train gallery:mlp --epochs 1000000 --output "$1" --target far >"$1.out" 2>"$1.err" &
  pid=$!
  i=0
  until grep -q 'data:' "$1.out" 2>/dev/null && find "$work/home/runs" -mindepth 1 | grep -q .; do
    i=$((i + 1))
    [ "$i" -lt 600 ] || return 1
    sleep 0.1
  done
  # The first checkpoint is there.
  sleep 1
}

"$hscope" targets check far >check.out 2>check.err
check 1 "the target answers, with its version, machine and clock" $?
sed 's/^/# /' check.out check.err
"$hscope" new mlp --output net >new.log 2>&1 &&
  "$hscope" run net-symbol.json --init uniform --output here.npz >here.log 2>&1 &&
  "$hscope" run net-symbol.json --init uniform --output there.npz --target far >there.log 2>&1 && cmp here.npz there.npz
check 2 "a run there gives the bytes of a run here" $?
"$hscope" profile net-symbol.json --repeat 2 --traced 1 --capture there.hscope --target far >profile.log 2>&1 &&
  "$hscope" report there.hscope >report.out 2>&1 && says report.out '^target  *far$'
check 3 "a recording comes back and names the target" $?
"$hscope" compare net-symbol.json --repeat 2 --no-ladder --captures pair --report pair.html --target far >compare.log 2>&1 &&
  [ -s pair.html ] && ls pair-*.hscope >/dev/null
check 4 "a comparison comes back with its report and recordings" $?
if [ -n "$made" ]; then
  find "$work/home/runs" -type d -print | head -1 | grep -q . && [ "$(stat -c %U "$work/home/runs")" = "$user" ]
  check 5 "the other side is the account $user" $?
else
  echo "ok 5 # SKIP no second account can be made here"
fi

start cancelled && kill -INT "$pid"
wait "$pid"
status=$?
[ "$status" -eq 130 ] && ls cancelled-*.params >/dev/null && nothing_left
check 6 "Ctrl-C brings the checkpoints back and leaves nothing there" $?

echo old >cut-9999.params
start cut && end_all "$(ps -o pid= --ppid "$pid")"
wait "$pid"
status=$?
[ "$status" -eq 4 ] && says cut.err 'far: the connection was lost' && [ "$(cat cut-9999.params)" = old ] && nothing_left
check 7 "a connection that is cut is a sentence, and nothing is left on either side" $?

start killed && kill -KILL "$pid"
wait "$pid" 2>/dev/null
nothing_left
check 8 "hscope that is killed here leaves nothing there" $?

"$hscope" run net-symbol.json --init uniform --output again.npz --target far >again.log 2>&1 && cmp here.npz again.npz && nothing_left
check 9 "the target works again afterwards" $?

# The bundle, with its own libraries: it is the program of the target afterwards.
if [ -z "$bundle" ]; then
  echo "ok 10 # SKIP no bundle is given"
else
  far_bundle () { XDG_CONFIG_HOME=$work/other "$hscope" "$@"; }
  mkdir -p other/hybridscope && grep -v '^program' config/hybridscope/targets.ini >other/hybridscope/targets.ini
  ! far_bundle targets check far >before.out 2>&1 && says before.out 'targets install' &&
    far_bundle targets install far --bundle "$bundle" --to "$work/home/installed" >install.log 2>&1 &&
    far_bundle targets check far >after.out 2>&1 && says after.out "^answers *hscope [0-9]" &&
    grep -q "^program *= *$work/home/installed/bin/hscope" other/hybridscope/targets.ini &&
    [ "$(stat -c %U home/installed/bin/hscope)" = "$user" ] &&
    far_bundle run net-symbol.json --init uniform --output bundle.npz --target far >bundle.log 2>&1 && cmp here.npz bundle.npz && nothing_left
  check 10 "a bundle is installed in the second account, tells its version, and computes the same bytes" $?
  cat before.out install.log after.out 2>/dev/null | sed 's/^/# /'
fi

# The window: Run and Compare on the target, and the connection is cut in the middle of each.
drive () { # drive NUMBER TEST NAME
  grep -q "^ok .*$2" window.out && nothing_left
  check "$1" "$3" $?
}
if [ -z "$window" ]; then
  for i in 11 12 13; do echo "ok $i # SKIP there is no window in this build"; done
else
  ASAN_OPTIONS=${ASAN_OPTIONS:-}:detect_leaks=0 FAR_FOLDER=$work/home/runs FAR_TARGETS=$work/config/hybridscope/targets.ini \
    GSK_RENDERER=cairo GTK_A11Y=none GSETTINGS_BACKEND=memory GDK_BACKEND=x11 \
    DBUS_SESSION_BUS_ADDRESS=disabled: LC_ALL=C.UTF-8 "$display" 1280x800 "$window" --tap >window.out 2>window.err
  sed 's/^/# /' window.out window.err
  if grep -q '# SKIP' window.out; then
    for i in 11 12 13; do echo "ok $i # SKIP there is no display"; done
  else
    drive 11 a-run-there-brings-its-recording-back "a run from the window brings its recording back"
    drive 12 a-run-that-is-cut-off "a run that is cut off is a sentence with a button in the window, and nothing is left"
    drive 13 a-comparison-is-cut-off-and-repeated "a comparison that is cut off is a sentence, and its button repeats it"
  fi
fi
[ -z "$failed" ]
