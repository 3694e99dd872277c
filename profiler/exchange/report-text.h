/* report-text.h — the report of a capture that hscope prints in a terminal.
 *
 * For reports as pages see app/command/report.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "profiler/summary/summary.h"

/* Conditions, clean and traced runs, costs by operator, scope and node, gradients, advice and
 * warnings. summary is that of capture.  (transfer full) */
char *prof_report_text (const ProfCapture *capture, const ProfSummary *summary);
