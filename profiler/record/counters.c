/* counters.c — reads counters through perf_event_open() and getrusage().
 *
 * Counters cannot be both inherited by new threads and read as a group.  The threads that compute
 * exist before anything is counted, so each of them gets groups of its own.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "profiler/record/counters.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <math.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#define MAX_MEMBERS 5
#define MAX_THREADS 512
#define N_HEAD      3 /* words before the values: number of counters, ns enabled, ns running */

typedef struct
{
  ProfCount count;
  guint64   config;
} Counter;

static const Counter hardware[] = {
  { PROF_COUNT_CYCLES, PERF_COUNT_HW_CPU_CYCLES },
  { PROF_COUNT_INSTRUCTIONS, PERF_COUNT_HW_INSTRUCTIONS },
  { PROF_COUNT_CACHE_REFERENCES, PERF_COUNT_HW_CACHE_REFERENCES },
  { PROF_COUNT_CACHE_MISSES, PERF_COUNT_HW_CACHE_MISSES },
  { PROF_COUNT_BRANCH_MISSES, PERF_COUNT_HW_BRANCH_MISSES },
};

static const Counter software[] = {
  { PROF_COUNT_PROCESSOR_TIME, PERF_COUNT_SW_TASK_CLOCK },
  { PROF_COUNT_MIGRATIONS, PERF_COUNT_SW_CPU_MIGRATIONS },
};

/* Counters of one thread that run at the same time.  The first one that could be opened is the
 * leader. */
typedef struct
{
  int       file[MAX_MEMBERS];
  ProfCount count[MAX_MEMBERS];
  guint     n;
} CounterGroup;

struct _ProfCounters
{
  GArray       *groups; /* of CounterGroup */
  const char   *reason;
  struct rusage usage;
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
    [PROF_COUNT_PROCESSOR_TIME] = "processor time",
    [PROF_COUNT_MIGRATIONS] = "moves between cores",
    [PROF_COUNT_PAGE_FAULTS] = "page faults",
    [PROF_COUNT_SWITCHES] = "context switches",
  };

  return names[count];
}

/* Why a counter could not be opened, as a sentence without a full stop. */
static const char *
explain (int code)
{
  switch (code)
    {
    case ENOENT:
    case EOPNOTSUPP:
      return "The processor's counters are not available: this is a virtual machine without a "
             "performance monitoring unit";
    case EACCES:
    case EPERM:
      return "The kernel does not allow this process to read counters: set "
             "kernel.perf_event_paranoid to 1, or give it CAP_PERFMON";
    case ENOSYS:
      return "This kernel (or sandbox) has no perf_event_open";
    default:
      return "The processor's counters could not be opened";
    }
}

static int
open_counter (guint32 type, guint64 config, pid_t thread, int leader)
{
  struct perf_event_attr attributes = {
    .type = type,
    .size = sizeof attributes,
    .config = config,
    .disabled = leader < 0,
    .exclude_kernel = type == PERF_TYPE_HARDWARE,
    .exclude_hv = 1,
    .read_format =
        PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
  };

  return (int) syscall (SYS_perf_event_open, &attributes, thread, -1, leader, PERF_FLAG_FD_CLOEXEC);
}

static void
close_group (const CounterGroup *group)
{
  for (guint i = 0; i < group->n; i++)
    close (group->file[i]);
}

/* Opens the counters of one thread that are available.  Returns 0, or the error number of the first
 * that is not. */
static int
add_group (ProfCounters *counters, guint32 type, const Counter *members, guint n, pid_t thread)
{
  CounterGroup group = { .n = 0 };
  int          problem = 0;

  for (guint i = 0; i < n; i++)
    {
      int file = open_counter (type, members[i].config, thread, group.n > 0 ? group.file[0] : -1);

      if (file < 0)
        {
          problem = problem ? problem : errno;
          continue;
        }
      group.file[group.n] = file;
      group.count[group.n++] = members[i].count;
    }
  if (group.n > 0)
    g_array_append_val (counters->groups, group);
  return problem;
}

ProfCounters *
prof_counters_new (void)
{
  ProfCounters *counters = g_new0 (ProfCounters, 1);
  g_autoptr (GDir) threads = g_dir_open ("/proc/self/task", 0, NULL);
  const char *name;

  counters->groups = g_array_new (FALSE, FALSE, sizeof (CounterGroup));
  for (guint i = 0; threads && i < MAX_THREADS && (name = g_dir_read_name (threads)); i++)
    {
      pid_t thread = (pid_t) atoi (name);
      int   problem =
          add_group (counters, PERF_TYPE_HARDWARE, hardware, G_N_ELEMENTS (hardware), thread);

      /* ESRCH: the thread has just ended. */
      if (problem && problem != ESRCH && !counters->reason)
        counters->reason = explain (problem);
      add_group (counters, PERF_TYPE_SOFTWARE, software, G_N_ELEMENTS (software), thread);
    }
  if (!threads)
    counters->reason = explain (0);
  return counters;
}

void
prof_counters_free (ProfCounters *counters)
{
  if (!counters)
    return;
  for (guint i = 0; i < counters->groups->len; i++)
    close_group (&g_array_index (counters->groups, CounterGroup, i));
  g_array_unref (counters->groups);
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
  for (guint i = 0; i < counters->groups->len; i++)
    {
      int leader = g_array_index (counters->groups, CounterGroup, i).file[0];

      /* A group that cannot be started reads as one that never ran. */
      if (ioctl (leader, PERF_EVENT_IOC_RESET, PERF_IOC_FLAG_GROUP) == 0)
        ioctl (leader, PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP);
    }
}

gboolean
prof_counters_decode (const guint64 *words, gsize n_words, guint n, double *values)
{
  if (n_words < N_HEAD + (gsize) n || words[0] != n || words[2] == 0)
    return FALSE;
  for (guint i = 0; i < n; i++)
    values[i] = (double) words[N_HEAD + i] * ((double) words[1] / (double) words[2]);
  return TRUE;
}

/* Stops a group and reads its values.  A sleeping thread counted nothing. */
static gboolean
read_group (const CounterGroup *group, double *values)
{
  guint64 words[N_HEAD + MAX_MEMBERS];
  gssize  n_bytes;

  if (ioctl (group->file[0], PERF_EVENT_IOC_DISABLE, PERF_IOC_FLAG_GROUP) < 0)
    return FALSE;
  n_bytes = read (group->file[0], words, sizeof words);
  if (n_bytes >= (gssize) (N_HEAD * sizeof *words) && words[0] == group->n && words[1] == 0)
    {
      for (guint i = 0; i < group->n; i++)
        values[i] = 0;
      return TRUE;
    }
  return n_bytes > 0 &&
         prof_counters_decode (words, (gsize) n_bytes / sizeof *words, group->n, values);
}

void
prof_counters_end (ProfCounters *counters, double counts[PROF_N_COUNTS])
{
  struct rusage now;
  gboolean      is_lost[PROF_N_COUNTS] = { FALSE };

  getrusage (RUSAGE_SELF, &now);
  for (guint i = 0; i < PROF_N_COUNTS; i++)
    counts[i] = NAN;
  for (guint i = 0; i < counters->groups->len; i++)
    {
      const CounterGroup *group = &g_array_index (counters->groups, CounterGroup, i);
      double              values[MAX_MEMBERS];
      gboolean            is_read = read_group (group, values);

      for (guint k = 0; k < group->n; k++)
        {
          double *count = &counts[group->count[k]];

          is_lost[group->count[k]] |= !is_read;
          if (is_read)
            *count = (isnan (*count) ? 0 : *count) + values[k];
        }
    }
  counts[PROF_COUNT_PROCESSOR_TIME] *= 1e-9;
  /* A sum that lacks some threads would be misleading. */
  for (guint i = 0; i < PROF_N_COUNTS; i++)
    if (is_lost[i])
      counts[i] = NAN;
  counts[PROF_COUNT_PAGE_FAULTS] = (double) (now.ru_minflt - counters->usage.ru_minflt +
                                             now.ru_majflt - counters->usage.ru_majflt);
  counts[PROF_COUNT_SWITCHES] = (double) (now.ru_nvcsw - counters->usage.ru_nvcsw + now.ru_nivcsw -
                                          counters->usage.ru_nivcsw);
}
