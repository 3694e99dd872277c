/* scores.c — the treatment of scores by classifiers and regressors of ai.onnx.ml.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/onnx/ml/scores.h"

#include "engine/onnx/ops/pieces.h"

#include <math.h>
#include <string.h>

HybValueId
onnx_ml_rows (HybLowering *lowering, guint input)
{
  HybType    type = *hyb_onnx_type (lowering, input);
  HybValueId x = hyb_onnx_cast (lowering, hyb_onnx_input (lowering, input), HYB_F32);

  return type.shape.rank == 1 ? hyb_onnx_reshape (lowering, x, 2, (gint64[]){ 1, -1 }) : x;
}

gboolean
onnx_ml_are_rows_known (HybLowering *lowering, guint output)
{
  const HybShape *shape = &hyb_onnx_type (lowering, 0)->shape;

  if (hyb_shape_is_known (shape) && (shape->rank == 1 || shape->rank == 2))
    return TRUE;
  hyb_onnx_set_rank (lowering, output, HYB_F32, 2);
  return FALSE;
}

HybValueId
onnx_ml_floats (HybLowering *lowering, const HybShape *shape, const double *values)
{
  HybType    type = { *shape, HYB_F32 };
  HybTensor *tensor = hyb_tensor_new (&type, NULL);

  for (gint64 i = 0; tensor && i < hyb_tensor_get_size (tensor); i++)
    ((float *) hyb_tensor_get_data (tensor))[i] = (float) values[i];
  return hyb_lowering_constant (lowering, tensor);
}

/* --- post_transform --- */

static HybValueId
softmax (HybLowering *lowering, HybValueId x)
{
  return hyb_lowering_emit (lowering, "softmax", 1, &x, "axis", "1", NULL);
}

/* The same, but a score of 0 stays 0 before the division. */
static HybValueId
softmax_of_others (HybLowering *lowering, HybValueId x)
{
  HybValueId largest = onnx_reduce (lowering, "_np_max", x, 1, TRUE);
  HybValueId is_zero = hyb_onnx_with_scalar (lowering, "_npi_less_equal_scalar",
                                             hyb_onnx_unary (lowering, "abs", x), 1e-7);

  x = hyb_onnx_unary (lowering, "exp", onnx_subtract (lowering, x, largest));
  x = onnx_where (lowering, is_zero, hyb_onnx_unary (lowering, "zeros_like", x), x);
  return onnx_divide (lowering, x, onnx_reduce (lowering, "_np_sum", x, 1, TRUE));
}

/* √2 erf⁻¹ (2 x − 1), by Winitzki's approximation as ONNX Runtime has it. */
static HybValueId
probit (HybLowering *lowering, HybValueId x)
{
  HybValueId sign, log, v;

  x = onnx_shift (lowering, onnx_scale (lowering, x, 2), -1);
  sign = hyb_onnx_unary (lowering, "sign", x);
  log = hyb_onnx_unary (lowering, "square", x);
  log = hyb_onnx_unary (lowering, "log", hyb_onnx_with_scalar (lowering, "_rminus_scalar", log, 1));
  v = onnx_shift (lowering, onnx_scale (lowering, log, 0.5), 2 / (G_PI * 0.147));
  x = onnx_subtract (lowering, hyb_onnx_unary (lowering, "square", v),
                     onnx_scale (lowering, log, 1 / 0.147));
  x = onnx_subtract (lowering, hyb_onnx_unary (lowering, "sqrt", x), v);
  x = onnx_multiply (lowering, sign, hyb_onnx_unary (lowering, "sqrt", x));
  return onnx_scale (lowering, x, sqrt (2));
}

static HybValueId
logistic (HybLowering *lowering, HybValueId x)
{
  return hyb_onnx_unary (lowering, "sigmoid", x);
}

static const struct
{
  const char *name;
  HybValueId (*write) (HybLowering *lowering, HybValueId x);
} transforms[] = {
  { "LOGISTIC", logistic },
  { "SOFTMAX", softmax },
  { "SOFTMAX_ZERO", softmax_of_others },
  { "PROBIT", probit },
};

HybValueId
onnx_ml_transform (HybLowering *lowering, HybValueId scores)
{
  const char *name = hyb_onnx_string (lowering, "post_transform", "NONE");

  /* As in ONNX Runtime, a single score is changed by PROBIT alone. */
  for (guint i = 0; i < G_N_ELEMENTS (transforms); i++)
    if (strcmp (transforms[i].name, name) == 0 &&
        (transforms[i].write == probit || onnx_size (lowering, scores, 1) != 1))
      return transforms[i].write (lowering, scores);
  return scores;
}

/* --- Labels --- */

guint
onnx_ml_n_classes (HybLowering *lowering, const char *ints)
{
  const HybOnnxAttribute *strings = hyb_onnx_attribute (lowering, "classlabels_strings");
  guint                   n;
  const gint64           *values;

  if (hyb_onnx_ints (lowering, ints, &n, &values) && n > 0)
    return n;
  return strings ? strings->n : 0;
}

void
onnx_ml_set_labels (HybLowering *lowering, const char *ints, HybValueId classes)
{
  guint         n;
  const gint64 *values;

  hyb_onnx_ints (lowering, ints, &n, &values);
  if (n > 0)
    hyb_lowering_set_output (lowering, 0,
                             onnx_take (lowering, hyb_onnx_int64s (lowering, n, values), classes,
                                        0));
}

void
onnx_ml_set_binary (HybLowering *lowering, const char *ints, HybValueId s, double threshold)
{
  HybValueId is_second = hyb_onnx_with_scalar (lowering, "_npi_greater_scalar", s, threshold);

  onnx_ml_set_labels (lowering, ints,
                      hyb_onnx_cast (lowering, onnx_flatten (lowering, is_second), HYB_I64));
}
