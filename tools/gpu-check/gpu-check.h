/* gpu-check.h — the commands of gpu-check, each in a file of its own.
 *
 * Each prints its answers and returns TRUE if it could make its calls, else FALSE and an error.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "tools/gpu-check/layer.h"

/* questions.c: what cuDNN does where its manual and other programs disagree. */
gboolean check_questions (HybDevice *device, GError **error);
/* times.c: how long a layer takes, `runs` times.  file: also gets the numbers as JSON, or NULL. */
gboolean check_times (HybDevice        *device,
                      const LayerSizes *sizes,
                      int               runs,
                      const char       *file,
                      GError          **error);
/* counters.c: whether this user may read the GPU's counters. */
gboolean check_counters (GError **error);
