/* test-gates.c — _lstm_gates and _gru_gates, compared with the formulas of the cells in double.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/imperative/imperative.h"
#include "tests/engine/ops/op-check.h"
#include "tests/program.h"

#include <math.h>

/* More than one block of gates.c, the last one incomplete. */
#define HIDDEN 300
#define BATCH  3

static const OpSample samples[] = {
  { "_lstm_gates", "a state of one element", NULL, { "f32[1,4]", "f32[1,4]", "f32[1,1]" } },
  { "_lstm_gates", "several rows", NULL, { "f32[3,20]", "f32[3,20]", "f32[3,5]" } },
  { "_lstm_gates", "no rows", NULL, { "f32[0,20]", "f32[0,20]", "f32[0,5]" } },
  { "_gru_gates", "several rows", NULL, { "f32[3,15]", "f32[3,15]", "f32[3,5]" } },
  { "_recording_lstm_gates", "several rows", NULL, { "f32[3,20]", "f32[3,20]", "f32[3,5]" } },
  { "_recording_gru_gates", "several rows", NULL, { "f32[3,15]", "f32[3,15]", "f32[3,5]" } },
  { 0 },
};

static const OpRefusal refusals[] = {
  { "_lstm_gates", "gates of another size", NULL, { "f32[3,19]", "f32[3,20]", "f32[3,5]" }, "19" },
  { 0 },
};

static HybTensor *
wave (gint64 columns, double phase)
{
  HybType type = { hyb_shape_2d (BATCH, columns), HYB_F32 };
  g_autoptr (GError) error = NULL;
  HybTensor *tensor = hyb_tensor_new (&type, &error);
  float     *values = hyb_tensor_get_data (tensor);

  for (gint64 i = 0; i < BATCH * columns; i++)
    values[i] = (float) (3 * sin (0.37 * (double) i + phase));
  return tensor;
}

static double
sigmoid (double x)
{
  return 1 / (1 + exp (-x));
}

/* The argument of the activation of gate number k. */
static double
sum_at (HybTensor *const *inputs, gint64 n_gates, gint64 row, gint64 k, gint64 j)
{
  gint64 at = (row * n_gates + k) * HIDDEN + j;

  return hyb_tensor_get_value (inputs[0], at) + hyb_tensor_get_value (inputs[1], at);
}

static void
run (const char *op, gint64 n_gates, HybTensor **inputs, HybTensor **outputs)
{
  g_autoptr (GError) error = NULL;

  inputs[0] = wave (n_gates * HIDDEN, 0.1);
  inputs[1] = wave (n_gates * HIDDEN, 1.7);
  inputs[2] = wave (HIDDEN, 0.9);
  g_assert_true (hyb_imperative_call (&(HybImperativeCall){ .op = hyb_op_find (op),
                                                            .n_inputs = 3,
                                                            .inputs = inputs,
                                                            .outputs = outputs },
                                      NULL, &error));
  g_assert_no_error (error);
}

static void
clear (HybTensor **inputs, HybTensor **outputs, guint n_outputs)
{
  for (guint i = 0; i < 3; i++)
    hyb_tensor_unref (inputs[i]);
  for (guint i = 0; i < n_outputs; i++)
    hyb_tensor_unref (outputs[i]);
}

static void
test_lstm (void)
{
  HybTensor *inputs[3], *outputs[2] = { NULL };

  run ("_lstm_gates", 4, inputs, outputs);
  for (gint64 row = 0; row < BATCH; row++)
    for (gint64 j = 0; j < HIDDEN; j++)
      {
        gint64 at = row * HIDDEN + j;
        double i = sigmoid (sum_at (inputs, 4, row, 0, j));
        double f = sigmoid (sum_at (inputs, 4, row, 1, j));
        double g = tanh (sum_at (inputs, 4, row, 2, j));
        double o = sigmoid (sum_at (inputs, 4, row, 3, j));
        double c = f * hyb_tensor_get_value (inputs[2], at) + i * g;

        g_assert_cmpfloat_with_epsilon (hyb_tensor_get_value (outputs[1], at), c, 2e-6);
        g_assert_cmpfloat_with_epsilon (hyb_tensor_get_value (outputs[0], at), o * tanh (c), 2e-6);
      }
  clear (inputs, outputs, 2);
}

static void
test_gru (void)
{
  HybTensor *inputs[3], *outputs[1] = { NULL };

  run ("_gru_gates", 3, inputs, outputs);
  for (gint64 row = 0; row < BATCH; row++)
    for (gint64 j = 0; j < HIDDEN; j++)
      {
        gint64 at = row * HIDDEN + j, last = (row * 3 + 2) * HIDDEN + j;
        double r = sigmoid (sum_at (inputs, 3, row, 0, j));
        double z = sigmoid (sum_at (inputs, 3, row, 1, j));
        double n = tanh (hyb_tensor_get_value (inputs[0], last) +
                         r * hyb_tensor_get_value (inputs[1], last));

        g_assert_cmpfloat_with_epsilon (hyb_tensor_get_value (outputs[0], at),
                                        (1 - z) * n + z * hyb_tensor_get_value (inputs[2], at),
                                        2e-6);
      }
  clear (inputs, outputs, 1);
}

TEST_PROGRAM (test_gates)
{
  g_test_init (&argc, &argv, NULL);

  op_check_family ("gates", hyb_ops_gates, samples, refusals);
  g_test_add_func ("/engine/ops/gates/lstm-follows-its-formula", test_lstm);
  g_test_add_func ("/engine/ops/gates/gru-follows-its-formula", test_gru);

  return g_test_run ();
}
