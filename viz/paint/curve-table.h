/* curve-table.h — a table of numbers that is drawn as curves, one for each column.
 *
 * It owns the data that viz_chart_curves() borrows, for charts that are drawn later.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "viz/paint/chart.h"

typedef struct
{
  guint   n_x, n_curves;
  double *x;          /* positive, ascending */
  double *y;          /* [curve][x]; NAN: unknown */
  double *low, *high; /* in the same order: the range of each value; NAN: unknown */
  char  **labels;     /* n_curves, NULL-terminated */
  char   *x_name;
  char *(*format) (double value); /* prints y (transfer full) */
  gboolean is_linear;             /* the y axis starts at 0 */
  gboolean is_binary;             /* ticks of y are powers of two */
  double   mark;                  /* a value of y that is marked by a line; NAN: none */
} VizCurveTable;

/* A table in which all is unknown, with logarithmic axes and without a mark.  format: NULL prints three digits.  (transfer
 * full) */
VizCurveTable *
viz_curve_table_new (guint n_x, guint n_curves, const char *x_name, char *(*format) (double value));
/* Frees table; NULL is allowed. */
void viz_curve_table_free (VizCurveTable *table);
/* Sets a value; one that a logarithmic axis cannot show is unknown.  Whether it is known. */
gboolean viz_curve_table_set (VizCurveTable *table, guint curve, guint x, double value);
/* Draws the curves. */
void viz_curve_table_draw (const VizCurveTable *table,
                           VizPen              *pen,
                           const VizRect       *rect,
                           const VizTheme      *theme);
