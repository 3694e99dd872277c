/* report-said.h — what is said about a comparison, as sections of a report.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "app/adapt/said.h"
#include "app/command/report/report-page.h"

/* Adds the blocks; a heading begins a section. */
void scope_report_page_add_said (ScopeReportPage *page, const ScopeSaid *said);
