/* compare-group.h — a group of candidates that compute the same numbers, and their measurement.
 *
 * Candidates run in turns (a b c a b c …), so that a change of the machine's speed affects all of
 * them alike.  The first candidate is the baseline of all ratios.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "profiler/explain/equality.h"
#include "profiler/explain/explain.h"
#include "profiler/record/measure.h"

/* One form of the model in one mode. */
typedef struct
{
  char          *variant;
  char          *device; /* "gpu:1"; NULL: the processor, which results do not name */
  HybMode        mode;
  gboolean       no_passes;      /* planned without optimising passes */
  ProfSubject   *subject;        /* NULL after scope_group_drop_subjects() */
  guint          number;         /* of this subject in the comparison of its group */
  ProfCapture   *capture;        /* NULL: not measured yet */
  char          *path;           /* file of the capture; NULL: not written */
  double         first_seconds;  /* of the first run, which also checks that numbers are equal */
  ProfStatistics clean;          /* of the clean runs; the median is the time of the comparison */
  guint          plan;           /* candidates that execute the same have the same number */
  gboolean       has_plain_plan; /* no pass has changed the operators */
  double         peak_bytes;     /* of the values of a run */
  double         resident_bytes; /* peak of the process when it was measured; 0: not known */
  double         weight_bytes;   /* of its parameters */
  ProfCapture   *one_thread;     /* the same candidate run with one thread; NULL: not measured */
} ScopeCandidate;

typedef struct
{
  char           *cell;          /* "lstm"; NULL: the model's own */
  gint64          batch, length; /* 0: as the model has them */
  gint64          hidden;        /* units of its layers; 0: as the model has them */
  gboolean        backward;
  GPtrArray      *candidates; /* of ScopeCandidate; the first is the baseline */
  GPtrArray      *left_out;   /* of char *: candidates that a GPU could not compute, and why */
  gboolean        is_checked; /* scope_group_check() has compared the numbers */
  ProfEquality    equality;   /* of the others' numbers with the baseline's */
  ProfStop        stop;       /* why measuring ended */
  ProfComparison *comparison; /* all times, ratios and differences; NULL: nothing was measured */
} ScopeGroup;

/* A group without candidates.  (transfer full) */
ScopeGroup *scope_group_new (const char *cell, gint64 batch, gint64 length, gboolean backward);
/* Frees the group with its candidates and their captures. */
void scope_group_free (ScopeGroup *group);
/* Adds a candidate that owns subject.  (transfer none) */
ScopeCandidate *
scope_group_add (ScopeGroup *group, const char *variant, HybMode mode, ProfSubject *subject);

/* TRUE if a GPU is missing, has failed or has too little memory. */
gboolean scope_is_failure_of_gpu (const GError *error);
/* Notes that a candidate of this name is left out because of the error. */
void scope_group_leave_out (ScopeGroup *group, const char *candidate, const GError *error);

/* Makes capture, which must have clean samples, the candidate's result.  capture: (transfer full) */
void scope_candidate_take_capture (ScopeCandidate *candidate, ProfCapture *capture);
/* Compares the candidates; to be called when those that were measured have their captures. */
void scope_group_compare (ScopeGroup *group);

/* "imperative", "hybrid" or "static". */
const char *scope_mode_name (HybMode mode);
/* "foreach, static", "foreach, static without passes" or "foreach, static, gpu".  (transfer full) */
char *scope_candidate_dup_name (const ScopeCandidate *candidate);
/* TRUE if both are the same form in the same mode on the same device. */
gboolean scope_candidate_is_like (const ScopeCandidate *a, const ScopeCandidate *b);
/* "lstm, batch 32, training".  (transfer full) */
char *scope_group_dup_title (const ScopeGroup *group);

/* Compares the clean runs of candidate with those of first.  Both must be measured. */
void scope_group_pair (const ScopeGroup     *group,
                       const ScopeCandidate *candidate,
                       const ScopeCandidate *first,
                       ProfPairing          *pairing);
/* How much faster candidate is than first, in per cent of its own time: "+25 %" takes four fifths. */
double scope_pairing_speed_up (const ProfPairing *pairing);
/* The verdict in words, with what can be said about it: "faster", "same (identical plans)", "too few
 * runs".  (transfer full) */
char *scope_group_dup_verdict (const ScopeGroup     *group,
                               const ScopeCandidate *candidate,
                               const ScopeCandidate *first);

/* Runs every candidate once, and checks that all compute the same numbers (PROF_ERROR_UNEQUAL if
 * not).  If there are several devices, candidates that a GPU cannot run are left out. */
gboolean scope_group_check (ScopeGroup *group, GCancellable *cancellable, GError **error);
/* Checks the numbers unless that was done, measures the candidates in turns and makes a capture of each.  with_one_thread:
 * then measures the slowest and the fastest again with one thread, which separates the effect of threads. */
gboolean scope_group_measure (ScopeGroup               *group,
                              const ProfMeasureOptions *options,
                              const ProfFacts          *facts,
                              gboolean                  with_one_thread,
                              GError                  **error);
/* Frees the subjects; results stay. */
void scope_group_drop_subjects (ScopeGroup *group);

/* Writes every capture to PREFIX-NUMBER-VARIANT-MODE[-DEVICE].hscope and sets ScopeCandidate.path. */
gboolean scope_group_write (ScopeGroup *group, const char *prefix, guint number, GError **error);

/* TRUE if the first candidate has a capture with clean samples. */
gboolean scope_group_is_measured (const ScopeGroup *group);
/* Finds the candidates with the largest and the smallest median.  FALSE if there are no two. */
gboolean
scope_group_extremes (const ScopeGroup *group, ScopeCandidate **slow, ScopeCandidate **fast);
