/* lane-chart.h — a timeline: spans of time in lanes, one above the other, with an axis.
 *
 * Horizontal scrolling and dragging pan, Ctrl with scrolling zooms, Shift with dragging measures a range; W, A, S and
 * D zoom and pan, M measures what is marked, Escape ends that.
 * Signal "picked" (user): a span was clicked.  Signal "measured": the measured range has changed.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gtk/gtk.h>

/* One span; the array must be sorted by begin. */
typedef struct
{
  double      begin, end; /* seconds */
  const char *label;      /* (nullable) must outlive the chart's spans */
  const char *group;      /* (nullable) likewise: the key of sums */
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

/* Measures a range, in seconds; begin == end: nothing. */
void scope_lane_chart_set_measured (ScopeLaneChart *self, double begin, double end);
/* FALSE: nothing is measured. */
gboolean scope_lane_chart_get_measured (ScopeLaneChart *self, double *begin, double *end);
/* Measures from the first to the last marked span, or over the visible part if no span is marked. */
void scope_lane_chart_measure_marked (ScopeLaneChart *self);
/* Moves the visible range to the first marked span, unless one is in it. */
void scope_lane_chart_show_marked (ScopeLaneChart *self);

/* Dims all spans whose label and group lack the text; returns the number of the others.  text: NULL or "": none. */
guint scope_lane_chart_find (ScopeLaneChart *self, const char *text);
/* Shows the next or previous of them; direction: 1 or -1.  Returns its user number; 0: there is none. */
guint32 scope_lane_chart_step_hit (ScopeLaneChart *self, int direction);
