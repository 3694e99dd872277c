/* measure-private.h — one measurement.
 *
 * measure.c decides which subject runs when, measure-trace.c makes the traced runs, and measure-session.c a
 * single run.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "profiler/record/kernel-watch.h"
#include "profiler/record/machine-speed.h"
#include "profiler/record/measure.h"
#include "profiler/record/rebuild.h"

typedef struct
{
  ProfSubject *const       *subjects;
  ProfSubject *const       *current; /* the subjects as they are built now */
  guint                     n;
  ProfSeries               *series;
  const ProfMeasureOptions *options;
  guint64                   begin_ns;
  double                    seconds;
  double                    phase_begin; /* seconds since begin_ns */
  double                    later;       /* seconds that the phases after this one take */
  guint                     threads;     /* for subjects that do not set their own */
  ProfKernelWatch          *watch;
  ProfBuilds               *builds;
  ProfMachineSpeed         *speed;
  gboolean                  rebuilds; /* subjects are built several times */
  guint                     rounds;   /* clean samples of one build */
} ProfMeasureSession;

/* Seconds since the measurement began. */
double prof_measure_elapsed (const ProfMeasureSession *session);
/* Whether it was cancelled. */
gboolean prof_measure_is_cancelled (const ProfMeasureSession *session);
/* Calls the progress function.  The remaining time is the rest of the budget, or less by the pace of the
 * phase. */
void prof_measure_report (const ProfMeasureSession *session,
                          const char               *phase,
                          guint                     subject,
                          guint                     done,
                          guint                     total);
/* Takes one sample: the average seconds of inner runs.  FALSE with an error if a run fails, without
 * one if it was cancelled. */
gboolean prof_measure_time (const ProfMeasureSession *session,
                            guint                     subject,
                            guint                     inner,
                            double                   *seconds,
                            GError                  **error);
/* Reads the kernel's counters before a sample of inner runs.  Threads that the subject needs are
 * started before. */
void prof_measure_watch (const ProfMeasureSession *session, guint subject, guint inner);

/* Runs a subject for the first time.  If it is the only one, this run is traced: of a long run it may
 * remain the only one.  As prof_measure_time(). */
gboolean prof_measure_run_first (const ProfMeasureSession *session, guint subject, GError **error);
/* Whether so few runs fit into the time that the first one stays the traced run. */
gboolean prof_measure_is_long (const ProfMeasureSession *session);
/* Traces all subjects.  The traced first run stays if no other ends. */
gboolean prof_measure_trace (const ProfMeasureSession *session, GError **error);
/* Makes the traced first run the clean sample if there is none. */
void prof_measure_answer (const ProfMeasureSession *session);
