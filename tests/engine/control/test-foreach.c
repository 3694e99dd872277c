/* test-foreach.c — _foreach: the checks of op-check.h on samples and refusals; shape inference
 * from states, states that change their shape, moving averages in the body, and what the probe
 * sees.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/analysis/infer-types.h"
#include "engine/autograd/gradient-check.h"
#include "engine/exec/executor.h"
#include "engine/gradient/backward.h"
#include "tests/engine/ops/op-body.h"
#include "tests/engine/ops/op-case.h"
#include "tests/program.h"

#include <string.h>

/* --- Bodies --- */

/* Variables: row, state.  out = new state = state + row. */
static HybGraph *
sum_body (guint index)
{
  HybBuilder *b = hyb_builder_new ();
  HybValueId  row = op_variable (b, "row");
  HybValueId  state = op_variable (b, "state");
  HybValueId  sum = op_node (b, "elemwise_add", NULL, state, row, HYB_NO_ID);

  return op_finish (b, sum, sum, HYB_NO_ID);
}

/* Variables: w, state, row (in no natural order).  h = tanh(row w + state). */
static HybGraph *
cell_body (guint index)
{
  HybBuilder *b = hyb_builder_new ();
  HybValueId  w = op_variable (b, "w");
  HybValueId  state = op_variable (b, "state");
  HybValueId  row = op_variable (b, "row");
  HybValueId  product = op_node (b, "dot", NULL, row, w, HYB_NO_ID);
  HybValueId  sum = op_node (b, "elemwise_add", NULL, product, state, HYB_NO_ID);
  HybValueId  h = op_node (b, "tanh", NULL, sum, HYB_NO_ID);

  return op_finish (b, h, h, HYB_NO_ID);
}

/* Variables: row.  out = sin(row); no state. */
static HybGraph *
map_body (guint index)
{
  HybBuilder *b = hyb_builder_new ();
  HybValueId  row = op_variable (b, "row");

  return op_finish (b, op_node (b, "sin", NULL, row, HYB_NO_ID), HYB_NO_ID);
}

/* Variables: a, b, s, u.  No stacked output; the states are swapped. */
static HybGraph *
exchange_body (guint index)
{
  HybBuilder *builder = hyb_builder_new ();
  HybValueId  a = op_variable (builder, "a");
  HybValueId  b = op_variable (builder, "b");
  HybValueId  s = op_variable (builder, "s");
  HybValueId  u = op_variable (builder, "u");
  HybValueId  new_s = op_node (builder, "elemwise_mul", NULL, u, a, HYB_NO_ID);
  HybValueId  new_u = op_node (builder, "elemwise_add", NULL, s, b, HYB_NO_ID);

  return op_finish (builder, new_s, new_u, HYB_NO_ID);
}

/* Variables: row, state.  The row is an output, the state stays: heads are variables. */
static HybGraph *
pass_body (guint index)
{
  HybBuilder *b = hyb_builder_new ();
  HybValueId  row = op_variable (b, "row");
  HybValueId  state = op_variable (b, "state");

  return op_finish (b, row, state, HYB_NO_ID);
}

/* Variables: row, state.  state + Dropout(row), also as output. */
static HybGraph *
dropout_body (guint index)
{
  HybBuilder *b = hyb_builder_new ();
  HybValueId  row = op_variable (b, "row");
  HybValueId  state = op_variable (b, "state");
  HybValueId  dropped = op_node (b, "Dropout", "p=0.5", row, HYB_NO_ID);
  HybValueId  sum = op_node (b, "elemwise_add", NULL, state, dropped, HYB_NO_ID);

  return op_finish (b, dropped, sum, HYB_NO_ID);
}

/* Variables: row (a matrix), state.  An inner loop sums the rows of the row. */
static HybGraph *
nested_body (guint index)
{
  HybBuilder *b = hyb_builder_new ();
  HybValueId  row = op_variable (b, "row");
  HybValueId  state = op_variable (b, "state");
  HybValueId  scaled = op_node (b, "sin", NULL, row, HYB_NO_ID);
  HybGraph   *inner = dropout_body (0);
  HybValueId  loop =
      op_node_with_bodies (b, "_foreach",
                           "num_args=3 num_outputs=2 num_out_data=1 "
                           "in_data_locs=(0,) in_state_locs=(1,) remain_locs=()",
                           &(OpOperands){ 2, (HybValueId[]){ scaled, state }, 1, &inner });

  return op_finish (b, loop, loop + 1, HYB_NO_ID);
}

/* Variables: w, v, b, row, state.  w is used once, so that its gradient can be computed
 * behind the loop; those of v, used twice, add up from step to step. */
static HybGraph *
dense_body (guint index)
{
  HybBuilder *b = hyb_builder_new ();
  HybValueId  w = op_variable (b, "w");
  HybValueId  v = op_variable (b, "v");
  HybValueId  bias = op_variable (b, "b");
  HybValueId  row = op_variable (b, "row");
  HybValueId  state = op_variable (b, "state");
  HybValueId  input = op_node (b, "FullyConnected", "num_hidden=3", row, w, bias, HYB_NO_ID);
  HybValueId  hidden =
      op_node (b, "FullyConnected", "num_hidden=3 no_bias=True flatten=False", state, v, HYB_NO_ID);
  HybValueId sum = op_node (b, "elemwise_add", NULL, input, hidden, HYB_NO_ID);
  HybValueId h = op_node (b, "tanh", NULL, sum, HYB_NO_ID);
  HybValueId y = op_node (b, "FullyConnected", "num_hidden=3 no_bias=True", h, v, HYB_NO_ID);

  return op_finish (b, y, h, HYB_NO_ID);
}

/* Variables: row, count (an integer), state.  state = state + row · count. */
static HybGraph *
count_body (guint index)
{
  HybBuilder *b = hyb_builder_new ();
  HybValueId  row = op_variable (b, "row");
  HybValueId  count = op_variable (b, "count");
  HybValueId  state = op_variable (b, "state");
  HybValueId  next = op_node (b, "_plus_scalar", "scalar=1", count, HYB_NO_ID);
  HybValueId  number = op_node (b, "Cast", "dtype=float32", next, HYB_NO_ID);
  HybValueId  product = op_node (b, "broadcast_mul", NULL, row, number, HYB_NO_ID);
  HybValueId  sum = op_node (b, "elemwise_add", NULL, state, product, HYB_NO_ID);

  return op_finish (b, sum, next, sum, HYB_NO_ID);
}

/* Variables: row, state.  The state grows by the row. */
static HybGraph *
grow_body (guint index)
{
  HybBuilder *b = hyb_builder_new ();
  HybValueId  row = op_variable (b, "row");
  HybValueId  state = op_variable (b, "state");
  HybValueId  grown = op_node (b, "Concat", "num_args=2 dim=0", state, row, HYB_NO_ID);
  HybValueId  sum = op_node (b, "sum", NULL, grown, HYB_NO_ID);

  return op_finish (b, sum, grown, HYB_NO_ID);
}

#define ONE_STATE \
  "num_args=3 num_outputs=2 num_out_data=1 in_data_locs=[0] in_state_locs=[1] remain_locs=[]"

static const OpSample samples[] = {
  { "_foreach", "running sum", ONE_STATE, { "f32[4,2,3]", "f32[2,3]" }, 0, sum_body },
  { "_foreach", "one step", ONE_STATE, { "f32[1,3]", "f32[3]" }, 0, sum_body },
  { "_foreach", "no step", ONE_STATE, { "f32[0,3]", "f32[3]" }, 0, sum_body },
  { "_foreach",
    "rows of a vector have one element",
    ONE_STATE,
    { "f32[5]", "f32[1]" },
    0,
    sum_body },
  { "_foreach",
    "captured weight",
    "num_args=4 num_outputs=2 num_out_data=1 in_data_locs=[2] in_state_locs=[1] remain_locs=[0]",
    { "f32[3,2,2]", "f32[2,3]", "f32[2,3]" },
    0,
    cell_body },
  { "_foreach",
    "dense layers",
    "num_args=6 num_outputs=2 num_out_data=1 in_data_locs=[3] in_state_locs=[4] "
    "remain_locs=[0,1,2]",
    { "f32[3,2,2]", "f32[2,3]", "f32[3,2]", "f32[3,3]", "f32[3]" },
    0,
    dense_body },
  { "_foreach",
    "no state",
    "num_args=2 num_outputs=1 num_out_data=1 in_data_locs=[0] in_state_locs=[] remain_locs=[]",
    { "f32[3,2]" },
    0,
    map_body },
  { "_foreach",
    "only states",
    "num_args=5 num_outputs=2 num_out_data=0 in_data_locs=[0,1] in_state_locs=[2,3] remain_locs=[]",
    { "f32[3,2]", "f32[3,2]", "f32[2]", "f32[2]" },
    0,
    exchange_body },
  { "_foreach", "heads that are variables", ONE_STATE, { "f32[3,2]", "f32[2]" }, 0, pass_body },
  { "_foreach", "dropout", ONE_STATE, { "f32[3,4]", "f32[4]" }, 0, dropout_body },
  { "_foreach",
    "nested, with dropout inside",
    ONE_STATE,
    { "f32[2,3,2]", "f32[2]" },
    0,
    nested_body },
  { "_foreach",
    "an integer state",
    "num_args=4 num_outputs=3 num_out_data=1 in_data_locs=[0] in_state_locs=[1,2] remain_locs=[]",
    { "f32[3,2]", "i32[1]", "f32[2]" },
    OP_SKIP_DOUBLE,
    count_body },
  { 0 },
};

static const OpRefusal refusals[] = {
  { "_foreach",
    "data of different lengths",
    "num_args=5 num_outputs=2 num_out_data=0 in_data_locs=[0,1] in_state_locs=[2,3] remain_locs=[]",
    { "f32[3,2]", "f32[4,2]", "f32[2]", "f32[2]" },
    "data 1 has 4 rows where another has 3",
    exchange_body },
  { "_foreach",
    "locations that leave a variable out",
    "num_args=3 num_outputs=2 num_out_data=1 in_data_locs=[0] in_state_locs=[0] remain_locs=[]",
    { "f32[3,2]", "f32[2]" },
    "must name each of the 2 variables",
    sum_body },
  { "_foreach",
    "states and outputs that do not agree",
    "num_args=3 num_outputs=3 num_out_data=1 in_data_locs=[0] in_state_locs=[1] remain_locs=[]",
    { "f32[3,2]", "f32[2]" },
    "in_state_locs names 1 states",
    sum_body },
  { "_foreach",
    "a body with other variables",
    "num_args=2 num_outputs=1 num_out_data=1 in_data_locs=[0] in_state_locs=[] remain_locs=[]",
    { "f32[3,2]" },
    "its body has 2 variables and 2 outputs",
    sum_body },
  { "_foreach",
    "a contradiction in the body",
    ONE_STATE,
    { "f32[3,2]", "f32[5]" },
    "in its body",
    sum_body },
  { 0 },
};

/* --- Cases that samples do not cover --- */

static HybGraph *
loop_graph (HybGraph *body, const char *attributes, guint n_inputs, guint n_outputs)
{
  HybBuilder *b = hyb_builder_new ();
  HybValueId  inputs[8];
  HybValueId  first;

  for (guint i = 0; i < n_inputs; i++)
    {
      g_autofree char *name = g_strdup_printf ("x%u", i);

      inputs[i] = op_variable (b, name);
    }
  first =
      op_node_with_bodies (b, "_foreach", attributes, &(OpOperands){ n_inputs, inputs, 1, &body });
  for (guint o = 0; o < n_outputs; o++)
    hyb_builder_add_head (b, first + o);
  return hyb_builder_freeze (b);
}

static HybExecutor *
run_bound (HybGraph                 *graph,
           const HybExecutorOptions *options,
           HybTensor               **tensors,
           guint                     n,
           const HybProbe           *probe)
{
  HybExecutor     *executor = hyb_executor_new (graph, options);
  guint            n_variables;
  const HybNodeId *variables = hyb_graph_get_variables (graph, &n_variables);
  g_autoptr (GError) error = NULL;

  g_assert_cmpuint (n, ==, n_variables);
  for (guint i = 0; i < n; i++)
    hyb_executor_bind (executor, hyb_graph_get_node (graph, variables[i])->name, tensors[i],
                       &error);
  g_assert_no_error (error);
  hyb_executor_set_probe (executor, probe);
  hyb_executor_run (executor, NULL, &error);
  g_assert_no_error (error);
  return executor;
}

static void
test_dropout_differs_from_step_to_step (void)
{
  HybExecutorOptions options = { .mode = HYB_MODE_STATIC, .training = TRUE, .seed = 3 };
  g_autoptr (HybGraph) graph = loop_graph (dropout_body (0), ONE_STATE, 2, 2);
  g_autoptr (HybTensor) x = op_tensor_from_text ("f32[2,64] = 1", 0);
  g_autoptr (HybTensor) s = op_tensor_from_text ("f32[64] = 0", 0);
  g_autoptr (HybExecutor) executor = run_bound (graph, &options, (HybTensor *[]){ x, s }, 2, NULL);
  HybTensor *y = hyb_executor_get_output (executor, 0);
  guint      n_different = 0;

  for (gint64 i = 0; i < 64; i++)
    n_different += hyb_tensor_get_value (y, i) != hyb_tensor_get_value (y, 64 + i);
  g_assert_cmpuint (n_different, >, 16);
  g_assert_cmpuint (n_different, <, 48);
}

/* What legacy shapes are for: the size of a state is inferred from the body. */
static void
test_unknown_state_is_inferred (void)
{
  HybBuilder *b = hyb_builder_new ();
  HybGraph   *body = sum_body (0);
  HybValueId  data = op_variable (b, "data");
  HybValueId  zeros = op_node (b, "_zeros", "shape=(0,3)", HYB_NO_ID);
  HybValueId  loop =
      op_node_with_bodies (b, "_foreach", ONE_STATE,
                           &(OpOperands){ 2, (HybValueId[]){ data, zeros }, 1, &body });
  g_autoptr (HybGraph) graph = op_finish (b, loop, loop + 1, HYB_NO_ID);
  HybExecutorOptions options = { .mode = HYB_MODE_STATIC };
  g_autoptr (HybTensor) x =
      op_tensor ("f32[2,2,3]", 1., 2., 3., 4., 5., 6., 1., 1., 1., 1., 1., 1.);
  g_autoptr (HybExecutor) executor = run_bound (graph, &options, &x, 1, NULL);

  op_assert_near (hyb_executor_get_output (executor, 1), 0, 2., 3., 4., 5., 6., 7.);
}

/* And the shape of data from the state. */
static void
test_data_is_inferred_from_states (void)
{
  g_autoptr (HybGraph) graph = loop_graph (sum_body (0), ONE_STATE, 2, 2);
  g_autofree HybType *types = g_new (HybType, hyb_graph_n_values (graph));
  g_autoptr (GError) error = NULL;

  for (guint i = 0; i < hyb_graph_n_values (graph); i++)
    types[i] = HYB_TYPE_UNKNOWN;
  types[0].shape = hyb_shape_3d (4, HYB_UNKNOWN, HYB_UNKNOWN);
  types[1] = (HybType){ hyb_shape_2d (2, 3), HYB_F64 };
  hyb_infer_types (graph, types, NULL, FALSE, &error);
  g_assert_no_error (error);
  g_assert_cmpint (types[0].shape.dim[2], ==, 3);
  g_assert_cmpint (types[0].dtype, ==, HYB_F64);
  g_assert_cmpint (types[2].shape.dim[0], ==, 4);
  g_assert_cmpint (types[2].dtype, ==, HYB_F64);
}

static void
test_state_may_change_its_shape (void)
{
  static const HybMode modes[] = { HYB_MODE_IMPERATIVE, HYB_MODE_HYBRID, HYB_MODE_STATIC };
  g_autoptr (HybGraph) graph = loop_graph (grow_body (0), ONE_STATE, 2, 2);
  g_autoptr (HybTensor) x = op_tensor ("f32[3,2]", 1., 2., 3., 4., 5., 6.);
  g_autoptr (HybTensor) s = op_tensor ("f32[1]", 10.);

  for (guint i = 0; i < G_N_ELEMENTS (modes); i++)
    {
      HybExecutorOptions options = { .mode = modes[i] };
      g_autoptr (HybExecutor) executor =
          run_bound (graph, &options, (HybTensor *[]){ x, s }, 2, NULL);

      op_assert_type (hyb_executor_get_output (executor, 0), "float32 (3, 1)");
      op_assert_near (hyb_executor_get_output (executor, 0), 0, 13., 20., 31.);
      op_assert_near (hyb_executor_get_output (executor, 1), 0, 10., 1., 2., 3., 4., 5., 6.);
    }
}

/* Moving averages are updated once per step in the forward pass and not in the backward pass. */
static void
test_auxiliary_states_of_the_body_are_written_once (void)
{
  const char *attributes =
      "num_args=7 num_outputs=2 num_out_data=1 in_data_locs=[0] in_state_locs=[5] "
      "remain_locs=[1,2,3,4]";
  HybBuilder *b = hyb_builder_new ();
  HybValueId  v[6];
  HybValueId  y, sum;
  g_autoptr (HybGraph) graph = NULL;
  g_autoptr (HybGraph) gradients = NULL;
  g_autoptr (GError) error = NULL;
  HybExecutorOptions options = { .mode = HYB_MODE_STATIC, .training = TRUE };
  g_autoptr (HybTensor) x = op_tensor ("f32[2,2,1]", 1., 3., 5., 9.);
  g_autoptr (HybTensor) state = op_tensor ("f32[2,1]", 0., 0.);
  g_autoptr (HybTensor) one = op_tensor ("f32[1]", 1.);
  g_autoptr (HybTensor) zero = op_tensor ("f32[1]", 0.);
  g_autoptr (HybTensor) mean = op_tensor ("f32[1]", 0.);
  g_autoptr (HybTensor) var = op_tensor ("f32[1]", 1.);
  g_autoptr (HybTensor) dy = op_tensor ("f32[2,2,1]", 1., 2., 3., 5.);
  g_autoptr (HybTensor) ds = op_tensor ("f32[2,1]", 1., 0.);
  HybNodeId wrt = 0;

  for (guint i = 0; i < 6; i++)
    {
      const char *names[] = { "row", "gamma", "beta", "moving_mean", "moving_var", "state" };

      v[i] = op_variable (b, names[i]);
    }
  y = op_node (b, "BatchNorm", "momentum=0.5 fix_gamma=False", v[0], v[1], v[2], v[3], v[4],
               HYB_NO_ID);
  sum = op_node (b, "elemwise_add", NULL, y, v[5], HYB_NO_ID);
  attributes = "num_args=7 num_outputs=2 num_out_data=1 in_data_locs=[0] in_state_locs=[5] "
               "remain_locs=[1,2,3,4]";
  graph = loop_graph (op_finish (b, y, sum, HYB_NO_ID), attributes, 6, 2);
  gradients = hyb_graph_with_gradients (graph, 1, &wrt, &error);
  g_assert_no_error (error);

  {
    HybTensor *bound[] = { x, state, one, zero, mean, var, dy, ds };
    g_autoptr (HybExecutor) executor = run_bound (gradients, &options, bound, 8, NULL);

    /* 0 → (0 + 2) / 2 → (1 + 7) / 2. */
    op_assert_near (hyb_executor_get_bound (executor, "x4"), 1e-6, 4.);
  }
}

/* Also if the reader of the result has a fixed shape. */
static void
test_growing_state_may_be_read_with_a_fixed_shape (void)
{
  HybBuilder *b = hyb_builder_new ();
  HybGraph   *body = grow_body (0);
  HybValueId  inputs[] = { op_variable (b, "x0"), op_variable (b, "x1") };
  HybValueId  rows = op_variable (b, "x2");
  HybValueId  state = op_variable (b, "x3");
  HybValueId  loop =
      op_node_with_bodies (b, "_foreach", ONE_STATE, &(OpOperands){ 2, inputs, 1, &body });
  HybValueId first = op_node (b, "elemwise_add", NULL, loop, rows, HYB_NO_ID);
  HybValueId second = op_node (b, "elemwise_add", NULL, loop + 1, state, HYB_NO_ID);
  g_autoptr (HybGraph) graph = op_finish (b, first, second, HYB_NO_ID);
  HybExecutorOptions options = { .mode = HYB_MODE_STATIC };
  g_autoptr (HybTensor) x = op_tensor ("f32[2,1]", 1., 2.);
  g_autoptr (HybTensor) s = op_tensor ("f32[1]", 3.);
  g_autoptr (HybTensor) y = op_tensor ("f32[2,1]", 10., 20.);
  g_autoptr (HybTensor) z = op_tensor ("f32[3]", 1., 1., 1.);
  HybTensor *bound[] = { x, s, y, z };
  g_autoptr (HybExecutor) executor = run_bound (graph, &options, bound, 4, NULL);

  op_assert_near (hyb_executor_get_output (executor, 0), 0, 14., 26.);
  op_assert_near (hyb_executor_get_output (executor, 1), 0, 4., 2., 3.);
}

static void
test_growing_state_has_a_gradient (void)
{
  g_autoptr (HybGraph) graph = loop_graph (grow_body (0), ONE_STATE, 2, 2);
  g_autoptr (HybTensor) x = op_tensor_from_text ("f32[3,2]", 0);
  g_autoptr (HybTensor) s = op_tensor_from_text ("f32[1]", 1);
  HybTensor       *variables[] = { x, s };
  HybNodeId        wrt[] = { 0, 1 };
  HybGradientCheck check = {
    .graph = graph, .variables = variables, .n_wrt = 2, .wrt = wrt, .seed = 1
  };
  g_autoptr (GError) error = NULL;

  hyb_gradient_check (&check, &error);
  g_assert_no_error (error);
}

/* --- Probe --- */

typedef struct
{
  guint   n_branches, n_nodes;
  guint32 steps[8];
  guint16 depth;
} Watching;

static void
watch_begin (gpointer data, const HybSpan *span)
{
  Watching *watching = data;

  if (span->kind == HYB_SPAN_BRANCH && watching->n_branches < 8)
    watching->steps[watching->n_branches++] = span->step;
  if (span->kind == HYB_SPAN_NODE && span->depth == 1)
    watching->n_nodes++;
  watching->depth = MAX (watching->depth, span->depth);
}

static void
test_probe_sees_every_step (void)
{
  Watching           watching = { 0 };
  HybProbe           probe = { .data = &watching, .begin = watch_begin };
  HybExecutorOptions options = { .mode = HYB_MODE_STATIC };
  g_autoptr (HybGraph) graph = loop_graph (sum_body (0), ONE_STATE, 2, 2);
  g_autoptr (HybTensor) x = op_tensor_from_text ("f32[3,2]", 0);
  g_autoptr (HybTensor) s = op_tensor_from_text ("f32[2]", 0);
  g_autoptr (HybExecutor) executor =
      run_bound (graph, &options, (HybTensor *[]){ x, s }, 2, &probe);

  g_assert_nonnull (executor);
  g_assert_cmpuint (watching.n_branches, ==, 3);
  for (guint32 i = 0; i < 3; i++)
    g_assert_cmpuint (watching.steps[i], ==, i);
  g_assert_cmpuint (watching.n_nodes, ==, 3);
  g_assert_cmpuint (watching.depth, ==, 1);
}

typedef struct
{
  guint  n, n_outside;
  double values[8];
} Told;

static void
tell_value (gpointer data, const HybSpan *span, guint output, const HybTensor *tensor)
{
  Told *told = data;

  if (span->depth == 0)
    told->n_outside++;
  else
    {
      g_assert_cmpuint (span->step, ==, told->n);
      told->values[told->n++] = hyb_tensor_get_value (tensor, 0);
    }
}

/* Although types are known, the body runs operator by operator, as a plan keeps no values. */
static void
test_probe_is_told_values_inside (void)
{
  Told               told = { 0 };
  HybProbe           probe = { .data = &told, .value = tell_value };
  HybExecutorOptions options = { .mode = HYB_MODE_IMPERATIVE };
  g_autoptr (HybGraph) graph = loop_graph (sum_body (0), ONE_STATE, 2, 2);
  g_autoptr (HybTensor) x = op_tensor ("f32[3,2]", 1., 9., 2., 9., 3., 9.);
  g_autoptr (HybTensor) s = op_tensor ("f32[2]", 10., 0.);
  g_autoptr (HybExecutor) executor =
      run_bound (graph, &options, (HybTensor *[]){ x, s }, 2, &probe);

  g_assert_cmpuint (told.n, ==, 3);
  g_assert_cmpuint (told.n_outside, ==, 2); /* rows and state, without the number of steps */
  g_assert_cmpfloat (told.values[0], ==, 11);
  g_assert_cmpfloat (told.values[1], ==, 13);
  g_assert_cmpfloat (told.values[2], ==, 16);
  op_assert_near (hyb_executor_get_output (executor, 1), 0, 16., 27.);
}

TEST_PROGRAM (test_foreach)
{
  g_test_init (&argc, &argv, NULL);

  op_check_family ("foreach", hyb_ops_foreach, samples, refusals);
  g_test_add_func ("/engine/ops/foreach/probe-is-told-values-inside",
                   test_probe_is_told_values_inside);
  g_test_add_func ("/engine/ops/foreach/dropout-differs-from-step-to-step",
                   test_dropout_differs_from_step_to_step);
  g_test_add_func ("/engine/ops/foreach/unknown-state-is-inferred", test_unknown_state_is_inferred);
  g_test_add_func ("/engine/ops/foreach/data-is-inferred-from-states",
                   test_data_is_inferred_from_states);
  g_test_add_func ("/engine/ops/foreach/state-may-change-its-shape",
                   test_state_may_change_its_shape);
  g_test_add_func ("/engine/ops/foreach/auxiliary-states-of-the-body-are-written-once",
                   test_auxiliary_states_of_the_body_are_written_once);
  g_test_add_func ("/engine/ops/foreach/growing-state-may-be-read-with-a-fixed-shape",
                   test_growing_state_may_be_read_with_a_fixed_shape);
  g_test_add_func ("/engine/ops/foreach/growing-state-has-a-gradient",
                   test_growing_state_has_a_gradient);
  g_test_add_func ("/engine/ops/foreach/probe-sees-every-step", test_probe_sees_every_step);

  return g_test_run ();
}
