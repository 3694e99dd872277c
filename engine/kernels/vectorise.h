/* vectorise.h — turns on GCC's loop vectoriser for the rest of a source file, in every build type but those with sanitizers.
 *
 * Include it after all other headers in files of simple inner loops.  Results do not depend on it,
 * because the compiler may not reorder floating-point operations.  With sanitizers, whose checks multiply in unrolled
 * loops, some of these files would take minutes to compile.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#pragma GCC optimize("O1")
#define HYB_INDEPENDENT
#define HYB_KEEP_LOOP
#define HYB_UNROLL(turns)
#elif defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3")
/* Before a loop whose output array either does not overlap its inputs or is exactly one of them. */
#define HYB_INDEPENDENT   _Pragma ("GCC ivdep")
/* Before a short loop that should be vectorised rather than fully unrolled into scalar code. */
#define HYB_KEEP_LOOP     _Pragma ("GCC unroll 1")
/* Before a loop with a small constant number of turns whose values should stay in registers. */
#define HYB_UNROLL(turns) HYB_UNROLL_ (GCC unroll turns)
#define HYB_UNROLL_(text) _Pragma (#text)
#else
#define HYB_UNROLL(turns)
#define HYB_INDEPENDENT
#define HYB_KEEP_LOOP
#endif
