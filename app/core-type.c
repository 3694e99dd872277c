/* core-type.c — makes OpenBLAS use kernels that fit the processor and HYB_CPU.
 *
 * OpenBLAS reads OPENBLAS_CORETYPE in its constructor, before main() (and variables set from
 * .preinit_array are lost when the C library starts).  So the program checks the choice and, if it
 * does not fit, sets the variable and executes itself again.  This happens once, and only on
 * processors that this version of OpenBLAS does not recognise, and with HYB_CPU.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/core-type.h"

#include "engine/kernels/simd/simd.h"

#include <cblas.h>
#include <stdlib.h>
#include <unistd.h>

#define VARIABLE "OPENBLAS_CORETYPE"

/* By level: the core to set, and equally good cores that need no more instructions than the level
 * has.  OpenBLAS has no core below Prescott, which uses SSE3. */
static const struct
{
  const char *core;
  const char *good[6];
} cores[] = {
  [HYB_SIMD_PLAIN] = { "Prescott", { "Prescott" } },
  [HYB_SIMD_AVX2] = { "Haswell", { "Haswell", "Zen" } },
  [HYB_SIMD_AVX512] = { "SkylakeX",
                        { "Haswell", "Zen", "SkylakeX", "Cooperlake", "SapphireRapids" } },
};

void
scope_ensure_core_type (char **argv)
{
  HybSimdLevel level = hyb_simd_level ();

  /* A choice of the user is kept.  The variable is also set in the restarted program. */
  if (getenv (VARIABLE) || g_strv_contains (cores[level].good, openblas_get_corename ()))
    return;
  /* Without AVX2, OpenBLAS' own choice is right unless less is requested. */
  if (level == HYB_SIMD_PLAIN && level == hyb_simd_processor_level ())
    return;

  setenv (VARIABLE, cores[level].core, 1);
  execv ("/proc/self/exe", argv); /* if this fails, the other kernels still compute correctly */
  unsetenv (VARIABLE);
}
