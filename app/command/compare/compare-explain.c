/* compare-explain.c — why the fastest candidate of a group beats the slowest.
 *
 * The profiler splits the difference into buckets (prof_explain()); this file adds what the
 * group's other candidates show.  Start at scope_group_explain().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/command/compare/compare-explain.h"

#include "profiler/base/format.h"
#include "profiler/base/statistics.h"

#include <string.h>

/* NULL if the group has no such candidate. */
static const ScopeCandidate *
find_candidate (const ScopeGroup *group, const char *variant, HybMode mode)
{
  for (guint i = 0; i < group->candidates->len; i++)
    {
      const ScopeCandidate *candidate = group->candidates->pdata[i];

      if (candidate->mode == mode && strcmp (candidate->variant, variant) == 0)
        return candidate;
    }
  return NULL;
}

/* Notes that another run measured what the bucket claims. */
static void
add_rung (ProfBucket *bucket, const char *run, double seconds)
{
  g_autofree char *time = prof_format_seconds (seconds);

  g_free (bucket->rung);
  bucket->rung = g_strdup_printf ("%s: %s", run, time);
  bucket->proved = seconds;
}

/* Other candidates confirm parts of the explanation: slow's variant in fast's mode shows what the
 * mode saves, and what remains is saved by the variant. */
static void
add_rungs (const ScopeGroup     *group,
           const ScopeCandidate *slow,
           const ScopeCandidate *fast,
           ProfExplanation      *explanation)
{
  const ScopeCandidate *between = find_candidate (group, slow->variant, fast->mode);
  double                begin = slow->clean.median.median, end = fast->clean.median.median;
  g_autofree char      *mode = NULL, *form = NULL;

  if (between && between != slow && between != fast)
    {
      mode = g_strdup_printf ("%s in %s mode", slow->variant, scope_mode_name (fast->mode));
      add_rung (&explanation->bucket[PROF_BUCKET_HOST], mode, begin - between->clean.median.median);
      begin = between->clean.median.median;
    }
  if (strcmp (slow->variant, fast->variant) != 0)
    {
      form = g_strdup_printf ("%s instead of %s, in total", fast->variant, slow->variant);
      add_rung (&explanation->bucket[PROF_BUCKET_GEMM], form, begin - end);
      add_rung (&explanation->bucket[PROF_BUCKET_POINTWISE], form, begin - end);
    }
}

void
scope_group_explain (const ScopeGroup     *group,
                     const ScopeCandidate *slow,
                     const ScopeCandidate *fast,
                     ProfExplanation      *explanation)
{
  ProfPairing pairing;

  if (slow->one_thread && fast->one_thread)
    prof_explain_threads (&(ProfThreadCaptures){ slow->capture,
                                                 slow->one_thread,
                                                 slow->gemm_one_thread },
                          &(ProfThreadCaptures){
                              fast->capture, fast->one_thread, fast->gemm_one_thread },
                          explanation);
  else
    prof_explain (slow->capture,
                  fast->capture,
                  slow->gemm_seconds,
                  fast->gemm_seconds,
                  explanation);
  /* Pairs of turns show smaller differences than the captures' independent samples. */
  prof_pair (slow->samples, fast->samples, MIN (slow->clean.n, fast->clean.n), &pairing);
  explanation->is_certain |= pairing.verdict == PROF_SLOWER;
  explanation->is_certain |= scope_candidate_is_clearly_slower (slow, fast);
  add_rungs (group, slow, fast, explanation);
}

/* --- In words --- */

/* Appends "gemm batching (60 %)". */
static void
append_share (GString *text, const char *separator, const ProfBucket *bucket, double saved)
{
  g_string_append_printf (text,
                          "%s%s (%.0f %%)",
                          separator,
                          bucket->name,
                          100 * bucket->seconds / saved);
}

/* The bucket that saves most (sign 1) or costs most (sign -1), except for one.  PROF_N_BUCKETS if
 * no other is more than a tenth of what is saved. */
static guint
find_bucket (const ProfExplanation *explanation, guint except, double sign)
{
  guint best = PROF_N_BUCKETS;

  for (guint i = 0; i < PROF_N_BUCKETS; i++)
    {
      double weight = sign * explanation->bucket[i].seconds;

      if (i != except && weight > 0.1 * explanation->saved &&
          (best == PROF_N_BUCKETS || weight > sign * explanation->bucket[best].seconds))
        best = i;
    }
  return best;
}

char *
scope_explanation_dup_reason (const ProfExplanation *explanation)
{
  guint    first = find_bucket (explanation, PROF_N_BUCKETS, 1), second, opposite;
  GString *text;

  if (!explanation->is_certain || !(explanation->saved > 0))
    return g_strdup ("no difference beyond the noise");
  if (first == PROF_N_BUCKETS)
    return g_strdup ("no single cause stands out");
  text = g_string_new (NULL);
  second = find_bucket (explanation, first, 1);
  opposite = find_bucket (explanation, first, -1);
  append_share (text,
                second == PROF_N_BUCKETS ? "mostly " : "",
                &explanation->bucket[first],
                explanation->saved);
  if (second != PROF_N_BUCKETS)
    append_share (text, " and ", &explanation->bucket[second], explanation->saved);
  if (opposite != PROF_N_BUCKETS)
    append_share (text, ", against ", &explanation->bucket[opposite], explanation->saved);
  return g_string_free (text, FALSE);
}
