/* core-type.c — makes OpenBLAS use kernels that fit the processor.
 *
 * OpenBLAS reads OPENBLAS_CORETYPE in its constructor, before main() (and variables set from
 * .preinit_array are lost when the C library starts).  So the program checks the choice and, if the
 * processor supports more, sets the variable and executes itself again.  This happens once, and
 * only on processors that this version of OpenBLAS does not know.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/core-type.h"

#include <cblas.h>
#include <stdlib.h>
#include <unistd.h>

#define VARIABLE "OPENBLAS_CORETYPE"

/* The OpenBLAS core for the instruction sets that the processor has; NULL if the default is as good. */
static const char *
find_core_type (void)
{
#if defined(__x86_64__)
  __builtin_cpu_init ();
  if (__builtin_cpu_supports ("avx512f") && __builtin_cpu_supports ("avx512dq") &&
      __builtin_cpu_supports ("avx512bw") && __builtin_cpu_supports ("avx512vl"))
    return "SkylakeX";
  if (__builtin_cpu_supports ("avx2") && __builtin_cpu_supports ("fma"))
    return "Haswell";
#endif
  return NULL;
}

void
scope_ensure_core_type (char **argv)
{
  /* Cores whose kernels use AVX2 or more. */
  static const char *const good[] = { "Haswell",        "Zen", "SkylakeX", "Cooperlake",
                                      "SapphireRapids", NULL };
  const char              *type = find_core_type ();

  /* A choice of the user is kept.  The variable is also set in the restarted program. */
  if (!type || getenv (VARIABLE) || g_strv_contains (good, openblas_get_corename ()))
    return;

  setenv (VARIABLE, type, 1);
  execv ("/proc/self/exe", argv); /* if this fails, the slow kernels still compute correctly */
  unsetenv (VARIABLE);
}
