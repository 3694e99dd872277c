/* tensor-slice.c — finds and reads the elements of a slice.
 *
 * A slice becomes a plane, which has strides only.  Start at scope_slice_get_plane().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/adapt/tensor-slice.h"

#include "engine/tensor/tensor-text.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

/* --- Slices --- */

/* The last axis before another one along which there is more than one element; -1: none. */
static int
find_long_axis (const HybShape *shape, int before)
{
  int axis = before - 1;

  while (axis >= 0 && shape->dim[axis] == 1)
    axis--;
  return axis;
}

void
scope_slice_init (ScopeSlice *slice, const HybShape *shape)
{
  *slice = (ScopeSlice){ .shape = *shape, .row_axis = -1, .column_axis = -1 };
  if (shape->rank == 1)
    slice->row_axis = 0;
  else if (shape->rank > 1)
    {
      int column = find_long_axis (shape, shape->rank), row = find_long_axis (shape, column);

      if (row < 0) /* a vector stands in one column, if its axis is not the last */
        column = MIN (MAX (column, 0) + 1, shape->rank - 1);
      if (row < 0)
        row = column - 1;
      scope_slice_set_axes (slice, row, column);
    }
}

void
scope_slice_set_axes (ScopeSlice *slice, int row_axis, int column_axis)
{
  slice->row_axis = row_axis;
  slice->column_axis = column_axis;
}

static gboolean
is_table_axis (const ScopeSlice *slice, int axis)
{
  return axis == slice->row_axis || axis == slice->column_axis;
}

static gint64
stride_of (const ScopeSlice *slice, int axis)
{
  return hyb_shape_count (&slice->shape, axis + 1, slice->shape.rank);
}

ScopePlane
scope_slice_get_plane (const ScopeSlice *slice)
{
  ScopePlane plane = { .rows = 1, .columns = 1 };

  if (slice->row_axis >= 0)
    {
      plane.rows = slice->shape.dim[slice->row_axis];
      plane.row_stride = stride_of (slice, slice->row_axis);
    }
  if (slice->column_axis >= 0)
    {
      plane.columns = slice->shape.dim[slice->column_axis];
      plane.column_stride = stride_of (slice, slice->column_axis);
    }
  for (int axis = 0; axis < slice->shape.rank; axis++)
    {
      if (slice->shape.dim[axis] == 0)
        plane.rows = plane.columns = 0;
      else if (!is_table_axis (slice, axis))
        plane.offset += slice->index[axis] * stride_of (slice, axis);
    }
  return plane;
}

gboolean
scope_slice_step (ScopeSlice *slice, gint64 by)
{
  ScopeSlice moved = *slice;
  gint64     n = 1, at = 0;

  for (int axis = 0; axis < slice->shape.rank; axis++)
    if (!is_table_axis (slice, axis))
      {
        n *= slice->shape.dim[axis];
        at = at * slice->shape.dim[axis] + slice->index[axis];
      }
  at += by;
  if (at < 0 || at >= n)
    return FALSE;
  for (int axis = slice->shape.rank; axis-- > 0;)
    if (!is_table_axis (slice, axis))
      {
        moved.index[axis] = at % slice->shape.dim[axis];
        at /= slice->shape.dim[axis];
      }
  *slice = moved;
  return TRUE;
}

void
scope_slice_show (ScopeSlice *slice, gint64 element, gint64 *row, gint64 *column)
{
  *row = *column = 0;
  for (int axis = 0; axis < slice->shape.rank; axis++)
    {
      gint64 index = element / stride_of (slice, axis) % slice->shape.dim[axis];

      if (axis == slice->row_axis)
        *row = index;
      else if (axis == slice->column_axis)
        *column = index;
      else
        slice->index[axis] = index;
    }
}

/* --- Text --- */

char *
scope_slice_to_string (const ScopeSlice *slice)
{
  g_autoptr (GString) text = g_string_new ("[");

  for (int axis = 0; axis < slice->shape.rank; axis++)
    {
      g_string_append (text, axis > 0 ? ", " : "");
      if (is_table_axis (slice, axis))
        g_string_append_c (text, ':');
      else
        g_string_append_printf (text, "%" G_GINT64_FORMAT, slice->index[axis]);
    }
  g_string_append_c (text, ']');
  return g_string_free (g_steal_pointer (&text), FALSE);
}

char *
scope_element_to_string (const HybShape *shape, gint64 element)
{
  ScopeSlice all = { .shape = *shape, .row_axis = -1, .column_axis = -1 };
  gint64     row, column;

  scope_slice_show (&all, element, &row, &column);
  return scope_slice_to_string (&all);
}

static gboolean refuse (GError **error, const char *format, ...) G_GNUC_PRINTF (2, 3);

static gboolean
refuse (GError **error, const char *format, ...)
{
  va_list          values;
  g_autofree char *text = NULL;

  va_start (values, format);
  text = g_strdup_vprintf (format, values);
  va_end (values);
  g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT, text);
  return FALSE;
}

static gboolean
parse_index (ScopeSlice *slice, int axis, const char *word, GError **error)
{
  gint64 size = slice->shape.dim[axis], index;
  char  *end;

  index = g_ascii_strtoll (word, &end, 10);
  if (end == word || *end != '\0')
    return refuse (error, _ ("“%s” is neither an index nor a colon"), word);
  if (index < -size || index >= size)
    return refuse (error, _ ("index %ld is outside axis %d, which has %ld elements"), (long) index,
                   axis, (long) size);
  slice->index[axis] = index < 0 ? index + size : index;
  return TRUE;
}

/* One word for each axis. */
static gboolean
parse_words (ScopeSlice *slice, char **words, GError **error)
{
  int n_colons = 0;

  slice->row_axis = slice->column_axis = -1;
  for (int axis = 0; axis < slice->shape.rank; axis++)
    {
      char *word = g_strstrip (words[axis]);

      if (strcmp (word, ":") != 0)
        {
          if (!parse_index (slice, axis, word, error))
            return FALSE;
          continue;
        }
      if (n_colons == 0)
        slice->row_axis = axis;
      else
        slice->column_axis = axis;
      n_colons++;
    }
  if (n_colons > 2)
    return refuse (error, _ ("%d axes have a colon; at most two can be shown"), n_colons);
  return TRUE;
}

gboolean
scope_slice_parse (ScopeSlice *slice, const char *text, GError **error)
{
  ScopeSlice       parsed = *slice;
  g_autofree char *inside = g_strdup (text);
  g_auto (GStrv) words = NULL;
  guint n;

  g_strdelimit (inside, "[]", ' ');
  g_strstrip (inside);
  words = g_strsplit (inside, ",", -1);
  n = g_strv_length (words);
  if (n != (guint) slice->shape.rank)
    return refuse (error, _ ("%u indices are given, but the tensor has %d axes"), n,
                   slice->shape.rank);
  if (!parse_words (&parsed, words, error))
    return FALSE;
  *slice = parsed;
  return TRUE;
}

/* --- Planes --- */

gint64
scope_plane_locate (const ScopePlane *plane, gint64 row, gint64 column)
{
  if (row < 0 || column < 0 || row >= plane->rows || column >= plane->columns)
    return -1;
  return plane->offset + row * plane->row_stride + column * plane->column_stride;
}

HybTensor *
scope_plane_read (const ScopePlane *plane,
                  HybTensor        *tensor,
                  ScopePart        *part,
                  GCancellable     *cancellable,
                  GError          **error)
{
  HybDType      dtype = hyb_tensor_get_dtype (tensor);
  gsize         size = hyb_dtype_size (dtype);
  const guint8 *from = hyb_tensor_get_data (tensor);
  g_autoptr (HybTensor) table = NULL;
  guint8 *to;
  HybType type;

  part->n_rows = CLAMP (part->n_rows, 0, MAX (plane->rows - part->row, 0));
  part->n_columns = CLAMP (part->n_columns, 0, MAX (plane->columns - part->column, 0));
  type = (HybType){ hyb_shape_2d (part->n_rows, part->n_columns), dtype };
  table = hyb_tensor_new (&type, error);
  if (!table)
    return NULL;
  to = hyb_tensor_get_data (table);
  for (gint64 row = 0; row < part->n_rows; row++)
    {
      const guint8 *line =
          from + (gsize) scope_plane_locate (plane, part->row + row, part->column) * size;

      if (part->n_columns == 0 || g_cancellable_set_error_if_cancelled (cancellable, error))
        return part->n_columns == 0 ? g_steal_pointer (&table) : NULL;
      for (gint64 column = 0; column < part->n_columns; column++, to += size)
        memcpy (to, line + (gsize) (column * plane->column_stride) * size, size);
    }
  return g_steal_pointer (&table);
}

/* Keeps the value with the larger magnitude; NaN and infinity, stored as NAN, take precedence. */
static void
put (double *point, double value)
{
  if (!isfinite (value))
    *point = NAN;
  else if (fabs (value) > fabs (*point))
    *point = value;
}

double *
scope_plane_draw (const ScopePlane *plane,
                  HybTensor        *tensor,
                  guint             n_rows,
                  guint             n_columns,
                  GCancellable     *cancellable)
{
  g_autofree double *image = g_new0 (double, (gsize) n_rows *n_columns + 1);

  for (gint64 row = 0; row < plane->rows; row++)
    {
      double *line = image + (gsize) (row * n_rows / plane->rows) * n_columns;
      gint64  at = plane->offset + row * plane->row_stride;

      for (gint64 column = 0; column < plane->columns; column++, at += plane->column_stride)
        {
          if ((column & 0xffff) == 0 && g_cancellable_is_cancelled (cancellable))
            return NULL;
          put (&line[column * n_columns / plane->columns], hyb_tensor_get_value (tensor, at));
        }
    }
  return g_steal_pointer (&image);
}

char *
scope_table_to_text (HybTensor *table)
{
  const HybShape *shape = hyb_tensor_get_shape (table);
  GString        *text = g_string_new (NULL);

  for (gint64 row = 0; row < shape->dim[0]; row++)
    for (gint64 column = 0; column < shape->dim[1]; column++)
      {
        hyb_tensor_append_text (text, table, row * shape->dim[1] + column);
        g_string_append_c (text, column + 1 < shape->dim[1] ? '\t' : '\n');
      }
  return g_string_free (text, FALSE);
}
