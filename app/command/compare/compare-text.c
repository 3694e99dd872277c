/* compare-text.c — groups of candidates and explanations as text on stdout.
 *
 * scope_group_print() prints a group, scope_explanation_print() why its fastest is faster.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/command/compare/compare-text.h"

#include "app/command/compare/compare-explain.h"

#include "profiler/base/format.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void
print_title (const ScopeGroup *group)
{
  g_autofree char *title = scope_group_dup_title (group);

  if (group->equality.n_compared > 0)
    printf ("\n%s: equal to %.2g (%.2g allowed)\n",
            title,
            group->equality.max_abs,
            group->equality.tolerance);
  else
    printf ("\n%s\n", title);
}

void
scope_group_print (const ScopeGroup *group)
{
  const ScopeCandidate *first = group->candidates->pdata[0];

  print_title (group);
  if (!scope_group_is_measured (group))
    {
      printf ("  cancelled before anything was measured\n");
      return;
    }
  printf ("  %-26s %11s  %-23s %4s %9s %11s  verdict\n",
          "variant, mode",
          "median",
          "95 %",
          "n",
          "speed-up",
          "memory");
  for (guint i = 0; i < group->candidates->len; i++)
    {
      const ScopeCandidate *candidate = group->candidates->pdata[i];
      g_autofree char      *name = scope_candidate_dup_name (candidate);
      g_autofree char      *median = prof_format_seconds (candidate->clean.median.median);
      g_autofree char      *low = prof_format_seconds (candidate->clean.median.low);
      g_autofree char      *high = prof_format_seconds (candidate->clean.median.high);
      g_autofree char      *memory = prof_format_bytes (candidate->peak_bytes);
      g_autofree char      *interval = g_strdup_printf ("%s … %s", low, high);
      /* printf pads by bytes: add those that are not characters. */
      int median_extra = (int) (strlen (median) - (gsize) g_utf8_strlen (median, -1));
      int interval_extra = (int) (strlen (interval) - (gsize) g_utf8_strlen (interval, -1));

      printf ("  %-26s %*s  %-*s %4u %+8.0f%% %11s  %s\n",
              name,
              11 + median_extra,
              median,
              23 + interval_extra,
              interval,
              candidate->clean.n,
              100 * (first->clean.median.median / candidate->clean.median.median - 1),
              memory,
              i == 0 ? "(baseline)" : scope_candidate_verdict (candidate, first));
    }
  fflush (stdout); /* users follow a long comparison */
}

/* Says what a variant computes again in its backward pass. */
static void
print_repeated (const char *name, double repeated, double flops)
{
  if (repeated > 0.01 * flops)
    printf ("    note: “%s” computes %.4g FLOP of the forward pass again in the backward pass\n",
            name,
            repeated);
}

void
scope_explanation_print (const ProfExplanation *explanation, const char *slow, const char *fast)
{
  g_autofree char *saved = prof_format_seconds (explanation->saved);
  g_autofree char *residual = prof_format_seconds (explanation->residual);
  double           share = fabs (explanation->residual) / MAX (fabs (explanation->saved), 1e-12);

  g_autofree char *reason = scope_explanation_dup_reason (explanation);

  printf ("  why “%s” takes %s less than “%s”: %s\n", fast, saved, slow, reason);
  for (guint i = 0; i < PROF_N_BUCKETS; i++)
    {
      const ProfBucket *bucket = &explanation->bucket[i];
      g_autofree char  *seconds = prof_format_seconds (bucket->seconds);
      g_autofree char  *low = prof_format_seconds (bucket->low);
      g_autofree char  *high = prof_format_seconds (bucket->high);

      if (bucket->seconds == 0 && !bucket->rung)
        continue;
      printf ("    %-18s %s (%s … %s)%s%s\n",
              bucket->name,
              seconds,
              low,
              high,
              bucket->rung ? "; measured: " : "",
              bucket->rung ? bucket->rung : "");
    }
  printf ("    %-18s %s (%.0f %%)%s\n",
          "residual",
          residual,
          100 * share,
          share > 0.1 ? ": the explanation is incomplete" : "");
  if (!explanation->same_flops)
    printf ("    note: their products differ; in all they compute %.4g and %.4g FLOP\n",
            explanation->flops_a,
            explanation->flops_b);
  print_repeated (slow, explanation->repeated_a, explanation->flops_a);
  print_repeated (fast, explanation->repeated_b, explanation->flops_b);
}
