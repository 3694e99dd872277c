/* columns.h — tables: columns of text from functions, with sorting and copying.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "app/models/gradual-list.h"

/* One column of a table of items. */
typedef struct
{
  const char *title;             /* translated by the caller */
  char *(*text) (gpointer item); /* (transfer full) */
  GCompareDataFunc compare;      /* NULL: not sorted */
  gboolean         is_number;    /* to the right, in figures of one width */
  gboolean         expands;
} ScopeColumn;

/* A column view over model, sorted and filtered; filter: (nullable) (transfer full). */
GtkWidget *scope_columns_new (GListModel        *model,
                              const ScopeColumn *columns,
                              guint              n_columns,
                              GtkFilter         *filter);
/* What stands before the selection; (transfer none). */
ScopeGradualList *scope_columns_get_rows (GtkColumnView *view);
/* All rows as they stand, tab between columns: for spreadsheets.  (transfer full) */
char *scope_columns_to_text (GtkColumnView *view, const ScopeColumn *columns, guint n_columns);
/* Selects the first row for which is_it says so, once it has come; FALSE: there is none. */
gboolean scope_columns_select (GtkColumnView *view,
                               gboolean (*is_it) (gpointer item, gpointer data),
                               gpointer data);
