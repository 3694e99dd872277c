/* pairing.c — hierarchical comparisons: medians within builds, Student's interval over builds.
 *
 * Noise within a build disappears with more samples, what is peculiar to a build does not.  So a
 * build counts as one observation.  Start reading at prof_pair_builds().
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

static guint
count_builds (const guint *build, guint n)
{
  guint count = n > 0;

  for (guint i = 1; build && i < n; i++)
    count += build[i] != build[i - 1];
  return count;
}

/* The end of the block that begins at from: its build's last value, or its part's. */
static guint
find_end (const guint *build, guint n, guint from, guint n_parts)
{
  guint end = from + 1;

  if (n_parts == 0)
    while (end < n && build[end] == build[from])
      end++;
  else
    while (end < n && end * n_parts / n == from * n_parts / n)
      end++;
  return end;
}

/* The number of parts that a series without enough builds is divided into; 0: enough builds. */
static guint
count_parts (const guint *build, guint n)
{
  return count_builds (build, n) >= PROF_MIN_BUILDS ? 0 : CLAMP (n, 1, N_PARTS);
}

void
prof_blocks_init (ProfBlocks *blocks, const ProfPairs *pairs)
{
  guint              n = pairs->n, n_parts = count_parts (pairs->build, n);
  g_autofree double *ratio = g_new (double, MAX (n, 1));
  g_autofree double *level = g_new (double, MAX (n, 1));

  *blocks = (ProfBlocks){ .n_builds = count_builds (pairs->build, n) };
  blocks->ratio = g_new (double, MAX (MAX (blocks->n_builds, n_parts), 1));
  blocks->level = g_new (double, MAX (MAX (blocks->n_builds, n_parts), 1));
  for (guint i = 0; i < n; i++)
    {
      level[i] = log (pairs->b[i]);
      ratio[i] = log (pairs->a[i]) - level[i];
    }
  for (guint from = 0, end; from < n; from = end)
    {
      end = find_end (pairs->build, n, from, n_parts);
      blocks->ratio[blocks->n] = prof_median (ratio + from, end - from);
      blocks->level[blocks->n++] = prof_median (level + from, end - from);
    }
}

void
prof_blocks_clear (ProfBlocks *blocks)
{
  g_clear_pointer (&blocks->ratio, g_free);
  g_clear_pointer (&blocks->level, g_free);
}

static double
mean_of (const double *values, guint n)
{
  double sum = 0;

  for (guint i = 0; i < n; i++)
    sum += values[i];
  return sum / n;
}

/* The standard deviation of n values, at least two. */
static double
deviation_of (const double *values, guint n)
{
  double mean = mean_of (values, n), squares = 0;

  for (guint i = 0; i < n; i++)
    squares += (values[i] - mean) * (values[i] - mean);
  return sqrt (squares / (n - 1));
}

/* Half the width of Student's interval of the mean of n blocks, and, with fewer than PROF_MIN_BUILDS
 * builds, for the variance between builds that is assumed.  n_subjects: whose builds they are. */
static double
half_width (const double *values, guint n, guint n_builds, guint n_subjects, double confidence)
{
  double probability = (1 + confidence) / 2;
  double width = prof_student_quantile (probability, n - 1) * deviation_of (values, n) / sqrt (n);
  double assumed;

  if (n_builds >= PROF_MIN_BUILDS)
    return width;
  assumed = prof_student_quantile (probability, 1000) * PROF_BUILD_DEVIATION *
            sqrt ((double) n_subjects / n_builds);
  return hypot (width, assumed);
}

/* --- Comparisons --- */

ProfPairs *
prof_pairs_undisturbed (const ProfPairs       *pairs,
                        const ProfSampleFacts *of_a,
                        const ProfSampleFacts *of_b)
{
  const ProfSampleFacts *const facts[] = { of_a, of_b };
  gsize                        n = MAX (pairs->n, 1);
  ProfPairs        *kept = g_malloc (sizeof *kept + n * (2 * sizeof (double) + sizeof (guint)));
  double           *a = (double *) (kept + 1), *b = a + n;
  guint            *build = (guint *) (b + n);
  g_autofree guint *index = g_new (guint, n);
  ProfDisturbance   disturbance;

  *kept = (ProfPairs){ a, b, build, 0 };
  kept->n = prof_select_undisturbed (facts, 2, pairs->n, index, &disturbance);
  for (guint i = 0; i < kept->n; i++)
    {
      a[i] = pairs->a[index[i]];
      b[i] = pairs->b[index[i]];
      build[i] = pairs->build ? pairs->build[index[i]] : 0;
    }
  return kept;
}

/* Faster or slower only if the strict interval excludes 1 and the ratio differs from 1 by more than
 * PROF_SAME_WITHIN; the same only if the 95 % interval is within twice PROF_SAME_WITHIN. */
static ProfVerdict
find_verdict (const ProfInterval *ratio, const ProfInterval *strict)
{
  if (!prof_interval_is_known (ratio) || !prof_interval_is_known (strict))
    return PROF_UNDECIDED;
  if (strict->high < 1 && ratio->median < 1 - PROF_SAME_WITHIN)
    return PROF_FASTER;
  if (strict->low > 1 && ratio->median > 1 + PROF_SAME_WITHIN)
    return PROF_SLOWER;
  if (fabs (ratio->median - 1) < PROF_SAME_WITHIN && ratio->low > 1 - 2 * PROF_SAME_WITHIN &&
      ratio->high < 1 + 2 * PROF_SAME_WITHIN)
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
prof_pair_builds (const ProfPairs *pairs, ProfPairing *pairing)
{
  ProfBlocks blocks;
  double     middle;

  prof_blocks_init (&blocks, pairs);
  middle = blocks.n > 0 ? mean_of (blocks.ratio, blocks.n) : NAN;
  *pairing = (ProfPairing){
    .n = pairs->n,
    .n_builds = blocks.n_builds,
    .ratio = { exp (middle), NAN, NAN },
    .strict = { exp (middle), NAN, NAN },
    .spread = NAN,
  };
  if (pairs->n >= PROF_MIN_FOR_INTERVAL)
    {
      pairing->ratio =
          exponential (middle, half_width (blocks.ratio, blocks.n, blocks.n_builds, 2, USUAL));
      pairing->strict =
          exponential (middle, half_width (blocks.ratio, blocks.n, blocks.n_builds, 2, STRICT));
    }
  if (blocks.n_builds >= PROF_MIN_BUILDS)
    pairing->spread = exp (prof_student_quantile ((1 + USUAL) / 2, blocks.n - 1) *
                           deviation_of (blocks.ratio, blocks.n)) -
                      1;
  pairing->verdict = find_verdict (&pairing->ratio, &pairing->strict);
  prof_blocks_clear (&blocks);
}

void
prof_pair (const double *a, const double *b, guint n, ProfPairing *pairing)
{
  prof_pair_builds (&(ProfPairs){ .a = a, .b = b, .n = n }, pairing);
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
  double usual = prof_student_quantile ((1 + USUAL) / 2, 1000);
  double strict = prof_student_quantile ((1 + STRICT) / 2, 1000);
  double between = usual * M_SQRT2 * deviation;

  *pairing = (ProfPairing){
    .ratio = divide (a, b, 1, between),
    .strict = divide (a, b, strict / usual, between),
    .spread = NAN,
  };
  pairing->verdict = find_verdict (&pairing->ratio, &pairing->strict);
}

ProfInterval
prof_builds_interval (const double *values, const guint *build, guint n, double confidence)
{
  ProfInterval interval = prof_median_interval (values, n, confidence);
  ProfBlocks   blocks;
  double       width;

  if (count_builds (build, n) < PROF_MIN_BUILDS || !prof_interval_is_known (&interval))
    return interval;
  prof_blocks_init (&blocks, &(ProfPairs){ .a = values, .b = values, .build = build, .n = n });
  width = half_width (blocks.level, blocks.n, blocks.n_builds, 1, confidence);
  interval.low = MIN (interval.low, interval.median * exp (-width));
  interval.high = MAX (interval.high, interval.median * exp (width));
  prof_blocks_clear (&blocks);
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

ProfStop
prof_pair_stop (const ProfPairs *pairs, guint min_builds)
{
  ProfPairing pairing;

  prof_pair_builds (pairs, &pairing);
  return pairing.n_builds >= min_builds && pairing.verdict != PROF_UNDECIDED ? PROF_STOP_DECIDED
                                                                             : PROF_STOP_NOT;
}
