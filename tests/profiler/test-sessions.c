/* test-sessions.c — recordings of several sessions are compared with what sessions vary by.
 *
 * Samples are simulated, so the true ratio is known.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "profiler/explain/sessions.h"
#include "profiler/summary/unchanging.h"
#include "tests/profiler/made-recording.h"
#include "tests/program.h"

#include <math.h>
#include <string.h>

#define N_TRIALS 400

static void
test_the_same_twice_is_no_difference (void)
{
  MadeRecording b = made_recording;
  ProfSessions  sessions;

  b.seed = 2;
  sessions = made_recordings_compare (&made_recording, &b);
  g_assert_cmpint (sessions.machine, ==, PROF_SAME_MACHINE);
  g_assert_true (sessions.is_same_work);
  g_assert_false (sessions.is_spread_measured);
  g_assert_cmpfloat (sessions.spread, >=, 0.02);
  g_assert_cmpint (sessions.verdict, ==, PROF_UNDECIDED);
  g_assert_cmpint (prof_sessions_gate (&sessions, 0.03), ==, PROF_GATE_UNDECIDED);
  g_assert_cmpint (prof_sessions_gate (&sessions, 0.20), ==, PROF_GATE_PASSED);
  assert_made_caution (&sessions, PROF_CAUTION_UNKNOWN, "is assumed");
  assert_made_caution (&sessions, PROF_CAUTION_UNKNOWN, "hscope prove");
  prof_sessions_clear (&sessions);
}

static void
test_a_large_slow_down_is_certain (void)
{
  MadeRecording    b = made_recording;
  ProfSessions     sessions;
  g_autofree char *reason = NULL, *undecided = NULL;

  b.seed = 2;
  b.seconds *= 1.25;
  sessions = made_recordings_compare (&made_recording, &b);
  g_assert_cmpint (sessions.verdict, ==, PROF_SLOWER);
  g_assert_cmpfloat_with_epsilon (sessions.ratio.median, 1.25, 0.02);
  g_assert_cmpint (prof_sessions_gate (&sessions, 0.03), ==, PROF_GATE_FAILED);
  g_assert_cmpint (prof_sessions_gate (&sessions, 0.25), ==, PROF_GATE_UNDECIDED);
  g_assert_cmpint (prof_sessions_gate (&sessions, 0.60), ==, PROF_GATE_PASSED);
  reason = prof_sessions_dup_reason (&sessions, 0.03);
  g_assert_nonnull (strstr (reason, "at least"));
  /* The interval that is shown decides: it contains the threshold. */
  g_assert_cmpfloat (sessions.ratio.low, <=, 1.25);
  g_assert_cmpfloat (sessions.ratio.high, >=, 1.25);
  undecided = prof_sessions_dup_reason (&sessions, 0.25);
  g_assert_nonnull (strstr (undecided, "more than 25 %"));
  prof_sessions_clear (&sessions);

  sessions = made_recordings_compare (&b, &made_recording);
  g_assert_cmpint (sessions.verdict, ==, PROF_FASTER);
  g_assert_cmpint (prof_sessions_gate (&sessions, 0), ==, PROF_GATE_PASSED);
  prof_sessions_clear (&sessions);
}

/* Sessions vary by 2 %, samples by 3 %; the model is the same. */
static void
test_intervals_cover_and_nothing_is_found_where_nothing_is (void)
{
  guint n_covered = 0, n_different = 0, n_failed = 0;

  for (guint64 trial = 0; trial < N_TRIALS; trial++)
    {
      MadeRecording a = made_recording, b = made_recording;
      ProfSessions  sessions;

      a.noise = b.noise = 0.03;
      a.seed = 1000 + 2 * trial;
      b.seed = 1001 + 2 * trial;
      a.seconds *= exp (0.02 * made_normal (7, 2 * trial));
      b.seconds *= exp (0.02 * made_normal (7, 2 * trial + 1));
      sessions = made_recordings_compare (&a, &b);
      n_covered += sessions.ratio.low <= 1 && sessions.ratio.high >= 1;
      n_different += sessions.verdict == PROF_SLOWER || sessions.verdict == PROF_FASTER;
      n_failed += prof_sessions_gate (&sessions, 0) == PROF_GATE_FAILED;
      prof_sessions_clear (&sessions);
    }
  g_test_message ("covered %u, different %u, failed %u", n_covered, n_different, n_failed);
  g_assert_cmpuint (n_covered, >=, N_TRIALS * 93 / 100);
  g_assert_cmpuint (n_different, <=, N_TRIALS * 2 / 100);
  g_assert_cmpuint (n_failed, <=, N_TRIALS * 1 / 100);
}

/* Sessions vary by 6 %, three times as much as is assumed without measuring. */
static void
test_several_baselines_measure_the_variance_between_sessions (void)
{
  guint n_covered = 0, n_different = 0;

  for (guint64 trial = 0; trial < N_TRIALS; trial++)
    {
      ProfCapture *captures[7];
      ProfSessions sessions;

      for (guint i = 0; i < 7; i++)
        {
          MadeRecording made = made_recording;

          made.seed = 10 * trial + i;
          made.seconds *= exp (0.06 * made_normal (8, 10 * trial + i));
          captures[i] = made_recording_new (&made);
        }
      g_assert_true (prof_sessions_compare (&sessions, (const ProfCapture *const *) captures, 6,
                                            captures[6], NULL));
      g_assert_true (sessions.is_spread_measured);
      g_assert_cmpuint (sessions.n_used, ==, 6);
      n_covered += sessions.ratio.low <= 1 && sessions.ratio.high >= 1;
      n_different += sessions.verdict == PROF_SLOWER || sessions.verdict == PROF_FASTER;
      prof_sessions_clear (&sessions);
      for (guint i = 0; i < 7; i++)
        prof_capture_unref (captures[i]);
    }
  g_test_message ("covered %u, different %u", n_covered, n_different);
  g_assert_cmpuint (n_covered, >=, N_TRIALS * 93 / 100);
  g_assert_cmpuint (n_different, <=, N_TRIALS * 2 / 100);
}

static void
test_another_machine_is_said_first_and_decides_nothing (void)
{
  MadeRecording    b = made_recording;
  ProfSessions     sessions;
  g_autofree char *reason = NULL;

  b.processor = "Example 9000";
  b.seconds *= 10;
  sessions = made_recordings_compare (&made_recording, &b);
  g_assert_cmpint (sessions.machine, ==, PROF_OTHER_MACHINE);
  g_assert_true (g_str_has_prefix (((const ProfCaution *) sessions.cautions->pdata[0])->text,
                                   "Different machines"));
  assert_made_caution (&sessions, PROF_CAUTION_MACHINE,
                       "“Example 3000” in the baseline, “Example 9000”");
  g_assert_cmpint (sessions.verdict, ==, PROF_SLOWER);
  g_assert_cmpint (prof_sessions_gate (&sessions, 0.03), ==, PROF_GATE_UNDECIDED);
  reason = prof_sessions_dup_reason (&sessions, 0.03);
  g_assert_nonnull (strstr (reason, "different machines"));
  g_assert_cmpfloat (sessions.spread, >=, 0.10);
  prof_sessions_clear (&sessions);

  b = made_recording;
  b.cores = 5;
  sessions = made_recordings_compare (&made_recording, &b);
  g_assert_cmpint (sessions.machine, ==, PROF_OTHER_MACHINE);
  prof_sessions_clear (&sessions);
}

static void
test_another_host_of_the_same_kind_widens_the_interval (void)
{
  MadeRecording b = made_recording;
  ProfSessions  same, like;

  same = made_recordings_compare (&made_recording, &b);
  b.host = "grace";
  like = made_recordings_compare (&made_recording, &b);
  g_assert_cmpint (like.machine, ==, PROF_LIKE_MACHINE);
  g_assert_cmpfloat (like.ratio.high, >, same.ratio.high);
  g_assert_cmpfloat (like.ratio.low, <, same.ratio.low);
  assert_made_caution (&like, PROF_CAUTION_MACHINE, "“ada”, then “grace”");
  prof_sessions_clear (&same);
  prof_sessions_clear (&like);
}

static void
test_other_work_decides_nothing (void)
{
  static const struct
  {
    const char *pass, *shape, *text;
    double      threads;
  } cases[] = {
    { "forward and backward", "1×8", "pass: “forward” in the baseline", 2 },
    { "forward", "32×8", "shape of “data”: 1×8 in the baseline, 32×8 now", 2 },
    { "forward", "1×8", "threads: “2” in the baseline, “1” now", 1 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      MadeRecording b = made_recording;
      ProfSessions  sessions;

      b.pass = cases[i].pass;
      b.shape = cases[i].shape;
      b.threads = cases[i].threads;
      b.seconds *= 3;
      sessions = made_recordings_compare (&made_recording, &b);
      g_assert_false (sessions.is_same_work);
      assert_made_caution (&sessions, PROF_CAUTION_WORK, cases[i].text);
      g_assert_cmpint (prof_sessions_gate (&sessions, 0.03), ==, PROF_GATE_UNDECIDED);
      prof_sessions_clear (&sessions);
    }
}

static void
test_facts_that_one_recording_lacks_are_no_difference (void)
{
  MadeRecording b = made_recording;
  ProfSessions  sessions;

  b.processor = b.host = b.load = NULL;
  b.threads = 0;
  sessions = made_recordings_compare (&made_recording, &b);
  g_assert_cmpint (sessions.machine, ==, PROF_LIKE_MACHINE);
  g_assert_true (sessions.is_same_work);
  assert_made_caution (&sessions, PROF_CAUTION_UNKNOWN,
                       "now: how busy the machine was is not recorded");
  prof_sessions_clear (&sessions);
}

/* Older versions wrote the same quota in another way. */
static void
test_quotas_are_compared_as_they_were_written (void)
{
  MadeRecording a = made_recording, b = made_recording;
  ProfSessions  sessions;

  a.old_quota = "200000 100000";
  b.quota = "2 processors";
  sessions = made_recordings_compare (&a, &b);
  g_assert_false (prof_cautions_have (sessions.cautions, PROF_CAUTION_SOFTWARE));
  prof_sessions_clear (&sessions);

  a.old_quota = NULL;
  a.quota = "4 processors";
  sessions = made_recordings_compare (&a, &b);
  assert_made_caution (&sessions, PROF_CAUTION_SOFTWARE,
                       "quota of CPU time: “4 processors” in the baseline, “2 processors” now");
  prof_sessions_clear (&sessions);
}

/* Recordings name such options only where they were given. */
static void
test_plans_that_one_recording_alone_has_are_other_work (void)
{
  MadeRecording a = made_recording, b = made_recording;
  ProfSessions  sessions;

  b.without = "fuse-gates";
  b.folded = PROF_FOLDED_VALUE;
  sessions = made_recordings_compare (&a, &b);
  g_assert_false (sessions.is_same_work);
  assert_made_caution (&sessions, PROF_CAUTION_WORK,
                       "passes left out: “nothing” in the baseline, “fuse-gates” now");
  assert_made_caution (&sessions, PROF_CAUTION_WORK,
                       "computed once, while planning: “nothing” in the baseline, “what depends on "
                       "parameters alone” now");
  prof_sessions_clear (&sessions);

  a = b;
  sessions = made_recordings_compare (&a, &b);
  g_assert_true (sessions.is_same_work);
  prof_sessions_clear (&sessions);
}

static void
test_too_few_samples_give_no_interval (void)
{
  MadeRecording b = made_recording;
  ProfSessions  sessions;

  b.n = PROF_SESSION_MIN_SAMPLES - 1;
  b.seconds *= 10;
  sessions = made_recordings_compare (&made_recording, &b);
  g_assert_true (isnan (sessions.ratio.low) && isnan (sessions.ratio.high));
  g_assert_cmpfloat_with_epsilon (sessions.ratio.median, 10, 0.5);
  g_assert_cmpint (sessions.verdict, ==, PROF_UNDECIDED);
  g_assert_cmpint (prof_sessions_gate (&sessions, 0.03), ==, PROF_GATE_UNDECIDED);
  assert_made_caution (&sessions, PROF_CAUTION_NOISE,
                       "Too few runs: a recording has 5 clean samples");
  prof_sessions_clear (&sessions);

  b.n = PROF_SESSION_MIN_SAMPLES;
  sessions = made_recordings_compare (&made_recording, &b);
  g_assert_cmpint (sessions.verdict, ==, PROF_SLOWER);
  prof_sessions_clear (&sessions);
}

/* The names of a body's variables are its own. */
static void
test_variables_of_bodies_are_no_inputs (void)
{
  MadeRecording b = made_recording;
  ProfSessions  sessions;

  b.body = "8";
  sessions = made_recordings_compare (&made_recording, &b);
  for (guint i = 0; i < sessions.cautions->len; i++)
    {
      const ProfCaution *caution = sessions.cautions->pdata[i];

      g_assert_null (strstr (caution->text, "shape of"));
    }
  prof_sessions_clear (&sessions);
}

static void
test_recordings_of_other_machines_are_left_out (void)
{
  MadeRecording other = made_recording, b = made_recording;
  g_autoptr (ProfCapture) of_other = NULL, of_a = made_recording_new (&made_recording), of_b = NULL;
  ProfSessions sessions;

  other.processor = "Example 9000";
  other.seconds *= 10;
  b.seed = 2;
  of_other = made_recording_new (&other);
  of_b = made_recording_new (&b);
  g_assert_true (prof_sessions_compare (&sessions,
                                        (const ProfCapture *const[]){ of_other, of_a, of_other }, 3,
                                        of_b, NULL));
  g_assert_cmpuint (sessions.n_used, ==, 1);
  g_assert_cmpint (sessions.machine, ==, PROF_SAME_MACHINE);
  g_assert_cmpfloat_with_epsilon (sessions.ratio.median, 1, 0.02);
  assert_made_caution (&sessions, PROF_CAUTION_MACHINE, "2 of 3 recordings of the baseline");
  prof_sessions_clear (&sessions);
}

static void
test_recordings_without_usable_samples_are_refused (void)
{
  static const struct
  {
    guint  n;
    double seconds;
  } cases[] = { { 0, 1e-3 }, { 10, 0 }, { 10, -1 }, { 10, INFINITY }, { 10, NAN } };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      MadeRecording b = made_recording;
      g_autoptr (ProfCapture) of_a = made_recording_new (&made_recording), of_b = NULL;
      g_autoptr (GError) error = NULL;
      ProfSessions sessions;

      b.n = cases[i].n;
      b.seconds = 1e-3;
      b.noise = 0;
      if (b.n > 0)
        b.seconds = cases[i].seconds;
      of_b = made_recording_new (&b);
      g_assert_false (
          prof_sessions_compare (&sessions, (const ProfCapture *const[]){ of_a }, 1, of_b, &error));
      g_assert_error (error, PROF_ERROR, PROF_ERROR_DAMAGED);
      g_assert_nonnull (strstr (error->message, "no clean runs"));
      prof_sessions_clear (&sessions);
    }
}

/* 5 % are clear within two recordings, but no more than sessions vary by. */
static void
test_nodes_are_judged_with_the_variance_between_sessions (void)
{
  ProfSessions      sessions = made_recordings_compare (&made_recording, &made_recording);
  const ProfPairing narrow = { .n = 20,
                               .ratio = { 1.05, 1.049, 1.051 },
                               .strict = { 1.05, 1.048, 1.052 },
                               .verdict = PROF_SLOWER };
  ProfPairing       pairing = narrow;

  prof_sessions_widen (&sessions, &pairing);
  g_assert_cmpint (pairing.verdict, ==, PROF_UNDECIDED);
  g_assert_cmpfloat (pairing.ratio.low, <, 1.01);
  g_assert_cmpfloat (pairing.ratio.high, >, 1.10);
  g_assert_cmpfloat (pairing.ratio.median, ==, 1.05);

  pairing = narrow;
  pairing.ratio = pairing.strict = (ProfInterval){ 1.5, 1.45, 1.55 };
  prof_sessions_widen (&sessions, &pairing);
  g_assert_cmpint (pairing.verdict, ==, PROF_SLOWER);
  prof_sessions_clear (&sessions);
}

/* Widening takes back no verdict that still holds. */
static void
test_the_same_node_stays_the_same (void)
{
  ProfSessions sessions = made_recordings_compare (&made_recording, &made_recording);
  ProfPairing  pairing = { .n = 20,
                           .ratio = { 1.001, 0.9995, 1.0025 },
                           .strict = { 1.001, 0.999, 1.003 },
                           .verdict = PROF_SAME };

  sessions.spread = 0.001;
  prof_sessions_widen (&sessions, &pairing);
  g_assert_cmpint (pairing.verdict, ==, PROF_SAME);
  /* Each interval grows by the quantile of its own confidence. */
  pairing.ratio = pairing.strict = (ProfInterval){ 1, 1, 1 };
  prof_sessions_widen (&sessions, &pairing);
  g_assert_cmpfloat_with_epsilon (log (pairing.strict.high) / log (pairing.ratio.high),
                                  prof_student_quantile (0.999, PROF_ASSUMED_DEGREES) /
                                      prof_student_quantile (0.9825, PROF_ASSUMED_DEGREES),
                                  1e-9);
  prof_sessions_clear (&sessions);
}

/* One criterion: the verdict, the gate and the interval that is shown are of one confidence. */
static void
test_verdict_and_gate_follow_the_interval_that_is_shown (void)
{
  for (guint i = 0; i < 60; i++)
    {
      MadeRecording b = made_recording;
      ProfSessions  sessions;

      b.seed = 2 + i;
      b.seconds *= 0.7 + 0.01 * i;
      sessions = made_recordings_compare (&made_recording, &b);
      g_assert_cmpint (sessions.verdict == PROF_SLOWER, ==,
                       sessions.ratio.low > 1 && sessions.ratio.median > 1 + PROF_SAME_WITHIN);
      g_assert_cmpint (prof_sessions_gate (&sessions, 0.03) == PROF_GATE_FAILED, ==,
                       sessions.ratio.low > 1.03);
      g_assert_cmpint (prof_sessions_gate (&sessions, 0.03) == PROF_GATE_PASSED, ==,
                       sessions.ratio.high <= 1.03);
      prof_sessions_clear (&sessions);
    }
}

/* The time of a disturbed run is not the model's. */
static void
test_runs_that_waited_for_a_processor_fail_nothing (void)
{
  MadeRecording    b = made_recording;
  ProfSessions     sessions;
  g_autofree char *reason = NULL;

  b.seconds *= 2;
  b.n_disturbed = b.n - PROF_MIN_UNDISTURBED;
  sessions = made_recordings_compare (&made_recording, &b);
  g_assert_false (sessions.is_too_long);
  g_assert_cmpuint (sessions.b.n, ==, PROF_MIN_UNDISTURBED);
  g_assert_cmpint (prof_sessions_gate (&sessions, 0.03), ==, PROF_GATE_FAILED);
  prof_sessions_clear (&sessions);

  b.n_disturbed++;
  sessions = made_recordings_compare (&made_recording, &b);
  g_assert_true (sessions.is_too_long);
  g_assert_cmpint (prof_sessions_gate (&sessions, 0.03), ==, PROF_GATE_UNDECIDED);
  reason = prof_sessions_dup_reason (&sessions, 0.03);
  g_assert_nonnull (strstr (reason, "waited for a processor"));
  prof_sessions_clear (&sessions);
}

TEST_PROGRAM (test_sessions)
{
  g_test_init (&argc, &argv, NULL);
#define ADD(name, function) g_test_add_func ("/profiler/sessions/" name, function)
  ADD ("the-same-twice-is-no-difference", test_the_same_twice_is_no_difference);
  ADD ("a-large-slow-down-is-certain", test_a_large_slow_down_is_certain);
  ADD ("intervals-cover-and-nothing-is-found-where-nothing-is",
       test_intervals_cover_and_nothing_is_found_where_nothing_is);
  ADD ("several-baselines-measure-the-variance-between-sessions",
       test_several_baselines_measure_the_variance_between_sessions);
  ADD ("another-machine-is-said-first-and-decides-nothing",
       test_another_machine_is_said_first_and_decides_nothing);
  ADD ("another-host-of-the-same-kind-widens-the-interval",
       test_another_host_of_the_same_kind_widens_the_interval);
  ADD ("other-work-decides-nothing", test_other_work_decides_nothing);
  ADD ("facts-that-one-recording-lacks-are-no-difference",
       test_facts_that_one_recording_lacks_are_no_difference);
  ADD ("quotas-are-compared-as-they-were-written", test_quotas_are_compared_as_they_were_written);
  ADD ("plans-that-one-recording-alone-has-are-other-work",
       test_plans_that_one_recording_alone_has_are_other_work);
  ADD ("too-few-samples-give-no-interval", test_too_few_samples_give_no_interval);
  ADD ("variables-of-bodies-are-no-inputs", test_variables_of_bodies_are_no_inputs);
  ADD ("recordings-of-other-machines-are-left-out", test_recordings_of_other_machines_are_left_out);
  ADD ("recordings-without-usable-samples-are-refused",
       test_recordings_without_usable_samples_are_refused);
  ADD ("nodes-are-judged-with-the-variance-between-sessions",
       test_nodes_are_judged_with_the_variance_between_sessions);
  ADD ("the-same-node-stays-the-same", test_the_same_node_stays_the_same);
  ADD ("verdict-and-gate-follow-the-interval-that-is-shown",
       test_verdict_and_gate_follow_the_interval_that_is_shown);
  ADD ("runs-that-waited-for-a-processor-fail-nothing",
       test_runs_that_waited_for_a_processor_fail_nothing);
#undef ADD
  return g_test_run ();
}
