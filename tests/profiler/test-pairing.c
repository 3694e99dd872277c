/* test-pairing.c — properties of intervals and verdicts over simulated samples.
 *
 * Every property is counted over N_RUNS simulated measurements with fixed seeds, for five kinds of
 * noise and for series of 3 to 200 samples.  simulate() makes the samples.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/base/random.h"
#include "profiler/base/comparison.h"
#include "tests/program.h"

#include <math.h>

#define N_RUNS   400
#define N_MAX    800
#define N_BUILDS 10

typedef enum
{
  NOISE_NORMAL,   /* 5 % */
  NOISE_BURSTY,   /* other load for some samples in a row: up to 90 % more time */
  NOISE_DRIFTING, /* the machine's speed walks by about 10 % */
  NOISE_BIMODAL,  /* three of ten samples take 15 % more */
  NOISE_BUILDS,   /* every build of every subject is off by 1 % */
  N_NOISES,
} NoiseKind;

static const guint lengths[] = { 3, 5, 6, 8, 10, 20, 50, 100, 200 };

/* One simulated measurement of two subjects in turns. */
typedef struct
{
  guint64   seed, draw;
  NoiseKind kind;
  double    level; /* of the drift */
  gboolean  in_burst;
  double    a[N_MAX], b[N_MAX], drift[N_MAX];
  guint     build[N_MAX];
} Simulation;

static double
uniform (Simulation *self)
{
  return hyb_random_uniform (self->seed, 4 * self->draw++);
}

static double
normal (Simulation *self)
{
  return hyb_random_normal (self->seed, 4 * self->draw++ + 2);
}

/* The logarithm of the factor on the time of the next run. */
static double
next_factor (Simulation *self)
{
  switch (self->kind)
    {
    case NOISE_NORMAL:
      return 0.05 * normal (self);
    case NOISE_BURSTY:
      self->in_burst = uniform (self) < (self->in_burst ? 0.6 : 0.1);
      return 0.01 * normal (self) + (self->in_burst ? log (1 + 0.9 * uniform (self)) : 0);
    case NOISE_DRIFTING:
      self->level = 0.98 * self->level + 0.02 * normal (self);
      return self->level + 0.012 * normal (self);
    case NOISE_BIMODAL:
      return 0.01 * normal (self) + (uniform (self) < 0.3 ? 0.14 : 0);
    case NOISE_BUILDS:
      return 0.02 * normal (self);
    case N_NOISES:
      break;
    }
  g_assert_not_reached ();
}

/* Fills n samples over n_builds builds with noise of self->kind.  ratio: how much longer a takes than b, which takes one
 * second. */
static void
simulate (Simulation *self, guint64 seed, guint n, guint n_builds, double ratio)
{
  double bias_a = 0, bias_b = 0;

  self->seed = hyb_random_mix (seed, self->kind + 1);
  self->draw = 0;
  self->level = 0.1 * normal (self);
  self->in_burst = uniform (self) < 0.2;
  for (guint i = 0; i < n; i++)
    {
      gboolean b_first = uniform (self) < 0.5;
      double   first, second;

      self->build[i] = i * n_builds / n;
      if (i == 0 || self->build[i] != self->build[i - 1])
        {
          bias_a = self->kind == NOISE_BUILDS ? 0.01 * normal (self) : 0;
          bias_b = self->kind == NOISE_BUILDS ? 0.01 * normal (self) : 0;
        }
      first = next_factor (self);
      self->drift[i] = self->kind == NOISE_DRIFTING ? self->level : 0;
      second = next_factor (self);
      self->a[i] = ratio * exp (bias_a + (b_first ? second : first));
      self->b[i] = exp (bias_b + (b_first ? first : second));
    }
}

static ProfComparison *
compare (const Simulation *self, guint n)
{
  const ProfRuns runs[] = { { self->a, NULL, self->build, n }, { self->b, NULL, self->build, n } };

  return prof_comparison_new (runs, 2, TRUE);
}

static void
pair (const Simulation *self, guint n, ProfPairing *pairing)
{
  g_autoptr (ProfComparison) comparison = compare (self, n);

  prof_comparison_pair (comparison, 0, 1, pairing);
}

static gboolean
is_decided (const Simulation *self, guint n)
{
  g_autoptr (ProfComparison) comparison = compare (self, n);

  return prof_comparison_stop (comparison, PROF_MIN_BUILDS) == PROF_STOP_DECIDED;
}

static gboolean
is_inside (const ProfInterval *interval, double value)
{
  return interval->low <= value && value <= interval->high;
}

static void
assert_contains_its_estimate (const ProfInterval *interval)
{
  g_assert_true (!prof_interval_is_known (interval) || is_inside (interval, interval->median));
}

/* --- Comparisons of a fixed length --- */

static void
test_equal_are_rarely_different (void)
{
  g_autofree Simulation *self = g_new0 (Simulation, 1);

  for (guint kind = 0; kind < N_NOISES; kind++)
    for (guint l = 0; l < G_N_ELEMENTS (lengths); l++)
      for (guint few = 0; few < 2; few++)
        {
          guint n = lengths[l], n_different = 0;

          for (guint run = 0; run < N_RUNS; run++)
            {
              ProfPairing pairing;

              self->kind = kind;
              simulate (self, run, n, few ? 1 + run % 5 : MIN (n, N_BUILDS), 1);
              pair (self, n, &pairing);
              n_different += pairing.verdict == PROF_FASTER || pairing.verdict == PROF_SLOWER;
            }
          g_test_message ("noise %u, n %u, few %u: %u different", kind, n, few, n_different);
          g_assert_cmpuint (n_different, <=, N_RUNS * 5 / 100);
        }
}

static void
test_intervals_of_ratios_cover (void)
{
  g_autofree Simulation *self = g_new0 (Simulation, 1);

  for (guint kind = 0; kind < N_NOISES; kind++)
    for (guint l = 0; l < G_N_ELEMENTS (lengths); l++)
      {
        guint n = lengths[l], n_held = 0;

        for (guint run = 0; run < N_RUNS; run++)
          {
            ProfPairing pairing;

            self->kind = kind;
            simulate (self, 1000 + run, n, MIN (n, N_BUILDS), 1.05);
            pair (self, n, &pairing);
            g_assert_cmpint (prof_interval_is_known (&pairing.ratio), ==, n >= 6);
            assert_contains_its_estimate (&pairing.ratio);
            n_held += is_inside (&pairing.ratio, 1.05);
          }
        g_test_message ("noise %u, n %u: %u held", kind, n, n_held);
        if (n >= PROF_MIN_FOR_INTERVAL)
          g_assert_cmpuint (n_held, >=, N_RUNS * 93 / 100);
      }
}

/* The median of the noise that the samples scatter around: of a burst or the upper mode, of the
 * machine's conditions meanwhile. */
static double
true_median (const Simulation *self, guint n)
{
  static double known[N_NOISES];

  if (self->kind == NOISE_DRIFTING)
    return exp (prof_median (self->drift, n));
  if (known[self->kind] == 0)
    {
      Simulation        *other = g_new0 (Simulation, 1);
      g_autofree double *many = g_new (double, 100 * N_MAX);

      for (guint i = 0; i < 100; i++)
        {
          other->kind = self->kind;
          simulate (other, 5000 + i, N_MAX, N_MAX, 1);
          for (guint k = 0; k < N_MAX; k++)
            many[i * N_MAX + k] = other->b[k];
        }
      known[self->kind] = prof_median (many, 100 * N_MAX);
      g_free (other);
    }
  return known[self->kind];
}

static void
test_intervals_of_medians_cover (void)
{
  g_autofree Simulation *self = g_new0 (Simulation, 1);

  for (guint kind = 0; kind < N_NOISES; kind++)
    for (guint l = 0; l < G_N_ELEMENTS (lengths); l++)
      {
        guint n = lengths[l], n_held = 0;

        for (guint run = 0; run < N_RUNS; run++)
          {
            ProfInterval interval;

            self->kind = kind;
            simulate (self, 2000 + run, n, MIN (n, N_BUILDS), 1);
            interval = prof_builds_interval (self->b, self->build, n, 0.95);
            g_assert_cmpint (prof_interval_is_known (&interval), ==, n >= 6);
            assert_contains_its_estimate (&interval);
            n_held += is_inside (&interval, true_median (self, n));
          }
        g_test_message ("noise %u, n %u: %u held", kind, n, n_held);
        if (n >= PROF_MIN_FOR_INTERVAL)
          g_assert_cmpuint (n_held, >=, N_RUNS * 93 / 100);
      }
}

/* --- Comparisons that stop when they are decided --- */

/* Looks at the samples after every build of size samples, at most 40 builds. */
static void
measure (Simulation *self, guint size, ProfPairing *pairing)
{
  guint n = 0;

  do
    n += size;
  while (!is_decided (self, n) && n < 40 * size);
  pair (self, n, pairing);
}

static void
test_looking_often_does_no_harm (void)
{
  static const guint     sizes[] = { 1, 3, 20 };
  g_autofree Simulation *self = g_new0 (Simulation, 1);

  for (guint kind = 0; kind < N_NOISES; kind++)
    for (guint s = 0; s < G_N_ELEMENTS (sizes); s++)
      {
        guint n_different = 0, n_held = 0;

        for (guint run = 0; run < N_RUNS; run++)
          {
            ProfPairing pairing;

            self->kind = kind;
            simulate (self, 3000 + run, 40 * sizes[s], 40, 1);
            measure (self, sizes[s], &pairing);
            n_different += pairing.verdict == PROF_FASTER || pairing.verdict == PROF_SLOWER;
            n_held += is_inside (&pairing.ratio, 1);
          }
        g_test_message ("noise %u, %u a build: %u different, %u held", kind, sizes[s], n_different,
                        n_held);
        g_assert_cmpuint (n_different, <=, N_RUNS * 5 / 100);
        g_assert_cmpuint (n_held, >=, N_RUNS * 93 / 100);
      }
}

/* 5 % more time at 5 % noise is found, and never with the wrong sign. */
static void
test_five_percent_is_found (void)
{
  g_autofree Simulation *self = g_new0 (Simulation, 1);

  for (guint kind = 0; kind < N_NOISES; kind++)
    {
      guint n_found = 0;

      for (guint run = 0; run < N_RUNS; run++)
        {
          ProfPairing pairing;

          self->kind = kind;
          simulate (self, 4000 + run, 40 * 20, 40, 1.05);
          measure (self, 20, &pairing);
          g_assert_cmpint (pairing.verdict, !=, PROF_FASTER);
          n_found += pairing.verdict == PROF_SLOWER;
        }
      g_test_message ("noise %u: %u found", kind, n_found);
      g_assert_cmpuint (n_found, >=, N_RUNS * 95 / 100);
    }
}

/* --- Single facts --- */

/* Builds differ by 1 % each, so 1.4 % together, and medians of twenty samples at 2 % noise scatter by
 * 0.8 %: 1.6 % in all, of which 95 % lie within 3.2 %. */
static void
test_spread_of_builds_is_measured (void)
{
  g_autofree Simulation *self = g_new0 (Simulation, 1);
  double                 spreads[N_RUNS];
  ProfPairing            pairing;

  for (guint run = 0; run < N_RUNS; run++)
    {
      self->kind = NOISE_BUILDS;
      simulate (self, run, 800, 40, 1);
      pair (self, 800, &pairing);
      spreads[run] = pairing.spread;
      g_assert_cmpfloat (prof_pairing_resolution (&pairing), <, pairing.spread);
    }
  g_assert_cmpfloat (prof_median (spreads, N_RUNS), >, 0.030);
  g_assert_cmpfloat (prof_median (spreads, N_RUNS), <, 0.040);
  /* Five builds are too few to say. */
  self->kind = NOISE_BUILDS;
  simulate (self, 1, 100, 5, 1);
  pair (self, 100, &pairing);
  g_assert_true (isnan (pairing.spread));
  g_assert_cmpuint (pairing.n_builds, ==, 5);
}

/* With one build, a difference within the assumed deviation of builds is not decided, however many
 * samples there are. */
static void
test_one_build_decides_no_small_difference (void)
{
  g_autofree Simulation *self = g_new0 (Simulation, 1);
  ProfPairing            pairing;

  self->kind = NOISE_DRIFTING;
  simulate (self, 1, 800, 1, 1.03);
  prof_pair (self->a, self->b, 800, &pairing);
  g_assert_cmpint (pairing.verdict, ==, PROF_UNDECIDED);
  self->kind = NOISE_DRIFTING;
  simulate (self, 1, 800, 1, 1.2);
  prof_pair (self->a, self->b, 800, &pairing);
  g_assert_cmpint (pairing.verdict, ==, PROF_SLOWER);
}

static void
test_few_samples_are_undecided (void)
{
  const double a[] = { 2, 2, 2, 2, 2, 2 }, b[] = { 1, 1, 1, 1, 1, 1 };
  ProfPairing  pairing;

  prof_pair (a, b, 5, &pairing);
  g_assert_cmpint (pairing.verdict, ==, PROF_UNDECIDED);
  g_assert_cmpfloat_with_epsilon (pairing.ratio.median, 2, 1e-12);
  g_assert_false (prof_interval_is_known (&pairing.ratio));
  prof_pair (a, b, 6, &pairing);
  g_assert_cmpint (pairing.verdict, ==, PROF_SLOWER);
  prof_pair (a, b, 0, &pairing);
  g_assert_cmpint (pairing.verdict, ==, PROF_UNDECIDED);
  g_assert_true (isnan (pairing.ratio.median));
}

/* Two sessions of one subject are not told apart by a difference that sessions have. */
static void
test_sessions_differ_by_themselves (void)
{
  const ProfInterval a = { 1.03, 1.029, 1.031 }, b = { 1, 0.999, 1.001 };
  ProfPairing        pairing;

  prof_compare_unpaired (&a, &b, 0, &pairing);
  g_assert_cmpint (pairing.verdict, ==, PROF_SLOWER);
  prof_compare_unpaired (&a, &b, PROF_SESSION_DEVIATION, &pairing);
  g_assert_cmpint (pairing.verdict, ==, PROF_UNDECIDED);
  g_assert_cmpfloat_with_epsilon (pairing.ratio.median, 1.03, 1e-12);
  /* At least ± 1.96 √2 · 2 %. */
  g_assert_cmpfloat (pairing.ratio.high / 1.03, >, exp (0.0554));
  g_assert_cmpfloat (pairing.ratio.high / 1.03, <, exp (0.065));
}

static void
test_unequal_samples_of_builds (void)
{
  /* Three builds of two, one and three samples; fewer than six builds: parts take their place. */
  const double       seconds[] = { 1, 1, 1, 1, 1, 1 };
  const guint        build[] = { 0, 0, 1, 4, 4, 4 };
  const ProfRuns     runs[] = { { seconds, NULL, build, 6 }, { seconds, NULL, build, 6 } };
  g_autofree double *ratios = NULL;
  guint              n_blocks;
  ProfPairing        pairing;
  g_autoptr (ProfComparison) comparison = prof_comparison_new (runs, 2, TRUE);

  prof_comparison_pair (comparison, 0, 1, &pairing);
  g_assert_cmpuint (pairing.n_builds, ==, 3);
  ratios = prof_comparison_dup_ratios (comparison, 0, 1, &n_blocks);
  g_assert_cmpuint (n_blocks, ==, 6);
}

static void
test_a_verdict_needs_an_interval (void)
{
  const ProfInterval known = { 1, 0.9, 1.1 }, unknown = { 1, NAN, NAN };

  g_assert_cmpstr (prof_verdict_describe (PROF_SLOWER, &known), ==, "slower");
  g_assert_cmpstr (prof_verdict_describe (PROF_UNDECIDED, &known), ==, "undecided");
  g_assert_cmpstr (prof_verdict_describe (PROF_UNDECIDED, &unknown), ==, "too few runs");
}

static ProfInterval
interval_around (double median, double factor)
{
  return (ProfInterval){ median, median / factor, median * factor };
}

/* What the header says: `strict` decides between faster and slower, both times against 1 %, and `usual` about the same. */
static void
test_verdicts_are_those_of_the_header (void)
{
  static const struct
  {
    double      median, usual, strict;
    ProfVerdict verdict, inverse;
  } rows[] = {
    { 0.99005, 1.001, 1.002, PROF_FASTER,
      PROF_SLOWER }, /* by more than a factor of 1.01, less than 1 % */
    { 0.9902, 1.001, 1.002, PROF_SAME, PROF_SAME },
    { 0.95, 1.01, 1.06, PROF_UNDECIDED, PROF_UNDECIDED },
    { 1.001, 1.015, 1.1, PROF_SAME, PROF_SAME },
    { 1.001, 1.03, 1.1, PROF_UNDECIDED, PROF_UNDECIDED },
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      ProfInterval usual = interval_around (rows[i].median, rows[i].usual);
      ProfInterval strict = interval_around (rows[i].median, rows[i].strict);

      g_assert_cmpint (prof_find_verdict (&usual, &strict), ==, rows[i].verdict);
      usual = interval_around (1 / rows[i].median, rows[i].usual);
      strict = interval_around (1 / rows[i].median, rows[i].strict);
      g_assert_cmpint (prof_find_verdict (&usual, &strict), ==, rows[i].inverse);
    }
}

/* Quantiles of Student's distribution at (1 + 0.965) / 2 and (1 + 0.998) / 2, computed with 30 digits. */
#define USUAL_5     2.869868546913777
#define STRICT_5    5.893429531356010
#define USUAL_1000  2.111232295893677
#define STRICT_1000 3.098402163912923

static void
assert_factors (const ProfInterval *interval, double low, double high)
{
  g_assert_cmpfloat_with_epsilon (log (interval->median / interval->low), low, 1e-10);
  g_assert_cmpfloat_with_epsilon (log (interval->high / interval->median), high, 1e-10);
}

/* Six blocks have five degrees of freedom; builds that were not measured add a deviation of 1 % on both sides. */
static void
test_intervals_of_blocks_are_those_of_student (void)
{
  const double ratio[] = { 0.01, 0.03, -0.02, 0.05, 0, -0.01 }; /* their mean is 0.01 */
  const double deviation = sqrt (0.0034 / 5);
  const double assumed = PROF_BUILD_DEVIATION * M_SQRT2;
  ProfBlocks   blocks = { ratio, 0.01, 6, 6, 6 };
  ProfPairing  pairing;

  prof_pair_blocks (&blocks, &pairing);
  assert_factors (&pairing.ratio, USUAL_5 * deviation / sqrt (6), USUAL_5 * deviation / sqrt (6));
  assert_factors (&pairing.strict, STRICT_5 * deviation / sqrt (6),
                  STRICT_5 * deviation / sqrt (6));
  g_assert_cmpfloat_with_epsilon (pairing.spread, exp (USUAL_5 * deviation) - 1, 1e-10);

  blocks.n_builds = 1;
  prof_pair_blocks (&blocks, &pairing);
  assert_factors (&pairing.ratio, hypot (USUAL_5 * deviation / sqrt (6), USUAL_1000 * assumed),
                  hypot (USUAL_5 * deviation / sqrt (6), USUAL_1000 * assumed));
  assert_factors (&pairing.strict, hypot (STRICT_5 * deviation / sqrt (6), STRICT_1000 * assumed),
                  hypot (STRICT_5 * deviation / sqrt (6), STRICT_1000 * assumed));
  g_assert_true (isnan (pairing.spread));
}

/* An error that is known with five degrees of freedom, and two series whose intervals lie unevenly. */
static void
test_added_errors_are_those_of_student (void)
{
  const ProfInterval a = { 2, 1.9, 2.2 }, b = { 1, 0.95, 1.1 };
  ProfPairing        pairing = { .ratio = { 1.1, 1, 1.2 }, .strict = { 1.1, 0.9, 1.3 } };
  double             low = hypot (log (2 / 1.9), log (1.1));
  double             high = hypot (log (2.2 / 2), log (1 / 0.95));
  double             between = USUAL_1000 * M_SQRT2 * 0.02;

  prof_pairing_widen (&pairing, 0.02, 5);
  assert_factors (&pairing.ratio, hypot (log (1.1), USUAL_5 * 0.02),
                  hypot (log (1.2 / 1.1), USUAL_5 * 0.02));
  assert_factors (&pairing.strict, hypot (log (1.1 / 0.9), STRICT_5 * 0.02),
                  hypot (log (1.3 / 1.1), STRICT_5 * 0.02));

  prof_compare_unpaired (&a, &b, 0.02, &pairing);
  assert_factors (&pairing.ratio, hypot (low, between), hypot (high, between));
  assert_factors (&pairing.strict, STRICT_1000 / USUAL_1000 * hypot (low, between),
                  STRICT_1000 / USUAL_1000 * hypot (high, between));
}

TEST_PROGRAM (test_pairing)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/profiler/pairing/verdicts-are-those-of-the-header",
                   test_verdicts_are_those_of_the_header);
  g_test_add_func ("/profiler/pairing/equal-subjects-are-rarely-different",
                   test_equal_are_rarely_different);
  g_test_add_func ("/profiler/pairing/intervals-of-ratios-cover", test_intervals_of_ratios_cover);
  g_test_add_func ("/profiler/pairing/intervals-of-medians-cover", test_intervals_of_medians_cover);
  g_test_add_func ("/profiler/pairing/looking-often-does-no-harm", test_looking_often_does_no_harm);
  g_test_add_func ("/profiler/pairing/five-percent-is-found", test_five_percent_is_found);
  g_test_add_func ("/profiler/pairing/spread-of-builds-is-measured",
                   test_spread_of_builds_is_measured);
  g_test_add_func ("/profiler/pairing/one-build-decides-no-small-difference",
                   test_one_build_decides_no_small_difference);
  g_test_add_func ("/profiler/pairing/few-samples-are-undecided", test_few_samples_are_undecided);
  g_test_add_func ("/profiler/pairing/sessions-differ-by-themselves",
                   test_sessions_differ_by_themselves);
  g_test_add_func ("/profiler/pairing/builds-may-have-unequal-samples",
                   test_unequal_samples_of_builds);
  g_test_add_func ("/profiler/pairing/intervals-of-blocks-are-those-of-student",
                   test_intervals_of_blocks_are_those_of_student);
  g_test_add_func ("/profiler/pairing/added-errors-are-those-of-student",
                   test_added_errors_are_those_of_student);
  g_test_add_func ("/profiler/pairing/a-verdict-needs-an-interval",
                   test_a_verdict_needs_an_interval);
  return g_test_run ();
}
