/* ladder.h — explains a difference by running it: one switch of the engine after the other.
 *
 * A ladder goes from the plainest way to run a model to the fastest.  Each rung turns on one more
 * switch: a mode, a pass, another form of the model, threads.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "profiler/explain/explain.h"
#include "profiler/record/measure.h"

typedef struct
{
  char          *name;    /* "planned", "fold-constants" */
  const char    *doc;     /* the effect of the switch; static */
  ProfBucketKind bucket;  /* that the step to this rung belongs to; PROF_N_BUCKETS: several */
  ProfSubject   *subject; /* owned */
  ProfSeries     series;
  ProfInterval   time;    /* clean seconds at the machine's typical speed; 95 % */
  ProfInterval   saved;   /* against the rung before; 95 % */
  ProfVerdict    verdict; /* of this rung against the one before */
} ProfRung;

typedef struct
{
  GPtrArray *rungs; /* of ProfRung; the first has no rung before it */
  ProfStop   stop;  /* why the measurement ended */
  ProfComparison
      *comparison; /* of all rungs; NULL: not measured.  Times and differences come from it */
} ProfLadder;

/* Plans all rungs: operator by operator, planned, static memory, then every pass that changes
 * this model, all with one thread; then form (nullable, the same model in another form); then
 * all threads, if there are several.  options: the common ones.  NULL with an error if planning
 * fails.  (transfer full) */
ProfLadder *prof_ladder_new (HybGraph                 *graph,
                             HybTensor *const         *values,
                             const ProfSubject        *form,
                             const ProfSubjectOptions *options,
                             GError                  **error);
/* Frees ladder; NULL is allowed. */
void prof_ladder_free (ProfLadder *ladder);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (ProfLadder, prof_ladder_free)

/* Measures all rungs in turns, and compares them.  As prof_measure(). */
gboolean
prof_ladder_measure (ProfLadder *ladder, const ProfMeasureOptions *options, GError **error);

/* Fills times, differences and verdicts of the rungs from their series.  The savings of the rungs
 * add up to the difference between the first and the last. */
void prof_ladder_compare (ProfLadder *ladder);

/* The last rung that only modes and passes distinguish from the first. */
guint prof_ladder_last_pass (const ProfLadder *ladder);
/* Explains why the last pass is faster than the first rung: buckets from the traced runs of both,
 * and beside each the savings of its rungs.  Another form and all threads come later and are not
 * part of it.  The rung for static memory moves its share from the host bucket to the memory
 * bucket.  facts: (nullable) conditions for the captures.  FALSE without an error if nothing was
 * traced, or if there is one rung only. */
gboolean prof_ladder_explain (const ProfLadder *ladder,
                              const ProfFacts  *facts,
                              ProfExplanation  *explanation,
                              GError          **error);
