/* estimate.h — the time that fusing an unrolled recurrent network would save, estimated from a
 * capture.
 *
 * The model behind the estimate is described in estimate.c.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "profiler/summary/summary.h"

/* Seconds of a run if the longest sequence of steps that is unrolled by name were one fused layer.
 * *n_steps gets its steps, *scope the cell's name (owned by capture).  NaN if there is no sequence
 * of at least 8 steps, or if the capture lacks the machine's peaks; *scope is not set then. */
double prof_estimate_fused (const ProfCapture *capture,
                            const ProfSummary *summary,
                            guint             *n_steps,
                            const char       **scope);
