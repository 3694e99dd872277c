/* test-run-memory.c — a run ends with an error when its arrays exceed the limit of memory, also where no plan counts
 * them before: operator by operator, with shapes that are known only while running, and in loops.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/base/error.h"
#include "engine/base/remedy.h"
#include "engine/exec/executor.h"
#include "engine/gradient/backward.h"
#include "tests/engine/ops/op-body.h"
#include "tests/program.h"

#include <string.h>

#define SIZE   1000 /* elements of x0 */
#define BYTES  4000 /* of it */
#define N_WIDE 8

/* Eight arrays that exist at the same time, and their sum. */
static HybValueId
add_wide (HybBuilder *b, HybValueId x)
{
  HybValueId parts[N_WIDE];

  for (guint i = 0; i < N_WIDE; i++)
    parts[i] = op_node (b, i % 2 ? "sin" : "cos", NULL, i < 2 ? x : parts[i - 2], HYB_NO_ID);
  return op_node (b, "add_n", "num_args=8", parts[0], parts[1], parts[2], parts[3], parts[4],
                  parts[5], parts[6], parts[7], HYB_NO_ID);
}

static HybGraph *
wide_graph (void)
{
  HybBuilder *b = hyb_builder_new ();

  return op_finish (b, add_wide (b, op_variable (b, "x0")), HYB_NO_ID);
}

/* Each array is freed after its reader. */
static HybGraph *
chain_graph (void)
{
  HybBuilder *b = hyb_builder_new ();
  HybValueId  x = op_variable (b, "x0");

  for (guint i = 0; i < 20; i++)
    x = op_node (b, "sin", NULL, x, HYB_NO_ID);
  return op_finish (b, x, HYB_NO_ID);
}

/* Five outputs and nothing else. */
static HybGraph *
heads_graph (void)
{
  HybBuilder *b = hyb_builder_new ();
  HybValueId  x = op_variable (b, "x0");
  HybValueId  heads[5];

  for (guint i = 0; i < 5; i++)
    heads[i] = x = op_node (b, "sin", NULL, x, HYB_NO_ID);
  return op_finish (b, heads[0], heads[1], heads[2], heads[3], heads[4], HYB_NO_ID);
}

/* How many elements are kept is known only while running. */
static HybGraph *
masked_graph (void)
{
  HybBuilder *b = hyb_builder_new ();
  HybValueId  x = op_variable (b, "x0");
  HybValueId  mask = op_node (b, "_equal", NULL, x, x, HYB_NO_ID);
  HybValueId  kept = op_node (b, "_contrib_boolean_mask", NULL, x, mask, HYB_NO_ID);

  return op_finish (b, add_wide (b, kept), HYB_NO_ID);
}

/* A while loop over state x0 and counter x1, which ends after max_iterations steps. */
static HybGraph *
loop_graph (HybGraph *step, guint n_out_data, guint max_iterations)
{
  HybBuilder *b = hyb_builder_new (), *c = hyb_builder_new ();
  HybValueId  i = op_variable (c, "i");
  HybGraph   *condition =
      op_finish (c, op_node (c, "_lesser_scalar", "scalar=1000", i, HYB_NO_ID), HYB_NO_ID);
  HybGraph        *bodies[] = { condition, step };
  HybValueId       inputs[] = { op_variable (b, "x0"), op_variable (b, "x1") };
  g_autofree char *attributes =
      g_strdup_printf ("num_args=4 num_outputs=%u num_out_data=%u max_iterations=%u "
                       "cond_input_locs=[1] func_input_locs=[0,1] func_var_locs=[0,1]",
                       n_out_data + 2, n_out_data, max_iterations);
  HybValueId first =
      op_node_with_bodies (b, "_while_loop", attributes, &(OpOperands){ 2, inputs, 2, bodies });

  for (guint o = 0; o < n_out_data + 1; o++)
    hyb_builder_add_head (b, first + o);
  return hyb_builder_freeze (b);
}

/* Step (x, i): x = (x, x), i = i + 1. */
static HybGraph *
growing_graph (void)
{
  HybBuilder *b = hyb_builder_new ();
  HybValueId  x = op_variable (b, "x"), i = op_variable (b, "i");

  return loop_graph (op_finish (b, op_node (b, "Concat", "num_args=2 dim=0", x, x, HYB_NO_ID),
                                op_node (b, "_plus_scalar", "scalar=1", i, HYB_NO_ID), HYB_NO_ID),
                     0, 10);
}

/* Step (x, i): out = x, x = (x, 1), i = i + 1, so that the loop runs operator by operator. */
static HybGraph *
stacking_graph (void)
{
  HybBuilder *b = hyb_builder_new ();
  HybValueId  x = op_variable (b, "x"), i = op_variable (b, "i");
  HybValueId  first = op_node (b, "slice_axis", "axis=0 begin=0 end=1000", x, HYB_NO_ID);

  return loop_graph (op_finish (b, op_node (b, "sin", NULL, first, HYB_NO_ID),
                                op_node (b, "Concat", "num_args=2 dim=0", x, i, HYB_NO_ID),
                                op_node (b, "_plus_scalar", "scalar=1", i, HYB_NO_ID), HYB_NO_ID),
                     1, 100);
}

/* Step (x, i): x = add_wide (x), i = i + 1.  The body is planned, in imperative mode while running. */
static HybGraph *
planned_body_graph (void)
{
  HybBuilder *b = hyb_builder_new ();
  HybValueId  x = op_variable (b, "x"), i = op_variable (b, "i");

  return loop_graph (op_finish (b, add_wide (b, x),
                                op_node (b, "_plus_scalar", "scalar=1", i, HYB_NO_ID), HYB_NO_ID),
                     0, 3);
}

/* --- Running with a limit --- */

static void
bind (HybExecutor *executor, const char *name, gint64 size, float value)
{
  HybType type = { hyb_shape_1d (size), HYB_F32 };
  g_autoptr (HybTensor) tensor = hyb_tensor_new (&type, NULL);

  for (gint64 i = 0; i < size; i++)
    ((float *) hyb_tensor_get_data (tensor))[i] = value;
  /* Only some graphs have a counter or a gradient. */
  hyb_executor_bind (executor, name, tensor, NULL);
}

static gboolean
run (HybGraph *graph, HybMode mode, gsize limit, GError **error)
{
  g_autoptr (HybExecutor) executor =
      hyb_executor_new (graph, &(HybExecutorOptions){ .mode = mode, .memory_limit = limit });

  bind (executor, "x0", SIZE, 1);
  bind (executor, "x1", 1, 0);
  bind (executor, "_while_loop_output0_head_gradient", 1024 * SIZE, 1);
  return hyb_executor_run (executor, NULL, error);
}

typedef struct
{
  const char *name;
  HybGraph *(*graph) (void);
  gsize too_little, enough; /* bytes */
} Case;

static const Case cases[] = {
  { "wide", wide_graph, 8 * BYTES, 12 * BYTES },
  { "chain", chain_graph, BYTES - 1, 3 * BYTES },
  { "heads", heads_graph, 5 * BYTES - 1, 7 * BYTES },
  { "masked", masked_graph, 8 * BYTES, 14 * BYTES },
  { "growing", growing_graph, 1024 * BYTES - 1, 2100 * BYTES },
  { "stacking", stacking_graph, 100 * BYTES - 1, 110 * BYTES },
  { "planned-body", planned_body_graph, 8 * BYTES, 14 * BYTES },
};

static void
test_limit (gconstpointer data)
{
  const Case *this = data;
  g_autoptr (HybGraph) graph = this->graph ();

  for (HybMode mode = HYB_MODE_IMPERATIVE; mode <= HYB_MODE_STATIC; mode++)
    {
      g_autoptr (GError) error = NULL;

      g_test_message ("mode %d", mode);
      g_assert_false (run (graph, mode, this->too_little, &error));
      g_assert_error (error, HYB_GRAPH_ERROR, HYB_GRAPH_ERROR_MEMORY);
      g_assert_nonnull (strstr (error->message, "MiB available"));
      g_assert_cmpint (hyb_error_get_remedy (error), ==, HYB_REMEDY_SMALLER);
      g_clear_error (&error);

      run (graph, mode, this->enough, &error);
      g_assert_no_error (error);
    }
}

/* A run operator by operator has exactly what it counted: one byte less is too little. */
static void
test_exact (void)
{
  g_autoptr (HybGraph) graph = chain_graph ();
  g_autoptr (GError) error = NULL;

  run (graph, HYB_MODE_IMPERATIVE, 2 * BYTES, &error);
  g_assert_no_error (error);
  g_assert_false (run (graph, HYB_MODE_IMPERATIVE, 2 * BYTES - 1, &error));
  g_assert_error (error, HYB_GRAPH_ERROR, HYB_GRAPH_ERROR_MEMORY);
  g_assert_nonnull (strstr (error->message, "node “"));
}

/* The states of all steps are kept for the gradient of a loop that grows. */
static void
test_gradient (void)
{
  g_autoptr (HybGraph) graph = growing_graph ();
  g_autoptr (HybGraph) both = NULL;
  HybNodeId x = 0;

  both = hyb_graph_with_gradients (graph, 1, &x, NULL);
  g_assert_nonnull (both);
  for (HybMode mode = HYB_MODE_IMPERATIVE; mode <= HYB_MODE_STATIC; mode++)
    {
      g_autoptr (GError) error = NULL;

      g_assert_false (run (both, mode, 3000 * BYTES, &error));
      g_assert_error (error, HYB_GRAPH_ERROR, HYB_GRAPH_ERROR_MEMORY);
      g_clear_error (&error);
      run (both, mode, 9000 * BYTES, &error);
      g_assert_no_error (error);
    }
}

TEST_PROGRAM (test_run_memory)
{
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *path =
          g_strconcat ("/engine/exec/run-memory/limit-holds-for/", cases[i].name, NULL);

      g_test_add_data_func (path, &cases[i], test_limit);
    }
  g_test_add_func ("/engine/exec/run-memory/limit-is-exact", test_exact);
  g_test_add_func ("/engine/exec/run-memory/limit-holds-for/gradients-of-growing-loops",
                   test_gradient);
  return g_test_run ();
}
