/* device-replay.h — records stretches of steps that a device computes, and replays them.
 *
 * Only for frames whose memory stays: a recording holds addresses.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/exec/device-run.h"

/* The recordings of one plan. */
typedef struct _HybDeviceReplays HybDeviceReplays;

/* Nothing recorded yet.  plan and gpu must live longer.  (transfer full) */
HybDeviceReplays *hyb_device_replays_new (const HybPlan *plan, HybGpu *gpu);
/* Frees it; the device must not compute any of it. */
void hyb_device_replays_free (HybDeviceReplays *replays);
/* As hyb_device_run_steps().  The first run goes step by step and finds the stretches that can be
 * recorded, the second one records, later ones replay.  The previous run must have ended. */
gboolean hyb_device_replays_run (HybDeviceReplays    *replays,
                                 HybDeviceRun        *device_run,
                                 const HybDeviceView *view,
                                 HybRun              *run);
