/* test-convolutions.c — convolutions with BatchNorm folded, filters transformed, sums and
 * rectifiers taken in: the same numbers, and nothing where somebody else looks on.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/block/trace.h"
#include "engine/exec/executor.h"
#include "engine/kernels/convolution/direct-convolution.h"
#include "engine/kernels/simd/simd.h"
#include "tests/engine/ops/op-plan.h"
#include "tests/program.h"

#include <math.h>

#define CHANNELS 16
#define SIZE     12

/* A block of a residual network: relu (bn (conv (relu (bn (conv (x))))) + x), and what else the
 * graph shows. */
typedef enum
{
  SHOW_RESULT,
  SHOW_INSIDE, /* also the first convolution */
} Show;

static HybValue *
convolve (HybF *F, HybValue *x, const char *weight, HybValue *bias)
{
  HybValue *w = hyb_value_variable (F, weight, NULL);

  return HYB_OP (F, "Convolution", .in = { x, w, bias },
                 .attributes =
                     HYB_WITH ("kernel", "(3, 3)", "pad", "(1, 1)", "num_filter",
                               G_STRINGIFY (CHANNELS), "no_bias", bias ? "False" : "True"));
}

static HybValue *
normalise (HybF *F, HybValue *x, const char *prefix)
{
  static const char *const names[] = { "gamma", "beta", "mean", "var" };
  HybValue                *in[4];

  for (guint i = 0; i < 4; i++)
    in[i] = hyb_value_variable (F, hyb_f_text (F, "%s_%s", prefix, names[i]), NULL);
  return HYB_OP (F, "BatchNorm", .in = { x, in[0], in[1], in[2], in[3] },
                 .attributes = HYB_WITH ("fix_gamma", "False", "eps", "0.01"));
}

static HybValue *
rectify (HybF *F, HybValue *x)
{
  return HYB_OP (F, "Activation", .in = { x }, .attributes = HYB_WITH ("act_type", "relu"));
}

static HybGraph *
trace (Show show)
{
  g_autoptr (HybF) F = hyb_f_new_trace (FALSE);
  g_autoptr (GError) error = NULL;
  HybValue *x = hyb_value_variable (F, "data", NULL);
  HybValue *first = convolve (F, x, "w0", hyb_value_variable (F, "bias0", NULL));
  HybValue *y = rectify (F, normalise (F, first, "n0"));
  HybGraph *graph;

  y = normalise (F, convolve (F, y, "w1", NULL), "n1");
  y = rectify (F, HYB_OP (F, "elemwise_add", .in = { x, y }));
  graph = hyb_f_finish (F, show == SHOW_INSIDE ? hyb_list (F, 2, (HybValue *[]){ y, first }) : y,
                        &error);
  g_assert_no_error (error);
  return graph;
}

static void
bind (HybExecutor *executor, HybGraph *graph)
{
  const HybNodeId *variables;
  guint            n;

  variables = hyb_graph_get_variables (graph, &n);
  for (guint v = 0; v < n; v++)
    {
      const char *name = hyb_graph_get_node (graph, variables[v])->name;
      gboolean    is_data = g_str_equal (name, "data");
      HybShape    shape = is_data                         ? hyb_shape_4d (2, CHANNELS, SIZE, SIZE)
                          : g_str_equal (name, "depth_w") ? hyb_shape_4d (CHANNELS, 1, 3, 3)
                          : g_str_has_prefix (name, "w")  ? hyb_shape_4d (CHANNELS, CHANNELS, 3, 3)
                                                          : hyb_shape_1d (CHANNELS);
      HybType     type = { shape, HYB_F32 };
      double      offset = g_str_has_suffix (name, "var") ? 1.5 : 0;
      g_autoptr (GError) error = NULL;
      g_autoptr (HybTensor) tensor = hyb_tensor_new (&type, &error);
      float *values = hyb_tensor_get_data (tensor);

      for (gint64 i = 0; i < hyb_tensor_get_size (tensor); i++)
        values[i] = (float) (offset + sin (0.7 * (double) (i + 1) + 3 * (double) v));
      g_assert_true (hyb_executor_bind (executor, name, tensor, &error));
      hyb_executor_set_constant (executor, name, !is_data);
    }
}

typedef struct
{
  HybTensor *output;
  guint      n_norms, n_sums, n_rectifiers, n_filters;
} Result;

static Result
run (Show show, const char *without)
{
  const char *const  names[] = { without, NULL };
  HybExecutorOptions options = { .mode = HYB_MODE_STATIC,
                                 .fold_parameters = TRUE,
                                 .without = without ? names : NULL };
  g_autoptr (HybGraph) graph = trace (show);
  g_autoptr (HybExecutor) executor = NULL;
  g_autoptr (GError) error = NULL;
  Result result;

  if (g_strcmp0 (without, "all") == 0)
    options = (HybExecutorOptions){ .mode = HYB_MODE_STATIC, .no_passes = TRUE };
  executor = hyb_executor_new (graph, &options);
  bind (executor, graph);
  for (guint turn = 0; turn < 2; turn++)
    g_assert_true (hyb_executor_run (executor, NULL, &error));
  g_assert_no_error (error);
  result = (Result){ .output = hyb_tensor_copy (hyb_executor_get_output (executor, 0)),
                     .n_norms = op_count_planned (executor, "BatchNorm"),
                     .n_sums = op_count_planned (executor, "elemwise_add"),
                     .n_rectifiers = op_count_planned (executor, "Activation"),
                     .n_filters = op_count_planned (executor, "_winograd_filters") };
  return result;
}

static void
compare (const Result *a, const Result *b)
{
  double greatest = 0;

  for (gint64 i = 0; i < hyb_tensor_get_size (a->output); i++)
    greatest = MAX (greatest, fabs (hyb_tensor_get_value (b->output, i)));
  for (gint64 i = 0; i < hyb_tensor_get_size (a->output); i++)
    g_assert_cmpfloat (fabs (hyb_tensor_get_value (a->output, i) -
                             hyb_tensor_get_value (b->output, i)),
                       <, 1e-5 * greatest);
}

static gboolean
is_plain (void)
{
  if (hyb_simd_level () > HYB_SIMD_PLAIN)
    return FALSE;
  g_test_skip ("convolutions are left as they are on this processor");
  return TRUE;
}

static void
test_everything_becomes_two_convolutions (void)
{
  Result plain = run (SHOW_RESULT, "all"), fused = run (SHOW_RESULT, NULL);

  compare (&fused, &plain);
  g_assert_cmpuint (plain.n_norms, ==, 2);
  g_assert_cmpuint (plain.n_rectifiers, ==, 2);
  g_assert_cmpuint (fused.n_norms, ==, 0);
  if (!is_plain ())
    {
      g_assert_cmpuint (fused.n_sums, ==, 0);
      g_assert_cmpuint (fused.n_rectifiers, ==, 0);
      g_assert_cmpuint (fused.n_filters, ==, 2);
    }
  hyb_tensor_unref (plain.output);
  hyb_tensor_unref (fused.output);
}

static void
test_each_can_be_left_out (void)
{
  Result plain = run (SHOW_RESULT, "all"), normed = run (SHOW_RESULT, "fold-batch-norm");
  Result direct = run (SHOW_RESULT, "transform-filters");
  Result open = run (SHOW_RESULT, "finish-convolutions");

  compare (&normed, &plain);
  compare (&direct, &plain);
  compare (&open, &plain);
  g_assert_cmpuint (normed.n_norms, ==, 2);
  g_assert_cmpuint (direct.n_filters, ==, 0);
  g_assert_cmpuint (open.n_rectifiers, ==, 2);
  g_assert_cmpuint (open.n_sums, ==, 1);
  hyb_tensor_unref (plain.output);
  hyb_tensor_unref (normed.output);
  hyb_tensor_unref (direct.output);
  hyb_tensor_unref (open.output);
}

static void
test_what_is_shown_stays (void)
{
  Result plain = run (SHOW_INSIDE, "all"), fused = run (SHOW_INSIDE, NULL);

  compare (&fused, &plain);
  g_assert_cmpuint (fused.n_norms, ==, 1); /* behind the convolution that is shown */
  if (!is_plain ())
    g_assert_cmpuint (fused.n_rectifiers, ==, 1);
  hyb_tensor_unref (plain.output);
  hyb_tensor_unref (fused.output);
}

/* Recursion for each of them would take quadratic time and overflow the stack. */
static void
test_many_rectifiers (void)
{
  HybExecutorOptions options = { .mode = HYB_MODE_STATIC };
  g_autoptr (HybF) F = hyb_f_new_trace (FALSE);
  g_autoptr (GError) error = NULL;
  g_autoptr (HybGraph) graph = NULL;
  g_autoptr (HybExecutor) executor = NULL;
  HybValue *y = hyb_value_variable (F, "data", NULL);

  for (guint i = 0; i < 100000; i++)
    y = rectify (F, y);
  graph = hyb_f_finish (F, y, &error);
  g_assert_no_error (error);
  executor = hyb_executor_new (graph, &options);
  bind (executor, graph);
  g_assert_true (hyb_executor_run (executor, NULL, &error));
  g_assert_no_error (error);
}

static Result
run_graph_with_leaky (HybGraph *graph, gboolean passes)
{
  HybExecutorOptions options = { .mode = HYB_MODE_STATIC,
                                 .fold_parameters = TRUE,
                                 .no_passes = !passes };
  g_autoptr (GError) error = NULL;
  g_autoptr (HybExecutor) executor = hyb_executor_new (graph, &options);

  bind (executor, graph);
  g_assert_true (hyb_executor_run (executor, NULL, &error));
  return (Result){ .output = hyb_tensor_copy (hyb_executor_get_output (executor, 0)),
                   .n_sums = op_count_planned (executor, "elemwise_add"),
                   .n_rectifiers = op_count_planned (executor, "LeakyReLU") };
}

/* A convolution and the LeakyReLU that reads it. */
static Result
run_leaky (const char *act_type, const char *slope, gboolean passes)
{
  g_autoptr (HybF) F = hyb_f_new_trace (FALSE);
  g_autoptr (GError) error = NULL;
  HybValue *y = convolve (F, hyb_value_variable (F, "data", NULL), "w0", NULL);
  g_autoptr (HybGraph) graph = NULL;

  y = HYB_OP (F, "LeakyReLU", .in = { y },
              .attributes = slope ? HYB_WITH ("act_type", act_type, "slope", slope)
                                  : HYB_WITH ("act_type", act_type));
  graph = hyb_f_finish (F, y, &error);
  g_assert_no_error (error);
  return run_graph_with_leaky (graph, passes);
}

static void
test_leaky_rectifiers (void)
{
  static const struct
  {
    const char *act_type, *slope;
    guint       n_left;
  } cases[] = { { "leaky", "0.1", 0 },
                { "leaky", NULL, 0 },
                { "leaky", "-0.5", 0 },
                { "leaky", "0", 1 },
                { "elu", "0.1", 1 } };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      Result plain = run_leaky (cases[i].act_type, cases[i].slope, FALSE);
      Result fused = run_leaky (cases[i].act_type, cases[i].slope, TRUE);

      compare (&fused, &plain);
      g_assert_cmpuint (plain.n_rectifiers, ==, 1);
      if (hyb_simd_level () > HYB_SIMD_PLAIN)
        g_assert_cmpuint (fused.n_rectifiers, ==, cases[i].n_left);
      hyb_tensor_unref (plain.output);
      hyb_tensor_unref (fused.output);
    }
}

/* What stands between a convolution and its LeakyReLU. */
typedef enum
{
  LEAKY_AFTER_SUM,       /* convolution + data */
  LEAKY_AFTER_SUM_FIRST, /* data + convolution */
  LEAKY_DEPTHWISE,       /* nothing: the convolution is depthwise */
  N_LEAKY,
} LeakyChain;

static HybGraph *
trace_leaky_chain (LeakyChain chain, const char *slope)
{
  g_autoptr (HybF) F = hyb_f_new_trace (FALSE);
  g_autoptr (GError) error = NULL;
  HybValue *x = hyb_value_variable (F, "data", NULL), *y;
  HybGraph *graph;

  if (chain == LEAKY_DEPTHWISE)
    y = HYB_OP (F, "Convolution", .in = { x, hyb_value_variable (F, "depth_w", NULL), NULL },
                .attributes = HYB_WITH ("kernel", "(3, 3)", "pad", "(1, 1)", "num_filter",
                                        G_STRINGIFY (CHANNELS), "num_group", G_STRINGIFY (CHANNELS),
                                        "no_bias", "True"));
  else
    y = convolve (F, x, "w0", NULL);
  if (chain == LEAKY_AFTER_SUM)
    y = HYB_OP (F, "elemwise_add", .in = { y, x });
  else if (chain == LEAKY_AFTER_SUM_FIRST)
    y = HYB_OP (F, "elemwise_add", .in = { x, y });
  y = HYB_OP (F, "LeakyReLU", .in = { y },
              .attributes = slope ? HYB_WITH ("act_type", "leaky", "slope", slope)
                                  : HYB_WITH ("act_type", "leaky"));
  graph = hyb_f_finish (F, y, &error);
  g_assert_no_error (error);
  return graph;
}

static Result
run_leaky_chain (LeakyChain chain, const char *slope, gboolean passes)
{
  g_autoptr (HybGraph) graph = trace_leaky_chain (chain, slope);

  return run_graph_with_leaky (graph, passes);
}

/* The slope reaches the fused node through a sum and in a depthwise convolution. */
static void
test_leaky_chains (void)
{
  static const char *const slopes[] = { "0.1", NULL, "-0.5" };

  for (guint at = 0; at < N_LEAKY * G_N_ELEMENTS (slopes); at++)
    {
      LeakyChain  chain = (LeakyChain) (at % N_LEAKY);
      const char *slope = slopes[at / N_LEAKY];
      Result      plain = run_leaky_chain (chain, slope, FALSE);
      Result      fused = run_leaky_chain (chain, slope, TRUE);

      compare (&fused, &plain);
      g_assert_cmpuint (plain.n_rectifiers, ==, 1);
      g_assert_cmpuint (plain.n_sums, ==, chain == LEAKY_DEPTHWISE ? 0 : 1);
      if (chain == LEAKY_DEPTHWISE || hyb_simd_level () > HYB_SIMD_PLAIN)
        {
          g_assert_cmpuint (fused.n_rectifiers, ==, 0);
          g_assert_cmpuint (fused.n_sums, ==, 0);
        }
      hyb_tensor_unref (plain.output);
      hyb_tensor_unref (fused.output);
    }
}

TEST_PROGRAM (test_convolutions)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/engine/passes/convolutions/everything-becomes-two-convolutions",
                   test_everything_becomes_two_convolutions);
  g_test_add_func ("/engine/passes/convolutions/each-can-be-left-out", test_each_can_be_left_out);
  g_test_add_func ("/engine/passes/convolutions/what-is-shown-stays", test_what_is_shown_stays);
  g_test_add_func ("/engine/passes/convolutions/a-chain-of-rectifiers-may-be-long",
                   test_many_rectifiers);
  g_test_add_func ("/engine/passes/convolutions/leaky-rectifiers-are-taken-in",
                   test_leaky_rectifiers);
  g_test_add_func ("/engine/passes/convolutions/leaky-rectifiers-after-sums-and-depthwise",
                   test_leaky_chains);

  return g_test_run ();
}
