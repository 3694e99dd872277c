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

/* A frame for a plan with device steps, without memory.  keeps_memory: it stays from run to run, so that
 * stretches of steps are recorded and replayed.  (transfer full) */
HybDeviceFrame *hyb_device_frame_new (HybPlan *plan, gboolean keeps_memory);
/* Frees the frame and its memory. */
void hyb_device_frame_free (HybDeviceFrame *frame);
/* Takes the memory that it needs, unless it has it.  FALSE and an error that lists the largest
 * values if the device has too little. */
gboolean hyb_device_frame_take (HybDeviceFrame *frame, GError **error);
/* Gives the memory of the block back to the pool, after the end of the last run. */
void hyb_device_frame_give (HybDeviceFrame *frame);
/* The bytes of the device that it takes. */
gsize hyb_device_frame_get_bytes (const HybDeviceFrame *frame);

/* Writes the values that the next run, of this context, sends to pinned memory, while the device may still compute
 * the last run. FALSE and an error if there is no memory for it. */
gboolean hyb_device_frame_stage (HybDeviceFrame  *frame,
                                 HybDeviceValues *values,
                                 const HybRun    *context,
                                 GError         **error);
/* Runs every step, and waits for the end only where the host needs a result: a written variable, or
 * the measurement of a probe.  The frame must have memory, values be staged, and the last run have
 * ended.  FALSE and an error if the device failed; FALSE without one if the run was cancelled or a
 * kernel reported values. */
gboolean hyb_device_frame_run (HybDeviceFrame  *frame,
                               HybDeviceValues *values,
                               const HybRun    *context,
                               GError         **error);
/* Waits for the end of the last run.  FALSE and an error if the device failed. */
gboolean hyb_device_frame_wait (HybDeviceFrame *frame, GError **error);
/* Fills n outputs of the last run from number first on, unless that was done; outputs: by head.  They are
 * zero, and there is an error, if the device failed. */
gboolean hyb_device_frame_bring (HybDeviceFrame   *frame,
                                 guint             first,
                                 guint             n,
                                 HybTensor *const *outputs,
                                 GError          **error);
/* TRUE if all outputs of the last run were brought. */
gboolean hyb_device_frame_is_read (const HybDeviceFrame *frame);
/* Lets the clock of the device count each run. */
void hyb_device_frame_set_timed (HybDeviceFrame *frame, gboolean is_timed);
/* The seconds of the last run, which must have ended; NaN if they were not counted. */
double hyb_device_frame_get_seconds (HybDeviceFrame *frame);
/* Where the steps of its plan are computed. */
HybDeviceSteps hyb_device_frame_get_steps (const HybDeviceFrame *frame);
/* The copies of the last run. */
HybDeviceCounts hyb_device_frame_get_counts (const HybDeviceFrame *frame);
