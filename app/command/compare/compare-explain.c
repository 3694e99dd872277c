/* compare-explain.c — why the fastest candidate of a group beats the slowest.
 *
 * The profiler splits the difference into buckets (prof_explain()); this file adds what the
 * group's other candidates show.  Start at scope_group_explain().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/command/compare/compare-explain.h"

#include "profiler/base/format.h"
#include "profiler/base/statistics.h"

#include <string.h>

/* Another candidate confirms a part of the explanation: slow's variant in fast's mode, if no pass
 * changed its operators, shows what the mode alone saves outside of them. */
static void
add_rungs (const ScopeGroup     *group,
           const ScopeCandidate *slow,
           const ScopeCandidate *fast,
           ProfExplanation      *explanation)
{
  for (guint i = 0; i < group->candidates->len; i++)
    {
      const ScopeCandidate *between = group->candidates->pdata[i];
      ProfPairing           pairing;
      double                seconds;
      g_autofree char      *time = NULL;

      if (between == slow || between == fast || between->mode != fast->mode ||
          strcmp (between->variant, slow->variant) != 0 || !between->has_plain_plan ||
          g_strcmp0 (between->device, slow->device) != 0)
        continue;
      scope_candidate_pair (between, slow, &pairing);
      seconds = slow->clean.median.median * (1 - pairing.ratio.median);
      time = prof_format_seconds (seconds);
      prof_bucket_set_rung (&explanation->bucket[PROF_BUCKET_HOST],
                            seconds,
                            g_strdup_printf ("%s in %s mode%s: %s",
                                             slow->variant,
                                             scope_mode_name (fast->mode),
                                             between->no_passes ? " without passes" : "",
                                             time));
    }
}

void
scope_group_explain (const ScopeGroup     *group,
                     const ScopeCandidate *slow,
                     const ScopeCandidate *fast,
                     ProfExplanation      *explanation)
{
  if (slow->one_thread && fast->one_thread)
    prof_explain_threads (&(ProfThreadCaptures){ slow->capture, slow->one_thread },
                          &(ProfThreadCaptures){ fast->capture, fast->one_thread },
                          explanation);
  else
    prof_explain (slow->capture, fast->capture, explanation);
  explanation->is_same_plan = slow->plan == fast->plan;
  explanation->is_other_device = g_strcmp0 (slow->device, fast->device) != 0;
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

      if (i != except && prof_explanation_is_clear (explanation, i) &&
          weight > 0.1 * explanation->saved.median &&
          (best == PROF_N_BUCKETS || weight > sign * explanation->bucket[best].seconds))
        best = i;
    }
  return best;
}

/* "this explanation is incomplete: …"; NULL if it is complete.  (transfer full) */
static char *
dup_gap (const ProfExplanation *explanation)
{
  ProfBucketKind worst;
  double         saved = explanation->saved.median;

  if (!prof_explanation_is_incomplete (explanation, &worst))
    return NULL;
  if (worst == PROF_N_BUCKETS)
    return g_strdup_printf ("this explanation is incomplete: %.0f %% of the difference is in none "
                            "of "
                            "these",
                            100 * explanation->unexplained / saved);
  return g_strdup_printf ("this explanation is incomplete: “%s” differs from its own rung by %.0f "
                          "%% "
                          "of the difference",
                          explanation->bucket[worst].name,
                          100 * explanation->bucket[worst].residual / saved);
}

char *
scope_explanation_dup_reason (const ProfExplanation *explanation)
{
  guint            first = find_bucket (explanation, PROF_N_BUCKETS, 1), second, opposite;
  double           saved = explanation->saved.median;
  g_autofree char *gap = NULL;
  GString         *text;

  if (explanation->is_same_plan)
    return g_strdup ("identical plans: both execute the same, so nothing in the model causes a "
                     "difference");
  if (!prof_interval_is_known (&explanation->saved))
    return g_strdup ("too few runs to tell a difference from the noise");
  if (!prof_explanation_has_cause (explanation))
    return g_strdup ("no difference beyond the noise");
  gap = dup_gap (explanation);
  text = g_string_new (explanation->is_other_device ? "they ran on different devices; " : NULL);
  if (first == PROF_N_BUCKETS)
    g_string_append (text, "no single cause stands out");
  else
    {
      second = find_bucket (explanation, first, 1);
      opposite = find_bucket (explanation, first, -1);
      append_share (text,
                    second == PROF_N_BUCKETS ? "mostly " : "",
                    &explanation->bucket[first],
                    saved);
      if (second != PROF_N_BUCKETS)
        append_share (text, " and ", &explanation->bucket[second], saved);
      if (opposite != PROF_N_BUCKETS)
        append_share (text, ", against ", &explanation->bucket[opposite], saved);
    }
  if (gap)
    g_string_append_printf (text, "; %s", gap);
  return g_string_free (text, FALSE);
}
