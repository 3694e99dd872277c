/* counters.c — perf_event_open and getrusage.
 *
 * Counters cannot both be inherited by new threads and be read as a group, and threads that
 * compute are there before anything is counted: so each of them gets groups of its own.
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

#define MOST_MEMBERS 5
#define MOST_THREADS 512
#define HEAD         3 /* words before the values */

typedef struct
{
  ProfCount count;
  guint64   config;
} Member;

static const Member hardware[] = {
  { PROF_COUNT_CYCLES, PERF_COUNT_HW_CPU_CYCLES },
  { PROF_COUNT_INSTRUCTIONS, PERF_COUNT_HW_INSTRUCTIONS },
  { PROF_COUNT_CACHE_REFERENCES, PERF_COUNT_HW_CACHE_REFERENCES },
  { PROF_COUNT_CACHE_MISSES, PERF_COUNT_HW_CACHE_MISSES },
  { PROF_COUNT_BRANCH_MISSES, PERF_COUNT_HW_BRANCH_MISSES },
};

static const Member software[] = {
  { PROF_COUNT_PROCESSOR_TIME, PERF_COUNT_SW_TASK_CLOCK },
  { PROF_COUNT_MIGRATIONS, PERF_COUNT_SW_CPU_MIGRATIONS },
};

/* Counters of one thread that run together; the first one that could be opened leads. */
typedef struct
{
  int       file[MOST_MEMBERS];
  ProfCount count[MOST_MEMBERS];
  guint     n;
} Group;

struct _ProfCounters
{
  GArray       *groups; /* of Group */
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
close_group (const Group *group)
{
  for (guint i = 0; i < group->n; i++)
    close (group->file[i]);
}

/* Returns 0, or why not all of them could be opened. */
static int
add_group (ProfCounters *counters, guint32 type, const Member *members, guint n, pid_t thread)
{
  Group group = { .n = 0 };
  int   problem = 0;

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

  counters->groups = g_array_new (FALSE, FALSE, sizeof (Group));
  for (guint i = 0; threads && i < MOST_THREADS && (name = g_dir_read_name (threads)); i++)
    {
      pid_t thread = (pid_t) atoi (name);
      int   problem =
          add_group (counters, PERF_TYPE_HARDWARE, hardware, G_N_ELEMENTS (hardware), thread);

      /* A thread that has just ended is no reason. */
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
    close_group (&g_array_index (counters->groups, Group, i));
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
      int leader = g_array_index (counters->groups, Group, i).file[0];

      /* What cannot be started reads as never having run. */
      if (ioctl (leader, PERF_EVENT_IOC_RESET, PERF_IOC_FLAG_GROUP) == 0)
        ioctl (leader, PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP);
    }
}

gboolean
prof_counters_decode (const guint64 *words, gsize n_words, guint n, double *values)
{
  if (n_words < HEAD + (gsize) n || words[0] != n || words[2] == 0)
    return FALSE;
  for (guint i = 0; i < n; i++)
    values[i] = (double) words[HEAD + i] * ((double) words[1] / (double) words[2]);
  return TRUE;
}

/* A thread that slept all the time was wanted for none: it counted nothing. */
static gboolean
read_group (const Group *group, double *values)
{
  guint64 words[HEAD + MOST_MEMBERS];
  gssize  n_bytes;

  if (ioctl (group->file[0], PERF_EVENT_IOC_DISABLE, PERF_IOC_FLAG_GROUP) < 0)
    return FALSE;
  n_bytes = read (group->file[0], words, sizeof words);
  if (n_bytes >= (gssize) (HEAD * sizeof *words) && words[0] == group->n && words[1] == 0)
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
      const Group *group = &g_array_index (counters->groups, Group, i);
      double       values[MOST_MEMBERS];
      gboolean     is_read = read_group (group, values);

      for (guint k = 0; k < group->n; k++)
        {
          double *count = &counts[group->count[k]];

          is_lost[group->count[k]] |= !is_read;
          if (is_read)
            *count = (isnan (*count) ? 0 : *count) + values[k];
        }
    }
  counts[PROF_COUNT_PROCESSOR_TIME] *= 1e-9;
  /* A sum without one of the threads would say less than nothing. */
  for (guint i = 0; i < PROF_N_COUNTS; i++)
    if (is_lost[i])
      counts[i] = NAN;
  counts[PROF_COUNT_PAGE_FAULTS] = (double) (now.ru_minflt - counters->usage.ru_minflt +
                                             now.ru_majflt - counters->usage.ru_majflt);
  counts[PROF_COUNT_SWITCHES] = (double) (now.ru_nvcsw - counters->usage.ru_nvcsw + now.ru_nivcsw -
                                          counters->usage.ru_nivcsw);
}
