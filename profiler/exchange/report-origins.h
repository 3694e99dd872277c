/* report-origins.h — the part of the report in a terminal that relates what ran to the model.
 *
 * Steps of unrolled cells are summed up: “lstm_t*_i” stands for all of them.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "profiler/summary/summary.h"

/* Two tables: what the nodes that passes made stand for, and where nodes of the model that did not run
 * are computed.  Nothing if every node ran as it is in the model. */
void prof_report_origins (GString *to, const ProfCapture *capture, const ProfSummary *summary);
