/* series.h — the measurements of one subject.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "profiler/base/comparison.h"
#include "profiler/record/counters.h"
#include "profiler/record/recorder.h"

/* The measurements of one subject. */
typedef struct
{
  double  first; /* seconds of the first run; NaN: not run yet.  A known one is not repeated */
  GArray *warm;  /* of double: seconds of each warm-up run */
  GArray *clean; /* of double: seconds of one run, by sample */
  GArray *build; /* of guint: number of the build, by sample; never decreasing */
  GArray *clean_facts; /* of ProfSampleFacts, by sample */
  gboolean
                is_only_first; /* the clean sample is the first run, which was traced: there was no time for others */
  GArray       *traced;       /* of double: seconds, by run of the recorder */
  GArray       *traced_facts; /* of ProfSampleFacts, by run of the recorder */
  guint         inner;        /* runs that a clean sample is the average of */
  guint         exact;    /* from which traced run on they are exact (recorder.h); PROF_NO_RUN */
  ProfRecorder *recorder; /* owned; NULL: nothing was traced */
  GArray       *device;   /* of double: seconds that a GPU's clock counted, by clean sample; NaN */
  char         *device_trace;   /* the tracer of the GPU: “CUPTI 13.0”; NULL: none */
  char         *device_problem; /* its missing parts, or why there is none; NULL */
  gboolean      has_counts;
  double        counts[PROF_N_COUNTS]; /* per run */
  const char   *counts_reason;         /* why some are missing (static); NULL */
  ProfStop      stop;                  /* why the clean runs ended */
  guint64       turns; /* the same number for subjects whose clean runs took turns */
  double        copy_rate, clock_rate; /* of the machine, see machine-speed.h; NaN: not known */
  double        cut_seconds;           /* of the first run, if it was cancelled; else NaN */
  guint         cut_nodes;             /* nodes that had finished then, those in loops each time */
  gsize         planned_bytes;         /* peak of the memory that the executor held for values */
  gsize         resident_bytes;        /* peak of the process so far */
} ProfSeries;

#define PROF_NO_RUN G_MAXUINT

/* An empty series. */
void prof_series_init (ProfSeries *series);
/* Frees the members of series, but not series itself. */
void prof_series_clear (ProfSeries *series);

/* Seconds of the clean samples that make the estimate; see prof_select_undisturbed().  n: their
 * number.  Free with g_free(). */
double *
prof_series_dup_undisturbed (const ProfSeries *series, guint *n, ProfDisturbance *disturbance);
/* Compares the clean samples of n subjects that were measured in turns.  (transfer full) */
ProfComparison *prof_series_compare (const ProfSeries *series, guint n);
