/* compare-charts.h — groups of candidates and the ladder as sections of a report.
 *
 * Each function adds sections at the end of the page.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "app/command/compare/compare-group.h"
#include "app/command/report/report-page.h"
#include "profiler/explain/ladder.h"

/* Adds bars of all candidates and, with an explanation (nullable), a waterfall from the slowest
 * candidate to the fastest with the table of its buckets. */
void scope_report_page_add_group (ScopeReportPage       *page,
                                  const ScopeGroup      *group,
                                  const ProfExplanation *explanation);
/* Adds bars of all rungs and, with an explanation (nullable), a waterfall from the first rung to
 * the last. */
void scope_report_page_add_ladder (ScopeReportPage       *page,
                                   const ProfLadder      *ladder,
                                   const ProfExplanation *explanation);
