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
#else
#define HYB_INDEPENDENT
#define HYB_KEEP_LOOP
#endif
