/* open-device.h — opens the device that --device names.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "app/command/frame/common-options.h"

/* *gpu: (transfer full), NULL for the processor.  The first run on a GPU tests it (selftest/first-run.h).  FALSE
 * and an error that says why there is no such device. */
gboolean scope_open_device (const ScopeCommonOptions *common, HybGpu **gpu, GError **error);
/* The same for commands that trace the GPU. */
gboolean scope_open_traced_device (const ScopeCommonOptions *common, HybGpu **gpu, GError **error);
/* The same without a test, for tests: the GPU computes all that it can. */
gboolean scope_open_whole_device (const ScopeCommonOptions *common, HybGpu **gpu, GError **error);
