/* plan-bodies.h — plans of bodies whose values are in the memory of a device, for engine/control.
 *
 * They are made with HybPlanOptions.values_on_gpu.  hyb_frame_init() then gets memory of the device, and
 * variables and heads are bound to memory of the device; HybRun.device is set in every run.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/exec/plan.h"

/* The number of kernel calls that the device computes; calls in bodies count in place of their
 * loop or condition. */
guint hyb_plan_n_device_steps (const HybPlan *plan);
/* Likewise for the host. */
guint hyb_plan_n_host_steps (const HybPlan *plan);
/* Sets the host memory that mirrors the device memory, before a run.  It has
 * hyb_plan_get_memory() bytes. */
void hyb_frame_set_mirror (HybFrame *frame, gpointer mirror);
