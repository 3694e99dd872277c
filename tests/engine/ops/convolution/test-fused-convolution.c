/* test-fused-convolution.c — the operators that passes put in place of Convolution, compared with
 * the operators they replace: sums, rectifiers, Winograd filters, merged BatchNorm.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/imperative/imperative.h"
#include "engine/kernels/simd/simd.h"
#include "tests/program.h"

#include <math.h>

#define FILTERS  20
#define CHANNELS 16

static HybTensor *
wave (HybShape shape, double phase, double offset)
{
  HybType type = { shape, HYB_F32 };
  g_autoptr (GError) error = NULL;
  HybTensor *tensor = hyb_tensor_new (&type, &error);
  float     *values = hyb_tensor_get_data (tensor);

  for (gint64 i = 0; i < hyb_tensor_get_size (tensor); i++)
    values[i] = (float) (offset + sin (0.37 * (double) i + phase));
  return tensor;
}

static void
call (const char        *name,
      const char *const *attributes,
      guint              n_inputs,
      HybTensor        **inputs,
      HybTensor        **outputs)
{
  const HybOp *op = hyb_op_find (name);
  g_autoptr (GError) error = NULL;
  gpointer params = NULL;

  if (op->params)
    params = hyb_params_parse (op->params, op->params_size, attributes, NULL, &error);
  g_assert_no_error (error);
  hyb_imperative_call (&(HybImperativeCall){ .op = op,
                                             .params = params,
                                             .n_inputs = n_inputs,
                                             .inputs = inputs,
                                             .outputs = outputs },
                       NULL, &error);
  g_assert_no_error (error);
  hyb_params_unref (params);
}

static void
test_sums_rectifiers_and_filters (void)
{
  g_autoptr (HybTensor) data = wave (hyb_shape_4d (2, CHANNELS, 9, 11), 0, 0);
  g_autoptr (HybTensor) weight = wave (hyb_shape_4d (FILTERS, CHANNELS, 3, 3), 1, 0);
  g_autoptr (HybTensor) bias = wave (hyb_shape_1d (FILTERS), 2, 0);
  g_autoptr (HybTensor) other = wave (hyb_shape_4d (2, FILTERS, 9, 11), 3, 0);
  g_autoptr (HybTensor) filters = NULL;
  g_autoptr (HybTensor) plain = NULL;

  if (hyb_simd_level () == HYB_SIMD_PLAIN)
    {
      g_test_skip ("no pass makes one on this processor");
      return;
    }
  call ("_winograd_filters", NULL, 1, &weight, &filters);
  call ("Convolution",
        (const char *[]){ "kernel", "(3, 3)", "num_filter", "20", "pad", "(1, 1)", NULL }, 3,
        (HybTensor *[]){ data, weight, bias }, &plain);
  for (guint winograd = 0; winograd < 2; winograd++)
    {
      g_autoptr (HybTensor) fused = NULL;

      call ("_fused_convolution",
            (const char *[]){ "kernel", "(3, 3)", "num_filter", "20", "pad", "(1, 1)", "has_bias",
                              "True", "adds", "True", "rectify", "True", "winograd",
                              winograd ? "True" : "False", NULL },
            4, (HybTensor *[]){ data, winograd ? filters : weight, bias, other }, &fused);

      for (gint64 i = 0; i < hyb_tensor_get_size (plain); i++)
        {
          double want = hyb_tensor_get_value (plain, i) + hyb_tensor_get_value (other, i);

          g_assert_cmpfloat_with_epsilon (hyb_tensor_get_value (fused, i), MAX (want, 0), 1e-4);
        }
    }
}

static void
test_folded_norm (void)
{
  const char *const attributes[] = {
    "eps", "0.01", "fix_gamma", "False", "has_bias", "True", NULL
  };
  HybTensor *inputs[6], *outputs[2] = { NULL };
  g_autoptr (GError) error = NULL;

  inputs[0] = wave (hyb_shape_4d (FILTERS, CHANNELS, 3, 3), 1, 0);
  for (guint i = 1; i < 6; i++)
    inputs[i] = wave (hyb_shape_1d (FILTERS), (double) i, i == 4 ? 2 : 0);
  call ("_fold_batch_norm", attributes, 6, inputs, outputs);
  for (gint64 f = 0; f < FILTERS; f++)
    {
      double scale =
          hyb_tensor_get_value (inputs[1], f) / sqrt (hyb_tensor_get_value (inputs[4], f) + 0.01);
      double bias = hyb_tensor_get_value (inputs[5], f) - hyb_tensor_get_value (inputs[3], f);
      gint64 at = f * CHANNELS * 9 + 5;

      g_assert_cmpfloat_with_epsilon (hyb_tensor_get_value (outputs[0], at),
                                      hyb_tensor_get_value (inputs[0], at) * scale, 1e-6);
      g_assert_cmpfloat_with_epsilon (hyb_tensor_get_value (outputs[1], f),
                                      bias * scale + hyb_tensor_get_value (inputs[2], f), 1e-6);
    }
  for (guint i = 0; i < 6; i++)
    hyb_tensor_unref (inputs[i]);
  for (guint i = 0; i < 2; i++)
    hyb_tensor_unref (outputs[i]);
}

/* A factor for each filter, one number for the summand, and no bias. */
static void
test_folded_scale (void)
{
  HybTensor *inputs[] = { wave (hyb_shape_4d (FILTERS, CHANNELS, 3, 3), 1, 0),
                          wave (hyb_shape_make (3, (gint64[]){ FILTERS, 1, 1 }), 2, 0),
                          wave (hyb_shape_1d (1), 3, 0) };
  HybTensor *outputs[2] = { NULL };

  call ("_fold_scale", (const char *[]){ "has_factor", "True", "has_summand", "True", NULL }, 3,
        inputs, outputs);
  for (gint64 f = 0; f < FILTERS; f++)
    {
      gint64 at = f * CHANNELS * 9 + 5;

      g_assert_cmpfloat_with_epsilon (hyb_tensor_get_value (outputs[0], at),
                                      hyb_tensor_get_value (inputs[0], at) *
                                          hyb_tensor_get_value (inputs[1], f),
                                      1e-6);
      g_assert_cmpfloat (hyb_tensor_get_value (outputs[1], f), ==,
                         hyb_tensor_get_value (inputs[2], 0));
    }
  for (guint i = 0; i < 3; i++)
    hyb_tensor_unref (inputs[i]);
  for (guint i = 0; i < 2; i++)
    hyb_tensor_unref (outputs[i]);
}

TEST_PROGRAM (test_fused_convolution)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/engine/ops/fused-convolution/sums-rectifiers-and-filters",
                   test_sums_rectifiers_and_filters);
  g_test_add_func ("/engine/ops/fused-convolution/folded-norm", test_folded_norm);
  g_test_add_func ("/engine/ops/fused-convolution/folded-scale", test_folded_scale);

  return g_test_run ();
}
