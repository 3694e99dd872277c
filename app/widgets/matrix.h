/* matrix.h — numbers of a matrix as colours: negative, nothing, positive.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* More cells than this a side are not drawn: each then shows the number farthest from zero. */
#define SCOPE_MATRIX_MAX_CELLS 256

#define SCOPE_TYPE_MATRIX (scope_matrix_get_type ())
G_DECLARE_FINAL_TYPE (ScopeMatrix, scope_matrix, SCOPE, MATRIX, GtkWidget)

GtkWidget *scope_matrix_new (void);
/* n_rows × n_columns values, row by row, that stand for rows × columns; NAN: not a number, or
 * infinite.  scale: what has the strongest colour. */
void scope_matrix_set_values (ScopeMatrix  *self,
                              const double *values,
                              guint         n_rows,
                              guint         n_columns,
                              gint64        rows,
                              gint64        columns,
                              double        scale);
/* Names rows from row on; in order. */
void scope_matrix_add_block (ScopeMatrix *self, gint64 row, const char *name);

G_END_DECLS
