/* lane-chart.h — spans of time in lanes, one above the other, with an axis.
 *
 * Scroll pans, Ctrl+scroll zooms, drag pans, a click picks.  Signal "picked" (index).
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* Sorted by begin within a lane. */
typedef struct
{
  double      begin, end; /* seconds */
  const char *label;      /* lives as long as the owner that is given with it */
  guint32     lane;
  guint32     colour; /* 0xRRGGBB */
  guint32     user;
} ScopeSpan;

#define SCOPE_TYPE_LANE_CHART (scope_lane_chart_get_type ())
G_DECLARE_FINAL_TYPE (ScopeLaneChart, scope_lane_chart, SCOPE, LANE_CHART, GtkWidget)

/* spans: (nullable) GArray of ScopeSpan, referenced. */
void scope_lane_chart_set_spans (ScopeLaneChart *self, GArray *spans);
/* Marks all spans of a user number. */
void scope_lane_chart_set_marked (ScopeLaneChart *self, guint32 user);
void scope_lane_chart_set_range (ScopeLaneChart *self, double begin, double end);
void scope_lane_chart_get_range (ScopeLaneChart *self, double *begin, double *end);

G_END_DECLS
