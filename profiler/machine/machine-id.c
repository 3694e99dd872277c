/* machine-id.c — names this machine by what cpuid, the scheduler and control groups say.
 *
 * It is asked at the start of commands, so that /proc/cpuinfo, which takes longer with many processors, is not read.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "profiler/machine/machine-id.h"

#include "engine/kernels/simd/processor.h"
#include "engine/kernels/simd/simd.h"
#include "profiler/base/machine.h"

#include <math.h>
#include <sched.h>
#include <string.h>

#define GROUPS      "/sys/fs/cgroup"
#define MAX_PARENTS 32
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

double
prof_machine_quota (const char *text)
{
  char  *end;
  double quota = g_ascii_strtod (text, &end), period;

  if (end == text)
    return 0;
  period = g_ascii_strtod (end, NULL);
  return quota > 0 && period > 0 && isfinite (quota / period) ? quota / period : 0;
}

/* The smaller limit; 0 means unlimited. */
static double
smaller (double a, double b)
{
  return a > 0 && b > 0 ? MIN (a, b) : MAX (a, b);
}

/* The limit of a group and of those that it is part of.  group: as /proc/self/cgroup writes it. */
static double
find_limit (const char *group)
{
  g_autofree char *path = g_strconcat (GROUPS, group, NULL);
  double           limit = 0;

  for (guint i = 0; i < MAX_PARENTS && strlen (path) >= strlen (GROUPS); i++)
    {
      g_autofree char *file = g_build_filename (path, "cpu.max", NULL);
      g_autofree char *text = prof_machine_read_text (file);
      char            *end = strrchr (path, '/');

      limit = text ? smaller (limit, prof_machine_quota (text)) : limit;
      *end = '\0';
    }
  return limit;
}

/* Processors' time that control groups of version 2 or 1 allow; 0: all. */
static double
find_quota (void)
{
  g_autofree char *groups = prof_machine_read_text ("/proc/self/cgroup");
  g_autofree char *quota = prof_machine_read_text (GROUPS "/cpu/cpu.cfs_quota_us");
  g_autofree char *period = prof_machine_read_text (GROUPS "/cpu/cpu.cfs_period_us");
  g_autofree char *both = quota && period ? g_strjoin (" ", quota, period, NULL) : NULL;
  const char      *unified = groups ? strstr (groups, "0::/") : NULL;
  g_autofree char *group = unified ? g_strndup (unified + 3, strcspn (unified + 3, "\n")) : NULL;

  return smaller (group ? find_limit (group) : 0, both ? prof_machine_quota (both) : 0);
}

static guint
count_processors (void)
{
  cpu_set_t allowed;

  return sched_getaffinity (0, sizeof allowed, &allowed) == 0 ? (guint) CPU_COUNT (&allowed)
                                                              : g_get_num_processors ();
}

/* A group of a key file has a name of printable ASCII without brackets. */
static void
make_plain (char *text)
{
  for (; *text; text++)
    if (!g_ascii_isprint (*text) || *text == '[' || *text == ']')
      *text = ' ';
}

char *
prof_machine_id_dup (void)
{
  g_autofree char *processor = hyb_processor_dup_name ();
  g_autofree char *microcode =
      prof_machine_read_text ("/sys/devices/system/cpu/cpu0/microcode/version");
  g_autofree char *kind = prof_machine_read_text (
      "/sys/devices/system/cpu/cpu0/regs/identification/midr_el1"); /* of ARM */
  char *id = g_strdup_printf ("%s%s%s%s%s, %u processors, quota %.2f, %s" BUILD ", form %d",
                              processor, kind ? ", " : "", kind ? kind : "",
                              microcode ? ", microcode " : "", microcode ? microcode : "",
                              count_processors (), find_quota (), levels[hyb_simd_level ()], FORM);

  make_plain (id);
  return id;
}
