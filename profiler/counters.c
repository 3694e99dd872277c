/* counters.c — perf_event_open and getrusage.
 *
 * One event a counter rather than a group: worker threads are inherited, which older
 * kernels refuse for groups.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "profiler/counters.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <math.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#define N_HARDWARE PROF_COUNT_PAGE_FAULTS

struct _ProfCounters
{
  int           file[N_HARDWARE]; /* -1: not there */
  const char   *reason;
  struct rusage usage;
};

static const guint64 configs[N_HARDWARE] = {
  [PROF_COUNT_CYCLES] = PERF_COUNT_HW_CPU_CYCLES,
  [PROF_COUNT_INSTRUCTIONS] = PERF_COUNT_HW_INSTRUCTIONS,
  [PROF_COUNT_CACHE_REFERENCES] = PERF_COUNT_HW_CACHE_REFERENCES,
  [PROF_COUNT_CACHE_MISSES] = PERF_COUNT_HW_CACHE_MISSES,
  [PROF_COUNT_BRANCH_MISSES] = PERF_COUNT_HW_BRANCH_MISSES,
};

const char *
prof_count_name (ProfCount count)
{
  static const char *const names[PROF_N_COUNTS] = {
    [PROF_COUNT_CYCLES] = "cycles",
    [PROF_COUNT_INSTRUCTIONS] = "instructions",
    [PROF_COUNT_CACHE_REFERENCES] = "cache references",
    [PROF_COUNT_CACHE_MISSES] = "cache misses",
    [PROF_COUNT_BRANCH_MISSES] = "branch misses",
    [PROF_COUNT_PAGE_FAULTS] = "page faults",
    [PROF_COUNT_SWITCHES] = "context switches",
  };

  return names[count];
}

static const char *
explain (int code)
{
  switch (code)
    {
    case ENOENT:
    case EOPNOTSUPP:
      return "The processor's counters are not there: a virtual machine without a performance unit";
    case EACCES:
    case EPERM:
      return "The kernel does not let this process count: set kernel.perf_event_paranoid to 1, or "
             "give it CAP_PERFMON";
    case ENOSYS:
      return "This kernel (or sandbox) has no perf_event_open";
    default:
      return "The processor's counters could not be opened";
    }
}

static int
open_counter (guint64 config)
{
  struct perf_event_attr attributes = {
    .type = PERF_TYPE_HARDWARE,
    .size = sizeof attributes,
    .config = config,
    .disabled = 1,
    .inherit = 1,
    .exclude_kernel = 1,
    .exclude_hv = 1,
    .read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
  };

  return (int) syscall (SYS_perf_event_open, &attributes, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

ProfCounters *
prof_counters_new (void)
{
  ProfCounters *counters = g_new0 (ProfCounters, 1);

  for (guint i = 0; i < N_HARDWARE; i++)
    {
      counters->file[i] = open_counter (configs[i]);
      if (counters->file[i] < 0 && !counters->reason)
        counters->reason = explain (errno);
    }
  return counters;
}

void
prof_counters_free (ProfCounters *counters)
{
  if (!counters)
    return;
  for (guint i = 0; i < N_HARDWARE; i++)
    if (counters->file[i] >= 0)
      close (counters->file[i]);
  g_free (counters);
}

const char *
prof_counters_get_reason (const ProfCounters *counters)
{
  return counters->reason;
}

void
prof_counters_begin (ProfCounters *counters)
{
  getrusage (RUSAGE_SELF, &counters->usage);
  for (guint i = 0; i < N_HARDWARE; i++)
    if (counters->file[i] >= 0 && (ioctl (counters->file[i], PERF_EVENT_IOC_RESET, 0) < 0 ||
                                   ioctl (counters->file[i], PERF_EVENT_IOC_ENABLE, 0) < 0))
      {
        close (counters->file[i]);
        counters->file[i] = -1;
      }
}

static double
read_counter (int file)
{
  guint64 values[3]; /* count, time enabled, time running */

  if (file < 0 || ioctl (file, PERF_EVENT_IOC_DISABLE, 0) < 0 ||
      read (file, values, sizeof values) != sizeof values || values[2] == 0)
    return NAN;
  return (double) values[0] * ((double) values[1] / (double) values[2]);
}

void
prof_counters_end (ProfCounters *counters, double counts[PROF_N_COUNTS])
{
  struct rusage now;

  for (guint i = 0; i < N_HARDWARE; i++)
    counts[i] = read_counter (counters->file[i]);
  getrusage (RUSAGE_SELF, &now);
  counts[PROF_COUNT_PAGE_FAULTS] = (double) (now.ru_minflt - counters->usage.ru_minflt +
                                             now.ru_majflt - counters->usage.ru_majflt);
  counts[PROF_COUNT_SWITCHES] = (double) (now.ru_nvcsw - counters->usage.ru_nvcsw + now.ru_nivcsw -
                                          counters->usage.ru_nivcsw);
}
