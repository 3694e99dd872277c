/* test-loop-work.c — the work of a recurrence is counted alike in all of its forms and modes.
 *
 * The same cell is unrolled, a foreach, a while loop and a fused layer (control-flow.h), and runs in
 * every mode with a recorder.  Counted are the operations of the nodes and parts that ran.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/command/compare/control-flow.h"
#include "profiler/exchange/report-text.h"
#include "profiler/explain/work-classes.h"
#include "profiler/summary/measured-capture.h"
#include "profiler/summary/run-matrix.h"
#include "profiler/summary/summary.h"
#include "tests/program.h"

#include <math.h>
#include <string.h>

/* A capture of a few runs.  (transfer full) */
static ProfCapture *
capture_loop (const ScopeLoop *loop, HybMode mode, gboolean no_passes)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) values = NULL;
  g_autoptr (HybGraph) graph = scope_loop_trace (loop, &values, &error);
  ProfSubjectOptions options = { .name = "test",
                                 .mode = mode,
                                 .training = loop->training,
                                 .backward = loop->training,
                                 .no_passes = no_passes };
  ProfMeasureOptions measuring = { .warmup = 0, .repeat = 1, .traced = 2, .seconds = 60 };
  g_autoptr (ProfSubject) subject = NULL;
  ProfSeries   series;
  ProfCapture *capture;

  g_assert_no_error (error);
  subject = prof_subject_new (graph, (HybTensor *const *) values->pdata, &options, &error);
  g_assert_no_error (error);
  prof_series_init (&series);
  prof_measure (&subject, 1, &series, &measuring, &error);
  g_assert_no_error (error);
  capture = prof_capture_measurement (subject, &series, NULL, &error);
  g_assert_no_error (error);
  prof_series_clear (&series);
  return capture;
}

static const char *const mode_names[] = { "imperative", "hybrid", "static" };
static const gint64      n_gates[SCOPE_N_CELLS] = { 1, 3, 4 };

/* Fails unless x is within 2 % of y. */
static void
assert_near (double x, double y, const ScopeLoop *loop, HybMode mode)
{
  if (!(fabs (x - y) <= 0.02 * y))
    g_error ("%s as %s, %s, %s: %.0f FLOP instead of about %.0f", scope_cell_kind_name (loop->cell),
             scope_form_name (loop->form), mode_names[mode],
             loop->training ? "training" : "inference", x, y);
}

/* FLOP of all products of the cell without biases.  In training the gradients of both weights and of
 * the state follow, which are as many again for each. */
static double
count_products (const ScopeLoop *loop)
{
  double rows = (double) (loop->length * loop->batch);
  double gates = (double) (n_gates[loop->cell] * loop->hidden);
  double inputs = 2 * rows * gates * (double) loop->inputs;
  double states = 2 * rows * gates * (double) loop->hidden;

  return loop->training ? 2 * inputs + 3 * states : inputs + states;
}

/* Every form in every mode does the arithmetic of the cell, whether products are single, batched,
 * deferred to the end of a loop, or inside of one operator.  What a backward loop computes again is
 * counted apart. */
static void
test_all_forms_do_the_same_work (void)
{
  ScopeLoop loop = { .inputs = 64, .hidden = 64, .length = 60, .batch = 32 };

  for (loop.cell = 0; loop.cell < SCOPE_N_CELLS; loop.cell++)
    for (guint training = 0; training < 2; training++)
      {
        double first = 0;

        loop.training = training != 0;
        for (loop.form = 0; loop.form < SCOPE_N_FORMS; loop.form++)
          for (HybMode mode = 0; mode <= HYB_MODE_STATIC; mode++)
            {
              g_autoptr (ProfCapture) capture = capture_loop (&loop, mode, FALSE);
              ProfClassTimes times;

              prof_class_times_init (&times, capture);
              if (first == 0)
                first = times.flops;
              assert_near (times.flops, first, &loop, mode);
              assert_near (times.products, count_products (&loop), &loop, mode);
              if (!training || loop.form == SCOPE_FORM_UNROLLED || loop.form == SCOPE_FORM_FUSED)
                g_assert_cmpfloat (times.repeated, ==, 0);
              prof_class_times_clear (&times);
            }
      }
}

/* Without passes a backward loop computes the steps of the forward loop again, all of them. */
static void
test_repeated_work_is_that_of_the_forward_pass (void)
{
  ScopeLoop loop = { .cell = SCOPE_CELL_LSTM, .inputs = 16, .hidden = 16, .length = 5, .batch = 2 };

  for (loop.form = SCOPE_FORM_FOREACH; loop.form <= SCOPE_FORM_WHILE; loop.form++)
    {
      g_autoptr (ProfCapture) forward = NULL, both = NULL;
      ProfClassTimes once, twice;

      loop.training = FALSE;
      forward = capture_loop (&loop, HYB_MODE_STATIC, TRUE);
      loop.training = TRUE;
      both = capture_loop (&loop, HYB_MODE_STATIC, TRUE);
      prof_class_times_init (&once, forward);
      prof_class_times_init (&twice, both);
      /* All but the condition of the while loop and the output of a step, which no gradient reads. */
      g_assert_cmpfloat (twice.repeated, <=, once.flops);
      g_assert_cmpfloat (twice.repeated, >=, once.products);
      prof_class_times_clear (&once);
      prof_class_times_clear (&twice);
    }
}

/* Reports name the work of the model, and apart from it what is computed twice. */
static void
test_reports_count_repeated_work_apart (void)
{
  ScopeLoop loop = { .cell = SCOPE_CELL_LSTM, .inputs = 16, .hidden = 16, .length = 5, .batch = 2 };

  loop.training = TRUE;
  for (loop.form = SCOPE_FORM_UNROLLED; loop.form <= SCOPE_FORM_FOREACH; loop.form++)
    {
      g_autoptr (ProfCapture) capture = capture_loop (&loop, HYB_MODE_IMPERATIVE, FALSE);
      g_autoptr (ProfSummary) summary = prof_summary_new (capture);
      g_autofree char *text = prof_report_text (capture, summary);
      const char      *work = strstr (text, "\nwork ");

      g_assert_nonnull (work);
      g_assert_cmpint (strstr (work, "of the forward pass again") != NULL, ==,
                       loop.form == SCOPE_FORM_FOREACH);
    }
}

/* The row with this operator type that ran; PROF_NONE if there is none. */
static guint32
find_type (const ProfCapture *capture, const ProfSummary *summary, const char *type)
{
  for (guint i = 0; i < summary->node->len; i++)
    {
      guint32 row = g_array_index (summary->node, ProfNodeSum, i).row;

      if (strcmp (prof_capture_get_string (capture, prof_capture_get_node (capture, row)->type),
                  type) == 0)
        return row;
    }
  return PROF_NONE;
}

/* The sum of FLOP of the parts of the node in a row. */
static double
sum_parts (const ProfCapture *capture, const ProfSummary *summary, guint32 owner, guint category)
{
  double flops = 0;

  for (guint i = 0; i < summary->node->len; i++)
    {
      const ProfNodeSum *sum = &g_array_index (summary->node, ProfNodeSum, i);
      const ProfNode    *node = prof_capture_get_node (capture, sum->row);

      if (node->flags & PROF_NODE_PHASE && node->origin == owner && node->category == category)
        flops += sum->flops;
    }
  return flops;
}

/* The gradients of both weights are computed once, after all steps of the loop. */
static void
test_weight_gradients_of_a_loop_have_rows (void)
{
  ScopeLoop loop = { .form = SCOPE_FORM_FOREACH, .cell = SCOPE_CELL_LSTM, .training = TRUE };

  loop.inputs = 24;
  loop.hidden = 16;
  loop.length = 7;
  loop.batch = 3;
  for (HybMode mode = 0; mode <= HYB_MODE_STATIC; mode++)
    {
      g_autoptr (ProfCapture) capture = capture_loop (&loop, mode, FALSE);
      g_autoptr (ProfSummary) summary = prof_summary_new (capture);
      guint32 row = find_type (capture, summary, "_backward_FullyConnected_weight");
      guint32 owner = find_type (capture, summary, "_backward_foreach");

      g_assert_cmpuint (row, !=, PROF_NONE);
      g_assert_cmpuint (owner, !=, PROF_NONE);
      g_assert_cmpuint (prof_capture_get_node (capture, row)->origin, ==, owner);
      g_assert_cmpuint (prof_capture_get_node (capture, row)->category, ==, HYB_CATEGORY_LINEAR);
      g_assert_cmpfloat (g_array_index (summary->node, ProfNodeSum, summary->by_row[row]).count, ==,
                         1);
      g_assert_cmpfloat (sum_parts (capture, summary, owner, HYB_CATEGORY_LINEAR), ==,
                         2.0 * 7 * 3 * 4 * 16 * (24 + 16));
    }
}

/* The parts of a fused layer do all of its work, and their times lie inside of it. */
static void
test_fused_layers_are_open (void)
{
  static const char *const types[] = { "RNN", "_backward_RNN_weights" };
  ScopeLoop loop = { .form = SCOPE_FORM_FUSED, .training = TRUE, .inputs = 24, .hidden = 16 };

  loop.length = 7;
  loop.batch = 3;
  for (loop.cell = 0; loop.cell < SCOPE_N_CELLS; loop.cell++)
    {
      g_autoptr (ProfCapture) capture = capture_loop (&loop, HYB_MODE_STATIC, FALSE);
      g_autoptr (ProfSummary) summary = prof_summary_new (capture);
      g_autofree guint32 *by_row = NULL;
      ProfRunMatrix       matrix;

      prof_run_matrix_init (&matrix, capture, &by_row);
      for (guint k = 0; k < G_N_ELEMENTS (types); k++)
        {
          guint32 owner = find_type (capture, summary, types[k]);
          double  flops = 0;
          guint64 inside = 0;

          g_assert_cmpuint (owner, !=, PROF_NONE);
          for (guint c = 0; c < HYB_N_CATEGORIES; c++)
            flops += sum_parts (capture, summary, owner, c);
          g_assert_cmpfloat_with_epsilon (flops, prof_capture_get_node (capture, owner)->flops,
                                          0.5);
          for (guint32 row = 0; row < prof_capture_n_nodes (capture); row++)
            if (by_row[row] != PROF_NONE && prof_capture_get_node (capture, row)->origin == owner &&
                prof_capture_get_node (capture, row)->flags & PROF_NODE_PHASE)
              inside += matrix.inclusive[(gsize) by_row[row] * matrix.n_runs];
          g_assert_cmpuint (inside, >, 0);
          g_assert_cmpuint (matrix.self[(gsize) by_row[owner] * matrix.n_runs] + inside, ==,
                            matrix.inclusive[(gsize) by_row[owner] * matrix.n_runs]);
        }
      prof_run_matrix_clear (&matrix);
    }
}

/* Recording the parts changes nothing. */
static void
test_recording_parts_changes_no_byte (void)
{
  ScopeLoop loop = { .training = TRUE, .inputs = 8, .hidden = 16, .length = 5, .batch = 3 };

  loop.cell = SCOPE_CELL_GRU;
  for (loop.form = SCOPE_FORM_FOREACH; loop.form <= SCOPE_FORM_FUSED; loop.form++)
    {
      g_autoptr (GPtrArray) values = NULL;
      g_autoptr (HybGraph) graph = scope_loop_trace (&loop, &values, NULL);
      ProfSubjectOptions options = { .mode = HYB_MODE_STATIC, .training = TRUE, .backward = TRUE };
      HybTensor *const  *data = (HybTensor *const *) values->pdata;
      g_autoptr (ProfSubject) plain = prof_subject_new (graph, data, &options, NULL);
      g_autoptr (ProfSubject) recorded = prof_subject_new (graph, data, &options, NULL);
      g_autoptr (ProfRecorder) recorder = prof_recorder_new ();

      hyb_executor_set_probe (prof_subject_get_executor (recorded),
                              prof_recorder_get_probe (recorder));
      prof_recorder_begin_run (recorder, 0, FALSE, 0);
      g_assert_true (prof_subject_run (plain, NULL, NULL));
      g_assert_true (prof_subject_run (recorded, NULL, NULL));
      prof_recorder_end_run (recorder);
      g_assert_cmpuint (prof_recorder_n_phases (recorder), >, 0);
      for (guint i = 0; i < prof_subject_n_outputs (plain); i++)
        {
          HybTensor *a = prof_subject_get_output (plain, i);
          HybTensor *b = prof_subject_get_output (recorded, i);

          g_assert_cmpmem (hyb_tensor_get_data (a), hyb_tensor_get_bytes (a),
                           hyb_tensor_get_data (b), hyb_tensor_get_bytes (b));
        }
    }
}

/* More events than the recorder has room for at first: the run is traced again. */
static void
test_long_runs_lose_no_event (void)
{
  ScopeLoop loop = { .form = SCOPE_FORM_UNROLLED, .cell = SCOPE_CELL_LSTM, .training = TRUE };
  g_autoptr (ProfCapture) capture = NULL;
  g_autoptr (ProfSummary) summary = NULL;

  loop.inputs = loop.hidden = loop.batch = 2;
  loop.length = 100;
  capture = capture_loop (&loop, HYB_MODE_IMPERATIVE, TRUE);
  summary = prof_summary_new (capture);
  g_assert_cmpuint (prof_capture_n_events (capture), >, 2 * 4096);
  g_assert_cmpfloat (prof_capture_get_number (capture, "trace.lost"), ==, 0);
  for (guint i = 0; i < summary->node->len; i++)
    g_assert_cmpfloat (g_array_index (summary->node, ProfNodeSum, i).count, ==, 1);
}

TEST_PROGRAM (test_loop_work)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/app/loop-work/all-forms-do-the-same-work", test_all_forms_do_the_same_work);
  g_test_add_func ("/app/loop-work/repeated-work-is-that-of-the-forward-pass",
                   test_repeated_work_is_that_of_the_forward_pass);
  g_test_add_func ("/app/loop-work/reports-count-repeated-work-apart",
                   test_reports_count_repeated_work_apart);
  g_test_add_func ("/app/loop-work/weight-gradients-of-a-loop-have-rows",
                   test_weight_gradients_of_a_loop_have_rows);
  g_test_add_func ("/app/loop-work/fused-layers-are-open", test_fused_layers_are_open);
  g_test_add_func ("/app/loop-work/recording-parts-changes-no-byte",
                   test_recording_parts_changes_no_byte);
  g_test_add_func ("/app/loop-work/long-runs-lose-no-event", test_long_runs_lose_no_event);
  return g_test_run ();
}
