/* timeline-sums.h — sums over the measured range of a timeline: its length, its share of the run,
 * and sums by name.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "app/widgets/lane-chart.h"
#include "app/widgets/sheet.h"

/* The time of all spans with one name inside of a range. */
typedef struct
{
  const char *name; /* of the spans: ScopeSpan.group */
  double      seconds;
  guint       n; /* spans, also partly covered ones */
} ScopeTimelineSum;

/* Fills a sheet with the range and its sums. */
void scope_timeline_sums_show (ScopeSheet *sheet, const GArray *spans, ScopeLaneChart *chart);
