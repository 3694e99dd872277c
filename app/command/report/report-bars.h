/* report-bars.h — bar and waterfall charts of a report.
 *
 * viz draws bars from arrays that it does not own; ScopeReportBars owns the array and its texts.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "app/adapt/statements.h"
#include "app/command/report/report-page.h"

typedef struct _ScopeBars ScopeReportBars;

/* An empty list of bars, to be passed to scope_report_page_add_bars(). */
ScopeReportBars *scope_report_bars_new (void);
/* Appends a bar and copies its texts.  A value that is negative or not finite becomes 0. */
void scope_report_bars_add (ScopeReportBars *bars, const VizBar *bar);
/* The colour of an operator category.  category: HybCategory. */
VizCategory scope_report_bars_category (guint category);
/* Adds the bars as a section; no section if there are none.  bars: (transfer full) */
void scope_report_page_add_bars (ScopeReportPage *page, const char *title, ScopeReportBars *bars);

/* Adds a waterfall: from one time through the buckets of the explanation to another time. */
void scope_report_page_add_waterfall (ScopeReportPage       *page,
                                      const char            *title,
                                      ScopeLevel             from,
                                      ScopeLevel             to,
                                      const ProfExplanation *explanation);
/* Adds a table of the explanation's buckets, with the runs that confirm them. */
void scope_report_page_add_buckets (ScopeReportPage *page, const ProfExplanation *explanation);
