/* wrap-private.h — a body that is being wrapped; wrap.c chooses the columns, wrap-route.c moves the edges.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "viz/layout/wrap.h"

/* Lengths in points */
#define VIZ_WRAP_CHANNEL 34.0 /* above and below a column, for the lanes */
#define VIZ_WRAP_GUTTER  52.0 /* between two columns */
#define VIZ_WRAP_FLOOR   14.0 /* below all columns, for lanes to a column further right */

typedef struct
{
  double top, bottom; /* of the rows, in the answer before wrapping */
  double left, right;
  double dx, dy; /* how far the column moves */
} VizWrapColumn;

typedef struct
{
  VizBody      *body;
  guint32       n_columns;
  VizWrapColumn columns[VIZ_MAX_COLUMNS];
  double        floor; /* y below all columns and their channels, for edges that skip a column */
  double        height;
} VizWrap;

/* Rewrites the routes of all edges for the moved columns. */
void viz_wrap_routes (const VizWrap *wrap);

/* The column of a y before wrapping. */
static inline guint32
viz_wrap_column_of (const VizWrap *wrap, double y)
{
  guint32 c = 0;

  while (c + 1 < wrap->n_columns && y > (wrap->columns[c].bottom + wrap->columns[c + 1].top) / 2)
    c++;
  return c;
}

/* Where a point in a column goes. */
static inline VizPoint
viz_wrap_moved (const VizWrap *wrap, VizPoint point, guint32 column)
{
  return (VizPoint){ point.x + wrap->columns[column].dx, point.y + wrap->columns[column].dy };
}

/* Whether an edge has a route. */
static inline gboolean
viz_wrap_is_drawn (const VizBody *body, guint32 edge)
{
  return body->first_point[edge + 1] > body->first_point[edge] + 1;
}

/* The height of the upper and lower end of an edge that is drawn. */
static inline void
viz_wrap_span (const VizBody *body, guint32 edge, double *top, double *bottom)
{
  double a = g_array_index (body->points, VizPoint, body->first_point[edge]).y;
  double b = g_array_index (body->points, VizPoint, body->first_point[edge + 1] - 1).y;

  *top = MIN (a, b);
  *bottom = MAX (a, b);
}
