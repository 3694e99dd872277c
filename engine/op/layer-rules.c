/* layer-rules.c — shapes that layers expect of their operands, and windows that slide over images.
 *
 * Messages name the operand or attribute and give the number that is wrong.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/op/layer-rules.h"

#include "engine/base/error.h"
#include "engine/op/rules.h"

/* No real image is as large, and the product of two such numbers does not overflow gint64. */
#define WINDOW_LIMIT (G_GINT64_CONSTANT (1) << 30)

gboolean
hyb_layer_expect (HybShape *shape, const char *operand, const HybShape *want, GError **error)
{
  if (hyb_shape_assign (shape, want, error))
    return TRUE;

  g_prefix_error (error, "%s: ", operand);
  return FALSE;
}

gboolean
hyb_layer_expect_vector (HybShape *shape, const char *operand, gint64 n, GError **error)
{
  HybShape want = hyb_shape_1d (n);

  return hyb_layer_expect (shape, operand, &want, error);
}

gboolean
hyb_layer_expect_rank (const HybShape *shape,
                       const char     *operand,
                       int             low,
                       int             high,
                       GError        **error)
{
  g_autofree char *text = NULL;

  if (shape->rank == HYB_UNKNOWN || (shape->rank >= low && shape->rank <= high))
    return TRUE;

  text = hyb_shape_to_string (shape);
  if (low == high)
    return hyb_error_at (error, HYB_GRAPH_ERROR, HYB_GRAPH_ERROR_TYPES, operand, NULL,
                         "it must have %d dimensions but its shape is %s", low, text);

  return hyb_error_at (error, HYB_GRAPH_ERROR, HYB_GRAPH_ERROR_TYPES, operand, NULL,
                       "it must have %d to %d dimensions but its shape is %s", low, high, text);
}

gboolean
hyb_layer_expect_image (const HybShape *shape, const char *operand, int rank, GError **error)
{
  if (!hyb_layer_expect_rank (shape, operand, rank, rank, error))
    return FALSE;

  for (int i = 0; i < shape->rank; i++)
    if (shape->dim[i] > WINDOW_LIMIT)
      return hyb_error_at (error, HYB_GRAPH_ERROR, HYB_GRAPH_ERROR_TYPES, operand, NULL,
                           "it has %" G_GINT64_FORMAT
                           " cells along axis %d, but at most %" G_GINT64_FORMAT " are supported",
                           shape->dim[i], i, WINDOW_LIMIT);
  return TRUE;
}

gint64
hyb_layer_extent (const HybShape *shape, int from, int to)
{
  gint64 product = 1;

  if (shape->rank == HYB_UNKNOWN)
    return HYB_UNKNOWN;

  for (int i = from; i < to; i++)
    {
      if (shape->dim[i] == HYB_UNKNOWN)
        return HYB_UNKNOWN;
      if (__builtin_mul_overflow (product, shape->dim[i], &product))
        return HYB_UNKNOWN;
    }

  return product;
}

gboolean
hyb_layer_like_last_inputs (HybCall *call, GError **error)
{
  guint first = call->n_inputs - call->n_outputs;

  for (guint i = 0; i < call->n_outputs; i++)
    if (!hyb_shape_assign (&call->output[i].shape, &call->input[first + i].shape, error))
      return FALSE;

  return TRUE;
}

gboolean
hyb_layer_label_dtype (HybCall *call, GError **error)
{
  if (!hyb_rule_dtype_except (call, 1u << 1, error))
    return FALSE;

  if (call->input[1].dtype == HYB_DTYPE_UNKNOWN)
    call->input[1].dtype = call->input[0].dtype;
  return TRUE;
}

/* The number for this axis; fallback if the tuple is missing or too short. */
static gint64
tuple_value (const HybShape *tuple, int axis, gint64 fallback)
{
  return tuple && tuple->rank > axis ? tuple->dim[axis] : fallback;
}

void
hyb_window_init (HybWindow      *window,
                 const HybShape *kernel,
                 const HybShape *stride,
                 const HybShape *dilate,
                 const HybShape *pad)
{
  window->rank = MIN (kernel->rank, 3);

  for (int i = 0; i < 3; i++)
    {
      window->kernel[i] = tuple_value (kernel, i, 1);
      window->stride[i] = tuple_value (stride, i, 1);
      window->dilate[i] = tuple_value (dilate, i, 1);
      window->pad[i] = tuple_value (pad, i, 0);
    }
}

/* The tuple is missing or empty, or has `rank` numbers from low to WINDOW_LIMIT. */
static gboolean
check_tuple (const HybShape *tuple, const char *name, int rank, gint64 low, GError **error)
{
  if (!tuple || tuple->rank <= 0)
    return TRUE;

  if (tuple->rank != rank)
    return hyb_error_at (error, HYB_OP_ERROR, HYB_OP_ERROR_ATTRIBUTE, name,
                         "Give one number for each axis of the kernel",
                         "it has %d numbers but the kernel has %d", tuple->rank, rank);

  for (int i = 0; i < rank; i++)
    if (tuple->dim[i] < low || tuple->dim[i] > WINDOW_LIMIT)
      return hyb_error_at (error, HYB_OP_ERROR, HYB_OP_ERROR_ATTRIBUTE, name, NULL,
                           "%" G_GINT64_FORMAT " is outside %" G_GINT64_FORMAT
                           " to %" G_GINT64_FORMAT,
                           tuple->dim[i], low, WINDOW_LIMIT);

  return TRUE;
}

gboolean
hyb_window_check (const HybShape *kernel,
                  const HybShape *stride,
                  const HybShape *dilate,
                  const HybShape *pad,
                  GError        **error)
{
  if (kernel->rank < 1 || kernel->rank > 3)
    return hyb_error_at (error, HYB_OP_ERROR, HYB_OP_ERROR_ATTRIBUTE, "kernel", NULL,
                         "it has %d axes, but only windows over 1, 2 or 3 axes are supported",
                         MAX (kernel->rank, 0));

  return check_tuple (kernel, "kernel", kernel->rank, 1, error) &&
         check_tuple (stride, "stride", kernel->rank, 1, error) &&
         check_tuple (dilate, "dilate", kernel->rank, 1, error) &&
         check_tuple (pad, "pad", kernel->rank, 0, error);
}

gint64
hyb_window_span (const HybWindow *window, int axis)
{
  /* Both factors are at most WINDOW_LIMIT, so the product does not overflow. */
  return window->dilate[axis] * (window->kernel[axis] - 1) + 1;
}
