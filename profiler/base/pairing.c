/* pairing.c — Student's interval over builds, verdicts, and when a series ends.
 *
 * Noise within a build disappears with more samples, differences between builds do not.  So a build
 * counts as one observation.  Start reading at prof_pair_blocks().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "profiler/base/pairing.h"

#include <math.h>
#include <string.h>

#define N_PARTS 10    /* of a series that takes the place of builds */
#define STRICT  0.998 /* confidence that verdicts need */
/* Confidence of the intervals that are shown as 95 %.  Ending a series because its interval is narrow
 * costs about one per cent (test-pairing.c). */
#define USUAL 0.965

const char *
prof_verdict_name (ProfVerdict verdict)
{
  static const char *const names[] = {
    [PROF_FASTER] = "faster",
    [PROF_SLOWER] = "slower",
    [PROF_SAME] = "same",
    [PROF_UNDECIDED] = "undecided",
  };

  return names[verdict];
}

const char *
prof_verdict_describe (ProfVerdict verdict, const ProfInterval *interval)
{
  return prof_interval_is_known (interval) ? prof_verdict_name (verdict) : "too few runs";
}

/* --- Blocks --- */

guint
prof_count_builds (const guint *build, guint n)
{
  guint count = n > 0;

  for (guint i = 1; build && i < n; i++)
    count += build[i] != build[i - 1];
  return count;
}

guint
prof_find_block_end (const guint *build, guint n, guint from)
{
  gboolean has_builds = prof_count_builds (build, n) >= PROF_MIN_BUILDS;
  guint    n_parts = MIN (n, N_PARTS), end = from + 1;

  while (end < n &&
         (has_builds ? build[end] == build[from] : end * n_parts / n == from * n_parts / n))
    end++;
  return end;
}

/* Half the width of Student's interval of the mean of n blocks, and, with fewer than PROF_MIN_BUILDS
 * builds, for the variance between builds that is assumed.  n_subjects: whose builds they are. */
static double
half_width (const double *values, guint n, guint n_builds, guint n_subjects, double confidence)
{
  double probability = (1 + confidence) / 2;
  double width = prof_student_quantile (probability, n - 1) * prof_deviation (values, n) / sqrt (n);
  double assumed;

  if (n_builds >= PROF_MIN_BUILDS)
    return width;
  assumed = prof_student_quantile (probability, PROF_ASSUMED_DEGREES) * PROF_BUILD_DEVIATION *
            sqrt ((double) n_subjects / n_builds);
  return hypot (width, assumed);
}

/* --- Comparisons --- */

ProfVerdict
prof_find_verdict (const ProfInterval *usual, const ProfInterval *strict)
{
  if (!prof_interval_is_known (usual) || !prof_interval_is_known (strict))
    return PROF_UNDECIDED;
  if (strict->high < 1 && usual->median < 1 / (1 + PROF_SAME_WITHIN))
    return PROF_FASTER;
  if (strict->low > 1 && usual->median > 1 + PROF_SAME_WITHIN)
    return PROF_SLOWER;
  if (fabs (log (usual->median)) < log (1 + PROF_SAME_WITHIN) &&
      usual->low > 1 / (1 + 2 * PROF_SAME_WITHIN) && usual->high < 1 + 2 * PROF_SAME_WITHIN)
    return PROF_SAME;
  return PROF_UNDECIDED;
}

double
prof_pairing_resolution (const ProfPairing *pairing)
{
  return pairing->strict.high / pairing->strict.median - 1;
}

static ProfInterval
exponential (double middle, double width)
{
  return (ProfInterval){ exp (middle), exp (middle - width), exp (middle + width) };
}

void
prof_pair_blocks (const ProfBlocks *blocks, ProfPairing *pairing)
{
  double middle = blocks->middle;

  *pairing = (ProfPairing){
    .n = blocks->n_pairs,
    .n_builds = blocks->n_builds,
    .ratio = { exp (middle), NAN, NAN },
    .strict = { exp (middle), NAN, NAN },
    .spread = NAN,
  };
  if (blocks->n_pairs >= PROF_MIN_FOR_INTERVAL && blocks->n > 1)
    {
      pairing->ratio =
          exponential (middle, half_width (blocks->ratio, blocks->n, blocks->n_builds, 2, USUAL));
      pairing->strict =
          exponential (middle, half_width (blocks->ratio, blocks->n, blocks->n_builds, 2, STRICT));
    }
  if (blocks->n_builds >= PROF_MIN_BUILDS && blocks->n > 1)
    pairing->spread = exp (prof_student_quantile ((1 + USUAL) / 2, blocks->n - 1) *
                           prof_deviation (blocks->ratio, blocks->n)) -
                      1;
  pairing->verdict = prof_find_verdict (&pairing->ratio, &pairing->strict);
}

/* The interval of a quotient of estimates from their own intervals (Donner and Zou's method of
 * variance estimates recovery, of logarithms).  factor: how much wider; between: standard deviation
 * of the logarithm of the quotient that neither interval contains. */
static ProfInterval
divide (const ProfInterval *a, const ProfInterval *b, double factor, double between)
{
  double middle = log (a->median / b->median);
  double low = hypot (log (a->median / a->low), log (b->high / b->median));
  double high = hypot (log (a->high / a->median), log (b->median / b->low));

  return (ProfInterval){
    exp (middle),
    exp (middle - factor * hypot (low, between)),
    exp (middle + factor * hypot (high, between)),
  };
}

void
prof_compare_unpaired (const ProfInterval *a,
                       const ProfInterval *b,
                       double              deviation,
                       ProfPairing        *pairing)
{
  double usual = prof_student_quantile ((1 + USUAL) / 2, PROF_ASSUMED_DEGREES);
  double strict = prof_student_quantile ((1 + STRICT) / 2, PROF_ASSUMED_DEGREES);
  double between = usual * M_SQRT2 * deviation;

  *pairing = (ProfPairing){
    .ratio = divide (a, b, 1, between),
    .strict = divide (a, b, strict / usual, between),
    .spread = NAN,
  };
  pairing->verdict = prof_find_verdict (&pairing->ratio, &pairing->strict);
}

/* The interval of a ratio with another independent error, whose half width is `between`. */
static ProfInterval
widen (const ProfInterval *ratio, double between)
{
  return (ProfInterval){
    ratio->median,
    ratio->median * exp (-hypot (log (ratio->median / ratio->low), between)),
    ratio->median * exp (hypot (log (ratio->high / ratio->median), between)),
  };
}

void
prof_pairing_widen (ProfPairing *pairing, double deviation, guint degrees)
{
  pairing->ratio =
      widen (&pairing->ratio, prof_student_quantile ((1 + USUAL) / 2, degrees) * deviation);
  pairing->strict =
      widen (&pairing->strict, prof_student_quantile ((1 + STRICT) / 2, degrees) * deviation);
  pairing->verdict = prof_find_verdict (&pairing->ratio, &pairing->strict);
}

ProfInterval
prof_builds_interval (const double *values, const guint *build, guint n, double confidence)
{
  ProfInterval       interval = prof_median_interval (values, n, confidence);
  guint              n_builds = prof_count_builds (build, n), n_levels = 0;
  g_autofree double *level = g_new (double, MAX (n_builds, 1));
  double             width;

  if (n_builds < PROF_MIN_BUILDS || !prof_interval_is_known (&interval))
    return interval;
  for (guint from = 0, end; from < n; from = end)
    {
      end = prof_find_block_end (build, n, from);
      level[n_levels++] = log (prof_median (values + from, end - from));
    }
  width = half_width (level, n_levels, n_builds, 1, confidence);
  interval.low = MIN (interval.low, interval.median * exp (-width));
  interval.high = MAX (interval.high, interval.median * exp (width));
  return interval;
}

/* --- When to stop --- */

const char *
prof_stop_name (ProfStop stop)
{
  static const char *const names[] = {
    [PROF_STOP_NOT] = "as many as asked for",
    [PROF_STOP_DECIDED] = "decided",
    [PROF_STOP_PRECISE] = "interval below 1 %",
    [PROF_STOP_ENOUGH] = "enough samples",
    [PROF_STOP_TIME] = "time",
    [PROF_STOP_CANCELLED] = "cancelled",
  };

  return names[stop];
}

ProfStop
prof_series_stop (const double *values, const guint *build, guint n)
{
  ProfInterval interval;

  if (n >= PROF_MAX_SAMPLES)
    return PROF_STOP_ENOUGH;
  if (n < PROF_MIN_SAMPLES || (!build && n % PROF_MIN_SAMPLES != 0))
    return PROF_STOP_NOT;

  interval = prof_builds_interval (values, build, n, USUAL);
  return interval.high - interval.low < 2 * PROF_SAME_WITHIN * interval.median ? PROF_STOP_PRECISE
                                                                               : PROF_STOP_NOT;
}
