#!/bin/sh
# check-gpu-bundle.sh — tools/gpu-bundle.sh packs programs, module, goldens and gpu-first-contact.sh, which then runs in another folder.
# usage: check-gpu-bundle.sh
#
# Scripts stand for the build and for hscope, so nothing is compiled. Prints TAP.
# SPDX-License-Identifier: LGPL-2.1-or-later
root=$(cd "$(dirname "$0")/.." && pwd)
tests=$root/tests
# shellcheck source=tests/temporary-folder.sh
. "$tests/temporary-folder.sh"
# shellcheck source=tests/report.sh
. "$(dirname "$0")/report.sh"
for program in xz tar; do
  command -v $program >/dev/null || { echo "1..0 # SKIP $program is not installed"; exit 0; }
done
unset HSCOPE GPU_CHECK

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
for name in bin/hscope bin/gpu-check lib/hybridscope/hybridscope-cuda.so gpu-first-contact.sh gpu-answers.py first-contact/steps.sh first-contact/torch-times.py \
  README.txt tools/gpu.sh tools/gpu/cuda-13.txt \
  tests/data/goldens/README.md; do
  [ -e "$place/$name" ] || { echo "# $name is missing"; missing=1; }
done
report $missing all-parts-are-in-it
"$place/gpu-first-contact.sh" "$work/results" >"$work/out" 2>&1
[ $? = 4 ] && grep -q 'There is no GPU to be used: none: no NVIDIA driver is installed\.' "$work/out"
report $? without-a-gpu-it-says-what-is-missing
tar -xzOf "$work/results/results.tar.gz" results/devices.txt >"$work/out" 2>&1 && grep -q 'no NVIDIA driver is installed' "$work/out"
report $? without-a-gpu-there-is-an-archive
# Stands for hscope where there is a GPU.
sed -i 's/gpu      none: .*"/gpu:0    a GPU"/' "$place/bin/hscope"
"$place/gpu-first-contact.sh" --only machine "$work/direct" >"$work/out" 2>&1
tar -xzOf "$work/direct/results.tar.gz" results/questions.txt >>"$work/out" 2>&1
grep -qxF "gpucheck 4, cuDNN refuses WGRAD_MODE_SET: yes, says $place/bin/gpu-check." "$work/out"
report $? the-gpu-check-of-the-bundle-is-asked

# Kernels that were compiled before are in it, for their owner alone, and are used there.
kept=$work/kept/hybridscope-gpu-1.2.3-test
mkdir "$work/kernels" "$work/kept"
echo "a kernel" >"$work/kernels/abc.kernel"
chmod 666 "$work/kernels/abc.kernel"
printf '#!/bin/sh\necho "gpu:0    kernels of %s"\n' "\$HYB_GPU_KERNELS" >"$work/hscope"
KERNELS=$work/kernels "$root/tools/gpu-bundle.sh" "$work/with" >"$work/out" 2>&1 && tar -xJf "$work/with"/*.tar.xz -C "$work/kept" &&
  [ "$(stat -c %a "$kept/kernels" "$kept/kernels/abc.kernel" | tr '\n' ' ')" = "700 600 " ]
modes=$?
"$kept/gpu-first-contact.sh" --only machine "$work/used" >"$work/out" 2>&1
[ $modes = 0 ] && tar -xzOf "$work/used/results.tar.gz" results/devices.txt | grep -qF "kernels of $kept/kernels"
report $? kernels-of-the-bundle-are-used

# Beside the archive the script unpacks it, with Python where there is no xz.
mkdir "$work/tools" "$work/tmp"
for folder in /bin /usr/bin; do
  find "$folder/" -maxdepth 1 ! -name 'xz*' ! -name 'python*' -type f -o -type l ! -name 'xz*' ! -name 'python*' | while read -r program; do
    [ -e "$work/tools/${program##*/}" ] || echo "$program"
  done | xargs ln -s -t "$work/tools" 2>/dev/null
done
printf '#!/bin/sh\nexec %s "$@"\n' "$(python3 -c 'import sys; print(sys.executable)')" >"$work/tools/python3"
chmod +x "$work/tools/python3"
TMPDIR=$work/tmp PATH=$work/tools "$work/made/gpu-first-contact.sh" "$work/loose" >"$work/out" 2>&1
[ $? = 4 ] && [ -s "$work/loose/results.tar.gz" ] && [ -z "$(ls -A "$work/tmp")" ]
report $? the-script-unpacks-the-archive-without-xz
TMPDIR=$work/tmp "$work/made/gpu-first-contact.sh" --bundle "$work/hscope" "$work/none" >"$work/out" 2>&1
[ $? = 1 ] && grep -q 'cannot be unpacked' "$work/none/answers.txt"
report $? an-archive-that-is-damaged-is-reported
printf '#!/bin/sh\necho "libgone.so.1: cannot open shared object file" >&2\nexit 127\n' >"$place/bin/hscope"
"$place/gpu-first-contact.sh" --only machine "$work/broken" >"$work/out" 2>&1
[ $? = 1 ] && tar -xzOf "$work/broken/results.tar.gz" results/version.txt | grep -q libgone
report $? a-program-that-does-not-start-is-reported
touch "$work/without-module"
"$root/tools/gpu-bundle.sh" "$work/second" >"$work/out" 2>&1
[ $? = 1 ] && grep -q 'the module for GPUs was not built' "$work/out" && [ ! -e "$work/second/hybridscope-gpu-1.2.3-test.tar.xz" ]
report $? without-the-module-there-is-no-bundle
finish_tests
