/* quantise.c — conversions between floats and 8-bit integers, and layers on such integers.
 *
 * Products of matrices and convolutions are computed with integers where the graph only runs, on the processor.  Other
 * layers are computed as they are defined: integers become floats, the layer of floats runs, the result is rounded.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/onnx/ops/quantise.h"
#include "engine/onnx/ops/pieces.h"
#include "engine/onnx/ops/window.h"

/* Limits of integer types that values are rounded to. */
static void
limits_of (HybDType dtype, double *low, double *high)
{
  *low = dtype == HYB_I8 ? -128 : dtype == HYB_I16 ? -32768 : dtype == HYB_I32 ? -2147483648.0 : 0;
  *high = dtype == HYB_I8    ? 127
          : dtype == HYB_U8  ? 255
          : dtype == HYB_I16 ? 32767
          : dtype == HYB_U16 ? 65535
                             : 2147483647.0;
}

/* A scale or zero point under a shape that broadcasts along an axis; one for each block of elements is repeated. */
static HybValueId
spread (HybLowering *lowering, HybValueId x, const HybType *data, gint64 given)
{
  HybType type = *hyb_lowering_get_type (lowering, x);
  gint64  dims[HYB_MAX_RANK], block = hyb_onnx_int (lowering, "block_size", 0);
  int     axis;

  if (type.shape.rank == 0 || (type.shape.rank == 1 && type.shape.dim[0] == 1) ||
      data->shape.rank < 1)
    return type.shape.rank == 0 ? x : hyb_onnx_reshape (lowering, x, 0, NULL);
  axis = hyb_onnx_axis (lowering, given, data->shape.rank);
  if (axis < 0)
    return x;
  if (type.shape.rank == data->shape.rank && block > 0)
    {
      x = hyb_lowering_emit (lowering, "repeat", 1, &x, "repeats",
                             hyb_lowering_text (lowering, "%" G_GINT64_FORMAT, block), "axis",
                             hyb_lowering_text (lowering, "%d", axis), NULL);
      return hyb_onnx_slice (lowering, x, axis, 0, data->shape.dim[axis]);
    }
  for (int i = 0; i < data->shape.rank; i++)
    dims[i] = i == axis ? type.shape.dim[0] : 1;
  return type.shape.rank == 1 ? hyb_onnx_reshape (lowering, x, (guint) data->shape.rank, dims) : x;
}

/* TRUE if a parameter is broadcast to x without making it larger. */
static gboolean
fits (HybLowering *lowering, HybValueId x, HybValueId parameter)
{
  const HybShape *whole, *part;

  if (x == HYB_NO_ID || parameter == HYB_NO_ID)
    return x != HYB_NO_ID;
  whole = &hyb_lowering_get_type (lowering, x)->shape;
  part = &hyb_lowering_get_type (lowering, parameter)->shape;
  if (!hyb_shape_is_known (whole) || !hyb_shape_is_known (part) || part->rank > whole->rank)
    return FALSE;
  for (int i = 1; i <= part->rank; i++)
    if (part->dim[part->rank - i] != 1 && part->dim[part->rank - i] != whole->dim[whole->rank - i])
      return FALSE;
  return TRUE;
}

static gboolean
is_byte (HybDType dtype)
{
  return dtype == HYB_I8 || dtype == HYB_U8;
}

/* A parameter as float32, or a number instead of none. */
static HybValueId
float_parameter (HybLowering *lowering, HybValueId x, double number)
{
  return x == HYB_NO_ID ? hyb_onnx_scalar (lowering, number, HYB_F32)
                        : hyb_onnx_cast (lowering, x, HYB_F32);
}

HybValueId
onnx_quantise (HybLowering *lowering,
               HybValueId   x,
               HybValueId   scale,
               HybValueId   zero,
               HybDType     dtype)
{
  double low, high;

  if (is_byte (dtype) && fits (lowering, x, scale) && fits (lowering, x, zero))
    return hyb_lowering_emit (lowering, "_quantise_linear", 3,
                              (HybValueId[]){ x, float_parameter (lowering, scale, 1),
                                              float_parameter (lowering, zero, 0) },
                              "out_type", dtype == HYB_I8 ? "int8" : "uint8", NULL);
  limits_of (dtype, &low, &high);
  x = hyb_onnx_unary (lowering, "_npi_around",
                      hyb_onnx_binary (lowering, "broadcast_div", x, scale));
  if (zero != HYB_NO_ID)
    x = hyb_onnx_binary (lowering, "broadcast_add", x, hyb_onnx_cast (lowering, zero, HYB_F32));
  x = hyb_onnx_with_scalar (lowering, "_maximum_scalar", x, low);
  x = hyb_onnx_with_scalar (lowering, "_minimum_scalar", x, high);
  return hyb_onnx_cast (lowering, x, dtype);
}

HybValueId
onnx_dequantise (HybLowering *lowering, HybValueId x, HybValueId scale, HybValueId zero)
{
  if (x != HYB_NO_ID && is_byte (hyb_lowering_get_type (lowering, x)->dtype) &&
      fits (lowering, x, scale) && fits (lowering, x, zero))
    return hyb_lowering_emit (lowering, "_dequantise_linear", 3,
                              (HybValueId[]){ x, float_parameter (lowering, scale, 1),
                                              float_parameter (lowering, zero, 0) },
                              NULL);
  x = hyb_onnx_cast (lowering, x, HYB_F32);
  if (zero != HYB_NO_ID)
    x = hyb_onnx_binary (lowering, "broadcast_sub", x, hyb_onnx_cast (lowering, zero, HYB_F32));
  return scale == HYB_NO_ID ? x : hyb_onnx_binary (lowering, "broadcast_mul", x, scale);
}

static HybValueId
optional_spread (HybLowering *lowering, guint input, const HybType *data, gint64 axis)
{
  HybValueId x = onnx_optional (lowering, input);

  return x == HYB_NO_ID ? x : spread (lowering, x, data, axis);
}

static void
lower_quantise (HybLowering *lowering)
{
  HybType data = *hyb_onnx_type (lowering, 0);
  gint64 axis = hyb_onnx_int (lowering, "axis", 1), to = hyb_onnx_int (lowering, "output_dtype", 0);
  HybDType   dtype = hyb_onnx_has_input (lowering, 2) ? hyb_onnx_type (lowering, 2)->dtype
                     : to > 0 ? hyb_onnx_dtype_to_engine ((HybOnnxDType) MIN (to, G_MAXINT16))
                              : HYB_U8;
  HybType    type = { data.shape, dtype };
  HybValueId x = hyb_onnx_cast (lowering, hyb_onnx_input (lowering, 0), HYB_F32), scale;

  hyb_lowering_set_type (lowering, 0, &type);
  if (dtype == HYB_DTYPE_UNKNOWN)
    return;
  scale = hyb_onnx_cast (lowering, spread (lowering, hyb_onnx_input (lowering, 1), &data, axis),
                         HYB_F32);
  hyb_lowering_set_output (lowering, 0,
                           onnx_quantise (lowering, x, scale,
                                          optional_spread (lowering, 2, &data, axis), dtype));
}

static void
lower_dequantise (HybLowering *lowering)
{
  HybType    data = *hyb_onnx_type (lowering, 0);
  gint64     axis = hyb_onnx_int (lowering, "axis", 1);
  HybDType   dtype = hyb_onnx_type (lowering, 1)->dtype;
  HybType    type = { data.shape, dtype };
  HybValueId y;

  hyb_lowering_set_type (lowering, 0, &type);
  if (data.dtype == HYB_DTYPE_UNKNOWN)
    return;
  y = onnx_dequantise (lowering, hyb_onnx_input (lowering, 0),
                       hyb_onnx_cast (lowering,
                                      spread (lowering, hyb_onnx_input (lowering, 1), &data, axis),
                                      HYB_F32),
                       optional_spread (lowering, 2, &data, axis));
  hyb_lowering_set_output (lowering, 0, hyb_onnx_cast (lowering, y, dtype));
}

HybValueId
onnx_quantise_dynamically (HybLowering *lowering, HybValueId x, HybValueId *scale, HybValueId *zero)
{
  HybValueId y = hyb_lowering_emit (lowering, "_quantise_dynamically", 1, &x, NULL);

  *scale = y == HYB_NO_ID ? y : y + 1;
  *zero = y == HYB_NO_ID ? y : y + 2;
  return y;
}

static void
lower_dynamic (HybLowering *lowering)
{
  HybValueId scale, zero;

  hyb_lowering_set_output (lowering, 0,
                           onnx_quantise_dynamically (lowering, hyb_onnx_input (lowering, 0),
                                                      &scale, &zero));
  hyb_lowering_set_output (lowering, 1, scale);
  hyb_lowering_set_output (lowering, 2, zero);
}

/* --- Layers --- */

/* A zero point or scale of a matrix: of A by row, of B by column. */
static HybValueId
matrix_parameter (HybLowering *lowering, HybValueId x, const HybType *data, gboolean by_row)
{
  HybType type;

  if (x == HYB_NO_ID)
    return x;
  type = *hyb_lowering_get_type (lowering, x);
  if (type.shape.rank == 1 && type.shape.dim[0] > 1 && by_row && data->shape.rank >= 2)
    return hyb_onnx_reshape (lowering, x, 2, (gint64[]){ type.shape.dim[0], 1 });
  return x;
}

/* A product of integers of two inputs, with what belongs to them; scales HYB_NO_ID: 1, zero points likewise: 0. */
typedef struct
{
  HybValueId a, a_scale, a_zero, b, b_scale, b_zero;
} IntegerProduct;

/* The number of elements of a value; G_MAXINT64 if it is not known. */
static gint64
count_of (HybLowering *lowering, HybValueId x)
{
  const HybShape *shape = &hyb_lowering_get_type (lowering, x)->shape;

  return hyb_shape_is_known (shape) ? hyb_shape_size (shape) : G_MAXINT64;
}

/* Whether a parameter is one number or, along an axis of its own, one for each column or row. */
static gboolean
is_vector (HybLowering *lowering, HybValueId x, gboolean may_be_vector)
{
  return x == HYB_NO_ID || count_of (lowering, x) == 1 ||
         (may_be_vector && hyb_lowering_get_type (lowering, x)->shape.rank == 1);
}

/* Whether a bias has one number for each column of a matrix. */
static gboolean
is_for_columns (HybLowering *lowering, HybValueId bias, const HybShape *b)
{
  return bias != HYB_NO_ID && hyb_lowering_get_type (lowering, bias)->shape.rank == 1 &&
         b->rank >= 2 && count_of (lowering, bias) == b->dim[b->rank - 1];
}

/* Whether the operator for integers computes the product: the graph only runs, on the processor, both are bytes, and no
 * parameter belongs to a matrix of a batch.  It has neither gradients nor a kernel on the GPU. */
static gboolean
is_of_integers (HybLowering *lowering, const IntegerProduct *product)
{
  return hyb_lowering_is_for_run (lowering) && product->a != HYB_NO_ID && product->b != HYB_NO_ID &&
         is_byte (hyb_lowering_get_type (lowering, product->a)->dtype) &&
         is_byte (hyb_lowering_get_type (lowering, product->b)->dtype) &&
         is_vector (lowering, product->a_scale, FALSE) &&
         is_vector (lowering, product->a_zero, TRUE) &&
         is_vector (lowering, product->b_scale, TRUE) &&
         is_vector (lowering, product->b_zero, TRUE);
}

/* A zero point as an operand of _integer_matmul. */
static HybValueId
zero_of (HybLowering *lowering, HybValueId zero, HybValueId data)
{
  return zero != HYB_NO_ID
             ? zero
             : hyb_onnx_scalar (lowering, 0, hyb_lowering_get_type (lowering, data)->dtype);
}

/* The product as int32 or, scaled, as floats or bytes: rest is their bias or zero point, both floats, or HYB_NO_ID. */
static HybValueId
emit_product (HybLowering          *lowering,
              const IntegerProduct *product,
              const char           *out_type,
              HybValueId            scale,
              HybValueId            rest)
{
  HybValueId inputs[] = { product->a,
                          product->b,
                          zero_of (lowering, product->a_zero, product->a),
                          zero_of (lowering, product->b_zero, product->b),
                          scale,
                          rest };
  guint      n = scale == HYB_NO_ID ? 4 : rest == HYB_NO_ID ? 5 : 6;
  gboolean   has_bias = n == 6 && g_str_equal (out_type, "float32");

  return hyb_lowering_emit (lowering, "_integer_matmul", n, inputs, "out_type", out_type,
                            "has_bias", has_bias ? "True" : "False", NULL);
}

/* The same as a product of floats. */
static HybValueId
multiply_floats (HybLowering *lowering, const IntegerProduct *product)
{
  HybType    a_type = *hyb_lowering_get_type (lowering, product->a);
  HybType    b_type = *hyb_lowering_get_type (lowering, product->b);
  HybValueId a = onnx_dequantise (lowering, product->a,
                                  matrix_parameter (lowering, product->a_scale, &a_type, TRUE),
                                  matrix_parameter (lowering, product->a_zero, &a_type, TRUE));
  HybValueId b = onnx_dequantise (lowering, product->b,
                                  matrix_parameter (lowering, product->b_scale, &b_type, FALSE),
                                  matrix_parameter (lowering, product->b_zero, &b_type, FALSE));

  return hyb_onnx_binary (lowering, "_npi_matmul", a, b);
}

static void
lower_matmul_integer (HybLowering *lowering)
{
  IntegerProduct product = { .a = hyb_onnx_input (lowering, 0),
                             .a_scale = HYB_NO_ID,
                             .a_zero = onnx_optional (lowering, 2),
                             .b = hyb_onnx_input (lowering, 1),
                             .b_scale = HYB_NO_ID,
                             .b_zero = onnx_optional (lowering, 3) };

  hyb_lowering_set_output (lowering, 0,
                           is_of_integers (lowering, &product)
                               ? emit_product (lowering, &product, "int32", HYB_NO_ID, HYB_NO_ID)
                               : hyb_onnx_cast (lowering, multiply_floats (lowering, &product),
                                                HYB_I32));
}

static HybValueId
float_input (HybLowering *lowering, guint input)
{
  return hyb_onnx_cast (lowering, hyb_onnx_input (lowering, input), HYB_F32);
}

static void
lower_qlinear_matmul (HybLowering *lowering)
{
  IntegerProduct product = { hyb_onnx_input (lowering, 0), float_input (lowering, 1),
                             hyb_onnx_input (lowering, 2), hyb_onnx_input (lowering, 3),
                             float_input (lowering, 4),    hyb_onnx_input (lowering, 5) };
  HybValueId     y_scale = float_input (lowering, 6), y_zero = hyb_onnx_input (lowering, 7), y;
  HybDType       dtype = hyb_onnx_type (lowering, 7)->dtype;

  if (is_of_integers (lowering, &product) && is_byte (dtype) && count_of (lowering, y_scale) == 1 &&
      count_of (lowering, y_zero) == 1)
    y = emit_product (lowering, &product, hyb_dtype_name (dtype),
                      onnx_divide (lowering,
                                   onnx_multiply (lowering, product.a_scale, product.b_scale),
                                   y_scale),
                      hyb_onnx_cast (lowering, y_zero, HYB_F32));
  else
    y = onnx_quantise (lowering, multiply_floats (lowering, &product), y_scale, y_zero, dtype);
  hyb_lowering_set_output (lowering, 0, y);
}

/* A convolution of integers: the window, and how the result is written.  scale and rest as in emit_product(). */
typedef struct
{
  HybValueId  x, x_zero, w, w_zero;
  const char *out_type;
  HybValueId  scale, zero, bias; /* HYB_NO_ID: none */
} IntegerConvolution;

/* HYB_NO_ID after a failure. */
static HybValueId
emit_convolution (HybLowering *lowering, const IntegerConvolution *own)
{
  HybType    x_type = *hyb_lowering_get_type (lowering, own->x);
  HybType    w_type = *hyb_lowering_get_type (lowering, own->w);
  OnnxWindow window;
  HybValueId inputs[] = { own->x,
                          own->w,
                          zero_of (lowering, own->x_zero, own->x),
                          zero_of (lowering, own->w_zero, own->w),
                          own->scale,
                          own->zero,
                          own->bias };
  guint      n = own->scale == HYB_NO_ID ? 4 : own->bias == HYB_NO_ID ? 6 : 7;

  if (!onnx_window_read (lowering, &window, &x_type,
                         w_type.shape.rank > 2 ? w_type.shape.dim + 2 : NULL))
    return HYB_NO_ID;
  return hyb_lowering_emit (lowering, "_integer_convolution", n, inputs, "kernel",
                            onnx_window_text (lowering, &window, window.kernel), "stride",
                            onnx_window_text (lowering, &window, window.stride), "dilate",
                            onnx_window_text (lowering, &window, window.dilation), "pad",
                            onnx_window_text (lowering, &window, window.before), "pad_after",
                            onnx_window_text (lowering, &window, window.after), "num_group",
                            hyb_lowering_text (lowering, "%" G_GINT64_FORMAT,
                                               hyb_onnx_int (lowering, "group", 1)),
                            "out_type", own->out_type, "has_bias", n == 7 ? "True" : "False", NULL);
}

static HybValueId
convolve (HybLowering *lowering, HybValueId x, HybValueId weight, HybValueId bias)
{
  HybType    x_type = *hyb_lowering_get_type (lowering, x);
  HybType    w_type = *hyb_lowering_get_type (lowering, weight);
  OnnxWindow window;
  HybValueId inputs[] = { x, weight, bias };

  if (!onnx_window_read (lowering, &window, &x_type,
                         w_type.shape.rank > 2 ? w_type.shape.dim + 2 : NULL))
    return HYB_NO_ID;
  inputs[0] = onnx_window_pad (lowering, &window, x, 0);
  return onnx_window_emit (lowering, "Convolution", &window, inputs, w_type.shape.dim[0]);
}

/* The same with whole numbers as floats, whose sums are exact up to 2²⁴: w and w_zero are inputs of the node. */
static HybValueId
convolve_floats (HybLowering *lowering, guint w, guint w_zero, HybValueId bias)
{
  HybType w_type = *hyb_onnx_type (lowering, w);

  return convolve (lowering,
                   onnx_dequantise (lowering, hyb_onnx_input (lowering, 0), HYB_NO_ID,
                                    onnx_optional (lowering, 2)),
                   onnx_dequantise (lowering, hyb_onnx_input (lowering, w), HYB_NO_ID,
                                    optional_spread (lowering, w_zero, &w_type, 0)),
                   bias == HYB_NO_ID ? bias : hyb_onnx_cast (lowering, bias, HYB_F32));
}

static void
lower_conv_integer (HybLowering *lowering)
{
  IntegerConvolution own = { hyb_onnx_input (lowering, 0),
                             onnx_optional (lowering, 2),
                             hyb_onnx_input (lowering, 1),
                             onnx_optional (lowering, 3),
                             "int32",
                             HYB_NO_ID,
                             HYB_NO_ID,
                             HYB_NO_ID };

  hyb_lowering_set_output (lowering, 0,
                           hyb_lowering_is_for_run (lowering)
                               ? emit_convolution (lowering, &own)
                               : hyb_onnx_cast (lowering,
                                                convolve_floats (lowering, 1, 3, HYB_NO_ID),
                                                HYB_I32));
}

/* Taps whose sums of products are less than 2²⁴, up to which float32 holds every integer. */
#define MAX_EXACT_TAPS 256

/* Whether a filter reads one channel, which the kernel for floats computes in half of the time that integers take. */
static gboolean
is_depthwise (HybLowering *lowering, const HybType *w)
{
  return hyb_shape_is_known (&w->shape) && w->shape.rank > 2 && w->shape.dim[1] == 1 &&
         w->shape.dim[0] == hyb_onnx_int (lowering, "group", 1) &&
         hyb_shape_count (&w->shape, 2, w->shape.rank) <= MAX_EXACT_TAPS;
}

/* The bias is in units of the product of both scales, as sums are. */
static void
lower_qlinear_conv (HybLowering *lowering)
{
  HybDType   dtype = hyb_onnx_type (lowering, 7)->dtype;
  HybType    w_type = *hyb_onnx_type (lowering, 3);
  HybValueId factors =
      onnx_multiply (lowering, float_input (lowering, 1), float_input (lowering, 4));
  HybValueId y_scale = float_input (lowering, 6), scale, y;

  if (is_depthwise (lowering, &w_type) || !hyb_lowering_is_for_run (lowering))
    {
      y = convolve_floats (lowering, 3, 5, onnx_optional (lowering, 8));
      if (y == HYB_NO_ID)
        return;
      scale = spread (lowering, onnx_divide (lowering, y_scale, factors),
                      hyb_lowering_get_type (lowering, y), 1);
      hyb_lowering_set_output (lowering, 0,
                               onnx_quantise (lowering, y, scale, hyb_onnx_input (lowering, 7),
                                              dtype));
      return;
    }
  scale = onnx_divide (lowering, factors, y_scale);
  y = emit_convolution (lowering, &(IntegerConvolution){
                                      hyb_onnx_input (lowering, 0), hyb_onnx_input (lowering, 2),
                                      hyb_onnx_input (lowering, 3), hyb_onnx_input (lowering, 5),
                                      hyb_dtype_name (dtype), scale, float_input (lowering, 7),
                                      onnx_optional (lowering, 8) });
  hyb_lowering_set_output (lowering, 0, y);
}

/* --- com.microsoft --- */

/* Input 0 as floats. */
static HybValueId
dequantise_first (HybLowering *lowering)
{
  return onnx_dequantise (lowering, hyb_onnx_input (lowering, 0), hyb_onnx_input (lowering, 1),
                          onnx_optional (lowering, 2));
}

static void
lower_qlinear_binary (HybLowering *lowering)
{
  HybValueId a = dequantise_first (lowering);
  HybValueId b = onnx_dequantise (lowering, hyb_onnx_input (lowering, 3),
                                  hyb_onnx_input (lowering, 4), onnx_optional (lowering, 5));

  hyb_lowering_set_output (lowering, 0,
                           onnx_quantise (lowering,
                                          hyb_onnx_binary (lowering, hyb_onnx_engine (lowering), a,
                                                           b),
                                          hyb_onnx_input (lowering, 6), onnx_optional (lowering, 7),
                                          hyb_onnx_type (lowering, 0)->dtype));
}

/* Sets the output of an operator with one operand. */
static void
quantise_unary (HybLowering *lowering, HybValueId y)
{
  hyb_lowering_set_output (lowering, 0,
                           onnx_quantise (lowering, y, hyb_onnx_input (lowering, 3),
                                          onnx_optional (lowering, 4),
                                          hyb_onnx_type (lowering, 0)->dtype));
}

static void
lower_qlinear_unary (HybLowering *lowering)
{
  HybValueId x = dequantise_first (lowering);

  quantise_unary (lowering, hyb_onnx_unary (lowering, hyb_onnx_engine (lowering), x));
}

static void
lower_qlinear_leaky (HybLowering *lowering)
{
  HybValueId x = dequantise_first (lowering);

  quantise_unary (lowering,
                  onnx_leaky (lowering, x, "leaky", hyb_onnx_float (lowering, "alpha", 0.01)));
}

HybValueId
onnx_multiply_integers (HybLowering      *lowering,
                        const HybValueId *a,
                        const HybValueId *b,
                        HybValueId        bias)
{
  IntegerProduct product = { a[0], a[1], a[2], b[0], b[1], b[2] };
  HybValueId     y, joined = HYB_NO_ID;
  HybDType       dtype;

  if (is_of_integers (lowering, &product))
    {
      if (is_for_columns (lowering, bias, &hyb_lowering_get_type (lowering, b[0])->shape))
        joined = bias;
      y = onnx_multiply (lowering, product.a_scale, product.b_scale);
      dtype = hyb_lowering_get_type (lowering, y)->dtype;
      y = emit_product (lowering, &product, "float32", hyb_onnx_cast (lowering, y, HYB_F32),
                        joined == HYB_NO_ID ? joined : hyb_onnx_cast (lowering, joined, HYB_F32));
      y = hyb_onnx_cast (lowering, y, dtype);
    }
  else
    y = multiply_floats (lowering, &product);
  return bias == joined ? y : onnx_add (lowering, y, bias);
}

/* A (from floats, or with its scale) times B with scale and zero point, and a bias. */
static void
lower_matmul_to_float (HybLowering *lowering)
{
  HybValueId a[] = { hyb_onnx_input (lowering, 0), hyb_onnx_input (lowering, 2),
                     onnx_optional (lowering, 4) };
  HybValueId b[] = { hyb_onnx_input (lowering, 1), hyb_onnx_input (lowering, 3),
                     onnx_optional (lowering, 5) };

  hyb_lowering_set_output (lowering, 0,
                           onnx_multiply_integers (lowering, a, b, onnx_optional (lowering, 6)));
}

static const char *const conversion[] = { "x", "y_scale", "y_zero_point", NULL };
static const char *const matmul[] = { "A", "B", "a_zero_point", "b_zero_point", NULL };
static const char *const qmatmul[] = { "a",       "a_scale",      "a_zero_point",
                                       "b",       "b_scale",      "b_zero_point",
                                       "y_scale", "y_zero_point", NULL };
static const char *const conv[] = { "x", "w", "x_zero_point", "w_zero_point", NULL };
static const char *const qconv[] = { "x",       "x_scale",      "x_zero_point",
                                     "w",       "w_scale",      "w_zero_point",
                                     "y_scale", "y_zero_point", "B",
                                     NULL };
static const char *const outputs[] = { "y", "y_scale", "y_zero_point", NULL };

#define ROW(NAME, SINCE, DOMAIN, INPUTS, LOWER, ENGINE, CATEGORY, DOC)                 \
  {                                                                                    \
    .op = { HYB_ONNX_ROW,     .name = NAME,       .doc = DOC,    .category = CATEGORY, \
            .inputs = INPUTS, .outputs = outputs, .lower = LOWER },                    \
    .domain = DOMAIN, .since = SINCE, .engine = ENGINE                                 \
  }
#define MS "com.microsoft"

/* clang-format off */
const HybOnnxOp hyb_onnx_ops_quantise[] = {
  ROW ("QuantizeLinear", 10, NULL, conversion, lower_quantise, NULL, HYB_CATEGORY_MOVEMENT, "Floats as integers."),
  ROW ("DequantizeLinear", 10, NULL, conversion, lower_dequantise, NULL, HYB_CATEGORY_MOVEMENT, "Integers as floats."),
  ROW ("DynamicQuantizeLinear", 11, NULL, conversion, lower_dynamic, NULL, HYB_CATEGORY_MOVEMENT, "Floats as integers of their own range."),
  ROW ("MatMulInteger", 10, NULL, matmul, lower_matmul_integer, NULL, HYB_CATEGORY_LINEAR, "A product of matrices of integers."),
  ROW ("QLinearMatMul", 10, NULL, qmatmul, lower_qlinear_matmul, NULL, HYB_CATEGORY_LINEAR, "A product of quantised matrices."),
  ROW ("ConvInteger", 10, NULL, conv, lower_conv_integer, NULL, HYB_CATEGORY_CONVOLUTION, "A convolution of integers."),
  ROW ("QLinearConv", 10, NULL, qconv, lower_qlinear_conv, NULL, HYB_CATEGORY_CONVOLUTION, "A convolution of quantised values."),
  ROW ("QuantizeLinear", 1, MS, conversion, lower_quantise, NULL, HYB_CATEGORY_MOVEMENT, "Floats as integers."),
  ROW ("DequantizeLinear", 1, MS, conversion, lower_dequantise, NULL, HYB_CATEGORY_MOVEMENT, "Integers as floats."),
  ROW ("QLinearAdd", 1, MS, qmatmul, lower_qlinear_binary, "broadcast_add", HYB_CATEGORY_ELEMENTWISE, "The sum of quantised values."),
  ROW ("QLinearMul", 1, MS, qmatmul, lower_qlinear_binary, "broadcast_mul", HYB_CATEGORY_ELEMENTWISE, "The product of quantised values."),
  ROW ("QLinearSigmoid", 1, MS, conversion, lower_qlinear_unary, "sigmoid", HYB_CATEGORY_ELEMENTWISE, "The logistic function of quantised values."),
  ROW ("QLinearLeakyRelu", 1, MS, conversion, lower_qlinear_leaky, NULL, HYB_CATEGORY_ELEMENTWISE, "Negative quantised values are scaled."),
  ROW ("MatMulIntegerToFloat", 1, MS, matmul, lower_matmul_to_float, NULL, HYB_CATEGORY_LINEAR, "A product of matrices of integers, as floats."),
  { .since = 0 },
};
/* clang-format on */
