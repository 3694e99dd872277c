/* test-panel-product.c — tests of _weight_panels and _panel_product, compared with FullyConnected and
 * with its gradient by data.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/engine/ops/op-check.h"
#include "tests/program.h"

#include "engine/kernels/matrix/panels.h"

#include <math.h>
#include <string.h>

#define ROWS     5
#define FEATURES 37
#define HIDDEN   41

/* A tensor of rows × columns numbers; a vector of `columns` numbers if rows is 0. */
static HybTensor *
wave (gint64 rows, gint64 columns, double phase)
{
  HybType type = { rows > 0 ? hyb_shape_2d (rows, columns) : hyb_shape_1d (columns), HYB_F32 };
  g_autoptr (GError) error = NULL;
  HybTensor *tensor = hyb_tensor_new (&type, &error);
  float     *values = hyb_tensor_get_data (tensor);

  for (gint64 i = 0; i < hyb_tensor_get_size (tensor); i++)
    values[i] = (float) sin (0.37 * (double) i + phase);
  return tensor;
}

static HybTensor *
weight (void)
{
  return wave (HIDDEN, FEATURES, 0.9);
}

static void
assert_near (HybTensor *got, HybTensor *want)
{
  g_assert_true (hyb_shape_equal (hyb_tensor_get_shape (got), hyb_tensor_get_shape (want)));
  for (gint64 i = 0; i < hyb_tensor_get_size (got); i++)
    g_assert_cmpfloat_with_epsilon (hyb_tensor_get_value (got, i), hyb_tensor_get_value (want, i),
                                    2e-5);
}

static void
test_fully_connected (void)
{
  HybTensor *panels = op_run ("_weight_panels", "transposed=True", weight (), NULL);
  g_autoptr (HybTensor) got = op_run ("_panel_product", "num_hidden=41", wave (ROWS, FEATURES, 0.2),
                                      panels, wave (0, HIDDEN, 1.3), NULL);
  g_autoptr (HybTensor) want =
      op_run ("FullyConnected", "num_hidden=41", wave (ROWS, FEATURES, 0.2), weight (),
              wave (0, HIDDEN, 1.3), NULL);

  assert_near (got, want);
}

static void
test_gradient (void)
{
  HybTensor *panels = op_run ("_weight_panels", NULL, weight (), NULL);
  g_autoptr (HybTensor) got = op_run ("_panel_product", "num_hidden=37 no_bias=True",
                                      wave (ROWS, HIDDEN, 0.2), panels, NULL);
  g_autoptr (HybTensor) want =
      op_run ("_backward_FullyConnected_data", "num_hidden=41", wave (ROWS, HIDDEN, 0.2), weight (),
              wave (ROWS, FEATURES, 0.4), NULL);

  assert_near (got, want);
}

/* Shapes are inferred from the data, and panels of a different size are refused. */
static void
test_types (void)
{
  g_auto (GStrv) attributes = g_strsplit ("num_hidden 41 no_bias True", " ", -1);
  g_autoptr (GError) error = NULL;
  const HybOp *op = hyb_op_find ("_panel_product");
  gpointer params = hyb_params_parse (op->params, op->params_size, (const char *const *) attributes,
                                      NULL, &error);
  HybType  types[3] = { { hyb_shape_2d (ROWS, FEATURES), HYB_F32 },
                        HYB_TYPE_UNKNOWN,
                        HYB_TYPE_UNKNOWN };
  HybCall  call = {
     .op = op, .params = params, .n_inputs = 2, .n_outputs = 1, .input = types, .output = types + 2
  };

  g_assert_no_error (error);
  g_assert_true (op->infer_shape (&call, &error));
  g_assert_cmpint (types[1].shape.dim[0], ==, (gint64) hyb_panels_size (HIDDEN, FEATURES));
  g_assert_cmpint (types[2].shape.dim[1], ==, HIDDEN);
  types[1].shape.dim[0]--;
  g_assert_false (op->infer_shape (&call, &error));
  g_assert_nonnull (strstr (error->message, "panels"));
  hyb_params_unref (params);
}

TEST_PROGRAM (test_panel_product)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/engine/ops/panel-product/like-fully-connected", test_fully_connected);
  g_test_add_func ("/engine/ops/panel-product/like-its-gradient-by-data", test_gradient);
  g_test_add_func ("/engine/ops/panel-product/types-follow-from-data", test_types);

  return g_test_run ();
}
