/* test-convolutions.c — how the GPU computes a convolution, and when the host does.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/gradient/backward.h"
#include "engine/graph/builder.h"
#include "tests/engine/cuda/on-pretend-gpu.h"
#include "tests/engine/ops/op-plan.h"
#include "tests/program.h"

/* One layer: its attributes and the sizes of its operands. */
typedef struct
{
  const char *op;
  const char *attributes[16];
  HybShape    data, weight, output;
} Layer;

static const Layer convolution = {
  .op = "Convolution",
  .attributes = { "kernel", "(3, 3)", "pad", "(1, 1)", "num_filter", "4", "no_bias", "True" },
  .data = { 4, { 2, 3, 6, 5 } },
  .weight = { 4, { 4, 3, 3, 3 } },
  .output = { 4, { 2, 4, 6, 5 } },
};

/* The layer with the gradients of its data and weight. */
static HybGraph *
new_graph (const Layer *layer)
{
  HybBuilder *builder = hyb_builder_new ();
  HybValueId  inputs[] = { hyb_builder_add_variable (builder, "x", NULL),
                           hyb_builder_add_variable (builder, "w", NULL) };
  HybNodeSpec spec = { .op = hyb_op_find (layer->op),
                       .name = "layer",
                       .inputs = inputs,
                       .n_inputs = G_N_ELEMENTS (inputs),
                       .attributes = (const char **) layer->attributes };
  HybNodeId   wrt[] = { 0, 1 };
  HybGraph   *graph;
  g_autoptr (HybGraph) forward = NULL;
  g_autoptr (GError) error = NULL;
  HybNodeId node = hyb_builder_add (builder, &spec, &error);

  g_assert_no_error (error);
  hyb_builder_add_head (builder, hyb_builder_output (builder, node, 0));
  forward = hyb_builder_freeze (builder);
  graph = hyb_graph_with_gradients (forward, G_N_ELEMENTS (wrt), wrt, &error);
  g_assert_no_error (error);
  return graph;
}

static HybTensor *
new_operand (const HybShape *shape)
{
  HybType    type = { *shape, HYB_F32 };
  HybTensor *tensor = hyb_tensor_new (&type, NULL);

  for (gint64 i = 0; i < hyb_tensor_get_size (tensor); i++)
    hyb_dtype_set_double (hyb_tensor_get_data (tensor), HYB_F32, (gsize) i, sin ((double) i));
  return tensor;
}

static HybExecutor *
new_executor (const Layer *layer, HybGpu *gpu)
{
  HybExecutorOptions options = { .mode = HYB_MODE_STATIC, .training = TRUE, .gpu = gpu };
  g_autoptr (HybGraph) graph = new_graph (layer);
  HybExecutor     *executor = hyb_executor_new (graph, &options);
  guint            n;
  const HybNodeId *variables = hyb_graph_get_variables (graph, &n);

  bind (executor, "x", new_operand (&layer->data));
  bind (executor, "w", new_operand (&layer->weight));
  g_assert_cmpuint (n, ==, 3); /* the last one is the gradient of the output */
  bind (executor, hyb_graph_get_node (graph, variables[2])->name, new_operand (&layer->output));
  return executor;
}

/* Runs the layer on the GPU, compares all outputs with the processor's, and returns the plan's text. */
static char *
run_on_gpu (const Layer *layer, HybGpu *gpu)
{
  g_autoptr (HybExecutor) expected = new_executor (layer, NULL);
  g_autoptr (HybExecutor) executor = new_executor (layer, gpu);

  run (expected);
  run (executor);
  assert_all_within (executor, expected, 1e-5);
  return hyb_plan_print (hyb_executor_get_plan (executor));
}

static void
assert_places (const Layer *layer, const char *counts, const char *reason)
{
  g_autoptr (HybGpu) gpu = open_gpu ();
  g_autofree char *text = run_on_gpu (layer, gpu);

  if (!strstr (text, counts) || !strstr (text, reason))
    g_error ("“%s” and “%s” are not in:\n%s", counts, reason, text);
  g_clear_pointer (&gpu, hyb_gpu_unref);
  assert_clean ();
}

static void
test_all_passes (void)
{
  if (set_up (""))
    assert_places (&convolution, "3 steps on the GPU, 0 on the host", "on the GPU");
}

/* The padding that follows from the size that is asked for is uneven. */
static void
test_uneven_padding (void)
{
  static const Layer layer = {
    .op = "Deconvolution",
    .attributes = { "kernel", "(2, 2)", "target_shape", "(4, 5)", "num_filter", "2" },
    .data = { 4, { 1, 2, 4, 4 } },
    .weight = { 4, { 2, 2, 2, 2 } },
    .output = { 4, { 1, 2, 4, 5 } },
  };

  if (set_up (""))
    assert_places (&layer, "0 steps on the GPU, 3 on the host",
                   "on the host: cuDNN pads both ends of an axis alike, and this needs more at "
                   "one end");
}

/* Without a workspace only algorithms that add in any order are left for gradients. */
static void
test_workspace (void)
{
  Layer layer = convolution;

  layer.attributes[8] = "workspace";
  layer.attributes[9] = "0";
  if (set_up (""))
    assert_places (&layer, "1 steps on the GPU, 2 on the host",
                   "none of the 5 algorithms that cuDNN offers gives the same numbers in every "
                   "run with 0 MiB of workspace");
}

static gboolean
have_same_bytes (HybTensor *a, HybTensor *b)
{
  return memcmp (hyb_tensor_get_data (a), hyb_tensor_get_data (b),
                 (gsize) hyb_tensor_get_size (a) * sizeof (float)) == 0;
}

/* The first run hands work over, the second records it, the third replays it. */
static void
test_same_bytes (void)
{
  g_autoptr (GPtrArray) first = g_ptr_array_new_with_free_func ((GDestroyNotify) hyb_tensor_unref);
  g_autoptr (HybExecutor) executor = NULL;
  g_autoptr (HybGpu) gpu = NULL;

  if (!set_up (""))
    return;
  gpu = open_gpu ();
  executor = new_executor (&convolution, gpu);
  run (executor);
  for (guint i = 0; i < hyb_executor_n_outputs (executor); i++)
    g_ptr_array_add (first, hyb_tensor_copy (hyb_executor_get_output (executor, i)));
  for (guint again = 0; again < 3; again++)
    {
      run (executor);
      for (guint i = 0; i < first->len; i++)
        g_assert_true (have_same_bytes (first->pdata[i], hyb_executor_get_output (executor, i)));
    }
  close_cleanly (&executor, &gpu);
}

/* BatchNorm (Convolution (x)) */
static HybGraph *
new_normed_graph (void)
{
  static const char *const norm[] = { "fix_gamma", "False", NULL };
  static const char *const names[] = { "x", "w", "b", "gamma", "beta", "mean", "var" };
  static const char *const attributes[] = { "kernel",     "(3, 3)", "pad", "(1, 1)",
                                            "num_filter", "4",      NULL };
  HybBuilder              *builder = hyb_builder_new ();
  HybValueId               inputs[G_N_ELEMENTS (names)], values[5], value;
  g_autoptr (GError) error = NULL;

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    inputs[i] = hyb_builder_add_variable (builder, names[i], NULL);
  values[0] = hyb_builder_call (builder, "Convolution",
                                &(HybNodeSpec){ .name = "convolution",
                                                .n_inputs = 3,
                                                .inputs = inputs,
                                                .attributes = (const char **) attributes },
                                &error);
  g_assert_no_error (error);
  memcpy (values + 1, inputs + 3, 4 * sizeof *values);
  value = hyb_builder_call (builder, "BatchNorm",
                            &(HybNodeSpec){ .name = "norm",
                                            .n_inputs = 5,
                                            .inputs = values,
                                            .attributes = (const char **) norm },
                            &error);
  g_assert_no_error (error);
  hyb_builder_add_head (builder, value);
  return hyb_builder_freeze (builder);
}

static HybExecutor *
run_normed (HybGraph *graph, HybGpu *gpu, const char *const *without)
{
  static const char *const names[] = { "w", "b", "gamma", "beta", "mean" };
  HybExecutorOptions       options = {
          .mode = HYB_MODE_STATIC, .fold_parameters = TRUE, .gpu = gpu, .without = without
  };
  HybExecutor *executor = hyb_executor_new (graph, &options);
  HybShape     row = hyb_shape_1d (4), weight = hyb_shape_4d (4, 3, 3, 3);
  HybTensor   *variance = new_operand (&row);

  bind (executor, "x", new_operand (&convolution.data));
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      bind (executor, names[i], new_operand (i == 0 ? &weight : &row));
      hyb_executor_set_constant (executor, names[i], TRUE);
    }
  for (gsize i = 0; i < 4; i++)
    hyb_dtype_set_double (hyb_tensor_get_data (variance), HYB_F32, i, 0.5 + (double) i);
  bind (executor, "var", variance);
  hyb_executor_set_constant (executor, "var", TRUE);
  run (executor);
  run (executor);
  return executor;
}

/* With constant parameters nothing is left of a normalisation but the weights that were computed while planning. */
static void
test_batch_norm_is_folded (void)
{
  static const char *const without[] = { "fold-batch-norm", NULL };
  g_autoptr (HybGraph) graph = new_normed_graph ();
  g_autoptr (HybExecutor) plain = run_normed (graph, NULL, without);
  g_autoptr (HybExecutor) host = run_normed (graph, NULL, NULL);
  g_autoptr (HybExecutor) left = NULL;
  g_autoptr (HybExecutor) folded = NULL;
  g_autoptr (HybGpu) gpu = NULL;
  g_autofree char *text = NULL;

  g_assert_cmpuint (op_count_planned (plain, "BatchNorm"), ==, 1);
  g_assert_cmpuint (op_count_planned (host, "BatchNorm"), ==, 0);
  assert_near (host, plain);
  if (!set_up (""))
    return;
  gpu = open_gpu ();
  left = run_normed (graph, gpu, without);
  folded = run_normed (graph, gpu, NULL);
  g_assert_cmpuint (op_count_planned (left, "BatchNorm"), ==, 1);
  g_assert_cmpuint (op_count_planned (folded, "BatchNorm"), ==, 0);
  assert_near (left, plain);
  assert_near (folded, plain);
  text = hyb_plan_print (hyb_executor_get_plan (folded));
  if (!strstr (text, "1 steps on the GPU, 0 on the host"))
    g_error ("the convolution is not the only step:\n%s", text);
  g_clear_pointer (&folded, hyb_executor_free);
  g_clear_pointer (&left, hyb_executor_free);
  g_clear_pointer (&gpu, hyb_gpu_unref);
  assert_clean ();
}

/* Every call that cuDNN is asked while planning may fail: the host computes the step then. */
static void
test_failures (void)
{
  static const char *const names[] = {
    "cudnnCreateFilterDescriptor",
    "cudnnSetFilterNdDescriptor",
    "cudnnCreateConvolutionDescriptor",
    "cudnnSetConvolutionNdDescriptor",
    "cudnnSetConvolutionGroupCount",
    "cudnnSetConvolutionMathType",
    "cudnnGetConvolutionForwardAlgorithm_v7",
    "cudnnGetConvolutionForwardWorkspaceSize",
    "cudnnGetConvolutionBackwardDataAlgorithm_v7",
    "cudnnGetConvolutionBackwardDataWorkspaceSize",
    "cudnnGetConvolutionBackwardFilterAlgorithm_v7",
    "cudnnGetConvolutionBackwardFilterWorkspaceSize",
  };

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autofree char *setting = g_strdup_printf ("fail=%s:1:4000", names[i]);
      g_autofree char *reason = g_strdup_printf ("on the host: %s failed with ", names[i]);

      if (!set_up (setting))
        return;
      assert_places (&convolution, "2 steps on the GPU, 1 on the host", reason);
    }
}

TEST_PROGRAM (test_convolutions)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/engine/cuda/convolutions/batch-norm-is-folded-where-parameters-are-constant",
                   test_batch_norm_is_folded);
  g_test_add_func ("/engine/cuda/convolutions/all-passes-are-on-the-gpu", test_all_passes);
  g_test_add_func ("/engine/cuda/convolutions/the-host-pads-unevenly", test_uneven_padding);
  g_test_add_func ("/engine/cuda/convolutions/the-workspace-is-limited", test_workspace);
  g_test_add_func ("/engine/cuda/convolutions/every-run-gives-the-same-bytes", test_same_bytes);
  g_test_add_func ("/engine/cuda/convolutions/a-failure-while-planning-leaves-the-step-to-the-host",
                   test_failures);
  return g_test_run ();
}
