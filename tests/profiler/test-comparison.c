/* test-comparison.c — times, ratios and differences of several subjects come from one estimate.
 *
 * Nothing is timed: simulate() makes rounds of runs on a machine that changes its speed, with bursts of
 * other load and builds that are off.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/base/random.h"
#include "profiler/base/comparison.h"
#include "tests/program.h"

#include <math.h>
#include <string.h>

#define N_SUBJECTS 6
#define N_ROUNDS   120
#define N_BUILDS   12
#define N_RUNS     300

typedef enum
{
  SPEED_STEADY,
  SPEED_DRIFTING, /* walks by about 10 % */
  SPEED_TWO,      /* half the rounds take 2.4 times as long; the speed changes within one of ten */
  SPEED_STEPPING, /* the second half takes twice as long */
  N_SPEEDS,
} SpeedKind;

typedef struct
{
  guint64         seed, draw;
  SpeedKind       kind;
  gboolean        has_bursts, has_bias, is_disturbed;
  double          seconds[N_SUBJECTS][N_ROUNDS];
  ProfSampleFacts facts[N_SUBJECTS][N_ROUNDS];
  guint           build[N_ROUNDS];
} Simulation;

/* Seconds that the subjects need; the last two differ by a per cent only. */
static const double needs[N_SUBJECTS] = { 16e-3, 9e-3, 8.8e-3, 3e-3, 1e-3, 1.01e-3 };

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

/* The factor on all times of a round. */
static double
next_speed (Simulation *self, guint round, double *level)
{
  switch (self->kind)
    {
    case SPEED_STEADY:
      return 1;
    case SPEED_DRIFTING:
      *level = 0.98 * *level + 0.02 * normal (self);
      return exp (*level);
    case SPEED_TWO:
      return uniform (self) < 0.5 ? 1 : 2.4;
    case SPEED_STEPPING:
      return round < N_ROUNDS / 2 ? 1 : 2;
    case N_SPEEDS:
      break;
    }
  g_assert_not_reached ();
}

static void
simulate (Simulation *self, guint64 seed)
{
  double level = 0, bias[N_SUBJECTS] = { 0 };

  self->seed = hyb_random_mix (seed, self->kind + 1);
  self->draw = 0;
  for (guint r = 0; r < N_ROUNDS; r++)
    {
      double speed = next_speed (self, r, &level);

      self->build[r] = r * N_BUILDS / N_ROUNDS;
      for (guint i = 0; i < N_SUBJECTS; i++)
        {
          double noise = 0.01 * normal (self);
          double burst = uniform (self) < 0.1 ? log (1 + uniform (self)) : 0;
          double wait = uniform (self) < 0.15 ? 0.5 : 0;
          double changed = self->kind == SPEED_TWO && uniform (self) < 0.1
                               ? next_speed (self, r, &level)
                               : speed;

          if (r % (N_ROUNDS / N_BUILDS) == 0)
            bias[i] = self->has_bias ? 0.01 * normal (self) : 0;
          self->seconds[i][r] = needs[i] * changed *
                                exp (noise + bias[i] + (self->has_bursts ? burst : 0)) *
                                (self->is_disturbed ? 1 + wait : 1);
          self->facts[i][r] = (ProfSampleFacts){ .wall = 1, .wait = wait };
        }
    }
}

static ProfComparison *
compare (Simulation *self, guint n)
{
  ProfRuns runs[N_SUBJECTS];

  for (guint i = 0; i < n; i++)
    runs[i] = (ProfRuns){ self->seconds[i], self->is_disturbed ? self->facts[i] : NULL, self->build,
                          N_ROUNDS };
  return prof_comparison_new (runs, n, TRUE);
}

static double
time_of (const ProfComparison *comparison, guint subject)
{
  return prof_comparison_get_time (comparison, subject)->median;
}

/* Calls check for all kinds of speed, with and without bursts, bias and disturbed runs. */
static void
for_each_kind (void (*check) (Simulation *self, guint run), guint n_runs)
{
  g_autofree Simulation *self = g_new0 (Simulation, 1);

  for (guint kind = 0; kind < 8 * N_SPEEDS; kind++)
    for (guint run = 0; run < n_runs; run++)
      {
        self->kind = kind / 8;
        self->has_bursts = kind & 1;
        self->has_bias = kind & 2;
        self->is_disturbed = kind & 4;
        simulate (self, 1 + run);
        check (self, run);
      }
}

static void
check_agreement (Simulation *self, guint run G_GNUC_UNUSED)
{
  g_autoptr (ProfComparison) comparison = compare (self, N_SUBJECTS);
  double sum = 0;

  for (guint a = 0; a < N_SUBJECTS; a++)
    for (guint b = 0; b < N_SUBJECTS; b++)
      {
        ProfInterval saved = prof_comparison_get_saved (comparison, a, b);
        double       difference = time_of (comparison, a) - time_of (comparison, b);
        ProfPairing  pairing, back;

        if (a == b)
          continue;
        prof_comparison_pair (comparison, a, b, &pairing);
        prof_comparison_pair (comparison, b, a, &back);
        /* The quotient of the times in a table is the ratio, and their difference is what is saved. */
        g_assert_cmpfloat_with_epsilon (time_of (comparison, a) / time_of (comparison, b),
                                        pairing.ratio.median, 1e-9 * pairing.ratio.median);
        g_assert_cmpfloat_with_epsilon (saved.median, difference, 1e-12);
        g_assert_true (saved.low <= saved.median && saved.median <= saved.high);
        g_assert_cmpfloat_with_epsilon (pairing.ratio.median * back.ratio.median, 1, 1e-9);
        if (pairing.verdict == PROF_SLOWER)
          g_assert_true (difference > 0 && saved.low > 0 && back.verdict == PROF_FASTER);
      }
  /* What the steps of a ladder save adds up. */
  for (guint i = 1; i < N_SUBJECTS; i++)
    sum += prof_comparison_get_saved (comparison, i - 1, i).median;
  g_assert_cmpfloat_with_epsilon (sum,
                                  time_of (comparison, 0) - time_of (comparison, N_SUBJECTS - 1),
                                  1e-12);
}

static void
test_times_ratios_and_differences_agree (void)
{
  for_each_kind (check_agreement, 10);
}

/* On a machine with two speeds the medians of two series may be of different speeds. */
static void
test_two_speeds_of_the_machine_do_not_change_ratios (void)
{
  g_autofree Simulation *self = g_new0 (Simulation, 1);
  guint                  n_contradict = 0, n_wrong = 0;

  self->kind = SPEED_TWO;
  for (guint run = 0; run < N_RUNS; run++)
    {
      g_autoptr (ProfComparison) comparison = NULL;
      double of_medians, of_comparison;

      simulate (self, 100 + run);
      comparison = compare (self, 2);
      of_medians = prof_median (self->seconds[0], N_ROUNDS) /
                   prof_median (self->seconds[1], N_ROUNDS) / (needs[0] / needs[1]);
      n_contradict += fabs (log (of_medians)) > 0.05;
      of_comparison = time_of (comparison, 0) / time_of (comparison, 1) / (needs[0] / needs[1]);
      n_wrong += fabs (log (of_comparison)) > 0.05;
    }
  g_test_message ("off by 5 %%: %u of %u, by the medians of each series alone %u", n_wrong, N_RUNS,
                  n_contradict);
  g_assert_cmpuint (n_wrong, <=, N_RUNS * 1 / 100);
  g_assert_cmpuint (n_contradict, >, N_RUNS * 10 / 100);
}

static guint n_pairs, n_covered, n_wrong_sign;

static void
check_coverage (Simulation *self, guint run G_GNUC_UNUSED)
{
  g_autoptr (ProfComparison) comparison = compare (self, N_SUBJECTS);

  for (guint a = 0; a < N_SUBJECTS; a++)
    for (guint b = 0; b < a; b++)
      {
        double      truth = needs[a] / needs[b];
        ProfPairing pairing;

        prof_comparison_pair (comparison, a, b, &pairing);
        n_pairs++;
        n_covered += pairing.ratio.low <= truth && truth <= pairing.ratio.high;
        n_wrong_sign += (pairing.verdict == PROF_FASTER && truth > 1) ||
                        (pairing.verdict == PROF_SLOWER && truth < 1);
      }
}

static void
test_intervals_of_six_subjects_cover (void)
{
  n_pairs = n_covered = n_wrong_sign = 0;
  for_each_kind (check_coverage, 20);
  g_test_message ("%u of %u covered, %u of the wrong sign", n_covered, n_pairs, n_wrong_sign);
  g_assert_cmpuint (n_covered, >=, n_pairs * 93 / 100);
  g_assert_cmpuint (n_wrong_sign, ==, 0);
}

static void
test_a_change_of_speed_is_said (void)
{
  g_autofree Simulation *self = g_new0 (Simulation, 1);

  for (guint run = 0; run < N_RUNS; run++)
    {
      g_autoptr (ProfComparison) comparison = NULL;
      double fastest, slowest;

      self->kind = run % 2 ? SPEED_STEPPING : SPEED_STEADY;
      self->has_bursts = run & 2;
      simulate (self, 400 + run);
      comparison = compare (self, 1 + run % N_SUBJECTS);
      g_assert_cmpint (prof_comparison_get_speed (comparison, &fastest, &slowest), ==,
                       self->kind == SPEED_STEPPING);
      g_assert_true (fastest <= 1 && slowest >= 1);
    }
}

/* A subject that always waits for a processor is estimated from all its runs, the others are not. */
static void
test_one_disturbed_subject_spoils_no_other (void)
{
  g_autofree Simulation *self = g_new0 (Simulation, 1);
  g_autoptr (ProfComparison) comparison = NULL;
  ProfPairing pairing;

  self->is_disturbed = TRUE;
  simulate (self, 1);
  for (guint r = 0; r < N_ROUNDS; r++)
    self->facts[2][r].wait = 0.5;
  comparison = compare (self, 3);
  prof_comparison_pair (comparison, 2, 0, &pairing);
  g_assert_true (prof_interval_is_known (&pairing.ratio));
  prof_comparison_pair (comparison, 1, 0, &pairing);
  g_assert_cmpfloat_with_epsilon (pairing.ratio.median, needs[1] / needs[0], 0.01);
}

static void
test_without_turns_times_are_medians (void)
{
  const double   a[] = { 2, 2, 2, 2, 2, 2, 2, 2 }, b[] = { 1, 1, 1, 1, 1, 1, 1 };
  const ProfRuns runs[] = { { .seconds = a, .n = 8 }, { .seconds = b, .n = 7 } };
  g_autoptr (ProfComparison) comparison = prof_comparison_new (runs, 2, FALSE);
  ProfPairing pairing;

  prof_comparison_pair (comparison, 0, 1, &pairing);
  g_assert_cmpfloat_with_epsilon (pairing.ratio.median, 2, 1e-12);
  g_assert_cmpfloat (pairing.ratio.high, >, 2 * (1 + PROF_SESSION_DEVIATION));
  g_assert_cmpint (pairing.verdict, ==, PROF_SLOWER);
  g_assert_cmpfloat_with_epsilon (prof_comparison_get_saved (comparison, 0, 1).median, 1, 1e-12);
}

static void
test_no_runs_are_no_estimate (void)
{
  const ProfRuns runs[] = { { .n = 0 }, { .n = 0 } };
  g_autoptr (ProfComparison) comparison = prof_comparison_new (runs, 2, TRUE);
  ProfPairing pairing;
  double      fastest, slowest;

  g_assert_true (isnan (time_of (comparison, 0)));
  prof_comparison_pair (comparison, 0, 1, &pairing);
  g_assert_cmpint (pairing.verdict, ==, PROF_UNDECIDED);
  g_assert_false (prof_comparison_get_speed (comparison, &fastest, &slowest));
}

TEST_PROGRAM (test_comparison)
{
  g_test_init (&argc, &argv, NULL);
#define ADD(name, function) g_test_add_func ("/profiler/comparison/" name, function)
  ADD ("times-ratios-and-differences-agree", test_times_ratios_and_differences_agree);
  ADD ("two-speeds-of-the-machine-do-not-change-ratios",
       test_two_speeds_of_the_machine_do_not_change_ratios);
  ADD ("intervals-of-six-subjects-cover", test_intervals_of_six_subjects_cover);
  ADD ("a-change-of-speed-is-said", test_a_change_of_speed_is_said);
  ADD ("one-disturbed-subject-spoils-no-other", test_one_disturbed_subject_spoils_no_other);
  ADD ("without-turns-times-are-medians", test_without_turns_times_are_medians);
  ADD ("no-runs-are-no-estimate", test_no_runs_are_no_estimate);
#undef ADD
  return g_test_run ();
}
