/* measure.h — measures subjects: warm-up, clean runs in turns, then counted and traced runs.
 *
 * The three kinds of runs are never mixed.  Several subjects take turns in random order, so that
 * drift affects all of them alike, and are built several times (pairing.h says why).
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "profiler/base/machine.h"
#include "profiler/record/series.h"
#include "profiler/record/subject.h"

typedef struct
{
  const char *phase;   /* "warm-up", "clean", "counters", "trace" */
  const char *subject; /* its name */
  guint64     done, total;
  double      elapsed;   /* seconds */
  double      remaining; /* seconds, estimated; at most the rest of the budget */
} ProfProgress;

typedef struct
{
  int           warmup;      /* runs; -1: until times are steady */
  guint         repeat;      /* clean samples; 0: until the result is decided */
  gboolean      rebuild;     /* build subjects several times, to measure how much that matters */
  guint         traced;      /* traced runs */
  gboolean      counters;    /* count hardware events, too */
  double        seconds;     /* budget for everything; 0: 60 */
  GCancellable *cancellable; /* (nullable) samples taken before it is cancelled are kept */
  void (*progress) (gpointer data, const ProfProgress *progress); /* (nullable) */
  gpointer data;                                                  /* for progress */
} ProfMeasureOptions;

#define PROF_MIN_COUNTED 3 /* runs in which hardware events are counted */

/* Measures n subjects into n initialised series.  FALSE with an error if a run fails.  TRUE when it
 * is cancelled or out of time; the series then hold the samples taken so far. */
gboolean prof_measure (ProfSubject *const       *subjects,
                       guint                     n,
                       ProfSeries               *series,
                       const ProfMeasureOptions *options,
                       GError                  **error);

/* Seconds of `seconds` after which the clean runs of n subjects end.  Time that counted and traced runs do not need goes to
 * the clean runs, which decide the verdict.  series: with the warm-up or the first run, which show how long a run takes. */
double prof_measure_clean_limit (const ProfMeasureOptions *options,
                                 const ProfSeries         *series,
                                 guint                     n,
                                 double                    seconds);
