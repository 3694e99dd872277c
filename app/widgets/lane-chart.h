/* lane-chart.h — a timeline: spans of time in lanes, one above the other, with an axis.
 *
 * Horizontal scrolling and dragging pan, Ctrl with scrolling zooms.
 * Signal "picked" (user): a span was clicked.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* One span; the array must be sorted by begin. */
typedef struct
{
  double      begin, end; /* seconds */
  const char *label;      /* (nullable) must outlive the chart's spans */
  guint32     lane;
  guint32     colour; /* 0xRRGGBB */
  guint32     user;   /* passed to "picked"; 0: nothing */
  double      usual;  /* seconds that it takes otherwise, if it took much longer; else 0 */
} ScopeSpan;

#define SCOPE_TYPE_LANE_CHART (scope_lane_chart_get_type ())
G_DECLARE_FINAL_TYPE (ScopeLaneChart, scope_lane_chart, SCOPE, LANE_CHART, GtkWidget)

/* spans: (nullable) array of ScopeSpan, which is referenced. */
void scope_lane_chart_set_spans (ScopeLaneChart *self, GArray *spans);
/* Outlines all spans with one of n user numbers. */
void scope_lane_chart_set_marked (ScopeLaneChart *self, const guint32 *users, guint n);
/* The visible range, in seconds. */
void scope_lane_chart_get_range (ScopeLaneChart *self, double *begin, double *end);

G_END_DECLS
