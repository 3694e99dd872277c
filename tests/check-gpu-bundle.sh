#!/bin/sh
# check-gpu-bundle.sh — tools/gpu-bundle.sh packs programs, module, goldens and gpu-all.sh, which then runs in another folder.
# usage: check-gpu-bundle.sh
#
# Scripts stand for the build and for hscope, so nothing is compiled. Prints TAP.
# SPDX-License-Identifier: LGPL-2.1-or-later
root=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
number=0
failed=0
for program in xz tar; do
  command -v $program >/dev/null || { echo "1..0 # SKIP $program is not installed"; exit 0; }
done
unset HSCOPE

# report STATUS NAME: one test.
report () {
  number=$((number + 1))
  if [ "$1" = 0 ]; then
    echo "ok $number $2"
  else
    echo "not ok $number $2"
    sed 's/^/# /' "$work/out"
    failed=1
  fi
}

# Stands for packaging/build-tarball.sh.
export TARBALL="$work/build"
cat >"$TARBALL" <<'END'
#!/bin/sh
tree=$2/hybridscope-1.2.3-test
mkdir -p "$tree/bin" "$tree/lib/hybridscope"
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
chmod +x "$TARBALL" "$work/hscope"

"$root/tools/gpu-bundle.sh" "$work/made" >"$work/out" 2>&1
report $? the-bundle-is-made
archive=$work/made/hybridscope-gpu-1.2.3-test.tar.xz
mkdir "$work/another folder"
tar -xJf "$archive" -C "$work/another folder" >>"$work/out" 2>&1
place="$work/another folder/hybridscope-gpu-1.2.3-test"
missing=0
for name in bin/hscope lib/hybridscope/hybridscope-cuda.so gpu-all.sh README.txt tools/gpu.sh tools/gpu/cuda-13.txt \
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
printf '#!/bin/sh\necho "libgone.so.1: cannot open shared object file" >&2\nexit 127\n' >"$place/bin/hscope"
"$place/gpu-all.sh" "$work/broken" >"$work/out" 2>&1
[ $? = 1 ] && grep -q libgone "$work/out" && [ -s "$work/broken.tar.gz" ]
report $? a-program-that-does-not-start-is-reported
touch "$work/without-module"
"$root/tools/gpu-bundle.sh" "$work/second" >"$work/out" 2>&1
[ $? = 1 ] && grep -q 'the module for GPUs was not built' "$work/out" && [ ! -e "$work/second/hybridscope-gpu-1.2.3-test.tar.xz" ]
report $? without-the-module-there-is-no-bundle
echo "1..$number"
exit $failed
