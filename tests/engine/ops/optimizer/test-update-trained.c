/* test-update-trained.c — the updates of a trainer as operators: samples and refusals for op-check.h, and the
 * bytes of the trainer's own updates on the processor.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/train/optimizer-private.h"
#include "tests/engine/ops/op-check.h"
#include "tests/program.h"

#include <math.h>
#include <string.h>

#define OPERANDS "f32[2,3] 0.1..2", "f32[2,3] 0.1..2", "f64[2,4] 0.1..0.9", "f64[2] 0.1..0.9"

static const OpSample samples[] = {
  { "_update_sgd", "plain", "row=1", { OPERANDS } },
  { "_update_sgd",
    "with momentum",
    "row=1 momentum=0.9 states=1",
    { OPERANDS, "f32[2,3] 0.1..2" } },
  { "_update_nag", "plain", NULL, { OPERANDS } },
  { "_update_nag", "with momentum", "momentum=0.9 states=1", { OPERANDS, "f32[2,3] 0.1..2" } },
  { "_update_adam",
    "plain",
    "beta1=0.9 beta2=0.99 epsilon=1e-8 states=2",
    { OPERANDS, "f32[2,3] 0.1..2", "f32[2,3] 0.1..2" } },
  { "_update_rmsprop",
    "limited",
    "beta1=0.9 epsilon=1e-8 states=1 clip_weights=0.5",
    { OPERANDS, "f32[2,3] 0.1..2" } },
  { "_update_rmsprop",
    "centred",
    "beta1=0.9 momentum=0.8 epsilon=10 states=3",
    { OPERANDS, "f32[2,3] 0.1..2", "f32[2,3] 0.1..2", "f32[2,3] 0.1..2" } },
  { "_update_adagrad", "plain", "epsilon=1e-7 states=1", { OPERANDS, "f32[2,3] 0.1..2" } },
  { "_update_adadelta",
    "plain",
    "beta1=0.9 epsilon=1e-5 states=2",
    { OPERANDS, "f32[2,3] 0.1..2", "f32[2,3] 0.1..2" } },
  { "_update_norm", "without a limit", "num_gradients=2", { "f32[5000]", "f32[3,4]" } },
  { "_update_norm", "limited", "num_gradients=3 limit=0.5", { "f32[700]", "f32[1]", "f32[3,4]" } },
  { "_update_norm", "below the limit", "num_gradients=1 limit=1000", { "f32[7]" } },
  { "_update_state", "plain", NULL, { "f32[2,3]", "f32[2,3]" } },
  { 0 },
};

static const OpRefusal refusals[] = {
  { "_update_sgd", "a row beyond the numbers", "row=2", { OPERANDS }, "there is no row 2" },
  { "_update_sgd",
    "a gradient of another shape",
    NULL,
    { "f32[2,3]", "f32[3]", "f64[2,4]", "f64[2]" },
    "" },
  { "_update_adam",
    "states of half precision",
    "states=2",
    { OPERANDS, "f16[2,3]", "f16[2,3]" },
    "" },
  { "_update_norm", "integers", "num_gradients=1", { "i32[2]" }, "not of a float type" },
  { 0 },
};

#define N 1000

/* A row of values around 0. */
static void
fill (float *x, double step)
{
  for (int i = 0; i < N; i++)
    x[i] = (float) sin (step * (i + 1));
}

static HybTensor *
new_tensor (const float *x, HybDType dtype)
{
  HybType    type = { hyb_shape_1d (N), dtype };
  HybTensor *tensor = hyb_tensor_new (&type, NULL);

  hyb_dtype_convert (hyb_tensor_get_data (tensor), dtype, x, HYB_F32, N);
  return tensor;
}

static HybTensor *
new_doubles (int rows, int columns, const double *values)
{
  HybType    type = { rows > 0 ? hyb_shape_2d (rows, columns) : hyb_shape_1d (columns), HYB_F64 };
  HybTensor *tensor = hyb_tensor_new (&type, NULL);

  memcpy (hyb_tensor_get_data (tensor), values, hyb_tensor_get_bytes (tensor));
  return tensor;
}

/* The attributes of the operator for an optimizer. */
static char *
attributes_of (HybOptimizer *optimizer, const HybOptimizerStep *step)
{
  g_autofree char *limit = isnan (step->clip_weights)
                               ? g_strdup ("None")
                               : g_strdup_printf ("%.17g", step->clip_weights);

  return g_strdup_printf ("row=1 states=%u momentum=%.17g beta1=%.17g beta2=%.17g epsilon=%.17g "
                          "clip_weights=%s",
                          hyb_optimizer_n_states (optimizer), step->momentum, step->beta1,
                          step->beta2, step->epsilon, limit);
}

/* Three updates by the operator and by the optimizer, with weights of this type. */
static void
compare (const char *name, const char *const *settings, HybDType dtype)
{
  g_autoptr (HybOptimizer) optimizer = hyb_optimizer_new (name, settings, NULL);
  guint     n_states = hyb_optimizer_n_states (optimizer);
  float     weight[N], gradient[N], state[HYB_MAX_OPTIMIZER_STATES][N] = { { 0 } };
  HybUpdate update = { .n = N, .weight = weight, .gradient = gradient };
  g_autoptr (GPtrArray) inputs = g_ptr_array_new_with_free_func ((GDestroyNotify) hyb_tensor_unref);
  double norm[] = { 7, 1 };

  g_ptr_array_set_size (inputs, (int) (4 + n_states));
  fill (weight, 0.3);
  for (guint k = 0; k < n_states; k++)
    {
      update.state[k] = state[k];
      inputs->pdata[4 + k] = new_tensor (state[k], HYB_F32);
    }
  inputs->pdata[0] = new_tensor (weight, dtype);
  hyb_dtype_convert (weight, HYB_F32, hyb_tensor_get_data (inputs->pdata[0]), dtype, N);
  inputs->pdata[3] = new_doubles (0, 2, norm);
  for (update.t = 1; update.t <= 3; update.t++)
    {
      HybOptimizerStep step = hyb_optimizer_get_step (optimizer, update.t, 0.5, 2);
      double           numbers[] = { 9, 9, 9, 9, step.rate, step.decay, step.rescale, step.clip };
      g_autofree char *attributes = attributes_of (optimizer, &step);
      g_autoptr (GPtrArray) outputs = NULL;

      fill (gradient, 0.7 + (double) update.t);
      g_clear_pointer ((HybTensor **) &inputs->pdata[1], hyb_tensor_unref);
      g_clear_pointer ((HybTensor **) &inputs->pdata[2], hyb_tensor_unref);
      inputs->pdata[1] = new_tensor (gradient, dtype);
      inputs->pdata[2] = new_doubles (2, 4, numbers);
      hyb_dtype_convert (gradient, HYB_F32, hyb_tensor_get_data (inputs->pdata[1]), dtype, N);
      outputs = op_run_all (hyb_optimizer_get_operator (optimizer), attributes, TRUE, inputs);
      hyb_optimizer_apply (optimizer, &update, 0.5, 2);
      for (guint k = 0; k < n_states; k++)
        g_assert_cmpmem (hyb_tensor_get_data (inputs->pdata[4 + k]), sizeof state[k], state[k],
                         sizeof state[k]);
      {
        g_autoptr (HybTensor) expected = new_tensor (weight, dtype);

        g_assert_cmpmem (hyb_tensor_get_data (inputs->pdata[0]),
                         hyb_tensor_get_bytes (inputs->pdata[0]), hyb_tensor_get_data (expected),
                         hyb_tensor_get_bytes (expected));
        hyb_dtype_convert (weight, HYB_F32, hyb_tensor_get_data (expected), dtype, N);
      }
    }
}

static void
test_same_as_optimizer (void)
{
  static const struct
  {
    const char *name;
    const char *settings[8];
  } rows[] = {
    { "sgd", { "wd", "0.1", "clip_gradient", "0.4" } },
    { "sgd", { "momentum", "0.9", "rescale_grad", "0.5" } },
    { "nag", { "momentum", "0.9", "wd", "0.1" } },
    { "nag", { "wd", "0.1" } },
    { "adam", { "wd", "0.1", "clip_gradient", "0.4" } },
    { "rmsprop", { "clip_weights", "0.5" } },
    { "rmsprop", { "centered", "True", "wd", "0.1" } },
    { "adagrad", { "wd", "0.1" } },
    { "adadelta", { "wd", "0.1", "clip_gradient", "0.4" } },
  };
  static const HybDType dtypes[] = { HYB_F32, HYB_F16, HYB_BF16, HYB_F64 };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    for (guint d = 0; d < G_N_ELEMENTS (dtypes); d++)
      compare (rows[i].name, rows[i].settings, dtypes[d]);
}

/* 3 and 4 in two arrays have the norm 5, which a limit of 2 multiplies by 2 / 5. */
static void
test_norm (void)
{
  g_autoptr (HybTensor) y = op_run ("_update_norm", "num_gradients=2 limit=2",
                                    op_tensor ("f32[1]", 3.), op_tensor ("f32[2]", 0., 4.), NULL);

  g_assert_cmpfloat (hyb_tensor_get_value (y, 0), ==, 5);
  g_assert_cmpfloat_with_epsilon (hyb_tensor_get_value (y, 1), 0.4, 1e-8);
}

TEST_PROGRAM (test_update_trained)
{
  g_test_init (&argc, &argv, NULL);
  op_check_family ("update-trained", hyb_ops_update_trained, samples, refusals);
  g_test_add_func ("/engine/ops/update-trained/the-bytes-of-the-trainer", test_same_as_optimizer);
  g_test_add_func ("/engine/ops/update-trained/the-norm-of-two-arrays", test_norm);
  return g_test_run ();
}
