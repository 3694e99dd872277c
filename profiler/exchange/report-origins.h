/* report-origins.h — the part of the report in a terminal that relates the nodes that ran to the
 * model.
 *
 * Steps of unrolled cells are summed up: “lstm_t*_i” means all of them.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "profiler/summary/summary.h"

/* Two tables: the sources of nodes that passes made, and the nodes that compute parts of the model
 * that did not run.  Nothing if every node ran as it is in the model. */
void prof_report_origins (GString *to, const ProfCapture *capture, const ProfSummary *summary);
