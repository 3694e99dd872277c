/* source.c — arrays that follow from sizes and numbers: ConstantOfShape, Range, OneHot, EyeLike, Trilu, random ones; and
 * the slices for which a condition holds (Compress).
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/onnx/ops/pieces.h"

#include <math.h>

/* A range of more elements than this is not computed while planning. */
#define MAX_RANGE 16777216

static HybDType
attribute_dtype (HybLowering *lowering, const char *name, HybDType fallback)
{
  gint64 given = hyb_onnx_int (lowering, name, -1);

  return given < 0 ? fallback : hyb_onnx_dtype_to_engine ((HybOnnxDType) MIN (given, G_MAXINT16));
}

static HybValueId
broadcast_to (HybLowering *lowering, HybValueId x, guint n, const gint64 *dims)
{
  return hyb_lowering_emit (lowering, "_npi_broadcast_to", 1, &x, "shape",
                            hyb_lowering_text_ints (lowering, n, dims), NULL);
}

/* --- ConstantOfShape --- */

static void
lower_constant_of_shape (HybLowering *lowering)
{
  const HybOnnxUse *use = hyb_onnx_use (lowering);
  HybValueId value = use->literal ? hyb_lowering_constant (lowering, hyb_tensor_ref (use->literal))
                                  : hyb_onnx_scalar (lowering, 0, HYB_F32);
  gint64     dims[HYB_MAX_RANK];
  guint      n;

  if (!hyb_onnx_contents (lowering, 0))
    {
      const HybShape *shape = &hyb_onnx_type (lowering, 0)->shape;

      hyb_onnx_set_rank (lowering, 0, hyb_lowering_get_type (lowering, value)->dtype,
                         shape->rank == 1 ? (int) CLAMP (shape->dim[0], -1, HYB_MAX_RANK + 1)
                                          : HYB_UNKNOWN);
      return;
    }
  if (!hyb_onnx_input_ints (lowering, 0, &n, dims))
    return;
  value = hyb_onnx_reshape (lowering, value, 0, NULL);
  hyb_lowering_set_output (lowering, 0, broadcast_to (lowering, value, n, dims));
}

/* --- Range --- */

static gint64
count_range (double start, double limit, double delta)
{
  double n = ceil ((limit - start) / delta);

  return n > 0 ? (gint64) MIN (n, 1e18) : 0;
}

static HybTensor *
new_range (const HybTensor *start, const HybTensor *delta, HybDType dtype, gint64 n)
{
  HybType    type = { hyb_shape_1d (n), dtype };
  HybTensor *tensor = hyb_tensor_new (&type, NULL);
  /* Unsigned, since only the sum need fit into 64 bits. */
  guint64 first = (guint64) hyb_dtype_get_int (hyb_tensor_get_data (start), dtype, 0);
  guint64 step = (guint64) hyb_dtype_get_int (hyb_tensor_get_data (delta), dtype, 0);

  for (gint64 i = 0; tensor && i < n; i++)
    if (dtype == HYB_I64)
      ((gint64 *) hyb_tensor_get_data (tensor))[i] = (gint64) (first + (guint64) i * step);
    else
      hyb_dtype_set_double (hyb_tensor_get_data (tensor), dtype, (gsize) i,
                            hyb_tensor_get_value (start, 0) +
                                (double) i * hyb_tensor_get_value (delta, 0));
  return tensor;
}

static void
lower_range (HybLowering *lowering)
{
  HybTensor *start = hyb_onnx_contents (lowering, 0), *limit = hyb_onnx_contents (lowering, 1);
  HybTensor *delta = hyb_onnx_contents (lowering, 2);
  HybDType   dtype = hyb_onnx_type (lowering, 0)->dtype;
  gint64     n;

  if (!start || !limit || !delta || hyb_tensor_get_size (start) != 1 ||
      hyb_tensor_get_size (limit) != 1 || hyb_tensor_get_size (delta) != 1)
    {
      hyb_onnx_set_rank (lowering, 0, dtype, 1);
      return;
    }
  if (hyb_tensor_get_value (delta, 0) == 0)
    {
      hyb_lowering_fail (lowering, NULL, "its step is 0");
      return;
    }
  n = count_range (hyb_tensor_get_value (start, 0), hyb_tensor_get_value (limit, 0),
                   hyb_tensor_get_value (delta, 0));
  if (n > MAX_RANGE)
    {
      HybType type = { hyb_shape_1d (n), dtype };

      hyb_lowering_set_type (lowering, 0, &type);
      return;
    }
  hyb_lowering_set_output (lowering, 0,
                           hyb_lowering_constant (lowering, new_range (start, delta, dtype, n)));
}

/* --- EyeLike --- */

static void
lower_eye_like (HybLowering *lowering)
{
  HybType  type = *hyb_onnx_type (lowering, 0);
  HybDType dtype =
      attribute_dtype (lowering, "dtype", type.dtype == HYB_DTYPE_UNKNOWN ? HYB_F32 : type.dtype);

  if (type.shape.rank != 2 || !hyb_shape_is_known (&type.shape))
    {
      type.dtype = dtype;
      hyb_lowering_set_type (lowering, 0, &type);
      return;
    }
  hyb_lowering_set_output (lowering, 0,
                           hyb_lowering_emit (lowering, "_npi_eye", 0, NULL, "N",
                                              hyb_lowering_text (lowering, "%" G_GINT64_FORMAT,
                                                                 type.shape.dim[0]),
                                              "M",
                                              hyb_lowering_text (lowering, "%" G_GINT64_FORMAT,
                                                                 type.shape.dim[1]),
                                              "k",
                                              hyb_lowering_text (lowering, "%" G_GINT64_FORMAT,
                                                                 hyb_onnx_int (lowering, "k", 0)),
                                              "dtype", hyb_dtype_name (dtype), NULL));
}

/* --- OneHot --- */

/* Indices from 0: negative ones count from the end; those outside find no place. */
static void
lower_one_hot (HybLowering *lowering)
{
  HybType    type = *hyb_onnx_type (lowering, 0);
  HybDType   dtype = hyb_onnx_type (lowering, 2)->dtype;
  HybTensor *depth = hyb_onnx_contents (lowering, 1);
  HybValueId x = hyb_onnx_input (lowering, 0), values = hyb_onnx_input (lowering, 2), y;
  gint64     n;
  int        axis;

  if (!depth || hyb_tensor_get_size (depth) != 1 || type.shape.rank < 0)
    {
      hyb_onnx_set_rank (lowering, 0, dtype,
                         type.shape.rank < 0 ? HYB_UNKNOWN : type.shape.rank + 1);
      return;
    }
  n = (gint64) hyb_tensor_get_value (depth, 0);
  axis = hyb_onnx_axis (lowering, hyb_onnx_int (lowering, "axis", -1), type.shape.rank + 1);
  if (axis < 0)
    return;
  x = hyb_onnx_cast (lowering, x, HYB_I64);
  y = hyb_onnx_with_scalar (lowering, "_npi_less_scalar", x, 0);
  y = hyb_onnx_with_scalar (lowering, "_mul_scalar", hyb_onnx_cast (lowering, y, HYB_I64),
                            (double) n);
  x = hyb_onnx_binary (lowering, "broadcast_add", x, y);
  x = hyb_lowering_emit (lowering, "one_hot", 1, &x, "depth",
                         hyb_lowering_text (lowering, "%" G_GINT64_FORMAT, n), "dtype", "bool",
                         NULL);
  if (axis != type.shape.rank)
    x = hyb_lowering_emit (lowering, "_np_moveaxis", 1, &x, "source", "(-1,)", "destination",
                           hyb_lowering_text (lowering, "(%d,)", axis), NULL);
  y = hyb_lowering_call (lowering, "_npi_where", 3,
                         (HybValueId[]){ x, hyb_onnx_slice (lowering, values, 0, 1, 2),
                                         hyb_onnx_slice (lowering, values, 0, 0, 1) },
                         NULL);
  hyb_lowering_set_output (lowering, 0, y);
}

/* --- Trilu --- */

/* Which elements of a matrix remain above a diagonal. */
static HybTensor *
new_mask (gint64 rows, gint64 columns, gint64 k)
{
  HybType    type = { hyb_shape_2d (rows, columns), HYB_BOOL };
  HybTensor *mask = hyb_tensor_new (&type, NULL);

  for (gint64 i = 0; mask && i < rows; i++)
    for (gint64 j = 0; j < columns; j++)
      ((guint8 *) hyb_tensor_get_data (mask))[i * columns + j] = j - i >= k;
  return mask;
}

/* MXNet has no operator for upper triangles. */
static HybValueId
choose_upper (HybLowering *lowering, HybValueId x, const HybShape *shape, gint64 k)
{
  gint64 rows = shape->dim[shape->rank - 2], columns = shape->dim[shape->rank - 1];

  if (rows > 65536 || columns > 65536 || rows * columns > MAX_RANGE)
    {
      hyb_lowering_fail (lowering, NULL, "its mask would have too many elements");
      return HYB_NO_ID;
    }
  return hyb_lowering_emit (lowering, "_npi_where_rscalar", 2,
                            (HybValueId[]){
                                hyb_lowering_constant (lowering, new_mask (rows, columns, k)), x },
                            "scalar", "0", NULL);
}

static void
lower_trilu (HybLowering *lowering)
{
  HybType    type = *hyb_onnx_type (lowering, 0);
  gint64     k = (gint64) hyb_onnx_input_double (lowering, 1, 0);
  gboolean   is_upper = hyb_onnx_int (lowering, "upper", 1) != 0;
  HybValueId x = hyb_onnx_input (lowering, 0);

  hyb_lowering_set_type (lowering, 0, &type);
  if (type.shape.rank < 2 || !hyb_shape_is_known (&type.shape))
    return;
  k = CLAMP (k, -type.shape.dim[type.shape.rank - 2] - 1, type.shape.dim[type.shape.rank - 1] + 1);
  if (is_upper && !hyb_lowering_is_for_run (lowering))
    x = choose_upper (lowering, x, &type.shape, k);
  else
    x = hyb_lowering_emit (lowering, is_upper ? "_triu" : "_npi_tril", 1, &x, "k",
                           hyb_lowering_text (lowering, "%" G_GINT64_FORMAT, k), NULL);
  if (x != HYB_NO_ID)
    hyb_lowering_set_output (lowering, 0, x);
}

/* --- Compress --- */

static void
lower_compress (HybLowering *lowering)
{
  HybType    type = *hyb_onnx_type (lowering, 0);
  HybValueId x = hyb_onnx_input (lowering, 0);
  gboolean   has_axis = hyb_onnx_attribute (lowering, "axis") != NULL;
  int        axis =
      has_axis ? hyb_onnx_axis (lowering, hyb_onnx_int (lowering, "axis", 0), type.shape.rank) : 0;
  HybTensor *condition = hyb_onnx_contents (lowering, 1);
  g_autoptr (GArray) kept = g_array_new (FALSE, FALSE, sizeof (gint64));

  if (axis < 0)
    return;
  if (!has_axis)
    type.shape = hyb_shape_1d (HYB_UNKNOWN);
  else
    type.shape.dim[axis] = HYB_UNKNOWN;
  hyb_lowering_set_type (lowering, 0, &type);
  if (!condition)
    return;
  for (gint64 i = 0; i < hyb_tensor_get_size (condition); i++)
    if (hyb_tensor_get_value (condition, i) != 0)
      g_array_append_val (kept, i);
  if (!has_axis)
    x = hyb_onnx_reshape (lowering, x, 1, (gint64[]){ -1 });
  x = hyb_lowering_emit (lowering, "take", 2,
                         (HybValueId[]){ x,
                                         hyb_onnx_int64s (lowering, kept->len,
                                                          (const gint64 *) (gpointer) kept->data) },
                         "axis", hyb_lowering_text (lowering, "%d", axis), NULL);
  hyb_lowering_set_output (lowering, 0, x);
}

/* --- Optional values --- */

/* Whether there is a value, as far as that is an array: optional values themselves are not computed with. */
static void
lower_has_element (HybLowering *lowering)
{
  HybType type = { .shape.rank = 0, .dtype = HYB_BOOL };

  hyb_lowering_set_type (lowering, 0, &type);
  if (hyb_onnx_has_input (lowering, 0) && hyb_onnx_type (lowering, 0)->dtype == HYB_DTYPE_UNKNOWN)
    return;
  hyb_lowering_set_output (lowering, 0,
                           hyb_onnx_scalar (lowering, hyb_onnx_has_input (lowering, 0) ? 1 : 0,
                                            HYB_BOOL));
}

static void
lower_get_element (HybLowering *lowering)
{
  HybType type = *hyb_onnx_type (lowering, 0);

  if (type.dtype == HYB_DTYPE_UNKNOWN)
    hyb_lowering_set_type (lowering, 0, &type);
  else
    hyb_lowering_set_output (lowering, 0,
                             hyb_onnx_unary (lowering, "_copy", hyb_onnx_input (lowering, 0)));
}

/* --- Random arrays --- */

static void
emit_random (HybLowering *lowering, const HybShape *shape, HybDType dtype)
{
  gboolean is_normal = g_str_has_prefix (hyb_onnx_engine (lowering), "normal");
  double a = is_normal ? hyb_onnx_float (lowering, "mean", 0) : hyb_onnx_float (lowering, "low", 0);
  double b =
      is_normal ? hyb_onnx_float (lowering, "scale", 1) : hyb_onnx_float (lowering, "high", 1);
  HybValueId y;

  if (!hyb_shape_is_known (shape))
    {
      HybType type = { *shape, dtype };

      hyb_lowering_set_type (lowering, 0, &type);
      return;
    }
  y = hyb_lowering_emit (lowering, is_normal ? "_random_normal" : "_random_uniform", 0, NULL,
                         is_normal ? "loc" : "low", hyb_lowering_text (lowering, "%.9g", a),
                         is_normal ? "scale" : "high", hyb_lowering_text (lowering, "%.9g", b),
                         "shape",
                         hyb_lowering_text_ints (lowering, (guint) shape->rank, shape->dim),
                         "dtype",
                         hyb_dtype_name (dtype == HYB_F64 || dtype == HYB_F16 ? dtype : HYB_F32),
                         NULL);
  hyb_lowering_set_output (lowering, 0, hyb_onnx_cast (lowering, y, dtype));
}

static void
lower_random (HybLowering *lowering)
{
  guint         n;
  const gint64 *dims;
  HybShape      shape;

  hyb_onnx_ints (lowering, "shape", &n, &dims);
  shape = hyb_shape_make ((int) MIN (n, HYB_MAX_RANK), dims);
  emit_random (lowering, &shape, attribute_dtype (lowering, "dtype", HYB_F32));
}

static void
lower_random_like (HybLowering *lowering)
{
  HybType type = *hyb_onnx_type (lowering, 0);

  emit_random (lowering, &type.shape, attribute_dtype (lowering, "dtype", type.dtype));
}

/* 1 with the probability that the input gives. */
static void
lower_bernoulli (HybLowering *lowering)
{
  HybType    type = *hyb_onnx_type (lowering, 0);
  HybValueId p = hyb_onnx_input (lowering, 0), y;

  if (!hyb_shape_is_known (&type.shape))
    {
      type.dtype = attribute_dtype (lowering, "dtype", type.dtype);
      hyb_lowering_set_type (lowering, 0, &type);
      return;
    }
  y = hyb_lowering_emit (lowering, "_random_uniform", 0, NULL, "shape",
                         hyb_lowering_text_ints (lowering, (guint) type.shape.rank, type.shape.dim),
                         NULL);
  y = hyb_onnx_binary (lowering, "_npi_less", y, hyb_onnx_cast (lowering, p, HYB_F32));
  hyb_lowering_set_output (lowering, 0,
                           hyb_onnx_cast (lowering, y,
                                          attribute_dtype (lowering, "dtype", type.dtype)));
}

/* A class for each of sample_size uniform numbers u: as many classes have a cumulated probability of at most u. */
static void
lower_multinomial (HybLowering *lowering)
{
  HybType    logits = *hyb_onnx_type (lowering, 0);
  gint64     n = hyb_onnx_int (lowering, "sample_size", 1), dims[3];
  HybType    type = { hyb_shape_2d (logits.shape.rank == 2 ? logits.shape.dim[0] : HYB_UNKNOWN, n),
                      attribute_dtype (lowering, "dtype", HYB_I32) };
  HybValueId sums = hyb_onnx_cast (lowering, hyb_onnx_input (lowering, 0), HYB_F32), u;

  hyb_lowering_set_type (lowering, 0, &type);
  if (!hyb_shape_is_known (&logits.shape) || logits.shape.rank != 2 || n < 1 ||
      logits.shape.dim[1] < 1)
    return;
  sums = hyb_lowering_emit (lowering, "softmax", 1, &sums, "axis", "1", NULL);
  sums = hyb_lowering_emit (lowering, "cumsum", 1, &sums, "axis", "1", NULL);
  dims[0] = logits.shape.dim[0];
  dims[1] = 1;
  dims[2] = logits.shape.dim[1];
  sums = hyb_onnx_reshape (lowering, sums, 3, dims);
  dims[1] = n;
  dims[2] = 1;
  u = hyb_lowering_emit (lowering, "_random_uniform", 0, NULL, "shape",
                         hyb_lowering_text_ints (lowering, 3, dims), NULL);
  u = hyb_onnx_cast (lowering, hyb_onnx_binary (lowering, "_npi_greater_equal", u, sums), HYB_I32);
  u = onnx_reduce (lowering, "_np_sum", u, 2, FALSE);
  /* Rounded sums may end below 1. */
  u = hyb_onnx_with_scalar (lowering, "_minimum_scalar", u, (double) logits.shape.dim[1] - 1);
  hyb_lowering_set_output (lowering, 0, hyb_onnx_cast (lowering, u, type.dtype));
}

static const char *const no_inputs[] = { NULL };
static const char *const one[] = { "input", NULL };
static const char *const range_inputs[] = { "start", "limit", "delta", NULL };
static const char *const one_hot_inputs[] = { "indices", "depth", "values", NULL };
static const char *const trilu_inputs[] = { "input", "k", NULL };
static const char *const compress_inputs[] = { "input", "condition", NULL };
static const char *const outputs[] = { "output", NULL };

#define ROW(NAME, SINCE, INPUTS, LOWER, ENGINE, DOC)                                            \
  {                                                                                             \
    .op = { HYB_ONNX_ROW,     .name = NAME,       .doc = DOC,    .category = HYB_CATEGORY_DATA, \
            .inputs = INPUTS, .outputs = outputs, .lower = LOWER },                             \
    .since = SINCE, .engine = ENGINE                                                            \
  }

/* clang-format off */
const HybOnnxOp hyb_onnx_ops_source[] = {
  { .op = { HYB_ONNX_ROW, .name = "ConstantOfShape", .doc = "One number everywhere.",
            .category = HYB_CATEGORY_DATA, .inputs = one, .outputs = outputs,
            .lower = lower_constant_of_shape },
    .since = 9, .has_value = TRUE },
  ROW ("Range", 11, range_inputs, lower_range, NULL, "Numbers at equal distances."),
  ROW ("EyeLike", 9, one, lower_eye_like, NULL, "Ones on a diagonal."),
  ROW ("OneHot", 9, one_hot_inputs, lower_one_hot, NULL, "One value at each index, another elsewhere."),
  ROW ("Trilu", 14, trilu_inputs, lower_trilu, NULL, "One triangle of matrices."),
  ROW ("Compress", 9, compress_inputs, lower_compress, NULL, "Slices for which a condition holds."),
  ROW ("OptionalHasElement", 15, one, lower_has_element, NULL, "Whether there is a value."),
  ROW ("OptionalGetElement", 15, one, lower_get_element, NULL, "The value that is there."),
  ROW ("RandomNormal", 1, no_inputs, lower_random, "normal", "Normally distributed numbers."),
  ROW ("RandomUniform", 1, no_inputs, lower_random, "uniform", "Equally distributed numbers."),
  ROW ("RandomNormalLike", 1, one, lower_random_like, "normal", "Normally distributed numbers."),
  ROW ("RandomUniformLike", 1, one, lower_random_like, "uniform", "Equally distributed numbers."),
  ROW ("Bernoulli", 15, one, lower_bernoulli, NULL, "Random zeros and ones."),
  ROW ("Multinomial", 7, one, lower_multinomial, NULL, "Random classes."),
  { .since = 0 },
};
/* clang-format on */
