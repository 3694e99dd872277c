/* integer-operands.c — what products and convolutions of 8-bit integers share; see integer-operands.h.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/ops/quantised/integer-operands.h"

#include "engine/op/dimensions.h"
#include "engine/op/run.h"

enum
{
  OUT_INT8,
  OUT_UINT8,
  OUT_INT32,
  OUT_FLOAT32,
};

const char *const hyb_integer_out_types[] = { "int8", "uint8", "int32", "float32", NULL };

static const HybDType dtypes[] = { HYB_I8, HYB_U8, HYB_I32, HYB_F32 };

static gboolean
makes_bytes (const HybIntegerOut *out)
{
  return out->out_type == OUT_INT8 || out->out_type == OUT_UINT8;
}

void
hyb_integer_arity (gconstpointer params, guint *n_inputs, guint *n_outputs)
{
  const HybIntegerOut *out = params;

  *n_inputs = out->out_type == OUT_INT32
                  ? HYB_INTEGER_SCALE
                  : (guint) (HYB_INTEGER_REST + makes_bytes (out) + out->has_bias);
  *n_outputs = 1;
}

static gboolean
expect_bytes (const HybCall *call, guint input, GError **error)
{
  HybDType dtype = call->input[input].dtype;

  return dtype == HYB_DTYPE_UNKNOWN || dtype == HYB_I8 || dtype == HYB_U8 ||
         hyb_refuse_types (error, NULL, "its %s is %s, but it takes int8 and uint8",
                           call->op->inputs[input], hyb_dtype_name (dtype));
}

gboolean
hyb_integer_infer_dtype (HybCall *call, GError **error)
{
  const HybIntegerOut *out = call->params;

  for (guint i = HYB_INTEGER_LEFT; i <= HYB_INTEGER_RIGHT; i++)
    if (!expect_bytes (call, i, error) ||
        (call->input[i].dtype != HYB_DTYPE_UNKNOWN &&
         !hyb_dtype_assign (&call->input[i + 2].dtype, call->input[i].dtype, error)))
      return FALSE;
  for (guint i = HYB_INTEGER_SCALE; i < call->n_inputs; i++)
    {
      gboolean is_integer =
          i > HYB_INTEGER_REST && makes_bytes (out) && call->input[i].dtype != HYB_F32;

      if (!hyb_dtype_assign (&call->input[i].dtype, is_integer ? HYB_I32 : HYB_F32, error))
        return FALSE;
    }
  return hyb_dtype_assign (&call->output[0].dtype, dtypes[out->out_type], error);
}

/* Whether an operand is one number, or, if n is more, one for each of n rows, columns or channels.  A bias is always the
 * latter. */
static gboolean
expect_vector (const HybCall *call, guint input, gint64 n, gboolean may_be_one, GError **error)
{
  const HybShape *shape = &call->input[input].shape;
  gint64          size = hyb_shape_is_known (shape) ? hyb_shape_size (shape) : n;

  if ((size == 1 && may_be_one) || n == HYB_UNKNOWN || size == n)
    return TRUE;
  return hyb_refuse_types (error, NULL,
                           "its %s has %" G_GINT64_FORMAT " elements instead of %" G_GINT64_FORMAT,
                           call->op->inputs[input], size, n);
}

gboolean
hyb_integer_expect_vectors (const HybCall *call, gint64 n_left, gint64 n_right, GError **error)
{
  const HybIntegerOut *out = call->params;

  if (!expect_vector (call, HYB_INTEGER_LEFT_ZERO, n_left, TRUE, error) ||
      !expect_vector (call, HYB_INTEGER_RIGHT_ZERO, n_right, TRUE, error))
    return FALSE;
  for (guint i = HYB_INTEGER_SCALE; i < call->n_inputs; i++)
    {
      gboolean is_zero = i == HYB_INTEGER_REST && makes_bytes (out);

      if (!expect_vector (call, i, is_zero ? 1 : n_right, i == HYB_INTEGER_SCALE, error))
        return FALSE;
    }
  return TRUE;
}

gint64
hyb_integer_n_zeros (const HybCall *call)
{
  return hyb_shape_size (&call->input[HYB_INTEGER_LEFT_ZERO].shape) +
         hyb_shape_size (&call->input[HYB_INTEGER_RIGHT_ZERO].shape);
}

gint32 *
hyb_integer_read_zeros (const HybCall *call, const HybRun *run, guint input, gint32 *to)
{
  gint64        n = hyb_shape_size (&call->input[input].shape);
  const guint8 *from = run->input[input];

  for (gint64 i = 0; i < n; i++)
    to[i] = call->input[input].dtype == HYB_I8 ? (gint8) from[i] : from[i];
  return to + n;
}

gint64
hyb_integer_stride (const HybCall *call, guint input)
{
  return hyb_shape_size (&call->input[input].shape) == 1 ? 0 : 1;
}

HybIntegerResult
hyb_integer_make_result (const HybCall *call, const HybRun *run)
{
  const HybIntegerOut *out = call->params;
  HybIntegerResult     result = { .dtype = dtypes[out->out_type], .y = run->output[0] };

  if (out->out_type == OUT_INT32)
    return result;
  result.scale = run->input[HYB_INTEGER_SCALE];
  result.scale_stride = hyb_integer_stride (call, HYB_INTEGER_SCALE);
  if (makes_bytes (out))
    result.zero = (gint32) CLAMP (((const float *) run->input[HYB_INTEGER_REST])[0], -128, 255);
  if (out->has_bias && makes_bytes (out) && call->input[HYB_INTEGER_REST + 1].dtype == HYB_I32)
    result.sum_bias = run->input[HYB_INTEGER_REST + 1];
  else if (out->has_bias && makes_bytes (out))
    result.bias = run->input[HYB_INTEGER_REST + 1];
  else if (out->has_bias)
    result.bias = run->input[HYB_INTEGER_REST];
  return result;
}
