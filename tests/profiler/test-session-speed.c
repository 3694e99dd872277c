/* test-session-speed.c — what it means for a comparison of recordings that the machine was faster or slower.
 *
 * Samples are simulated, so the true ratio is known.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "profiler/explain/sessions.h"
#include "tests/profiler/made-recording.h"
#include "tests/program.h"

#include <math.h>
#include <string.h>

/* A neighbour that copies memory, or a lower clock, makes a model slower that has not changed. */
static void
test_a_slower_machine_explains_a_slow_down (void)
{
  static const struct
  {
    double      copy, clock;
    const char *reason;
  } cases[] = {
    { 3e9, 1e9, "copied memory at 0.60 times" },
    { 5e9, 0.8e9, "computed at 0.80 times" },
    { 0, 0, "does not hold how fast its machine was" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      MadeRecording    b = made_recording;
      ProfSessions     sessions;
      g_autofree char *reason = NULL;

      b.copy = cases[i].copy;
      b.clock = cases[i].clock;
      b.seconds *= 1.5;
      sessions = made_recordings_compare (&made_recording, &b);
      g_assert_cmpint (sessions.verdict, ==, PROF_UNDECIDED);
      g_assert_cmpint (prof_sessions_gate (&sessions, 0.03), ==, PROF_GATE_UNDECIDED);
      reason = prof_sessions_dup_reason (&sessions, 0.03);
      g_assert_nonnull (strstr (reason, cases[i].reason));
      assert_made_caution (&sessions, PROF_CAUTION_NOISE, cases[i].reason);
      prof_sessions_clear (&sessions);
    }
}

/* A machine that was faster is no reason for a run that is slower, nor is one that was slower for a run that
 * is not; each hides what goes the other way. */
static void
test_a_speed_that_explains_nothing_hinders_no_verdict (void)
{
  static const struct
  {
    double      copy, clock, seconds;
    ProfVerdict verdict;
    ProfGate    gate;
  } rows[] = {
    { 9e9, 1e9, 1.5, PROF_SLOWER, PROF_GATE_FAILED },
    { 5e9, 1.06e9, 1.5, PROF_SLOWER, PROF_GATE_FAILED },
    { 9e9, 0.8e9, 1.5, PROF_UNDECIDED, PROF_GATE_UNDECIDED },
    { 3e9, 1e9, 0.7, PROF_FASTER, PROF_GATE_PASSED },
    { 9e9, 1e9, 0.7, PROF_UNDECIDED, PROF_GATE_UNDECIDED },
    { 9e9, 1e9, 1, PROF_UNDECIDED, PROF_GATE_UNDECIDED },
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      MadeRecording b = made_recording;
      ProfSessions  sessions;

      b.copy = rows[i].copy;
      b.clock = rows[i].clock;
      b.seconds *= rows[i].seconds;
      sessions = made_recordings_compare (&made_recording, &b);
      g_assert_cmpint (sessions.verdict, ==, rows[i].verdict);
      g_assert_cmpint (prof_sessions_gate (&sessions, 0.03), ==, rows[i].gate);
      prof_sessions_clear (&sessions);
    }
}

/* The ratio is to the one recording at the speed of now; how much sessions vary is known from all. */
static void
test_the_variance_is_measured_at_other_speeds_if_need_be (void)
{
  g_autoptr (GPtrArray) baseline =
      g_ptr_array_new_with_free_func ((GDestroyNotify) prof_capture_unref);
  MadeRecording b = made_recording;
  g_autoptr (ProfCapture) of_b = NULL;
  ProfSessions sessions;

  b.copy *= 1.5;
  b.seconds *= 1.2;
  b.seed = 99;
  for (guint i = 0; i < PROF_SESSION_MIN_MEASURED; i++)
    {
      MadeRecording a = made_recording;

      a.seed = i;
      a.copy *= i == 2 ? 1.5 : 1;
      a.seconds *= 1 + 0.002 * i;
      g_ptr_array_add (baseline, made_recording_new (&a));
    }
  of_b = made_recording_new (&b);
  g_assert_true (prof_sessions_compare (&sessions, (const ProfCapture *const *) baseline->pdata,
                                        baseline->len, of_b, NULL));
  g_assert_cmpuint (sessions.n_used, ==, 1);
  g_assert_cmpuint (sessions.n_spread, ==, PROF_SESSION_MIN_MEASURED);
  g_assert_true (sessions.is_spread_measured);
  g_assert_null (sessions.speed_problem);
  g_assert_cmpint (sessions.verdict, ==, PROF_SLOWER);
  assert_made_caution (&sessions, PROF_CAUTION_UNKNOWN, "also at another speed");
  prof_sessions_clear (&sessions);
}

/* A clock that differs by less than what is refused may still be the reason for a small difference. */
static void
test_interval_contains_the_difference_of_the_clock (void)
{
  static const struct
  {
    double   clock, seconds;
    ProfGate gate;
  } rows[] = {
    { 1e9, 1.045, PROF_GATE_FAILED },
    { 1e9 / 1.045, 1.045, PROF_GATE_UNDECIDED },
    { 1e9 / 1.01, 1.1, PROF_GATE_FAILED },
  };
  g_autoptr (GPtrArray) baseline =
      g_ptr_array_new_with_free_func ((GDestroyNotify) prof_capture_unref);

  for (guint i = 0; i < 10; i++)
    {
      MadeRecording a = made_recording;

      a.seed = 10 + i;
      g_ptr_array_add (baseline, made_recording_new (&a));
    }
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      MadeRecording b = made_recording;
      g_autoptr (ProfCapture) of_b = NULL;
      ProfSessions sessions;

      b.seed = 2;
      b.clock = rows[i].clock;
      b.seconds *= rows[i].seconds;
      of_b = made_recording_new (&b);
      g_assert_true (prof_sessions_compare (&sessions, (const ProfCapture *const *) baseline->pdata,
                                            baseline->len, of_b, NULL));
      g_assert_null (sessions.speed_problem);
      g_assert_cmpint (prof_sessions_gate (&sessions, 0.03), ==, rows[i].gate);
      prof_sessions_clear (&sessions);
    }
}

/* Of several recordings of a baseline, those count that were made at the speed of now. */
static void
test_recordings_at_another_speed_are_left_out (void)
{
  MadeRecording slow = made_recording;
  g_autoptr (ProfCapture) of_a = made_recording_new (&made_recording), of_slow = NULL;
  ProfSessions sessions;

  slow.copy = 1e9;
  slow.seconds *= 3;
  of_slow = made_recording_new (&slow);
  g_assert_true (prof_sessions_compare (&sessions,
                                        (const ProfCapture *const[]){ of_slow, of_a, of_slow }, 3,
                                        of_a, NULL));
  g_assert_cmpuint (sessions.n_used, ==, 1);
  g_assert_null (sessions.speed_problem);
  g_assert_cmpfloat (sessions.ratio.median, ==, 1);
  prof_sessions_clear (&sessions);
}

TEST_PROGRAM (test_session_speed)
{
  g_test_init (&argc, &argv, NULL);
#define ADD(name, function) g_test_add_func ("/profiler/session-speed/" name, function)
  ADD ("a-slower-machine-explains-a-slow-down", test_a_slower_machine_explains_a_slow_down);
  ADD ("a-speed-that-explains-nothing-hinders-no-verdict",
       test_a_speed_that_explains_nothing_hinders_no_verdict);
  ADD ("the-variance-is-measured-at-other-speeds-if-need-be",
       test_the_variance_is_measured_at_other_speeds_if_need_be);
  ADD ("the-interval-contains-the-difference-of-the-clock",
       test_interval_contains_the_difference_of_the_clock);
  ADD ("recordings-at-another-speed-are-left-out", test_recordings_at_another_speed_are_left_out);
#undef ADD
  return g_test_run ();
}
