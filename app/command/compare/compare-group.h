/* compare-group.h — candidates that compute the same numbers, measured in turns.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "app/command/json-writer.h"
#include "profiler/explain/compare.h"

/* One cell of the matrix. */
typedef struct
{
  char          *variant;
  HybMode        mode;
  ProfSubject   *subject; /* NULL: gone */
  ProfCapture   *capture; /* what was measured; NULL: not yet */
  char          *path;    /* where it was written; NULL: nowhere */
  double         first;   /* seconds of the first run, which shows that numbers are equal */
  ProfStatistics clean;
  double        *samples; /* clean, in the order they were taken in turns */
  double         peak_bytes;
  double         gemm; /* of fused layers, alone; NaN */
  ProfCapture   *one;  /* the same with one thread; NULL: not measured */
  double         gemm_one;
} ScopeCandidate;

typedef struct
{
  char        *cell;          /* "lstm"; NULL: the model's own */
  gint64       batch, length; /* 0: as the model says */
  gboolean     backward;
  double       weight;     /* guessed work of all candidates, for sharing the time */
  GPtrArray   *candidates; /* of ScopeCandidate; the first is what others are compared with */
  ProfEquality equality;
  ProfStop     stop;
} ScopeGroup;

ScopeGroup *scope_group_new (const char *cell, gint64 batch, gint64 length, gboolean backward);
void        scope_group_free (ScopeGroup *group);
ScopeCandidate *
scope_group_add (ScopeGroup *group, const char *variant, HybMode mode, ProfSubject *subject);

const char *scope_mode_name (HybMode mode);
/* “foreach, static” */
char *scope_candidate_dup_name (const ScopeCandidate *candidate);

/* Against the first; in words.  Too few samples decide nothing, but where all of one are
 * shorter than all of the other that is said. */
const char *scope_candidate_verdict (const ScopeCandidate *candidate, const ScopeCandidate *first);
gboolean    scope_candidate_is_apart (const ScopeCandidate *slow, const ScopeCandidate *fast);

/* Equal numbers first (PROF_ERROR_UNEQUAL), then times, then captures.  with_one_thread:
 * the slowest and the fastest once more so, which shows what threads change. */
gboolean scope_group_measure (ScopeGroup               *group,
                              const ProfMeasureOptions *options,
                              const ProfFacts          *facts,
                              gboolean                  with_one_thread,
                              GError                  **error);
/* What was measured stays; what could be run once more goes. */
void scope_group_drop_subjects (ScopeGroup *group);

/* Every capture as PREFIX-NUMBER-VARIANT-MODE.hscope. */
gboolean scope_group_write (ScopeGroup *group, const char *prefix, guint number, GError **error);

gboolean scope_group_is_measured (const ScopeGroup *group);
/* The slowest and the fastest; FALSE: there are no two. */
gboolean
      scope_group_extremes (const ScopeGroup *group, ScopeCandidate **slow, ScopeCandidate **fast);
void  scope_group_explain (const ScopeGroup     *group,
                           const ScopeCandidate *slow,
                           const ScopeCandidate *fast,
                           ProfExplanation      *explanation);
char *scope_group_dup_title (const ScopeGroup *group); /* “lstm, batch 32, training” */
/* “gemm batching (60 %) and host and dispatch (31 %)” */
char *scope_explanation_dup_reason (const ProfExplanation *explanation);

/* Members of open lists. */
void scope_group_describe_cells (ScopeJson *json, const ScopeGroup *group);
void scope_group_describe_pairs (ScopeJson *json, const ScopeGroup *group);
void
scope_describe_explanation (ScopeJson *json, const char *key, const ProfExplanation *explanation);
/* A table for people. */
void scope_group_print (const ScopeGroup *group);
void
scope_explanation_print (const ProfExplanation *explanation, const char *slow, const char *fast);
