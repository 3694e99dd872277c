/* tensor-slice.h — two axes of a tensor as a table, with an index on each of the other axes.
 *
 * Slices are written as in NumPy: "[0, :, 3, :]", where the first colon is the axis of the rows.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/tensor/tensor.h"

#include <gio/gio.h>

/* The places of a table's elements in a tensor. */
typedef struct
{
  gint64 offset, rows, columns, row_stride, column_stride;
} ScopePlane;

typedef struct
{
  HybShape shape;
  int    row_axis, column_axis; /* row_axis < column_axis; -1: the table has one row, one column */
  gint64 index[HYB_MAX_RANK];   /* on the other axes */
} ScopeSlice;

/* --- Slices --- */

/* The last two axes with more than one element, at the beginning of the others; a vector is one column. */
void scope_slice_init (ScopeSlice *slice, const HybShape *shape);
/* Parses a text; brackets can be left out, negative indices count from the end.  FALSE and an error: slice is
 * unchanged. */
gboolean scope_slice_parse (ScopeSlice *slice, const char *text, GError **error);
/* "[0, :, 3, :]".  (transfer full) */
char *scope_slice_to_string (const ScopeSlice *slice);
/* Chooses the axes of rows and columns, row < column; the others keep their indices. */
void scope_slice_set_axes (ScopeSlice *slice, int row_axis, int column_axis);
/* Moves by a number of slices, the last axis first.  FALSE: there is no such slice, and nothing changes. */
gboolean scope_slice_step (ScopeSlice *slice, gint64 by);
/* Where the elements of the slice are. */
ScopePlane scope_slice_get_plane (const ScopeSlice *slice);
/* Moves to the slice that holds an element of the tensor, and returns its place in the slice. */
void scope_slice_show (ScopeSlice *slice, gint64 element, gint64 *row, gint64 *column);
/* "[0, 5, 3, 7]", the indices of an element of a tensor.  (transfer full) */
char *scope_element_to_string (const HybShape *shape, gint64 element);

/* --- Planes --- */

/* The index in the tensor of an element; -1: it is outside. */
gint64 scope_plane_locate (const ScopePlane *plane, gint64 row, gint64 column);
/* A part of a plane, of at most n_rows × n_columns; it ends where the plane does. */
typedef struct
{
  gint64 row, column, n_rows, n_columns;
} ScopePart;
/* The elements of a part as a tensor of two dimensions; its size is written to part.  (transfer full) NULL and an error:
 * memory is short, or cancelled. */
HybTensor *scope_plane_read (const ScopePlane *plane,
                             HybTensor        *tensor,
                             ScopePart        *part,
                             GCancellable     *cancellable,
                             GError          **error);
/* Reduces a plane to an image of n_rows × n_columns, at most its size: an image point of several elements has the
 * value with the largest magnitude, NAN if one is not finite.  (transfer full) NULL: cancelled. */
double *scope_plane_draw (const ScopePlane *plane,
                          HybTensor        *tensor,
                          guint             n_rows,
                          guint             n_columns,
                          GCancellable     *cancellable);
/* All elements of a tensor of two dimensions, columns separated by tabs.  (transfer full) */
char *scope_table_to_text (HybTensor *table);
