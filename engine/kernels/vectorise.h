/* vectorise.h — include it after everything else in a file of simple inner loops: from
 * there on the compiler vectorises loops whatever the build type says.
 *
 * Results do not depend on it: floating-point operations are never reordered.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3")
/* In front of a loop whose output is either apart from its inputs or exactly one of them. */
#define HYB_INDEPENDENT _Pragma ("GCC ivdep")
/* In front of a short loop that is to become vectors, not single operations one by one. */
#define HYB_KEEP_LOOP _Pragma ("GCC unroll 1")
/* In front of a loop with few turns, known while compiling, whose values are to stay in registers. */
#define HYB_UNROLL(turns) HYB_UNROLL_ (GCC unroll turns)
#define HYB_UNROLL_(text) _Pragma (#text)
#else
#define HYB_UNROLL(turns)
#define HYB_INDEPENDENT
#define HYB_KEEP_LOOP
#endif
