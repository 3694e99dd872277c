/* first-run.h — the first run on a GPU compares it with the processor by itself.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "app/command/frame/common-options.h"

#include "engine/device/gpu.h"

/* Lets the host compute operators that the kept verdict reports as wrong.  Without a verdict a quick self-test makes
 * one, reported in messages; HYB_SELFTEST=off leaves out both, and a list with commas between limits it to these
 * operators and models (gallery:NAME).  common: those by which gpu was opened. */
void scope_first_run (HybGpu *gpu, const ScopeCommonOptions *common);
