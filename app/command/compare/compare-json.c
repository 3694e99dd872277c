/* compare-json.c — groups of candidates and explanations as JSON.
 *
 * Scripts rely on the keys; do not rename them.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/command/compare/compare-json.h"

#include "app/adapt/statements.h"
#include "app/command/compare/compare-explain.h"

#include <math.h>

#define MAX_RESIDUAL 0.1 /* of the difference; above it the explanation is not complete */

/* The keys that distinguish the group from others. */
static void
describe_group (ScopeJson *json, const ScopeGroup *group)
{
  if (group->cell)
    scope_json_string (json, "cell", group->cell);
  if (group->batch > 0)
    scope_json_int (json, "batch", group->batch);
  else
    scope_json_null (json, "batch");
  if (group->length > 0)
    scope_json_int (json, "length", group->length);
  else
    scope_json_null (json, "length");
  if (group->hidden > 0)
    scope_json_int (json, "hidden", group->hidden);
  scope_json_boolean (json, "train", group->backward);
}

void
scope_group_describe_cells (ScopeJson *json, const ScopeGroup *group)
{
  const ScopeCandidate *first = group->candidates->pdata[0];

  for (guint i = 0; i < group->candidates->len; i++)
    {
      const ScopeCandidate *candidate = group->candidates->pdata[i];
      ProfPairing           pairing = { .ratio = { NAN, NAN, NAN } };

      if (candidate->capture)
        scope_group_pair (group, candidate, first, &pairing);
      scope_json_begin_object (json, NULL);
      scope_json_string (json, "variant", candidate->variant);
      scope_json_string (json, "mode", scope_mode_name (candidate->mode));
      scope_json_string (json, "device", candidate->device ? candidate->device : "cpu");
      scope_json_boolean (json, "passes", !candidate->no_passes);
      describe_group (json, group);
      scope_json_double (json, "median", candidate->clean.median.median);
      scope_json_double (json, "low", candidate->clean.median.low);
      scope_json_double (json, "high", candidate->clean.median.high);
      scope_json_int (json, "samples", candidate->clean.n);
      scope_json_double (json, "peak_bytes", candidate->peak_bytes);
      scope_json_double (json, "resident_bytes", candidate->resident_bytes);
      scope_json_double (json, "weight_bytes",
                         candidate->weight_bytes > 0 ? candidate->weight_bytes : NAN);
      scope_json_double (json, "speed_up_percent", scope_pairing_speed_up (&pairing));
      if (candidate->path)
        scope_json_string (json, "capture", candidate->path);
      scope_json_end (json);
    }
}

void
scope_group_describe_speed (ScopeJson *json, const ScopeGroup *group)
{
  double fastest, slowest;

  if (!group->comparison || !prof_comparison_get_speed (group->comparison, &fastest, &slowest))
    return;
  scope_json_begin_object (json, NULL);
  describe_group (json, group);
  scope_json_double (json, "fastest", fastest);
  scope_json_double (json, "slowest", slowest);
  scope_json_end (json);
}

/* Why the slower of two candidates takes longer. */
static void
describe_cause (ScopeJson            *json,
                const ScopeGroup     *group,
                const ScopeCandidate *a,
                const ScopeCandidate *b)
{
  gboolean        is_slower = a->clean.median.median > b->clean.median.median;
  ProfExplanation explanation;

  scope_group_explain (group, is_slower ? a : b, is_slower ? b : a, &explanation);
  scope_describe_explanation (json, "explanation", &explanation);
  prof_explanation_clear (&explanation);
}

void
scope_group_describe_pairs (ScopeJson *json, const ScopeGroup *group)
{
  for (guint i = 0; i < group->candidates->len; i++)
    for (guint k = 0; k < i; k++)
      {
        const ScopeCandidate *a = group->candidates->pdata[i], *b = group->candidates->pdata[k];
        g_autofree char      *name_a = scope_candidate_dup_name (a);
        g_autofree char      *name_b = scope_candidate_dup_name (b);
        ProfPairing           pairing;

        if (!a->capture || !b->capture)
          continue;
        scope_group_pair (group, a, b, &pairing);
        scope_json_begin_object (json, NULL);
        scope_json_string (json, "a", name_a);
        scope_json_string (json, "b", name_b);
        describe_group (json, group);
        scope_json_double (json, "ratio", pairing.ratio.median);
        scope_json_double (json, "low", pairing.ratio.low);
        scope_json_double (json, "high", pairing.ratio.high);
        scope_json_double (json, "certain_low", pairing.strict.low);
        scope_json_double (json, "certain_high", pairing.strict.high);
        scope_json_string (json, "verdict", prof_verdict_name (pairing.verdict));
        scope_json_int (json, "samples", pairing.n);
        scope_json_int (json, "builds", pairing.n_builds);
        scope_json_double (json, "build_spread", pairing.spread);
        scope_json_double (json, "resolution", prof_pairing_resolution (&pairing));
        scope_json_boolean (json, "same_plan", a->plan == b->plan);
        describe_cause (json, group, a, b);
        scope_json_end (json);
      }
}

/* The sum of the buckets' claims minus the savings of their rungs, over buckets that have a rung. */
static double
describe_residual (ScopeJson *json, const ProfExplanation *explanation)
{
  double seconds = 0, share;
  guint  n_rungs = 0;

  for (guint i = 0; i < PROF_N_BUCKETS; i++)
    if (isfinite (explanation->bucket[i].residual))
      {
        seconds += explanation->bucket[i].residual;
        n_rungs++;
      }
  share = n_rungs > 0 ? fabs (seconds / explanation->saved.median) : NAN;
  scope_json_begin_object (json, "residual");
  scope_json_double (json, "seconds", n_rungs > 0 ? seconds : NAN);
  scope_json_double (json, "share", share);
  scope_json_end (json);
  return share;
}

void
scope_describe_explanation (ScopeJson *json, const char *key, const ProfExplanation *explanation)
{
  g_autofree char *reason = scope_say_reason (explanation);
  gboolean         has_cause = prof_explanation_has_cause (explanation);
  ProfBucketKind   worst;
  double           share;

  scope_json_begin_object (json, key);
  scope_json_double (json, "saved", explanation->saved.median);
  scope_json_double (json, "low", explanation->saved.low);
  scope_json_double (json, "high", explanation->saved.high);
  scope_json_boolean (json, "certain", explanation->is_certain);
  scope_json_boolean (json, "same_plan", explanation->is_same_plan);
  scope_json_boolean (json, "other_device", explanation->is_other_device);
  scope_json_boolean (json, "has_cause", has_cause);
  scope_json_string (json, "reason", reason);
  scope_json_begin_list (json, "buckets");
  for (guint i = 0; i < PROF_N_BUCKETS; i++)
    {
      const ProfBucket *bucket = &explanation->bucket[i];

      scope_json_begin_object (json, NULL);
      scope_json_string (json, "name", bucket->name);
      scope_json_double (json, "seconds", bucket->seconds);
      scope_json_double (json, "low", bucket->low);
      scope_json_double (json, "high", bucket->high);
      scope_json_string (json, "rung", bucket->rung);
      scope_json_double (json, "rung_seconds", bucket->proved);
      scope_json_double (json, "residual", bucket->residual);
      scope_json_end (json);
    }
  scope_json_end (json);
  share = describe_residual (json, explanation);
  scope_json_boolean (json, "complete",
                      !(share > MAX_RESIDUAL) &&
                          !prof_explanation_is_incomplete (explanation, &worst));
  scope_json_double (json, "unexplained", explanation->unexplained);
  scope_json_double (json, "run", explanation->run);
  scope_json_double (json, "repeated_flops_a", explanation->repeated_a);
  scope_json_double (json, "repeated_flops_b", explanation->repeated_b);
  scope_json_double (json, "flops_a", explanation->flops_a);
  scope_json_double (json, "flops_b", explanation->flops_b);
  scope_json_boolean (json, "same_flops", explanation->same_flops);
  scope_json_end (json);
}
