#!/bin/sh
# sanitize.sh — runs tests and every command of hscope under a tool that watches memory or threads.
# usage: sanitize.sh thread|address|valgrind
#
# thread:   the engine's, profiler's and app's tests and every command, with 2 and with 4 threads; two hours or more
# address:  every test and every command, in build-address/, with all checks of both sanitizers
# valgrind: every command, in build/, which must be built without sanitizers; ten minutes or more
# Known reports of libraries, each with its reason: tests/races.txt, tests/leaks.txt, tests/valgrind.txt.
# SPDX-License-Identifier: LGPL-2.1-or-later
cd "$(dirname "$0")/.." || exit 2
tree=$PWD
export LC_ALL=C.UTF-8 G_SLICE=always-malloc
status=0

prepare () {
  folder=$1; shift
  [ -f "$folder/build.ninja" ] || meson setup "$folder" --buildtype=plain -Db_lundef=false -Dc_args='-O1 -g1' "$@" >&2 || exit 2
  ninja -C "$folder" >&2 || exit 2
}

case $1 in
  thread)
    prepare build-thread -Db_sanitize=thread
    locks=$tree/build-thread/tests/libglib-sync.so
    # Interceptors in libraries that are not instrumented would report what these libraries' own locks order.
    TSAN_OPTIONS="suppressions=$tree/tests/races.txt:ignore_noninstrumented_modules=1:history_size=4:allocator_may_return_null=1"
    export TSAN_OPTIONS
    for threads in 2 4; do
      HYB_PROCESSORS=$threads OPENBLAS_NUM_THREADS=1 \
        meson test -C build-thread --no-rebuild --print-errorlogs --timeout-multiplier 10 --num-processes 1 \
          --no-suite tree --no-suite counts --wrapper "env LD_PRELOAD=$locks" || status=1
      HYB_PROCESSORS=$threads tests/every-command.sh build-thread $threads env "LD_PRELOAD=$locks" || status=1
    done
    ;;
  address)
    prepare build-address -Db_sanitize=address,undefined
    tests/run-all.sh --all build-address || status=1
    ASAN_OPTIONS=allocator_may_return_null=1:verify_asan_link_order=0:detect_stack_use_after_return=0
    UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1
    LSAN_OPTIONS=suppressions=$tree/tests/leaks.txt:print_suppressions=0
    export ASAN_OPTIONS UBSAN_OPTIONS LSAN_OPTIONS
    tests/every-command.sh build-address 2 || status=1
    ;;
  valgrind)
    [ -f build/build.ninja ] || meson setup build --buildtype=release >&2 || exit 2
    ninja -C build programs tests/engine/block/two-models.so >&2 || exit 2
    # OpenBLAS chooses kernels that valgrind knows.
    OPENBLAS_CORETYPE=Haswell tests/every-command.sh build 2 valgrind --quiet --error-exitcode=99 --leak-check=full \
      --show-leak-kinds=definite --errors-for-leak-kinds=definite --num-callers=20 --trace-children=no \
      "--suppressions=$tree/tests/valgrind.txt" || status=1
    ;;
  *)
    sed -n '3,8s/^# //p' "$0"
    exit 2
    ;;
esac
exit $status
