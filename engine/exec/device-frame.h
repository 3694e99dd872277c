/* device-frame.h — the memory and pointers that one plan needs for runs on a device.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/exec/device-values.h"
#include "engine/exec/plan.h"

typedef struct _HybDeviceFrame HybDeviceFrame;

/* The steps of a plan by where they are computed. */
typedef struct
{
  guint n_device, n_host;
} HybDeviceSteps;

/* A frame for a plan with device steps, without memory.  (transfer full) */
HybDeviceFrame *hyb_device_frame_new (HybPlan *plan);
/* Frees the frame and its memory. */
void hyb_device_frame_free (HybDeviceFrame *frame);
/* Takes the memory that it needs, unless it has it.  FALSE and an error that lists the largest
 * values if the device has too little. */
gboolean hyb_device_frame_take (HybDeviceFrame *frame, GError **error);
/* Gives the memory of the block back to the pool. */
void hyb_device_frame_give (HybDeviceFrame *frame);
/* The bytes of the device that it takes. */
gsize hyb_device_frame_get_bytes (const HybDeviceFrame *frame);

/* Runs every step and waits for the end.  outputs: by head, tensors that are filled.  FALSE and an
 * error if the device failed; FALSE without one if the run was cancelled or a kernel reported
 * values. */
gboolean hyb_device_frame_run (HybDeviceFrame   *frame,
                               HybDeviceValues  *values,
                               const HybRun     *context,
                               HybTensor *const *outputs,
                               GError          **error);
/* Where the steps of its plan are computed. */
HybDeviceSteps hyb_device_frame_get_steps (const HybDeviceFrame *frame);
/* What the last run has copied. */
HybDeviceCounts hyb_device_frame_get_counts (const HybDeviceFrame *frame);
