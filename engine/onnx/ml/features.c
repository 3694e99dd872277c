/* features.c — operators of ai.onnx.ml that prepare features: scaling, normalising, choosing, replacing, encoding.
 *
 * Operators that map strings are not computed.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/onnx/ml/scores.h"
#include "engine/onnx/ops/pieces.h"

#include <math.h>
#include <string.h>

/* A list of floats as a vector of an array's type; one that is not given counts as a number. */
static HybValueId
read_vector (HybLowering *lowering, const char *name, double fallback)
{
  guint         n;
  const double *values;
  HybShape      shape;

  if (!hyb_onnx_floats (lowering, name, &n, &values) || n == 0)
    return hyb_onnx_scalar (lowering, fallback, HYB_F32);
  shape = hyb_shape_1d (n);
  return onnx_ml_floats (lowering, &shape, values);
}

static void
lower_scaler (HybLowering *lowering)
{
  HybValueId x = hyb_onnx_cast (lowering, hyb_onnx_input (lowering, 0), HYB_F32);

  x = onnx_subtract (lowering, x, read_vector (lowering, "offset", 0));
  hyb_lowering_set_output (lowering, 0,
                           onnx_multiply (lowering, x, read_vector (lowering, "scale", 1)));
}

/* Each row by its largest element, the sum of its elements or its Euclidean norm. */
static void
lower_normalizer (HybLowering *lowering)
{
  const char *norm = hyb_onnx_string (lowering, "norm", "MAX");
  HybValueId  x = hyb_onnx_cast (lowering, hyb_onnx_input (lowering, 0), HYB_F32), y;

  if (strcmp (norm, "L2") == 0)
    y = hyb_onnx_unary (lowering, "sqrt",
                        onnx_reduce (lowering, "_np_sum", hyb_onnx_unary (lowering, "square", x),
                                     -1, TRUE));
  else if (strcmp (norm, "L1") == 0)
    y = onnx_reduce (lowering, "_np_sum", hyb_onnx_unary (lowering, "abs", x), -1, TRUE);
  else
    y = onnx_reduce (lowering, "_np_max", x, -1, TRUE);
  /* A row of zeros stays so. */
  y = onnx_where (lowering, hyb_onnx_with_scalar (lowering, "_npi_equal_scalar", y, 0),
                  hyb_onnx_scalar (lowering, 1, HYB_F32), y);
  hyb_lowering_set_output (lowering, 0, onnx_divide (lowering, x, y));
}

static void
lower_binarizer (HybLowering *lowering)
{
  HybDType   dtype = hyb_onnx_type (lowering, 0)->dtype;
  HybValueId x =
      hyb_onnx_with_scalar (lowering, "_npi_greater_scalar", hyb_onnx_input (lowering, 0),
                            hyb_onnx_float (lowering, "threshold", 0));

  hyb_lowering_set_output (lowering, 0, hyb_onnx_cast (lowering, x, dtype));
}

/* Elements of the last axis, by number; a vector counts as one row. */
static void
lower_extractor (HybLowering *lowering)
{
  int        rank = hyb_onnx_type (lowering, 0)->shape.rank;
  HybValueId x = hyb_onnx_input (lowering, 0);

  if (rank < 1)
    {
      hyb_onnx_set_rank (lowering, 0, hyb_onnx_type (lowering, 0)->dtype, HYB_UNKNOWN);
      return;
    }
  if (rank == 1)
    x = hyb_onnx_reshape (lowering, x, 2, (gint64[]){ 1, -1 });
  hyb_lowering_set_output (lowering, 0,
                           onnx_take (lowering, x,
                                      onnx_flatten (lowering, hyb_onnx_input (lowering, 1)),
                                      rank == 1 ? 1 : rank - 1));
}

/* Inputs side by side, each cut or filled with zeros to its width. */
static void
lower_vectorizer (HybLowering *lowering)
{
  guint                  n = hyb_onnx_n_inputs (lowering), n_given;
  g_autofree HybValueId *parts = g_new (HybValueId, MAX (n, 1));
  const gint64          *widths;

  hyb_onnx_ints (lowering, "inputdimensions", &n_given, &widths);
  for (guint i = 0; i < n; i++)
    {
      HybType type = *hyb_onnx_type (lowering, i);
      gint64  missing[] = { 0, 0 };

      if (!hyb_type_is_known (&type) || i >= n_given || type.shape.rank < 1 || widths[i] < 0)
        {
          hyb_onnx_set_rank (lowering, 0, HYB_F32, 2);
          return;
        }
      parts[i] = hyb_onnx_cast (lowering, hyb_onnx_input (lowering, i), HYB_F32);
      if (type.shape.rank == 1)
        parts[i] = hyb_onnx_reshape (lowering, parts[i], 2, (gint64[]){ -1, 1 });
      missing[1] = widths[i] - onnx_size (lowering, parts[i], 1);
      parts[i] = missing[1] > 0 ? onnx_extend (lowering, parts[i], 1, missing, 0)
                                : hyb_onnx_slice (lowering, parts[i], 1, 0, widths[i]);
    }
  hyb_lowering_set_output (lowering, 0, hyb_onnx_concat (lowering, n, parts, 1));
}

/* One number, or NaN, is replaced: by a number, or one for each column. */
static void
lower_imputer (HybLowering *lowering)
{
  HybDType      dtype = hyb_onnx_type (lowering, 0)->dtype;
  HybValueId    x = hyb_onnx_input (lowering, 0), is_missing, fill;
  double        replaced = hyb_onnx_float (lowering, "replaced_value_float", 0);
  guint         n;
  const gint64 *ints;

  if (hyb_onnx_ints (lowering, "imputed_value_int64s", &n, &ints) && n > 0)
    {
      replaced = (double) hyb_onnx_int (lowering, "replaced_value_int64", 0);
      fill = hyb_onnx_int64s (lowering, n, ints);
    }
  else
    fill = read_vector (lowering, "imputed_value_floats", 0);
  is_missing = isnan (replaced) ? hyb_onnx_unary (lowering, "_npi_isnan", x)
                                : hyb_onnx_with_scalar (lowering, "_npi_equal_scalar", x, replaced);
  hyb_lowering_set_output (lowering, 0,
                           onnx_where (lowering, is_missing, hyb_onnx_cast (lowering, fill, dtype),
                                       x));
}

/* A row of zeros with a one for each element. */
static void
lower_one_hot (HybLowering *lowering)
{
  HybType       type = *hyb_onnx_type (lowering, 0);
  HybValueId    x = hyb_onnx_cast (lowering, hyb_onnx_input (lowering, 0), HYB_I64);
  guint         n;
  const gint64 *values;

  hyb_onnx_ints (lowering, "cats_int64s", &n, &values);
  if (n == 0 || type.shape.rank < 0 || type.shape.rank >= HYB_MAX_RANK)
    {
      hyb_onnx_set_rank (lowering, 0, HYB_F32, HYB_UNKNOWN);
      return;
    }
  x = hyb_lowering_emit (lowering, "expand_dims", 1, &x, "axis", "-1", NULL);
  x = hyb_onnx_binary (lowering, "_npi_equal", x, hyb_onnx_int64s (lowering, n, values));
  hyb_lowering_set_output (lowering, 0, hyb_onnx_cast (lowering, x, HYB_F32));
}

/* --- LabelEncoder --- */

/* Keys and values of one kind of numbers. */
static HybValueId
read_list (HybLowering *lowering, const char *floats, const char *ints)
{
  guint         n;
  const gint64 *values;

  if (hyb_onnx_ints (lowering, ints, &n, &values) && n > 0)
    return hyb_onnx_int64s (lowering, n, values);
  return hyb_onnx_attribute (lowering, floats) ? read_vector (lowering, floats, 0) : HYB_NO_ID;
}

/* The value of the key that each element equals; a number where there is none. */
static void
lower_encoder (HybLowering *lowering)
{
  int        rank = hyb_onnx_type (lowering, 0)->shape.rank;
  HybValueId keys = read_list (lowering, "keys_floats", "keys_int64s");
  HybValueId values = read_list (lowering, "values_floats", "values_int64s");
  HybValueId x = hyb_onnx_input (lowering, 0), place, fallback;
  gboolean   has_floats = hyb_onnx_attribute (lowering, "values_floats") != NULL;

  if (rank < 0 || rank >= HYB_MAX_RANK)
    {
      hyb_onnx_set_rank (lowering, 0, has_floats ? HYB_F32 : HYB_I64, rank);
      return;
    }
  if (keys == HYB_NO_ID || values == HYB_NO_ID)
    {
      hyb_lowering_fail (lowering, NULL, "mapping strings or tensors of keys is not supported");
      return;
    }
  fallback =
      has_floats
          ? hyb_onnx_scalar (lowering, hyb_onnx_float (lowering, "default_float", -0.0), HYB_F32)
          : hyb_onnx_scalar (lowering, (double) hyb_onnx_int (lowering, "default_int64", -1),
                             HYB_I64);
  x = hyb_lowering_emit (lowering, "expand_dims", 1, &x, "axis", "-1", NULL);
  x = hyb_onnx_cast (lowering, hyb_onnx_binary (lowering, "_npi_equal", x, keys), HYB_I32);
  place = onnx_reduce (lowering, "_npi_argmax", x, -1, FALSE);
  place = hyb_onnx_cast (lowering, place, HYB_I64);
  x = hyb_onnx_with_scalar (lowering, "_npi_greater_scalar",
                            onnx_reduce (lowering, "_np_max", x, -1, FALSE), 0);
  hyb_lowering_set_output (lowering, 0,
                           onnx_where (lowering, x, onnx_take (lowering, values, place, 0),
                                       fallback));
}

static const char *const one[] = { "X", NULL };
static const char *const two[] = { "X", "Y", NULL };
static const char *const outputs[] = { "Y", NULL };

#define FEATURES(NAME, SINCE, INPUTS, LOWER, DOC)                   \
  {                                                                 \
    .op = { HYB_ONNX_ROW,     .name = NAME,                         \
            .doc = DOC,       .category = HYB_CATEGORY_ELEMENTWISE, \
            .inputs = INPUTS, .outputs = outputs,                   \
            .lower = LOWER },                                       \
    .domain = "ai.onnx.ml", .since = SINCE                          \
  }

/* clang-format off */
const HybOnnxOp hyb_onnx_ops_ml_features[] = {
  FEATURES ("Scaler", 1, one, lower_scaler, "Columns moved and scaled."),
  FEATURES ("Normalizer", 1, one, lower_normalizer, "Rows divided by their norm."),
  FEATURES ("Binarizer", 1, one, lower_binarizer, "1 above a threshold, else 0."),
  FEATURES ("ArrayFeatureExtractor", 1, two, lower_extractor, "Columns by number."),
  FEATURES ("FeatureVectorizer", 1, one, lower_vectorizer, "Columns of several arrays side by side."),
  FEATURES ("Imputer", 1, one, lower_imputer, "Missing numbers replaced."),
  FEATURES ("OneHotEncoder", 1, one, lower_one_hot, "A one at the place of each number in a list."),
  FEATURES ("LabelEncoder", 2, one, lower_encoder, "Numbers looked up in a list."),
  { .since = 0 },
};
/* clang-format on */
