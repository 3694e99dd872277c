/* run-memory.h — tells what the arrays of a run take.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/op/run.h"

/* Tells the probe, if there is one, that a run allocated bytes, or freed them if they are negative. */
void hyb_run_tell_memory (const HybRun *run, gint64 bytes);
