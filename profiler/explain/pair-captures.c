/* pair-captures.c — pairs the clean samples of two captures, and redraws them.
 *
 * Samples in turns belong together in pairs; the builds of both were made at the same time.
 * Otherwise each capture is redrawn alone, and a session differs from the next.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "profiler/explain/pair-captures.h"

#include "engine/base/random.h"
#include "profiler/summary/clean-samples.h"

#include <math.h>

#define REDRAW_SEED 20260721
#define MAX_DRAWN   4096 /* random words of one draw */

/* --- The estimate --- */

void
prof_pair_captures (const ProfCapture *a, const ProfCapture *b, ProfPairing *pairing)
{
  if (prof_captures_took_turns (a, b))
    {
      g_autofree ProfPairs *pairs = prof_captures_pairs (a, b);

      prof_pair_builds (pairs, pairing);
    }
  else
    {
      ProfInterval of_a = prof_clean_median (a), of_b = prof_clean_median (b);

      prof_compare_unpaired (&of_a, &of_b, PROF_SESSION_DEVIATION, pairing);
    }
}

/* --- Draws --- */

struct _ProfRedraw
{
  ProfBlocks a, b; /* in turns: a has ratios and levels of both, b is empty */
  gboolean   in_turns;
  double     level_a, level_b; /* log seconds as measured */
  double     assumed;          /* standard deviation of log (a / b) that blocks do not show */
};

static double
mean_of (const double *values, guint n)
{
  double sum = 0;

  for (guint i = 0; i < n; i++)
    sum += values[i];
  return sum / n;
}

ProfRedraw *
prof_redraw_new (const ProfCapture *a, const ProfCapture *b)
{
  ProfRedraw           *redraw = g_new0 (ProfRedraw, 1);
  g_autofree ProfPairs *pairs = prof_captures_pairs (a, b);
  ProfPairing           pairing;
  ProfCleanSamples      of_a, of_b;
  guint                 n;

  prof_clean_samples_init (&of_a, a);
  prof_clean_samples_init (&of_b, b);
  prof_pair_captures (a, b, &pairing);
  redraw->in_turns = prof_captures_took_turns (a, b);
  redraw->level_b = log (prof_median (of_b.seconds, of_b.n));
  redraw->level_a = redraw->level_b + log (pairing.ratio.median);
  if (redraw->in_turns)
    prof_blocks_init (&redraw->a, pairs);
  else
    {
      prof_blocks_init (&redraw->a, &(ProfPairs){ of_a.seconds, of_a.seconds, of_a.build, of_a.n });
      prof_blocks_init (&redraw->b, &(ProfPairs){ of_b.seconds, of_b.seconds, of_b.build, of_b.n });
    }
  if (!redraw->in_turns)
    redraw->assumed = M_SQRT2 * PROF_SESSION_DEVIATION;
  else if (redraw->a.n_builds < PROF_MIN_BUILDS)
    redraw->assumed = PROF_BUILD_DEVIATION * sqrt (2.0 / MAX (redraw->a.n_builds, 1));
  n = redraw->in_turns ? pairs->n : MIN (of_a.n, of_b.n);
  prof_clean_samples_clear (&of_a);
  prof_clean_samples_clear (&of_b);
  if (n < PROF_MIN_FOR_INTERVAL)
    g_clear_pointer (&redraw, prof_redraw_free);
  return redraw;
}

void
prof_redraw_free (ProfRedraw *redraw)
{
  if (!redraw)
    return;
  prof_blocks_clear (&redraw->a);
  prof_blocks_clear (&redraw->b);
  g_free (redraw);
}

void
prof_redraw_measured (const ProfRedraw *redraw, double *a, double *b)
{
  *a = exp (redraw->level_a);
  *b = exp (redraw->level_b);
}

/* By how much the mean of n values, drawn with replacement, differs from their own. */
static double
shift_of (const double *values, guint n, guint64 draw)
{
  double sum = 0;

  for (guint i = 0; i < n; i++)
    sum += values[hyb_random_word (REDRAW_SEED, draw + i) % n];
  return sum / n - mean_of (values, n);
}

void
prof_redraw_levels (const ProfRedraw *redraw, guint index, double *a, double *b)
{
  guint64 draw = (guint64) index * MAX_DRAWN;
  double  of_b, of_a;

  if (redraw->in_turns)
    {
      /* The same builds for both. */
      of_b = shift_of (redraw->a.level, redraw->a.n, draw);
      of_a = of_b + shift_of (redraw->a.ratio, redraw->a.n, draw);
    }
  else
    {
      of_a = shift_of (redraw->a.level, redraw->a.n, draw);
      of_b = shift_of (redraw->b.level, redraw->b.n, draw + MAX_DRAWN / 2);
    }
  of_a += redraw->assumed * hyb_random_normal (REDRAW_SEED + 1, index);
  *a = exp (redraw->level_a + of_a);
  *b = exp (redraw->level_b + of_b);
}

guint
prof_redraw_n_blocks (const ProfRedraw *redraw)
{
  return redraw->in_turns ? redraw->a.n : MIN (redraw->a.n, redraw->b.n);
}
