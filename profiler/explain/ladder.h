/* ladder.h — an explanation proved by running it: one switch of the engine after the
 * other, from the plainest way to run a model to the fastest.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "profiler/explain/explain.h"
#include "profiler/record/measure.h"

typedef struct
{
  char          *name;   /* "planned", "fold-constants" … */
  const char    *doc;    /* what the switch does; static */
  ProfBucketKind bucket; /* what the step to here is about; PROF_N_BUCKETS: several at once */
  ProfSubject   *subject;
  ProfSeries     series;
  double         seconds;          /* clean median */
  double         saved, low, high; /* against the rung before, from samples taken in turns */
  ProfVerdict    verdict;          /* of this rung against the one before */
} ProfRung;

typedef struct
{
  GPtrArray *rungs; /* of ProfRung, the first is where it starts */
  ProfStop   stop;
} ProfLadder;

/* From operator by operator over planned and static memory to every pass, all with one
 * thread; then, where there are more, with those.  Passes that change nothing of this
 * model are left out.  form: (nullable) the same in another form, a rung before the last.
 * options: what is common to all. */
ProfLadder *prof_ladder_new (HybGraph                 *graph,
                             HybTensor *const         *values,
                             const ProfSubject        *form,
                             const ProfSubjectOptions *options,
                             GError                  **error);
void        prof_ladder_free (ProfLadder *ladder);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (ProfLadder, prof_ladder_free)

gboolean
prof_ladder_measure (ProfLadder *ladder, const ProfMeasureOptions *options, GError **error);

/* Why the last rung is faster than the first: buckets from what was traced of both, and
 * beside each what the rungs about it saved when they were run.  The rung for memory makes
 * the bucket of that name, out of that for host and dispatch.  FALSE without an error:
 * nothing was traced. */
gboolean prof_ladder_explain (const ProfLadder *ladder,
                              const ProfFacts  *facts,
                              ProfExplanation  *explanation,
                              GError          **error);

/* Seconds that the matrix products of fused recurrent layers take alone, by running
 * them; NaN: the subject has no such layer. */
double prof_ladder_fused_gemm (const ProfSubject *subject);
