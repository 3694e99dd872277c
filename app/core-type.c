/* core-type.c — puts OpenBLAS's choice of kernels right.
 *
 * The library reads OPENBLAS_CORETYPE in its constructor, before any code of ours runs
 * (what .preinit_array sets is forgotten again when the C library starts).  So the program
 * looks at what was chosen and, where the processor can do more, starts itself anew with the
 * variable set.  That happens once, and on processors that the library does not know.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/core-type.h"

#include <cblas.h>
#include <stdlib.h>
#include <unistd.h>

#define VARIABLE "OPENBLAS_CORETYPE"

/* By what the processor can do, not by its name; NULL: nothing to be gained. */
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
  /* Kernels with AVX2 or more. */
  static const char *const good[] = { "Haswell",        "Zen", "SkylakeX", "Cooperlake",
                                      "SapphireRapids", NULL };
  const char              *type = find_core_type ();

  /* A user's choice stays; so does ours, which ends the second start. */
  if (!type || getenv (VARIABLE) || g_strv_contains (good, openblas_get_corename ()))
    return;

  setenv (VARIABLE, type, 1);
  execv ("/proc/self/exe", argv); /* where that fails, slow kernels are still right */
  unsetenv (VARIABLE);
}
