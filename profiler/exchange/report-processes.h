/* report-processes.h — the part of the report in a terminal about processes that train together.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "profiler/capture/capture.h"

/* A table with a row a process, and the speed-up if it is known.  Nothing for captures of other runs. */
void prof_report_processes (GString *to, const ProfCapture *capture);
