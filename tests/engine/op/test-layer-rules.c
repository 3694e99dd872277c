/* test-layer-rules.c — tests of shape inference in layers: parameters and labels from the data, and
 * the data from parameters and outputs.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/engine/ops/op-check.h"
#include "tests/program.h"

#include "engine/base/error.h"

#include <string.h>

/* "(2, ?, 3)" as a shape; "?" is unknown altogether. */
static HybShape
read_shape (const char *text)
{
  HybShape shape = { .rank = HYB_UNKNOWN };

  if (*text == '?')
    return shape;

  shape.rank = 0;
  for (const char *at = text + 1; *at != ')' && *at != '\0'; at += strspn (at, ", "))
    {
      gsize n = strcspn (at, ",)");

      shape.dim[shape.rank++] = *at == '?' ? HYB_UNKNOWN : g_ascii_strtoll (at, NULL, 10);
      at += n;
    }
  return shape;
}

/* shapes: those of inputs, then of outputs; they must become expected. */
static void
check_rule (const char *name, const char *attributes, const char *shapes, const char *expected)
{
  const HybOp *op = hyb_op_find (name);
  g_auto (GStrv) pairs = op_attributes_from_text (attributes);
  g_auto (GStrv) texts = g_strsplit (shapes, " | ", -1);
  g_autoptr (GError) error = NULL;
  g_autoptr (GString) got = g_string_new (NULL);
  HybType types[8];
  HybCall call = { .op = op, .input = types, .legacy_shapes = TRUE };

  call.params =
      hyb_params_parse (op->params, op->params_size, (const char *const *) pairs, NULL, &error);
  g_assert_no_error (error);
  hyb_op_arity (op, call.params, &call.n_inputs, &call.n_outputs);
  g_assert_cmpuint (g_strv_length (texts), ==, call.n_inputs + call.n_outputs);
  call.output = types + call.n_inputs;
  for (guint i = 0; i < call.n_inputs + call.n_outputs; i++)
    types[i] = (HybType){ read_shape (texts[i]), HYB_F32 };

  for (int round = 0; round < 3; round++)
    {
      op->infer_shape (&call, &error);
      g_assert_no_error (error);
    }

  for (guint i = 0; i < call.n_inputs + call.n_outputs; i++)
    {
      g_autofree char *text = hyb_shape_to_string (&types[i].shape);

      g_string_append_printf (got, "%s%s", i > 0 ? " | " : "", text);
    }
  g_assert_cmpstr (got->str, ==, expected);
  hyb_params_unref ((gpointer) call.params);
}

/* The number of parameters of a layer tells the features of its input: 4 × 3 + 4 × 4 + 2 × 4 are 36. */
static void
test_features_follow_from_packed_parameters (void)
{
  check_rule ("RNN", "state_size=4 num_layers=1 mode=rnn_tanh", "(5, 2, ?) | (36,) | ? | ?",
              "(5, 2, 3) | (36,) | (1, 2, 4) | (5, 2, 4)");
}

/* Parameters alone do not say which samples they are for. */
static void
test_samples_of_a_density_may_be_unknown (void)
{
  check_rule ("_random_pdf_normal", NULL, "? | (3,) | ? | ?", "? | (3,) | (3,) | ?");
}

/* As long as one operand is unknown, so is the result. */
static void
test_unknown_operands_leave_the_result_unknown (void)
{
  check_rule ("take", "axis=0", "? | (3,) | ?", "? | (3,) | ?");
  check_rule ("take", "axis=0", "(4, 5) | ? | ?", "(4, 5) | ? | ?");
  check_rule ("_npi_concatenate", "num_args=2 axis=0", "(2, 5) | (?, 5) | ?",
              "(2, 5) | (?, 5) | (?, 5)");
  check_rule ("_npi_concatenate", "num_args=2 axis=0", "(2, 5) | (3, 5) | ?",
              "(2, 5) | (3, 5) | (5, 5)");
}

static void
test_parameters_follow_from_data (void)
{
  check_rule ("FullyConnected", "num_hidden=5", "(2, 3, 4) | ? | ? | ?",
              "(2, 3, 4) | (5, 12) | (5,) | (2, 5)");
  check_rule ("FullyConnected", "num_hidden=5 flatten=False no_bias=True", "(?, 3, 4) | ? | ?",
              "(?, 3, 4) | (5, 4) | (?, 3, 5)");
  check_rule ("Convolution", "num_filter=8 kernel=(3, 3) num_group=2 pad=(1, 1) stride=(2, 2)",
              "(?, 4, 7, 8) | ? | ? | ?", "(?, 4, 7, 8) | (8, 2, 3, 3) | (8,) | (?, 8, 4, 4)");
  check_rule ("Deconvolution", "num_filter=8 kernel=(4,) num_group=2 stride=(2,) pad=(1,)",
              "(1, 4, 7) | ? | ?", "(1, 4, 7) | (4, 4, 4) | (1, 8, 14)");
  check_rule ("Embedding", "input_dim=9 output_dim=3", "(2, ?) | ? | ?",
              "(2, ?) | (9, 3) | (2, ?, 3)");
}

static void
test_data_follows_from_parameters_and_outputs (void)
{
  check_rule ("FullyConnected", "num_hidden=5", "(?, ?) | (5, 7) | ? | (4, ?)",
              "(4, 7) | (5, 7) | (5,) | (4, 5)");
  check_rule ("FullyConnected", "num_hidden=5 flatten=False no_bias=True", "? | (5, 7) | (2, 3, ?)",
              "(2, 3, 7) | (5, 7) | (2, 3, 5)");
  check_rule ("Convolution", "num_filter=8 kernel=(3, 3) num_group=2 stride=(1, 2) no_bias=True",
              "? | (?, 2, ?, ?) | (6, ?, 5, 5)", "(6, 4, 7, ?) | (8, 2, 3, 3) | (6, 8, 5, 5)");
  check_rule ("Embedding", "input_dim=9 output_dim=3", "? | ? | (2, 4, ?)",
              "(2, 4) | (9, 3) | (2, 4, 3)");
  check_rule ("BatchNorm", NULL, "(?, ?, 4) | ? | (3,) | ? | ? | ? | ? | ?",
              "(?, 3, 4) | (3,) | (3,) | (3,) | (3,) | (?, 3, 4) | (3,) | (3,)");
  check_rule ("Pooling", "kernel=(2,)", "(?, ?, 5) | (4, 3, ?)", "(4, 3, 5) | (4, 3, 4)");
}

static void
test_labels_follow_from_data (void)
{
  check_rule ("SoftmaxOutput", NULL, "(4, 3) | ? | ?", "(4, 3) | (4,) | (4, 3)");
  check_rule ("SoftmaxOutput", "multi_output=True", "(4, 3, 2, 5) | ? | ?",
              "(4, 3, 2, 5) | (4, 10) | (4, 3, 2, 5)");
  check_rule ("LinearRegressionOutput", NULL, "(4, 1) | ? | ?", "(4, 1) | (4,) | (4, 1)");
  check_rule ("LinearRegressionOutput", NULL, "(4, 2) | ? | ?", "(4, 2) | (4, 2) | (4, 2)");
}

static void
test_sizes_beyond_all_images_are_refused (void)
{
  const HybOp *op = hyb_op_find ("Convolution");
  g_auto (GStrv) pairs = op_attributes_from_text ("num_filter=1 kernel=(3,) no_bias=True");
  g_autoptr (GError) error = NULL;
  HybType types[3];
  HybCall call = { .op = op, .input = types, .output = types + 2, .n_inputs = 2, .n_outputs = 1 };

  call.params =
      hyb_params_parse (op->params, op->params_size, (const char *const *) pairs, NULL, &error);
  g_assert_no_error (error);
  for (int i = 0; i < 3; i++)
    types[i] = (HybType){ HYB_SHAPE_UNKNOWN, HYB_F32 };
  types[0].shape = hyb_shape_3d (1, 1, G_MAXINT64);

  g_assert_false (op->infer_shape (&call, &error));
  g_assert_nonnull (strstr (error->message, "cells along axis 2"));
  hyb_params_unref ((gpointer) call.params);
}

/* What a reader knows of an output is held against the inputs. */
static void
test_outputs_that_contradict_inputs (void)
{
  static const struct
  {
    const char *op, *attributes, *shapes;
  } cases[] = {
    { "_linalg_potrf", NULL, "(3, 3) | (2, 2)" },
    { "slice_axis", "axis=0 begin=0 end=2", "(4, 3) | (3, 3)" },
    { "slice_axis", "axis=0 begin=0 end=2", "(4, 3) | (2, 4)" },
    { "_backward_sample_multinomial", NULL, "(2, 4) | (2, 3) | (2, 4) | (2, 4)" },
    { "_backward_sample_multinomial", NULL, "(2, 4) | (2, 3) | (2, 5) | (2, 3)" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      const HybOp *op = hyb_op_find (cases[i].op);
      g_auto (GStrv) pairs = op_attributes_from_text (cases[i].attributes);
      g_auto (GStrv) texts = g_strsplit (cases[i].shapes, " | ", -1);
      g_autoptr (GError) error = NULL;
      HybType types[8];
      HybCall call = { .op = op, .input = types, .n_outputs = 1 };

      if (op->params)
        call.params = hyb_params_parse (op->params, op->params_size, (const char *const *) pairs,
                                        NULL, &error);
      g_assert_no_error (error);
      call.n_inputs = g_strv_length (texts) - 1;
      call.output = types + call.n_inputs;
      for (guint k = 0; texts[k]; k++)
        types[k] = (HybType){ read_shape (texts[k]), HYB_F32 };
      g_test_message ("%s %s", cases[i].op, cases[i].shapes);
      g_assert_false (op->infer_shape (&call, &error));
      g_assert_error (error, HYB_GRAPH_ERROR, HYB_GRAPH_ERROR_TYPES);
      hyb_params_unref ((gpointer) call.params);
    }
}

/* Axes are counted from the last one. */
static void
test_broadcasting (void)
{
  check_rule ("_npi_add", NULL, "(4, 2, 1) | (3) | ?", "(4, 2, 1) | (3,) | (4, 2, 3)");
  check_rule ("_npi_add", NULL, "(5) | (4, 1) | ?", "(5,) | (4, 1) | (4, 5)");
}

TEST_PROGRAM (test_layer_rules)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/engine/ops/layer-rules/unknown-operands-leave-the-result-unknown",
                   test_unknown_operands_leave_the_result_unknown);
  g_test_add_func ("/engine/ops/layer-rules/features-follow-from-packed-parameters",
                   test_features_follow_from_packed_parameters);
  g_test_add_func ("/engine/ops/layer-rules/samples-of-a-density-may-be-unknown",
                   test_samples_of_a_density_may_be_unknown);
  g_test_add_func ("/engine/ops/layer-rules/outputs-that-contradict-inputs",
                   test_outputs_that_contradict_inputs);
  g_test_add_func ("/engine/ops/layer-rules/broadcasting-counts-axes-from-the-last",
                   test_broadcasting);
  g_test_add_func ("/engine/ops/layer-rules/parameters-follow-from-data",
                   test_parameters_follow_from_data);
  g_test_add_func ("/engine/ops/layer-rules/data-follows-from-parameters-and-outputs",
                   test_data_follows_from_parameters_and_outputs);
  g_test_add_func ("/engine/ops/layer-rules/labels-follow-from-data", test_labels_follow_from_data);
  g_test_add_func ("/engine/ops/layer-rules/sizes-beyond-all-images-are-refused",
                   test_sizes_beyond_all_images_are_refused);

  return g_test_run ();
}
