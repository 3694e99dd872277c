/* dimensions.c — arithmetic on the dimensions of shapes, any of which may be unknown.
 *
 * Products saturate instead of overflowing, because attributes of hostile files end up in them.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/op/dimensions.h"

#include "engine/base/error.h"

HybAxisView
hyb_axis_view (const HybShape *shape, int axis)
{
  return (HybAxisView){
    .outer = hyb_shape_count (shape, 0, axis),
    .length = shape->dim[axis],
    .inner = hyb_shape_count (shape, axis + 1, shape->rank),
  };
}

HybAxisView
hyb_axis_view_optional (const HybShape *shape, gint64 axis)
{
  if (axis == HYB_NONE)
    return (
        HybAxisView){ .outer = 1, .length = hyb_shape_count (shape, 0, shape->rank), .inner = 1 };

  return hyb_axis_view (shape, hyb_shape_axis (shape, axis, NULL));
}

gboolean
hyb_dim_unify (gint64 *a, gint64 *b, const char *what, GError **error)
{
  if (*a == HYB_UNKNOWN)
    *a = *b;
  else if (*b == HYB_UNKNOWN)
    *b = *a;
  else if (*a != *b)
    return hyb_refuse_types (error, NULL,
                             "%s are %" G_GINT64_FORMAT " and %" G_GINT64_FORMAT
                             " and must be equal",
                             what, *a, *b);

  return TRUE;
}

gint64
hyb_dim_multiply (gint64 a, gint64 b)
{
  gint64 product;

  if (a == HYB_UNKNOWN || b == HYB_UNKNOWN)
    return HYB_UNKNOWN;

  return __builtin_mul_overflow (a, b, &product) ? G_MAXINT64 : product;
}

gint64
hyb_dims_product (const HybShape *shape, int from, int to)
{
  gint64 product = 1;

  for (int i = from; i < to; i++)
    {
      if (shape->dim[i] == 0)
        return 0;
      product = hyb_dim_multiply (product, shape->dim[i]);
    }

  return product;
}

void
hyb_dims_strides (const HybShape *shape, gint64 *stride)
{
  gint64 step = 1;

  for (int i = shape->rank - 1; i >= 0; i--)
    {
      stride[i] = step;
      step *= shape->dim[i];
    }
}

HybShape
hyb_dims_without (const HybShape *shape, int axis)
{
  HybShape less = { .rank = shape->rank - 1 };

  for (int i = 0; i < less.rank; i++)
    less.dim[i] = shape->dim[i < axis ? i : i + 1];

  return less;
}

HybShape
hyb_dims_with (const HybShape *shape, int axis, gint64 size)
{
  HybShape more = { .rank = shape->rank + 1 };

  g_return_val_if_fail (more.rank <= HYB_MAX_RANK, *shape);

  for (int i = 0; i < more.rank; i++)
    more.dim[i] = i == axis ? size : shape->dim[i < axis ? i : i - 1];

  return more;
}

/* Sets *others to the product of the known dimensions and returns the only unknown one; -1 if not
 * exactly one is unknown. */
static int
find_gap (const HybShape *shape, gint64 *others)
{
  int gap = -1;

  *others = 1;
  for (int i = 0; i < shape->rank; i++)
    if (shape->dim[i] != HYB_UNKNOWN)
      *others = hyb_dim_multiply (*others, shape->dim[i]);
    else if (gap >= 0)
      return -1;
    else
      gap = i;

  return gap;
}

/* Infers the only unknown dimension of a shape of `size` elements, if there is only one. */
static gboolean
fill_gap (HybShape *shape, gint64 size, GError **error)
{
  gint64 others;
  int    gap = find_gap (shape, &others);

  if (gap < 0 || others == 0)
    return TRUE;

  if (size % others != 0)
    {
      g_autofree char *text = hyb_shape_to_string (shape);

      return hyb_refuse_types (error, "The number of elements must stay the same",
                               "%" G_GINT64_FORMAT " elements do not divide into shape %s", size,
                               text);
    }

  shape->dim[gap] = size / others;
  return TRUE;
}

gboolean
hyb_dims_same_size (HybShape *a, HybShape *b, GError **error)
{
  gint64 size_a, size_b;

  if (a->rank == HYB_UNKNOWN || b->rank == HYB_UNKNOWN)
    return TRUE;

  size_a = hyb_dims_product (a, 0, a->rank);
  size_b = hyb_dims_product (b, 0, b->rank);

  if (size_a == HYB_UNKNOWN && size_b != HYB_UNKNOWN)
    return fill_gap (a, size_b, error);
  if (size_b == HYB_UNKNOWN && size_a != HYB_UNKNOWN)
    return fill_gap (b, size_a, error);

  if (size_a != size_b)
    {
      g_autofree char *text_a = hyb_shape_to_string (a);
      g_autofree char *text_b = hyb_shape_to_string (b);

      return hyb_refuse_types (error, "The number of elements must stay the same",
                               "shape %s has %" G_GINT64_FORMAT
                               " elements but %s has %" G_GINT64_FORMAT,
                               text_a, size_a, text_b, size_b);
    }

  return TRUE;
}

gboolean
hyb_refuse_types (GError **error, const char *hint, const char *format, ...)
{
  g_autofree char *fact = NULL;
  va_list          args;

  va_start (args, format);
  fact = g_strdup_vprintf (format, args);
  va_end (args);

  return hyb_error_at (error, HYB_GRAPH_ERROR, HYB_GRAPH_ERROR_TYPES, NULL, hint, "%s", fact);
}

gboolean
hyb_refuse_attribute (GError **error, const char *hint, const char *format, ...)
{
  g_autofree char *fact = NULL;
  va_list          args;

  va_start (args, format);
  fact = g_strdup_vprintf (format, args);
  va_end (args);

  return hyb_error_at (error, HYB_OP_ERROR, HYB_OP_ERROR_ATTRIBUTE, NULL, hint, "%s", fact);
}
