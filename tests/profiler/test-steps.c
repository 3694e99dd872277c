/* test-steps.c — times by step of one run and of all runs.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "profiler/capture/capture-builder.h"
#include "profiler/summary/steps.h"
#include "profiler/summary/summary.h"
#include "tests/program.h"

static void
assert_steps (const GArray *steps, double first_ns, double second_ns)
{
  g_assert_cmpuint (steps->len, ==, 2);
  g_assert_cmpfloat_with_epsilon (g_array_index (steps, ProfStepSum, 0).self * 1e9, first_ns, 1e-6);
  g_assert_cmpfloat_with_epsilon (g_array_index (steps, ProfStepSum, 1).self * 1e9, second_ns,
                                  1e-6);
}

/* Two runs of two steps: the summary of one of them has its steps, not the mean. */
static void
test_steps_of_a_run (void)
{
  static const guint64     ns[2][2] = { { 10, 30 }, { 50, 70 } }; /* by run and step */
  static const char *const names[] = { "a_t0_x", "a_t1_x" };
  g_autoptr (ProfBuilder) builder = prof_builder_new ();
  g_autoptr (GBytes) bytes = NULL;
  g_autoptr (ProfCapture) capture = NULL;
  g_autoptr (ProfSummary) all = NULL;
  g_autoptr (ProfSummary) first = NULL;
  g_autoptr (ProfSummary) second = NULL;
  g_autoptr (GArray) of_node = NULL;

  prof_builder_add_graph (builder, "main", PROF_NONE, 0);
  for (guint step = 0; step < 2; step++)
    prof_builder_add_node (builder,
                           &(ProfNode){ .name = prof_builder_text (builder, names[step]) });
  for (guint run = 0; run < 2; run++)
    {
      for (guint step = 0; step < 2; step++)
        prof_builder_add_event (builder, &(ProfEvent){ .begin_ns = 1000 * run + 100 * step,
                                                       .node = step,
                                                       .run = (guint16) run,
                                                       .packed = prof_event_pack (ns[run][step],
                                                                                  PROF_EVENT_NODE,
                                                                                  0, 1, 0) });
      prof_builder_add_event (builder,
                              &(ProfEvent){ .begin_ns = 1000 * run,
                                            .run = (guint16) run,
                                            .packed =
                                                prof_event_pack (1000, PROF_EVENT_RUN, 0, 0, 0) });
    }
  bytes = prof_builder_finish (builder);
  capture = prof_capture_new (bytes, "test", NULL);
  all = prof_summary_new (capture);
  first = prof_summary_new_of_run (capture, 0);
  second = prof_summary_new_of_run (capture, 1);
  assert_steps (all->step, 30, 50);
  assert_steps (first->step, 10, 30);
  assert_steps (second->step, 50, 70);
  of_node = prof_summary_steps_of (capture, 1, second->used);
  g_assert_cmpuint (of_node->len, ==, 1);
  g_assert_cmpfloat_with_epsilon (g_array_index (of_node, ProfStepSum, 0).self * 1e9, 70, 1e-6);
}

/* Shortest and longest are left out, as in all other times of the summary. */
static void
test_typical_steps (void)
{
  static const guint64 ns[] = { 10, 20, 30, 40, 900 }; /* by run */
  g_autoptr (ProfBuilder) builder = prof_builder_new ();
  g_autoptr (GBytes) bytes = NULL;
  g_autoptr (ProfCapture) capture = NULL;
  g_autoptr (ProfSummary) summary = NULL;
  g_autoptr (ProfStepMatrix) matrix = NULL;

  prof_builder_add_graph (builder, "main", PROF_NONE, 0);
  prof_builder_add_node (builder, &(ProfNode){ .name = prof_builder_text (builder, "a_t0_x") });
  for (guint run = 0; run < G_N_ELEMENTS (ns); run++)
    {
      prof_builder_add_event (builder,
                              &(ProfEvent){
                                  .begin_ns = 10000 * run,
                                  .run = (guint16) run,
                                  .packed = prof_event_pack (ns[run], PROF_EVENT_NODE, 0, 1, 0) });
      prof_builder_add_event (builder,
                              &(ProfEvent){ .begin_ns = 10000 * run,
                                            .run = (guint16) run,
                                            .packed = prof_event_pack (ns[run] + 50, PROF_EVENT_RUN,
                                                                       0, 0, 0) });
    }
  bytes = prof_builder_finish (builder);
  capture = prof_capture_new (bytes, "test", NULL);
  summary = prof_summary_new (capture);
  matrix = prof_step_matrix_new (capture, summary->used);
  g_assert_cmpuint (summary->used->len, ==, 3);
  g_assert_cmpfloat_with_epsilon (g_array_index (summary->step, ProfStepSum, 0).self * 1e9, 30,
                                  1e-6);
  g_assert_cmpfloat_with_epsilon (g_array_index (summary->node, ProfNodeSum, 0).self * 1e9, 30,
                                  1e-6);
  g_assert_cmpfloat_with_epsilon (g_array_index (matrix->rows, ProfStepRow, 0).self * 1e9, 30,
                                  1e-6);
}

TEST_PROGRAM (test_steps)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/profiler/steps/a-run-has-steps-of-its-own", test_steps_of_a_run);
  g_test_add_func ("/profiler/steps/steps-are-of-the-typical-runs", test_typical_steps);
  return g_test_run ();
}
