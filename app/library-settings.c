/* library-settings.c — makes OpenBLAS use kernels that fit the processor and HYB_CPU, and one thread.
 *
 * OpenBLAS does not recognise processors that are newer than its release, and ignores HYB_CPU.  By default it starts
 * a thread for each processor, which retries without end if it cannot allocate 128 MiB; the engine does not use these
 * threads.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/library-settings.h"

#include "engine/kernels/simd/simd.h"

#include <stdlib.h>

/* The core whose kernels need no more instructions than the level has; NULL: OpenBLAS chooses. */
static const char *
core_of_level (HybSimdLevel level)
{
#ifdef __x86_64__
  if (level == HYB_SIMD_AVX512)
    return __builtin_cpu_supports ("avx512bf16") ? "Cooperlake" : "SkylakeX";
  if (level == HYB_SIMD_AVX2)
    return __builtin_cpu_is ("amd") ? "Zen" : "Haswell";
  /* OpenBLAS has no core below Prescott, which uses SSE3. */
  if (level < hyb_simd_processor_level ())
    return "Prescott";
#endif
  return NULL;
}

void
scope_choose_library_settings (void)
{
  const char *core = core_of_level (hyb_simd_level ());

  setenv ("OPENBLAS_NUM_THREADS", "1", FALSE);
  if (core)
    setenv ("OPENBLAS_CORETYPE", core, FALSE);
}
