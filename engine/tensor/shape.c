/* shape.c — shapes and types that may be partly unknown, and how two of them are unified.
 *
 * hyb_shape_assign() is the base of unification; hyb_shape_bytes() checks sizes before memory is
 * allocated.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/tensor/shape.h"

#include "engine/base/append-number.h"
#include "engine/base/error.h"
#include "engine/tensor/shape-private.h"

HybShape
hyb_shape_make (int rank, const gint64 *dims)
{
  HybShape shape = { .rank = rank };

  g_return_val_if_fail (rank <= HYB_MAX_RANK, HYB_SHAPE_UNKNOWN);

  for (int i = 0; i < rank; i++)
    shape.dim[i] = dims ? dims[i] : HYB_UNKNOWN;
  return shape;
}

HybShape
hyb_shape_1d (gint64 a)
{
  return (HybShape){ .rank = 1, .dim = { a } };
}

HybShape
hyb_shape_2d (gint64 a, gint64 b)
{
  return (HybShape){ .rank = 2, .dim = { a, b } };
}

HybShape
hyb_shape_3d (gint64 a, gint64 b, gint64 c)
{
  return (HybShape){ .rank = 3, .dim = { a, b, c } };
}

HybShape
hyb_shape_4d (gint64 a, gint64 b, gint64 c, gint64 d)
{
  return (HybShape){ .rank = 4, .dim = { a, b, c, d } };
}

gint64
hyb_dim_named (const char *name)
{
  return HYB_UNKNOWN - (gint64) g_quark_from_string (name);
}

const char *
hyb_dim_get_name (gint64 dim)
{
  return dim < HYB_UNKNOWN ? g_quark_to_string ((GQuark) (HYB_UNKNOWN - dim)) : NULL;
}

static inline gboolean
is_known (const HybShape *shape)
{
  if (shape->rank < 0)
    return FALSE;
  for (int i = 0; i < shape->rank; i++)
    if (shape->dim[i] < 0)
      return FALSE;
  return TRUE;
}

gboolean
hyb_shape_is_known (const HybShape *shape)
{
  g_return_val_if_fail (shape, FALSE);
  return is_known (shape);
}

gboolean
hyb_shape_equal (const HybShape *a, const HybShape *b)
{
  g_return_val_if_fail (a && b, FALSE);
  return hyb_shape_is_same (a, b);
}

gint64
hyb_shape_count (const HybShape *shape, int from, int to)
{
  gint64 count = 1;

  for (int i = MAX (from, 0); i < to && i < shape->rank; i++)
    if (__builtin_mul_overflow (count, shape->dim[i], &count))
      count = G_MAXINT64;
  return count;
}

gint64
hyb_shape_size (const HybShape *shape)
{
  g_return_val_if_fail (shape, 0);
  return is_known (shape) ? hyb_shape_count (shape, 0, shape->rank) : HYB_UNKNOWN;
}

gboolean
hyb_shape_bytes (const HybShape *shape, HybDType dtype, gsize *bytes, GError **error)
{
  gsize    total = hyb_dtype_size (dtype);
  gboolean is_empty = FALSE;

  g_return_val_if_fail (shape && bytes, FALSE);
  g_return_val_if_fail (is_known (shape) && total > 0, FALSE);

  /* The dimensions of an empty array are checked as well, because kernels multiply them. */
  for (int i = 0; i < shape->rank; i++)
    if (shape->dim[i] == 0)
      is_empty = TRUE;
    else if (!g_size_checked_mul (&total, total, (gsize) shape->dim[i]) || total > G_MAXSSIZE)
      {
        g_autofree char *text = hyb_shape_to_string (shape);

        return hyb_error_at (error, HYB_GRAPH_ERROR, HYB_GRAPH_ERROR_MEMORY, NULL, NULL,
                             "an array of shape %s would not fit any memory", text);
      }
  *bytes = is_empty ? 0 : total;
  return TRUE;
}

int
hyb_shape_axis (const HybShape *shape, gint64 axis, GError **error)
{
  g_return_val_if_fail (shape, 0);
  if (axis >= -shape->rank && axis < shape->rank)
    return (int) (axis < 0 ? axis + shape->rank : axis);

  hyb_error_at (error, HYB_GRAPH_ERROR, HYB_GRAPH_ERROR_TYPES, NULL, NULL,
                "axis %" G_GINT64_FORMAT " is outside an input of %d dimension%s; use %d to %d",
                axis, shape->rank, shape->rank == 1 ? "" : "s", -shape->rank, shape->rank - 1);
  return -1;
}

static gboolean
contradiction (const HybShape *a, const HybShape *b, GError **error)
{
  g_autofree char *a_text = hyb_shape_to_string (a);
  g_autofree char *b_text = hyb_shape_to_string (b);

  return hyb_error_at (error, HYB_GRAPH_ERROR, HYB_GRAPH_ERROR_TYPES, NULL, NULL,
                       "shape %s does not match %s", a_text, b_text);
}

gboolean
hyb_shape_assign (HybShape *to, const HybShape *from, GError **error)
{
  g_return_val_if_fail (to && from, FALSE);
  if (from->rank < 0)
    return TRUE;
  if (to->rank < 0)
    {
      *to = *from;
      return TRUE;
    }
  if (to->rank != from->rank)
    return contradiction (to, from, error);

  for (int i = 0; i < to->rank; i++)
    {
      if (from->dim[i] < 0)
        continue;
      if (to->dim[i] >= 0 && to->dim[i] != from->dim[i])
        return contradiction (to, from, error);
      to->dim[i] = from->dim[i];
    }
  return TRUE;
}

gboolean
hyb_shape_unify (HybShape *a, HybShape *b, GError **error)
{
  g_return_val_if_fail (a && b, FALSE);
  return hyb_shape_assign (a, b, error) && hyb_shape_assign (b, a, error);
}

gboolean
hyb_dtype_assign (HybDType *to, HybDType from, GError **error)
{
  g_return_val_if_fail (to, FALSE);
  if (from == HYB_DTYPE_UNKNOWN || *to == from)
    return TRUE;
  if (*to != HYB_DTYPE_UNKNOWN)
    return hyb_error_at (error, HYB_GRAPH_ERROR, HYB_GRAPH_ERROR_TYPES, NULL,
                         "Cast one of them, or give both the same dtype",
                         "dtype %s does not match %s", hyb_dtype_name (*to), hyb_dtype_name (from));
  *to = from;
  return TRUE;
}

gboolean
hyb_dtype_unify (HybDType *a, HybDType *b, GError **error)
{
  g_return_val_if_fail (a && b, FALSE);
  return hyb_dtype_assign (a, *b, error) && hyb_dtype_assign (b, *a, error);
}

gboolean
hyb_type_is_known (const HybType *type)
{
  g_return_val_if_fail (type, FALSE);
  return type->dtype != HYB_DTYPE_UNKNOWN && is_known (&type->shape);
}

gsize
hyb_type_bytes (const HybType *type)
{
  g_return_val_if_fail (type, 0);
  return (gsize) hyb_shape_count (&type->shape, 0, type->shape.rank) * hyb_dtype_size (type->dtype);
}

char *
hyb_shape_join (const HybShape *shape, const char *separator)
{
  GString *text = g_string_new (NULL);

  g_return_val_if_fail (shape, NULL);
  for (int i = 0; i < shape->rank; i++)
    {
      if (i > 0)
        g_string_append (text, separator);
      if (shape->dim[i] < 0)
        g_string_append (text,
                         shape->dim[i] < HYB_UNKNOWN ? hyb_dim_get_name (shape->dim[i]) : "?");
      else
        hyb_append_number (text, shape->dim[i]); /* a picture joins 100,000 shapes */
    }
  return g_string_free (text, FALSE);
}

char *
hyb_shape_to_string (const HybShape *shape)
{
  g_autofree char *dimensions = NULL;

  g_return_val_if_fail (shape, NULL);
  if (shape->rank < 0)
    return g_strdup ("?");
  dimensions = hyb_shape_join (shape, ", ");
  return g_strdup_printf ("(%s%s)", dimensions, shape->rank == 1 ? "," : "");
}

char *
hyb_type_to_string (const HybType *type)
{
  g_return_val_if_fail (type, NULL);

  g_autofree char *shape = hyb_shape_to_string (&type->shape);

  return g_strdup_printf ("%s %s", hyb_dtype_name (type->dtype), shape);
}
