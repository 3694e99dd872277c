/* measure.h — measures subjects: warm-up, clean runs in turns, then counted and traced runs.
 *
 * The three kinds of runs are never mixed.  Several subjects take turns in random order, so that
 * drift affects all of them alike, and are built several times (pairing.h says why).
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "profiler/base/disturbance.h"
#include "profiler/base/machine.h"
#include "profiler/base/pairing.h"
#include "profiler/record/counters.h"
#include "profiler/record/recorder.h"
#include "profiler/record/subject.h"

typedef struct
{
  const char *phase;   /* "warm-up", "clean", "counters", "trace" */
  const char *subject; /* its name */
  guint       done, total;
  double      elapsed;   /* seconds */
  double      remaining; /* seconds, estimated; at most what is left of the budget */
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

/* What was measured of one subject. */
typedef struct
{
  double  first; /* seconds of the first run; NaN: not run yet.  A known one is not repeated */
  GArray *warm;  /* of double: seconds of each warm-up run */
  GArray *clean; /* of double: seconds of one run, by sample */
  GArray *build; /* of guint: number of the build, by sample; never decreasing */
  GArray *clean_facts;    /* of ProfSampleFacts, by sample */
  GArray *traced;         /* of double: seconds, by run of the recorder */
  GArray *traced_facts;   /* of ProfSampleFacts, by run of the recorder */
  guint   inner;          /* runs that a clean sample is the average of */
  guint   exact;          /* from which traced run on they are exact (recorder.h); PROF_NO_RUN */
  ProfRecorder *recorder; /* owned; NULL: nothing was traced */
  gboolean      has_counts;
  double        counts[PROF_N_COUNTS]; /* per run */
  const char   *counts_reason;         /* why some are missing (static); NULL */
  ProfStop      stop;                  /* why the clean runs ended */
  guint64       turns;          /* the same number for subjects whose clean runs took turns */
  gsize         planned_bytes;  /* peak of the memory that the executor held for values */
  gsize         resident_bytes; /* peak of the process so far */
} ProfSeries;

#define PROF_NO_RUN G_MAXUINT

/* An empty series. */
void prof_series_init (ProfSeries *series);
/* Frees what series owns, not series itself. */
void prof_series_clear (ProfSeries *series);

/* Measures n subjects into n initialised series.  FALSE with an error if a run fails.  TRUE when it
 * is cancelled or out of time; the series then hold the samples taken so far. */
gboolean prof_measure (ProfSubject *const       *subjects,
                       guint                     n,
                       ProfSeries               *series,
                       const ProfMeasureOptions *options,
                       GError                  **error);

/* Seconds of those clean samples that make the estimate; see prof_select_undisturbed().  n: their
 * number.  Free with g_free(). */
double *
prof_series_dup_undisturbed (const ProfSeries *series, guint *n, ProfDisturbance *disturbance);
/* The clean samples of two subjects that were measured in turns, those that make the estimate.  Free
 * with g_free(). */
ProfPairs *prof_series_pairs (const ProfSeries *a, const ProfSeries *b);

/* Seconds of `seconds` after which the clean runs of n subjects end.  What counted and traced runs do
 * not need belongs to the clean runs, since these decide.  series: with the warm-up or the first run,
 * which show how long a run takes. */
double prof_measure_clean_limit (const ProfMeasureOptions *options,
                                 const ProfSeries         *series,
                                 guint                     n,
                                 double                    seconds);
