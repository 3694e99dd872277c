/* compare-text.c — groups of candidates and explanations as text on stdout.
 *
 * scope_group_print() prints a group, scope_explanation_print() why its fastest is faster.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/command/compare/compare-text.h"

#include "app/adapt/statements.h"
#include "app/command/compare/compare-explain.h"

#include "engine/base/one-line.h"
#include "profiler/base/format.h"

#include <math.h>
#include <stdio.h>

static void
print_title (const ScopeGroup *group)
{
  g_autofree char *title = scope_group_dup_title (group);

  if (group->equality.n_compared > 0)
    printf ("\n%s: equal to %.2g (%.2g allowed)\n", hyb_one_line (title), group->equality.max_abs,
            group->equality.tolerance);
  else
    printf ("\n%s\n", hyb_one_line (title));
}

/* Pads text to a width in characters, since printf pads by bytes.  (transfer full) */
static char *
pad (const char *text, int width)
{
  int missing = MAX (ABS (width) - (int) g_utf8_strlen (text, -1), 0);

  return width > 0 ? g_strdup_printf ("%*s%s", missing, "", text)
                   : g_strdup_printf ("%s%*s", text, missing, "");
}

static void
print_candidate (const ScopeGroup     *group,
                 const ScopeCandidate *candidate,
                 const ScopeCandidate *first)
{
  g_autofree char *name = scope_candidate_dup_name (candidate);
  g_autofree char *median = prof_format_seconds (candidate->clean.median.median);
  g_autofree char *memory = prof_format_bytes (candidate->peak_bytes);
  g_autofree char *interval =
      prof_format_interval (candidate->clean.median.low, candidate->clean.median.high);
  g_autofree char *padded_median = pad (median, 11), *padded_interval = pad (interval, -23);
  g_autofree char *verdict = candidate == first ? g_strdup ("(baseline)")
                                                : scope_group_dup_verdict (group, candidate, first);
  g_autofree char *speed_up = NULL, *padded_speed_up = NULL;
  ProfPairing      pairing;

  scope_group_pair (group, candidate, first, &pairing);
  speed_up = candidate == first ? g_strdup ("") : scope_say_speed_up (&pairing, 1);
  padded_speed_up = pad (speed_up, 9);
  printf ("  %-32s %s  %s %4u %s %11s  %s\n", hyb_one_line (name), padded_median, padded_interval,
          candidate->clean.n, padded_speed_up, memory, verdict);
}

/* How far two builds of one model are apart, and what this command can report: the widest interval of all pairs with the
 * baseline. */
static void
print_resolution (const ScopeGroup *group)
{
  double spread = 0, resolution = 0;
  guint  n_builds = G_MAXUINT;

  for (guint i = 1; i < group->candidates->len; i++)
    {
      ProfPairing pairing;

      scope_group_pair (group, group->candidates->pdata[i], group->candidates->pdata[0], &pairing);
      n_builds = MIN (n_builds, pairing.n_builds);
      spread = MAX (spread, pairing.spread);
      resolution = MAX (resolution, prof_pairing_resolution (&pairing));
    }
  if (n_builds >= PROF_MIN_BUILDS && n_builds < G_MAXUINT && spread > 1)
    printf ("  the machine is too busy: two builds of one model differ more than twofold here\n");
  else if (n_builds >= PROF_MIN_BUILDS && n_builds < G_MAXUINT)
    printf ("  two builds of one model differ by up to %.1f %% here; from %u builds of each, "
            "differences below %.1f %% cannot be told\n",
            100 * spread, n_builds, 100 * resolution);
  else if (n_builds < G_MAXUINT)
    printf ("  there was time for %u build%s of each: another build may differ by some per cent\n",
            n_builds, n_builds == 1 ? "" : "s");
}

void
scope_print_speed (const ProfComparison *comparison)
{
  double           fastest, slowest;
  g_autofree char *text = prof_comparison_get_speed (comparison, &fastest, &slowest)
                              ? scope_say_speed (fastest, slowest)
                              : NULL;

  if (text)
    printf ("  %s\n", text);
}

void
scope_group_print (const ScopeGroup *group)
{
  const ScopeCandidate *first = group->candidates->pdata[0];
  gboolean              has_interval = FALSE;

  print_title (group);
  if (!scope_group_is_measured (group))
    {
      printf ("  cancelled before anything was measured\n");
      return;
    }
  for (guint i = 0; i < group->candidates->len; i++)
    has_interval |=
        prof_interval_is_known (&((ScopeCandidate *) group->candidates->pdata[i])->clean.median);
  printf ("  %-32s %11s  %-23s %4s %9s %11s  verdict\n", "variant, mode", "median",
          has_interval ? "95 %" : "", "n", "speed-up", "memory");
  for (guint i = 0; i < group->candidates->len; i++)
    print_candidate (group, group->candidates->pdata[i], first);
  print_resolution (group);
  scope_print_speed (group->comparison);
  fflush (stdout); /* users follow a long comparison */
}

/* Says what a variant computes again in its backward pass. */
static void
print_repeated (const char *name, double repeated, double flops)
{
  if (repeated > 0.01 * flops)
    printf ("    note: “%s” computes %.4g FLOP of the forward pass again in the backward pass\n",
            name, repeated);
}

/* One line: what the bucket claims, what its rung measured, and by how much they differ. */
static void
print_bucket (const ProfBucket *bucket)
{
  g_autofree char *change = scope_say_bucket (bucket);
  g_autofree char *residual = prof_format_seconds (bucket->residual);

  printf ("    %-18s %s", bucket->name, change);
  if (bucket->rung)
    printf ("; measured: %s", bucket->rung);
  else
    printf ("; no rung");
  if (isfinite (bucket->residual))
    printf ("; residual %s", residual);
  printf ("\n");
}

void
scope_explanation_print (const ProfExplanation *explanation, const char *slow, const char *fast)
{
  g_autofree char *saved = prof_format_seconds (explanation->saved.median);
  g_autofree char *rest = prof_format_seconds (explanation->unexplained);
  g_autofree char *reason = scope_say_reason (explanation);

  if (!prof_explanation_has_cause (explanation))
    {
      printf ("  “%s” and “%s”: %s\n", fast, slow, reason);
      return;
    }
  printf ("  why “%s” takes %s less than “%s”: %s\n", fast, saved, slow, reason);
  for (guint i = 0; i < PROF_N_BUCKETS; i++)
    if (explanation->bucket[i].seconds != 0 || explanation->bucket[i].rung)
      print_bucket (&explanation->bucket[i]);
  printf ("    %-18s %s (%.0f %%)\n", "unexplained", rest,
          100 * fabs (explanation->unexplained) / MAX (fabs (explanation->saved.median), 1e-12));
  if (!explanation->same_flops)
    printf ("    note: their products differ; in all they compute %.4g and %.4g FLOP\n",
            explanation->flops_a, explanation->flops_b);
  print_repeated (slow, explanation->repeated_a, explanation->flops_a);
  print_repeated (fast, explanation->repeated_b, explanation->flops_b);
}
