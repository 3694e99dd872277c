/* test-host-steps.c — a capture of the pretend GPU knows which steps the host computed, and why.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "profiler/record/measure.h"
#include "profiler/summary/host-steps.h"
#include "profiler/summary/measured-capture.h"
#include "tests/engine/cuda/on-pretend-gpu.h"
#include "tests/engine/ops/op-body.h"
#include "tests/program.h"

/* --- Models --- */

typedef HybGraph *(*GraphFunc) (void);

/* y = tanh (x w). */
static HybGraph *
new_layer (void)
{
  HybBuilder *b = hyb_builder_new ();
  HybValueId  y = op_node (b, "dot", NULL, op_variable (b, "x"), op_variable (b, "w"), HYB_NO_ID);

  return op_finish (b, op_node (b, "tanh", NULL, y, HYB_NO_ID), HYB_NO_ID);
}

/* The same and a running sum, which the host computes. */
static HybGraph *
new_layer_with_sum (void)
{
  HybBuilder *b = hyb_builder_new ();
  HybValueId  y = op_node (b, "dot", NULL, op_variable (b, "x"), op_variable (b, "w"), HYB_NO_ID);

  y = op_node (b, "tanh", NULL, y, HYB_NO_ID);
  return op_finish (b, op_node (b, "cumsum", "axis=1", y, HYB_NO_ID), HYB_NO_ID);
}

#define LOOP \
  "num_args=3 num_outputs=2 num_out_data=1 in_data_locs=(0,) in_state_locs=(1,) remain_locs=()"

/* A loop whose body subtracts and sums; the host computes the sums. */
static HybGraph *
new_loop_with_host (void)
{
  HybBuilder *b = hyb_builder_new ();
  HybValueId  row = op_variable (b, "row"), y;
  HybGraph   *body;

  y = op_node (b, "elemwise_sub", NULL, row, op_variable (b, "state"), HYB_NO_ID);
  y = op_node (b, "cumsum", "axis=0", y, HYB_NO_ID);
  body = op_finish (b, y, y, HYB_NO_ID);
  b = hyb_builder_new ();
  row = op_variable (b, "x");
  y = op_node (b, "slice_axis", "axis=0 begin=0 end=1", op_variable (b, "w"), HYB_NO_ID);
  y = op_node (b, "Reshape", "shape=(-1,)", y, HYB_NO_ID);
  y = op_node_with_bodies (b, "_foreach", LOOP,
                           &(OpOperands){ 2, (HybValueId[]){ row, y }, 1, &body });
  return op_finish (b, y, HYB_NO_ID);
}

/* --- Captures --- */

/* Measures a graph on the GPU.  (transfer full) */
static ProfCapture *
measure (HybGraph *graph, HybMode mode)
{
  g_autoptr (HybGpu) gpu = open_gpu ();
  ProfSubjectOptions as = { .mode = mode, .no_passes = TRUE, .gpu = gpu };
  ProfMeasureOptions options = { .warmup = 1, .repeat = 2, .traced = 2 };
  g_autoptr (HybTensor) x = new_tensor (6, 6, 0.3);
  g_autoptr (HybTensor) w = new_tensor (6, 6, 0.7);
  HybTensor *values[] = { x, w };
  g_autoptr (GError) error = NULL;
  g_autoptr (ProfSubject) subject = prof_subject_new (graph, values, &as, &error);
  ProfSeries   series;
  ProfCapture *capture;

  g_assert_no_error (error);
  prof_series_init (&series);
  prof_measure (&subject, 1, &series, &options, &error);
  g_assert_no_error (error);
  capture = prof_capture_measurement (subject, &series, NULL, &error);
  g_assert_no_error (error);
  prof_series_clear (&series);
  return capture;
}

/* The types of the nodes that the host computed, each with the number of its graph.  (transfer full) */
static char *
list_host_steps (const ProfCapture *capture, GHashTable *reasons)
{
  GString *list = g_string_new (NULL);

  for (guint32 row = 0; row < prof_capture_n_nodes (capture); row++)
    {
      const ProfNode *node = prof_capture_get_node (capture, row);
      const char     *why = g_hash_table_lookup (reasons, GUINT_TO_POINTER (row));

      if (why)
        g_string_append_printf (list, "%u %s: %s\n", node->graph,
                                prof_capture_get_string (capture, node->type), why);
    }
  return g_string_free (list, FALSE);
}

/* A capture knows which steps the host computed and why, also in bodies. */
static void
test_host_steps (void)
{
  static const struct
  {
    GraphFunc   make;
    const char *expected;
  } rows[] = {
    { new_layer, "" },
    { new_layer_with_sum, "0 cumsum: the GPU module does not compute this operator\n" },
    { new_loop_with_host, "1 cumsum: the GPU module does not compute this operator\n" },
  };

  static const HybMode modes[] = { HYB_MODE_STATIC, HYB_MODE_HYBRID };

  if (!set_up (""))
    return;
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    for (guint m = 0; m < G_N_ELEMENTS (modes); m++)
      {
        g_autoptr (HybGraph) graph = rows[i].make ();
        g_autoptr (ProfCapture) capture = measure (graph, modes[m]);
        g_autoptr (GHashTable) reasons = prof_host_steps_read (capture);
        g_autofree char *list = list_host_steps (capture, reasons);

        g_assert_cmpstr (list, ==, rows[i].expected);
      }
}

/* Facts of a damaged capture give no rows that it does not have. */
static void
test_damaged_host_steps (void)
{
  static const char *const texts[] = {
    "0 7 99999999999999999999: a reason", "0", ": nothing", "0 x: a reason", "", "0: ",
  };
  g_autoptr (ProfBuilder) builder = prof_builder_new ();
  g_autoptr (ProfFacts) facts = prof_facts_new ();
  g_autoptr (ProfCapture) capture = NULL;
  g_autoptr (GHashTable) reasons = NULL;
  g_autoptr (GBytes) bytes = NULL;

  prof_builder_add_graph (builder, "", PROF_NONE, PROF_NONE);
  prof_builder_add_node (builder, &(ProfNode){ .origin = PROF_NONE });
  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    {
      g_autofree char *key = g_strdup_printf (PROF_HOST_STEPS_KEY "%u", i);

      prof_facts_set (facts, key, texts[i]);
    }
  prof_builder_add_facts (builder, facts);
  bytes = prof_builder_finish (builder);
  capture = prof_capture_new (bytes, "made", NULL);
  g_assert_nonnull (capture);
  reasons = prof_host_steps_read (capture);
  g_assert_cmpuint (g_hash_table_size (reasons), ==, 1);
  g_assert_cmpstr (g_hash_table_lookup (reasons, GUINT_TO_POINTER (0)), ==, "");
}

TEST_PROGRAM (test_host_steps)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/profiler/host-steps/are-known-with-their-reasons", test_host_steps);
  g_test_add_func ("/profiler/host-steps/damaged-facts-name-no-other-rows",
                   test_damaged_host_steps);
  return g_test_run ();
}
