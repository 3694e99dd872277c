/* measure.h — taking times: warm-up, clean runs in turn, then traced ones.
 *
 * Clean, traced and counted runs are never mixed.  Several subjects take turns there
 * and back (A B C C B A), so that whatever drifts hits all of them alike.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "profiler/base/machine.h"
#include "profiler/base/statistics.h"
#include "profiler/record/counters.h"
#include "profiler/record/recorder.h"
#include "profiler/record/subject.h"

typedef struct
{
  const char *phase;   /* "warm-up", "clean", "trace", "counters" */
  const char *subject; /* which */
  guint       done, total;
  double      elapsed, remaining; /* seconds; remaining is an estimate, and at most what is left
                                     of the budget */
} ProfProgress;

typedef struct
{
  int           warmup; /* -1: until it is steady */
  guint         repeat; /* clean samples; 0: until decided */
  guint         traced; /* runs */
  gboolean      counters;
  double        seconds;                                          /* for all of it; 0: 60 */
  GCancellable *cancellable;                                      /* keeps what is there */
  void (*progress) (gpointer data, const ProfProgress *progress); /* may be NULL */
  gpointer data;
} ProfMeasureOptions;

/* All about one subject. */
typedef struct
{
  double        first;        /* seconds of the first run; NaN: not run, else no other is made */
  GArray       *warm, *clean; /* of double: seconds of one run */
  GArray       *traced;       /* of double, by run of the recorder */
  guint         inner;        /* runs a clean sample is the average of */
  guint         exact;        /* which traced run is exact; PROF_NO_RUN: none */
  ProfRecorder *recorder;     /* NULL: nothing was traced */
  gboolean      has_counts;
  double        counts[PROF_N_COUNTS]; /* a run */
  const char   *counts_reason;         /* why some are missing (static); NULL */
  ProfStop      stop;
  gsize         planned_bytes;  /* most that the executor held for values at once */
  gsize         resident_bytes; /* most that the process held, so far */
} ProfSeries;

#define PROF_NO_RUN G_MAXUINT

void prof_series_init (ProfSeries *series);
void prof_series_clear (ProfSeries *series);

/* FALSE: a run failed.  Cancelled or out of time is TRUE: series say how far it got. */
gboolean prof_measure (ProfSubject *const       *subjects,
                       guint                     n,
                       ProfSeries               *series,
                       const ProfMeasureOptions *options,
                       GError                  **error);

/* How often each was slower or faster, over samples taken next to each other. */
void prof_series_pair (const ProfSeries *a, const ProfSeries *b, ProfPairing *pairing);
