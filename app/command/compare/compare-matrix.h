/* compare-matrix.h — the table of all groups: one row per group, one column per candidate.
 *
 * The first column is the baseline's time, the others are speed-ups.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "app/command/report/report-page.h"

/* Prints the table on stdout.  groups: of ScopeGroup; nothing is printed for fewer than two. */
void scope_matrix_print (const GPtrArray *groups);
/* Adds the same table to a report. */
void scope_report_page_add_matrix (ScopeReportPage *page, const GPtrArray *groups);
