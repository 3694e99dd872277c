/* compare-explain.c — why the fastest candidate of a group beats the slowest.
 *
 * The profiler splits the difference into buckets (prof_explain()); this file adds what the
 * group's other candidates show.  Start at scope_group_explain().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/command/compare/compare-explain.h"

#include "profiler/base/format.h"
#include "profiler/explain/pair-captures.h"

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
      double                seconds;
      g_autofree char      *time = NULL;

      if (between == slow || between == fast || between->mode != fast->mode ||
          strcmp (between->variant, slow->variant) != 0 || !between->has_plain_plan ||
          g_strcmp0 (between->device, slow->device) != 0)
        continue;
      seconds = slow->clean.median.median - between->clean.median.median;
      time = prof_format_seconds (seconds);
      prof_bucket_set_rung (&explanation->bucket[PROF_BUCKET_HOST], seconds,
                            g_strdup_printf ("%s in %s mode%s: %s", slow->variant,
                                             scope_mode_name (fast->mode),
                                             between->no_passes ? " without passes" : "", time));
    }
}

void
scope_group_explain (const ScopeGroup     *group,
                     const ScopeCandidate *slow,
                     const ScopeCandidate *fast,
                     ProfExplanation      *explanation)
{
  const ProfExplained      all = { group->comparison, slow->number, fast->number, slow->capture,
                                   fast->capture };
  const ProfCapture *const one_thread[] = { slow->one_thread, fast->one_thread };
  g_autoptr (ProfComparison) comparison = NULL;

  if (slow->one_thread && fast->one_thread)
    {
      comparison = prof_compare_captures (one_thread, 2);
      prof_explain_threads (&all,
                            &(ProfExplained){ comparison, 0, 1, slow->one_thread,
                                              fast->one_thread },
                            explanation);
    }
  else
    prof_explain (&all, explanation);
  explanation->is_same_plan = slow->plan == fast->plan;
  explanation->is_other_device = g_strcmp0 (slow->device, fast->device) != 0;
  add_rungs (group, slow, fast, explanation);
}
