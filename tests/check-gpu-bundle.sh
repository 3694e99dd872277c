#!/bin/sh
# check-gpu-bundle.sh — tools/gpu-bundle.sh packs programs, module, goldens and gpu-all.sh, which then runs in another folder.
# usage: check-gpu-bundle.sh
#
# Scripts stand for the build and for hscope, so nothing is compiled. Prints TAP.
# SPDX-License-Identifier: LGPL-2.1-or-later
root=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
# shellcheck source=tests/report.sh
. "$(dirname "$0")/report.sh"
for program in xz tar; do
  command -v $program >/dev/null || { echo "1..0 # SKIP $program is not installed"; exit 0; }
done
unset HSCOPE

# Stands for packaging/build-tarball.sh.
export TARBALL="$work/build"
cat >"$TARBALL" <<'END'
#!/bin/sh
tree=$2/hybridscope-1.2.3-test
mkdir -p "$tree/bin" "$tree/lib/hybridscope" "$2/build/tools/gpu-check"
cp "$(dirname "$0")/gpu-check" "$2/build/tools/gpu-check/"
[ -e "$(dirname "$0")/without-module" ] || touch "$tree/lib/hybridscope/hybridscope-cuda.so"
cp "$(dirname "$0")/hscope" "$tree/bin/"
echo "$tree"
END
# Stands for hscope on a machine without a GPU.
cat >"$work/hscope" <<'END'
#!/bin/sh
case $1 in
  --version) echo "hscope 1.2.3" ;;
  devices) echo "gpu      none: no NVIDIA driver is installed." ;;
  *) exit 9 ;;
esac
END
# Stands for gpu-check.
cat >"$work/gpu-check" <<'END'
#!/bin/sh
echo "gpucheck 4, cuDNN refuses WGRAD_MODE_SET: yes, says $0."
END
chmod +x "$TARBALL" "$work/hscope" "$work/gpu-check"

"$root/tools/gpu-bundle.sh" "$work/made" >"$work/out" 2>&1
report $? the-bundle-is-made
archive=$work/made/hybridscope-gpu-1.2.3-test.tar.xz
mkdir "$work/another folder"
tar -xJf "$archive" -C "$work/another folder" >>"$work/out" 2>&1
place="$work/another folder/hybridscope-gpu-1.2.3-test"
missing=0
for name in bin/hscope bin/gpu-check lib/hybridscope/hybridscope-cuda.so gpu-all.sh README.txt tools/gpu.sh tools/gpu/cuda-13.txt \
  tests/data/goldens/README.md; do
  [ -e "$place/$name" ] || { echo "# $name is missing"; missing=1; }
done
report $missing all-parts-are-in-it
"$place/gpu-all.sh" "$work/results" >"$work/out" 2>&1
[ $? = 4 ] && grep -q 'There is no GPU to be used, so only the machine was looked at: no NVIDIA driver is installed\.' "$work/out"
report $? without-a-gpu-it-says-what-is-missing
tar -xzOf "$work/results.tar.gz" results/answers.txt >"$work/out" 2>&1 &&
  grep -q '^everything that needs a GPU: not answered, no NVIDIA driver is installed\.$' "$work/out"
report $? without-a-gpu-there-is-an-archive
# Stands for hscope where there is a GPU that it cannot use, and for a ladder that it measured all the same.
cat >"$place/bin/hscope" <<'END'
#!/bin/sh
case $1 in
  --version) echo "hscope 1.2.3" ;;
  devices) echo "gpu:0    a GPU" ;;
  compare) cat "$(dirname "$0")/ladder.json" ;;
  *) exit 9 ;;
esac
END
# ladder SECONDS: what hscope compare --json prints, after another explanation.
ladder () {
  cat >"$place/bin/ladder.json" <<END
  "explanation": {
    "buckets": [{"name": "host and dispatch", "seconds": 7, "low": null, "rung": null, "rung_seconds": 7, "residual": 0}],
  },
  "ladder_explanation": {
    "seconds": 5,
    "buckets": [{"name": "host and dispatch", "seconds": $1, "low": null, "rung": "planned", "rung_seconds": 0.01, "residual": 0}, {"name": "memory", "seconds": 9, "rung_seconds": 9}],
END
}
ladder 0.0119
"$place/gpu-all.sh" "$work/direct" >"$work/out" 2>&1
[ $? = 1 ] && grep -qxF "gpucheck 4, cuDNN refuses WGRAD_MODE_SET: yes, says $place/bin/gpu-check." "$work/direct/answers.txt"
report $? the-gpu-check-of-the-bundle-is-asked
shares='check 12, the share of launches is what the ladder saves'
grep -qx "$shares: yes, host and dispatch 0\.0119 s, its rungs saved 0\.01 s, .*" "$work/direct/answers.txt"
report $? a-share-that-agrees-with-the-ladder-is-a-yes
ladder 0.0121
"$place/gpu-all.sh" "$work/direct" >"$work/out" 2>&1
grep -qx "$shares: no, host and dispatch 0\.0121 s, its rungs saved 0\.01 s, .*" "$work/direct/answers.txt"
report $? a-share-that-disagrees-is-a-no
printf '#!/bin/sh\necho "libgone.so.1: cannot open shared object file" >&2\nexit 127\n' >"$place/bin/hscope"
"$place/gpu-all.sh" "$work/broken" >"$work/out" 2>&1
[ $? = 1 ] && grep -q libgone "$work/out" && [ -s "$work/broken.tar.gz" ]
report $? a-program-that-does-not-start-is-reported
touch "$work/without-module"
"$root/tools/gpu-bundle.sh" "$work/second" >"$work/out" 2>&1
[ $? = 1 ] && grep -q 'the module for GPUs was not built' "$work/out" && [ ! -e "$work/second/hybridscope-gpu-1.2.3-test.tar.xz" ]
report $? without-the-module-there-is-no-bundle
finish_tests
