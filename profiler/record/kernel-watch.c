/* kernel-watch.c — reads getrusage() and the scheduler's files of every thread in /proc/self/task.
 *
 * The files stay open, because a reading then costs 0.6 µs a thread instead of several.  They are
 * opened again when the number of threads changed or one of them has ended.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "profiler/record/kernel-watch.h"

#include <fcntl.h>
#include <math.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define TASKS       "/proc/self/task"
#define MAX_THREADS 512
#define LONG_TEXT   8192 /* bytes; a thread's “sched” has about 2000 */

/* The files of one thread; −1: it has none. */
typedef struct
{
  int wait;       /* schedstat: ns on a processor, ns waiting for one, number of slices */
  int migrations; /* sched: many lines, one of them “nr_migrations : 12” */
} ThreadFiles;

/* The counters at one moment. */
typedef struct
{
  struct rusage   usage;
  struct timespec cpu;
  double          wait;       /* ns; NaN: not reported */
  double          migrations; /* NaN: not read */
  int             processor;
} Reading;

struct _ProfKernelWatch
{
  GArray  *threads; /* of ThreadFiles */
  nlink_t  n_links; /* of the folder of threads when they were opened */
  gboolean is_long;
  Reading  before;
};

/* --- Files --- */

static void
close_files (gpointer data)
{
  const ThreadFiles *files = data;

  if (files->wait >= 0)
    close (files->wait);
  if (files->migrations >= 0)
    close (files->migrations);
}

static int
open_file (const char *thread, const char *name)
{
  g_autofree char *path = g_build_filename (TASKS, thread, name, NULL);

  return open (path, O_RDONLY | O_CLOEXEC);
}

static nlink_t
count_links (void)
{
  struct stat folder;

  return stat (TASKS, &folder) == 0 ? folder.st_nlink : 0;
}

static void
open_threads (ProfKernelWatch *watch)
{
  g_autoptr (GDir) folder = g_dir_open (TASKS, 0, NULL);
  const char *thread;

  g_array_set_size (watch->threads, 0);
  watch->n_links = count_links ();
  while (folder && watch->threads->len < MAX_THREADS && (thread = g_dir_read_name (folder)))
    {
      ThreadFiles files = { open_file (thread, "schedstat"), open_file (thread, "sched") };

      g_array_append_val (watch->threads, files);
    }
}

/* Reads a file from its beginning as a text.  FALSE if it cannot be read: the thread has ended. */
static gboolean
read_text (int file, char *text, gsize size)
{
  gssize n = file >= 0 ? pread (file, text, size - 1, 0) : -1;

  text[MAX (n, 0)] = '\0';
  return n > 0;
}

/* Nanoseconds that all threads have waited for a processor; NaN if one of them is not known.  A kernel
 * without these statistics reports 0 everywhere, even that no thread has ever run. */
static double
sum_waits (const ProfKernelWatch *watch)
{
  char    text[128];
  guint64 sum = 0, n_slices = 0;

  for (guint i = 0; i < watch->threads->len; i++)
    {
      char *at = text;

      if (!read_text (g_array_index (watch->threads, ThreadFiles, i).wait, text, sizeof text))
        return NAN;
      g_ascii_strtoull (at, &at, 10);
      sum += g_ascii_strtoull (at, &at, 10);
      n_slices += g_ascii_strtoull (at, &at, 10);
    }
  return n_slices > 0 ? (double) sum : NAN;
}

/* Moves of all threads between processors; NaN if one of them is not known. */
static double
sum_migrations (const ProfKernelWatch *watch)
{
  char   text[LONG_TEXT];
  double sum = 0;

  for (guint i = 0; i < watch->threads->len; i++)
    {
      const char *line, *colon;

      if (!read_text (g_array_index (watch->threads, ThreadFiles, i).migrations, text,
                      sizeof text) ||
          !(line = strstr (text, "nr_migrations")) || !(colon = strchr (line, ':')))
        return NAN;
      sum += (double) g_ascii_strtoull (colon + 1, NULL, 10);
    }
  return watch->threads->len > 0 ? sum : NAN;
}

/* Reads all but the clock of the processor, which takes longer than a short sample does. */
static void
read_counters (const ProfKernelWatch *watch, Reading *reading)
{
  reading->migrations = watch->is_long ? sum_migrations (watch) : NAN;
  reading->wait = sum_waits (watch);
  reading->processor = sched_getcpu ();
  getrusage (RUSAGE_SELF, &reading->usage);
}

static void
read_clock (Reading *reading)
{
  clock_gettime (CLOCK_PROCESS_CPUTIME_ID, &reading->cpu);
}

/* --- Samples --- */

ProfKernelWatch *
prof_kernel_watch_new (void)
{
  ProfKernelWatch *watch = g_new0 (ProfKernelWatch, 1);

  watch->threads = g_array_new (FALSE, FALSE, sizeof (ThreadFiles));
  g_array_set_clear_func (watch->threads, close_files);
  open_threads (watch);
  return watch;
}

void
prof_kernel_watch_free (ProfKernelWatch *watch)
{
  if (!watch)
    return;
  g_array_unref (watch->threads);
  g_free (watch);
}

void
prof_kernel_watch_begin (ProfKernelWatch *watch, gboolean is_long)
{
  watch->is_long = is_long;
  if (count_links () != watch->n_links)
    open_threads (watch);
  read_counters (watch, &watch->before);
  if (isnan (watch->before.wait) && watch->threads->len > 0 &&
      g_array_index (watch->threads, ThreadFiles, 0).wait >= 0)
    {
      /* A thread has ended and another began, so that their number is the same. */
      open_threads (watch);
      read_counters (watch, &watch->before);
    }
  read_clock (&watch->before);
}

static double
seconds_of (const struct timespec *time)
{
  return (double) time->tv_sec + (double) time->tv_nsec * 1e-9;
}

void
prof_kernel_watch_end (ProfKernelWatch *watch, double seconds, ProfSampleFacts *facts)
{
  const Reading       *before = &watch->before;
  const struct rusage *old = &before->usage;
  Reading              after;
  double               moves;

  read_clock (&after);
  read_counters (watch, &after);
  moves = after.migrations - before->migrations;
  *facts = (ProfSampleFacts){
    .wall = seconds,
    .cpu = seconds_of (&after.cpu) - seconds_of (&before->cpu),
    .wait = (after.wait - before->wait) * 1e-9,
    .voluntary = (guint32) (after.usage.ru_nvcsw - old->ru_nvcsw),
    .involuntary = (guint32) (after.usage.ru_nivcsw - old->ru_nivcsw),
    .migrations = moves >= 0 ? (guint32) moves : after.processor != before->processor,
    .faults =
        (guint32) (after.usage.ru_minflt - old->ru_minflt + after.usage.ru_majflt - old->ru_majflt),
  };
}
