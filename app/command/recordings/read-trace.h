/* read-trace.h — reads the trace of another profiler, whichever of them wrote it.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "profiler/exchange/trace-events.h"

/* Reads a Chrome trace, or a database of Nsight Systems.  NULL and an error if the file is neither.  (transfer full) */
ProfTrace *scope_read_trace (const char *file, GError **error);
