/* pair-captures.c — compares the clean samples of captures, and redraws them.
 *
 * Builds of subjects in turns were made at the same time, so the same builds are drawn for both.
 * Otherwise each subject is redrawn alone, and a session differs from the next.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "profiler/explain/pair-captures.h"

#include "engine/base/random.h"
#include "profiler/summary/clean-samples.h"

#include <math.h>

#define REDRAW_SEED 20260721
#define MAX_DRAWN   4096 /* random words of one draw */

/* --- The estimate --- */

ProfComparison *
prof_compare_captures (const ProfCapture *const *captures, guint n)
{
  g_autofree ProfCleanSamples *samples = g_new (ProfCleanSamples, n);
  g_autofree ProfRuns         *runs = g_new (ProfRuns, n);
  ProfComparison              *comparison;
  gboolean                     in_turns = TRUE;

  for (guint i = 0; i < n; i++)
    {
      prof_clean_samples_init_all (&samples[i], captures[i]);
      runs[i] = (ProfRuns){ samples[i].seconds, samples[i].facts, samples[i].build, samples[i].n };
      in_turns = in_turns && prof_captures_took_turns (captures[0], captures[i]);
    }
  comparison = prof_comparison_new (runs, n, in_turns);
  for (guint i = 0; i < n; i++)
    prof_clean_samples_clear (&samples[i]);
  return comparison;
}

/* --- Draws --- */

struct _ProfRedraw
{
  double *ratio;                   /* log (a / b), by block; NULL: not in turns */
  double *slowness_a, *slowness_b; /* logarithms, by block; in turns the same array */
  guint   n_ratios, n_a, n_b;
  double  level_a, level_b; /* log seconds as measured */
  double  assumed;          /* standard deviation of log (a / b) that blocks do not show */
};

ProfRedraw *
prof_redraw_new (const ProfComparison *comparison, guint a, guint b)
{
  ProfRedraw *redraw;
  ProfPairing pairing;

  prof_comparison_pair (comparison, a, b, &pairing);
  if (!prof_interval_is_known (&pairing.ratio))
    return NULL;
  redraw = g_new0 (ProfRedraw, 1);
  redraw->level_a = log (prof_comparison_get_time (comparison, a)->median);
  redraw->level_b = log (prof_comparison_get_time (comparison, b)->median);
  redraw->ratio = prof_comparison_dup_ratios (comparison, a, b, &redraw->n_ratios);
  redraw->slowness_a = prof_comparison_dup_slowness (comparison, a, &redraw->n_a);
  redraw->slowness_b = prof_comparison_dup_slowness (comparison, b, &redraw->n_b);
  if (redraw->n_ratios == 0)
    redraw->assumed = M_SQRT2 * PROF_SESSION_DEVIATION;
  else if (pairing.n_builds < PROF_MIN_BUILDS)
    redraw->assumed = PROF_BUILD_DEVIATION * sqrt (2.0 / MAX (pairing.n_builds, 1));
  return redraw;
}

void
prof_redraw_free (ProfRedraw *redraw)
{
  if (!redraw)
    return;
  g_free (redraw->ratio);
  g_free (redraw->slowness_a);
  g_free (redraw->slowness_b);
  g_free (redraw);
}

/* By how much the mean of n values, drawn with replacement, differs from their own. */
static double
shift_of (const double *values, guint n, guint64 draw)
{
  double sum = 0;

  for (guint i = 0; i < n; i++)
    sum += values[hyb_random_word (REDRAW_SEED, draw + i) % n];
  return sum / n - prof_mean (values, n);
}

void
prof_redraw_levels (const ProfRedraw *redraw, guint index, double *a, double *b)
{
  guint64 draw = (guint64) index * MAX_DRAWN;
  double  of_b = shift_of (redraw->slowness_b, redraw->n_b, draw), of_a;

  if (redraw->n_ratios > 0)
    of_a = of_b + shift_of (redraw->ratio, redraw->n_ratios, draw);
  else
    of_a = shift_of (redraw->slowness_a, redraw->n_a, draw + MAX_DRAWN / 2);
  of_a += redraw->assumed * hyb_random_normal (REDRAW_SEED + 1, index);
  *a = exp (redraw->level_a + of_a);
  *b = exp (redraw->level_b + of_b);
}

guint
prof_redraw_n_blocks (const ProfRedraw *redraw)
{
  return redraw->n_ratios > 0 ? redraw->n_ratios : MIN (redraw->n_a, redraw->n_b);
}
