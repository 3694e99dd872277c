/* compare-text.c — groups of candidates and explanations as text on stdout.
 *
 * scope_group_print() prints a group, scope_explanation_print() why its fastest is faster.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/command/compare/compare-text.h"

#include "app/adapt/statements.h"
#include "app/command/compare/compare-explain.h"
#include "app/command/compare/said-text.h"

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

static void
add_candidate (ScopeTable *table, const ScopeGroup *group, const ScopeCandidate *candidate)
{
  const ScopeCandidate *first = group->candidates->pdata[0];
  const ProfInterval   *median = &candidate->clean.median;
  ProfPairing           pairing;

  scope_group_pair (group, candidate, first, &pairing);
  scope_table_add (table, scope_candidate_dup_name (candidate), FALSE);
  scope_table_add (table, prof_format_seconds (median->median), FALSE);
  scope_table_add (table, prof_format_interval (median->low, median->high), FALSE);
  scope_table_add (table, g_strdup_printf ("%u", candidate->clean.n), FALSE);
  scope_table_add (table, candidate == first ? g_strdup ("") : scope_say_speed_up (&pairing, 1),
                   FALSE);
  scope_table_add (table, prof_format_bytes (candidate->peak_bytes), FALSE);
  scope_table_add (table,
                   candidate == first ? g_strdup ("(baseline)")
                                      : scope_group_dup_verdict (group, candidate, first),
                   FALSE);
}

/* Whether one of the candidates ran often enough. */
static gboolean
has_interval (const ScopeGroup *group)
{
  for (guint i = 0; i < group->candidates->len; i++)
    if (prof_interval_is_known (&((ScopeCandidate *) group->candidates->pdata[i])->clean.median))
      return TRUE;
  return FALSE;
}

static void
print_candidates (const ScopeGroup *group)
{
  const ScopeTableColumn columns[] = {
    { "variant, mode", NULL, FALSE, 32 },
    { "median", NULL, TRUE, 12 },
    { has_interval (group) ? "95 %" : "", NULL, FALSE, 23 },
    { "n", NULL, TRUE, 5 },
    { "speed-up", NULL, TRUE, 10 },
    { "memory", NULL, TRUE, 12 },
    { "verdict", NULL, FALSE, 0 },
  };
  g_autoptr (ScopeSaid) said = scope_said_new ();
  ScopeTable *table = scope_said_table (said, columns, G_N_ELEMENTS (columns));

  table->indent = 2;
  for (guint i = 0; i < group->candidates->len; i++)
    add_candidate (table, group, group->candidates->pdata[i]);
  scope_said_print (said);
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
scope_group_print (const ScopeGroup *group)
{
  g_autofree char *speed = scope_say_speed_of (group->comparison);

  print_title (group);
  if (!scope_group_is_measured (group))
    {
      printf ("  cancelled before anything was measured\n");
      return;
    }
  print_candidates (group);
  print_resolution (group);
  if (speed)
    printf ("  %s\n", speed);
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
