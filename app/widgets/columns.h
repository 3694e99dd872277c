/* columns.h — tables whose cells are texts made by functions, sorted, filtered and copied as text.
 *
 * The rows are added gradually, see models/gradual-list.h.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "app/models/gradual-list.h"

/* One column of a table of items. */
typedef struct
{
  const char *title;             /* translated by the caller */
  char *(*text) (gpointer item); /* (transfer full) */
  GCompareDataFunc compare;      /* NULL: the column cannot be sorted */
  gboolean         is_number;    /* aligned to the right, with tabular digits */
  gboolean         expands;
  double (*part) (gpointer item); /* 0 to 1: a bar behind the text; NULL: no bar */
  guint natural_chars;            /* its usual width; 0: 24, of numbers 9 */
} ScopeColumn;

/* A GtkColumnView of model, which is referenced.  columns must outlive it.  filter: (nullable)
 * (transfer full).  (transfer floating) */
GtkWidget *scope_columns_new (GListModel        *model,
                              const ScopeColumn *columns,
                              guint              n_columns,
                              GtkFilter         *filter);
/* The rows of the table in their order; (transfer none). */
ScopeGradualList *scope_columns_get_rows (GtkColumnView *view);
/* All rows in their order, columns separated by tabs.  (transfer full) */
char *scope_columns_to_text (GtkColumnView *view, const ScopeColumn *columns, guint n_columns);
/* Selects the first row whose item matches.  FALSE: there is none, and nothing is selected. */
gboolean scope_columns_select (GtkColumnView *view,
                               gboolean (*matches) (gpointer item, gpointer data),
                               gpointer data);
