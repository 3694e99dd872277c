/* first-run.h — the first run on a GPU compares it with the processor by itself.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/device/gpu.h"

/* Lets the host compute what the kept verdict says is wrong.  Without a verdict a quick self-test makes one,
 * which messages tell; HYB_SELFTEST=off leaves that out, and a list of operators with commas between limits it
 * to these.  device: the name that gpu was opened by. */
void scope_first_run (HybGpu *gpu, const char *device);
