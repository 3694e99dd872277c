/* lane-chart-private.h — the struct of the timeline, for its files.
 *
 * Calls go one way: lane-chart.c (the class, input) → lane-draw.c → lane-range.c (ranges, hits).
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "app/widgets/lane-chart.h"

#define GAP 2.0 /* between lanes */

struct _ScopeLaneChart
{
  GtkWidget   parent_instance;
  GArray     *spans;
  guint       n_lanes;
  GHashTable *marked;                /* a set of user numbers */
  double      first_time, last_time; /* range of all spans */
  double      begin, end;            /* visible range */
  double      drag_begin, drag_end;
  double      pointer;
  gboolean    is_dragging;
  gboolean    is_pointed;   /* the pointer is over the chart */
  gboolean    is_measuring; /* the drag sets the measured range */
  double      measured_from;
  double      measured_begin, measured_end; /* equal: nothing is measured */
  GArray     *hits;                         /* of guint8, by span; NULL: nothing is searched */
  int         hit;                          /* the span that was shown last; -1: none */
};

/* --- lane-range.c --- */

/* Shows a range of times, as far as there are spans. */
void scope_lane_chart_set_range (ScopeLaneChart *self, double begin, double end);
/* Whether a span is outlined. */
gboolean scope_lane_chart_is_marked (const ScopeLaneChart *self, const ScopeSpan *span);
/* Whether a span is found, or nothing is searched. */
gboolean scope_lane_chart_is_hit (ScopeLaneChart *self, guint span);
/* Moves the visible range to a span that it does not contain. */
void scope_lane_chart_show_time (ScopeLaneChart *self, double begin, double end);

/* --- lane-draw.c --- */

/* The height of a lane, and of the axis above the lanes: a line of text. */
double scope_lane_chart_line (ScopeLaneChart *self);
/* Draws axis, spans, marks and the measured range; for GtkWidgetClass.snapshot. */
void scope_lane_chart_draw (GtkWidget *widget, GtkSnapshot *snapshot);
