/* test-estimate.c — what fusing would save, estimated from a made-up unrolled network.
 *
 * Every step multiplies its input and the state of the step before it with weights, adds the two and
 * applies one function.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "profiler/explain/estimate.h"

#include "engine/op/op.h"
#include "profiler/capture/capture-builder.h"
#include "tests/program.h"

#include <math.h>

#define PRODUCT_OF_INPUT 10e-6
#define PRODUCT_OF_STATE 20e-6
#define SUM              3e-6
#define FUNCTION         4e-6

enum
{
  ROW_DATA,
  ROW_FIRST,
  ROWS_PER_STEP = 4
};

static guint32
add_node (ProfBuilder *builder, const char *name, HybCategory category, GArray *edges)
{
  ProfNode node = { .origin = PROF_NONE, .category = category, .flops = NAN };
  guint32  row;

  node.id = prof_builder_n_nodes (builder);
  node.name = prof_builder_text (builder, name);
  node.flags = edges->len > 0 ? PROF_NODE_EXECUTED : PROF_NODE_VARIABLE;
  row = prof_builder_add_node (builder, &node);
  prof_builder_set_edges (builder, row, (const guint32 *) edges->data, edges->len);
  g_array_set_size (edges, 0);
  return row;
}

static void
add_step (ProfBuilder *builder, guint32 step, gboolean is_recurrent)
{
  static const char *const parts[ROWS_PER_STEP] = { "i2h", "h2h", "sum", "out" };
  g_autoptr (GArray) edges = g_array_new (FALSE, FALSE, sizeof (guint32));
  guint32 first = ROW_FIRST + step * ROWS_PER_STEP, data = ROW_DATA, state = first - 1;
  guint32 second = first + 1, sum = first + 2;

  for (guint i = 0; i < ROWS_PER_STEP; i++)
    {
      g_autofree char *name = g_strdup_printf ("lstm0_t%u_%s", step, parts[i]);

      if (i < 2)
        g_array_append_val (edges, *(i == 1 && is_recurrent && step > 0 ? &state : &data));
      else if (i == 2)
        {
          g_array_append_val (edges, first);
          g_array_append_val (edges, second);
        }
      else
        g_array_append_val (edges, sum);
      add_node (builder, name, i < 2 ? HYB_CATEGORY_LINEAR : HYB_CATEGORY_ELEMENTWISE, edges);
    }
}

/* A capture of six clean runs that took twice the sum of all nodes. */
static ProfCapture *
make_capture (guint n_steps, gboolean is_recurrent)
{
  g_autoptr (ProfBuilder) builder = prof_builder_new ();
  g_autoptr (ProfFacts) facts = prof_facts_new ();
  g_autoptr (GBytes) bytes = NULL;
  g_autoptr (GError) error = NULL;
  g_autoptr (GArray) edges = g_array_new (FALSE, FALSE, sizeof (guint32));
  double       step = PRODUCT_OF_INPUT + PRODUCT_OF_STATE + SUM + FUNCTION;
  ProfCapture *capture;

  prof_facts_set_number (facts, "peak.flops", 1e12);
  prof_facts_set_number (facts, "peak.bytes", 1e11);
  prof_builder_add_facts (builder, facts);
  for (guint i = 0; i < 6; i++)
    prof_builder_add_sample (builder, PROF_SAMPLE_CLEAN, i, 2 * n_steps * step);
  prof_builder_add_graph (builder, "main", PROF_NONE, PROF_NONE);
  add_node (builder, "data", HYB_CATEGORY_DATA, edges);
  for (guint32 i = 0; i < n_steps; i++)
    add_step (builder, i, is_recurrent);
  bytes = prof_builder_finish (builder);
  capture = prof_capture_new (bytes, "made", &error);
  g_assert_no_error (error);
  return capture;
}

static ProfSummary *
make_summary (const ProfCapture *capture, guint n_steps)
{
  static const double seconds[ROWS_PER_STEP] = { PRODUCT_OF_INPUT, PRODUCT_OF_STATE, SUM,
                                                 FUNCTION };
  ProfSummary        *summary = prof_summary_new (capture);

  for (guint i = 0; i < n_steps * ROWS_PER_STEP; i++)
    {
      ProfNodeSum sum = { .row = ROW_FIRST + i,
                          .count = 1,
                          .self = seconds[i % ROWS_PER_STEP],
                          .flops = 1000,
                          .bytes = 1000 };

      g_array_append_val (summary->node, sum);
    }
  return summary;
}

static double
estimate (guint n_steps, gboolean is_recurrent)
{
  g_autoptr (ProfCapture) capture = make_capture (n_steps, is_recurrent);
  g_autoptr (ProfSummary) summary = make_summary (capture, n_steps);
  const char *scope = NULL;
  guint       n_found;
  double      seconds = prof_estimate_fused (capture, summary, &n_found, &scope);

  g_assert_cmpuint (n_found, ==, n_steps);
  if (!isnan (seconds))
    g_assert_cmpstr (scope, ==, "lstm0");
  return seconds;
}

/* Of ten steps remain: nine tenths of the functions (36 µs), a fifth of the sums (6 µs), 0.2 µs a
 * step (2 µs), one product of all inputs (10 kFLOP at 0.95 TFLOP/s: 10.5 ns) and ten of the states
 * (10 kB at 0.9 bytes a FLOP: 11.1 ns).  Clean runs took twice as long as the nodes. */
static void
test_model (void)
{
  g_assert_cmpfloat_with_epsilon (estimate (10, TRUE), 2 * 44.0216e-6, 1e-10);
}

static void
test_states_are_needed (void)
{
  g_assert_true (isnan (estimate (10, FALSE)));
}

static void
test_eight_steps_are_needed (void)
{
  g_assert_true (isnan (estimate (7, TRUE)));
  g_assert_false (isnan (estimate (8, TRUE)));
}

TEST_PROGRAM (test_estimate)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/profiler/estimate/what-remains-of-steps-is-added-up", test_model);
  g_test_add_func ("/profiler/estimate/steps-that-read-no-state-are-not-fused",
                   test_states_are_needed);
  g_test_add_func ("/profiler/estimate/a-sequence-has-eight-steps", test_eight_steps_are_needed);
  return g_test_run ();
}
