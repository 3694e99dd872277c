/* report-bars.h — charts of viz that own what they draw.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "app/command/compare/compare-group.h"
#include "app/command/report/report-page.h"
#include "viz/paint/chart.h"

typedef struct _ScopeBars ScopeBars;

ScopeBars *scope_bars_new (void);
/* Copies the texts. */
void scope_bars_add (ScopeBars  *bars,
                     const char *label,
                     const char *text,
                     double      value,
                     double      low,
                     double      high,
                     VizCategory category);
/* Of an operator: HybCategory. */
VizCategory scope_bars_category (guint category);
/* Take bars over. */
void scope_page_add_bars (ScopePage *page, const char *title, ScopeBars *bars);
/* From one level to another; nothing where they are the same. */
void scope_page_add_waterfall (ScopePage             *page,
                               const char            *title,
                               const char            *from,
                               double                 from_seconds,
                               const char            *to,
                               double                 to_seconds,
                               const ProfExplanation *explanation);
/* A line that proves what stands above it. */
void scope_page_add_rungs (ScopePage *page, const ProfExplanation *explanation);
