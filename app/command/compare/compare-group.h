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
  HybMode        mode;
  ProfSubject   *subject;       /* NULL after scope_group_drop_subjects() */
  ProfCapture   *capture;       /* NULL: not measured yet */
  char          *path;          /* file of the capture; NULL: not written */
  double         first_seconds; /* of the first run, which also checks that numbers are equal */
  ProfStatistics clean;         /* of samples */
  double        *samples;       /* seconds of the clean runs, in the order of the turns */
  double         peak_bytes;
  double         gemm_seconds; /* matrix products of the fused layers, run alone; NaN: none */
  ProfCapture   *one_thread;   /* the same candidate run with one thread; NULL: not measured */
  double         gemm_one_thread;
} ScopeCandidate;

typedef struct
{
  char        *cell;          /* "lstm"; NULL: the model's own */
  gint64       batch, length; /* 0: as the model has them */
  gboolean     backward;
  GPtrArray   *candidates; /* of ScopeCandidate; the first is the baseline */
  ProfEquality equality;   /* of the others' numbers with the baseline's */
  ProfStop     stop;       /* why measuring ended */
} ScopeGroup;

/* A group without candidates.  (transfer full) */
ScopeGroup *scope_group_new (const char *cell, gint64 batch, gint64 length, gboolean backward);
/* Frees the group with its candidates and their captures. */
void scope_group_free (ScopeGroup *group);
/* Adds a candidate that owns subject.  (transfer none) */
ScopeCandidate *
scope_group_add (ScopeGroup *group, const char *variant, HybMode mode, ProfSubject *subject);

/* "imperative", "hybrid" or "static". */
const char *scope_mode_name (HybMode mode);
/* "foreach, static".  (transfer full) */
char *scope_candidate_dup_name (const ScopeCandidate *candidate);
/* "lstm, batch 32, training".  (transfer full) */
char *scope_group_dup_title (const ScopeGroup *group);

/* A phrase that compares the candidate with first.  If there are too few samples for a
 * statistical verdict, says so when all samples of one are clearly shorter. */
const char *scope_candidate_verdict (const ScopeCandidate *candidate, const ScopeCandidate *first);
/* TRUE if every sample of slow is at least 10 % longer than every sample of fast. */
gboolean scope_candidate_is_clearly_slower (const ScopeCandidate *slow, const ScopeCandidate *fast);

/* Checks that all candidates compute the same numbers (PROF_ERROR_UNEQUAL if not), measures
 * them in turns and makes a capture of each.  with_one_thread: then measures the slowest and the
 * fastest again with one thread, which separates the effect of threads. */
gboolean scope_group_measure (ScopeGroup               *group,
                              const ProfMeasureOptions *options,
                              const ProfFacts          *facts,
                              gboolean                  with_one_thread,
                              GError                  **error);
/* Frees the subjects; results stay. */
void scope_group_drop_subjects (ScopeGroup *group);

/* Writes every capture to PREFIX-NUMBER-VARIANT-MODE.hscope and sets ScopeCandidate.path. */
gboolean scope_group_write (ScopeGroup *group, const char *prefix, guint number, GError **error);

/* TRUE if the first candidate has a capture with clean samples. */
gboolean scope_group_is_measured (const ScopeGroup *group);
/* Finds the candidates with the largest and the smallest median.  FALSE if there are no two. */
gboolean
scope_group_extremes (const ScopeGroup *group, ScopeCandidate **slow, ScopeCandidate **fast);
