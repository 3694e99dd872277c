/* linear.c — LinearRegressor and LinearClassifier of ai.onnx.ml.
 *
 * Labels that are strings are not computed, scores are.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/onnx/ml/scores.h"
#include "engine/onnx/ops/pieces.h"

#include <string.h>

/* x [rows, features] times the coefficients, which are [n, features], plus the intercepts. */
static HybValueId
find_scores (HybLowering *lowering, gint64 *n)
{
  static const gint64 swapped[] = { 1, 0 };
  HybValueId          x = onnx_ml_rows (lowering, 0), w;
  gint64              n_features = onnx_size (lowering, x, 1);
  guint               n_coefficients, n_intercepts;
  const double       *coefficients, *intercepts;
  HybShape            shape;

  hyb_onnx_floats (lowering, "coefficients", &n_coefficients, &coefficients);
  hyb_onnx_floats (lowering, "intercepts", &n_intercepts, &intercepts);
  if (n_features < 1 || n_coefficients < n_features || n_coefficients % n_features != 0)
    {
      hyb_lowering_fail (lowering, NULL, "its coefficients do not fit its input");
      return HYB_NO_ID;
    }
  *n = n_coefficients / n_features;
  shape = hyb_shape_2d (*n, n_features);
  w = hyb_onnx_transpose (lowering, onnx_ml_floats (lowering, &shape, coefficients), 2, swapped);
  x = onnx_matmul (lowering, x, w);
  shape = hyb_shape_1d (n_intercepts);
  return n_intercepts > 0 ? onnx_add (lowering, x, onnx_ml_floats (lowering, &shape, intercepts))
                          : x;
}

/* Whether the shape of the input is known; else gives output `index` its rank, which is all that follows. */
static gboolean
is_input_known (HybLowering *lowering, guint index)
{
  if (hyb_shape_is_known (&hyb_onnx_type (lowering, 0)->shape))
    return TRUE;
  hyb_onnx_set_rank (lowering, index, HYB_F32, 2);
  return FALSE;
}

static void
lower_regressor (HybLowering *lowering)
{
  gint64     n;
  HybValueId scores;

  if (!is_input_known (lowering, 0))
    return;
  scores = find_scores (lowering, &n);
  hyb_lowering_set_output (lowering, 0, onnx_ml_transform (lowering, scores));
}

/* A single score for two classes belongs to the second. */
static void
set_two_scores (HybLowering *lowering, HybValueId s)
{
  gboolean is_logistic =
      strcmp (hyb_onnx_string (lowering, "post_transform", "NONE"), "LOGISTIC") == 0;
  HybValueId pair[2];

  onnx_ml_set_binary (lowering, "classlabels_ints", s, 0);
  pair[1] = is_logistic ? hyb_onnx_unary (lowering, "sigmoid", s) : s;
  pair[0] = hyb_onnx_with_scalar (lowering, "_rminus_scalar", pair[1], 1);
  hyb_lowering_set_output (lowering, 1, hyb_onnx_concat (lowering, 2, pair, 1));
}

static void
lower_classifier (HybLowering *lowering)
{
  HybType    labels = { hyb_shape_1d (HYB_UNKNOWN), HYB_I64 };
  HybValueId scores, classes;
  gint64     n;

  hyb_lowering_set_type (lowering, 0, &labels);
  if (!is_input_known (lowering, 1))
    return;
  scores = find_scores (lowering, &n);
  if (scores == HYB_NO_ID)
    return;
  if (n == 1 && onnx_ml_n_classes (lowering, "classlabels_ints") == 2)
    {
      set_two_scores (lowering, scores);
      return;
    }
  classes =
      hyb_onnx_cast (lowering, onnx_reduce (lowering, "_npi_argmax", scores, 1, FALSE), HYB_I64);
  onnx_ml_set_labels (lowering, "classlabels_ints", classes);
  hyb_lowering_set_output (lowering, 1, onnx_ml_transform (lowering, scores));
}

static const char *const inputs[] = { "X", NULL };
static const char *const outputs[] = { "Y", "Z", NULL };

const HybOnnxOp hyb_onnx_ops_ml_linear[] = {
  { .op = { HYB_ONNX_ROW, .name = "LinearRegressor", .doc = "A linear function of each row.",
            .category = HYB_CATEGORY_LINEAR, .inputs = inputs, .outputs = outputs,
            .lower = lower_regressor },
    .domain = "ai.onnx.ml",
    .since = 1 },
  { .op = { HYB_ONNX_ROW, .name = "LinearClassifier",
            .doc = "The class with the largest linear function of each row.",
            .category = HYB_CATEGORY_LINEAR, .inputs = inputs, .outputs = outputs,
            .lower = lower_classifier },
    .domain = "ai.onnx.ml",
    .since = 1 },
  { .since = 0 },
};
