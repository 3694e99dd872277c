/* said-curves.h — curves of measurements over a size.
 *
 * hscope makes the points from what it measured, the window from the JSON that hscope printed.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "viz/paint/curve-table.h"

/* A number that was measured, as a point of a curve. */
typedef struct
{
  const char *curve;            /* the name of its curve, */
  const char *title;            /* and what is shown of it */
  double      size;             /* a positive number */
  double      value, low, high; /* NaN: unknown */
} ScopePoint;

/* Curves through points, an array of ScopePoint: in the order in which they begin, over ascending sizes.  Of several points of
 * one curve and size the last counts.  NULL if all points have the same size.  (transfer full) */
VizCurveTable *
scope_curves_new (const GArray *points, const char *axis, char *(*format) (double value));
