/* machine-id.c — names this machine by what cpuid, the scheduler and control groups say.
 *
 * It is asked at the start of commands, so that /proc/cpuinfo, which takes longer with many processors, is not read.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "profiler/machine/machine-id.h"

#include "engine/kernels/simd/processor.h"
#include "engine/kernels/simd/simd.h"
#include "profiler/base/machine.h"

#include <sched.h>

/* Grows when the facts are measured in another way. */
#define FORM 2

/* Debugging builds and those with sanitizers measure themselves. */
#if !defined __OPTIMIZE__ || defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
#define BUILD ", slow build"
#else
#define BUILD ""
#endif

static const char *const levels[] = {
  [HYB_SIMD_PLAIN] = "plain vectors",
  [HYB_SIMD_AVX2] = "AVX2",
  [HYB_SIMD_AVX512] = "AVX-512",
};

static guint
count_processors (void)
{
  cpu_set_t allowed;

  return sched_getaffinity (0, sizeof allowed, &allowed) == 0 ? (guint) CPU_COUNT (&allowed)
                                                              : g_get_num_processors ();
}

char *
prof_machine_id_dup (void)
{
  g_autofree char *processor = hyb_processor_dup_name ();
  g_autofree char *microcode =
      prof_machine_read_text ("/sys/devices/system/cpu/cpu0/microcode/version");
  g_autofree char *kind = prof_machine_read_text (
      "/sys/devices/system/cpu/cpu0/regs/identification/midr_el1"); /* of ARM */

  return g_strdup_printf ("%s%s%s%s%s, %u processors, quota %.2f, %s" BUILD ", form %d", processor,
                          kind ? ", " : "", kind ? kind : "", microcode ? ", microcode " : "",
                          microcode ? microcode : "", count_processors (),
                          prof_machine_find_quota (), levels[hyb_simd_level ()], FORM);
}
