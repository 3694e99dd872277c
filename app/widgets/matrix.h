/* matrix.h — a matrix as an image: blue for negative, orange for positive values.
 *
 * Blocks of rows, such as the gates of a recurrent cell, can be labelled.
 * Signal "picked" (row, column: gint64): an element of the matrix was clicked.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gtk/gtk.h>

/* Larger matrices are reduced by the caller to this many rows and columns. */
#define SCOPE_MATRIX_MAX_CELLS 256

#define SCOPE_TYPE_MATRIX (scope_matrix_get_type ())
G_DECLARE_FINAL_TYPE (ScopeMatrix, scope_matrix, SCOPE, MATRIX, GtkWidget)

/* Empty; (transfer floating) */
GtkWidget *scope_matrix_new (void);
/* An image of n_rows × n_columns values in row order, of a matrix of rows × columns. */
typedef struct
{
  const double *values; /* NAN for values that are not finite */
  guint         n_rows, n_columns;
  gint64        rows, columns;
  double        scale; /* magnitude with the strongest colour */
} ScopeMatrixImage;

/* Shows an image, whose values are copied, and removes all blocks. */
void scope_matrix_set_image (ScopeMatrix *self, const ScopeMatrixImage *image);
/* Labels the rows of the matrix from row on; to be called in ascending order. */
void scope_matrix_add_block (ScopeMatrix *self, gint64 row, const char *name);
