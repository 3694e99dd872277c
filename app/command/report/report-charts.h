/* report-charts.h — a capture, or what compares several, as sections of a report.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "app/command/compare/compare-group.h"
#include "app/command/report/report-page.h"
#include "profiler/explain/ladder.h"
#include "profiler/summary/summary.h"

/* Parts of what follows. */
void
scope_report_add_result (ScopePage *page, const ProfCapture *capture, const ProfSummary *summary);
void
scope_report_add_advice (ScopePage *page, const ProfCapture *capture, const ProfSummary *summary);
void scope_report_add_node_table (ScopePage         *page,
                                  const ProfCapture *capture,
                                  const ProfSummary *summary);
void scope_report_add_steps (ScopePage *page, const ProfCapture *capture);
void
scope_report_add_roofline (ScopePage *page, const ProfCapture *capture, const ProfSummary *summary);
void scope_report_add_conditions (ScopePage *page, const ProfCapture *capture);
/* What the window would show of a capture. */
void scope_report_add_capture (ScopePage *page, const ProfCapture *capture);
/* Nodes of both, matched, that differ beyond their noise. */
void scope_report_add_difference (ScopePage *page, const ProfCapture *a, const ProfCapture *b);
/* Bars of all candidates, the table, and why the fastest is fast. */
void scope_report_add_group (ScopePage             *page,
                             const ScopeGroup      *group,
                             const ProfExplanation *explanation);
/* explanation: (nullable) of its first rung and its last. */
void scope_report_add_ladder (ScopePage             *page,
                              const ProfLadder      *ladder,
                              const ProfExplanation *explanation);
