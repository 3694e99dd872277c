/* device-values-private.h — the members of HybDeviceValues, for device-values.c and device-frame.c.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/device/gpu-private.h"
#include "engine/exec/device-values.h"

/* One variable. */
typedef struct
{
  HybTensor *tensor; /* bound for this run; borrowed */
  gboolean   is_constant;
  HybTensor *sent;   /* whose contents the device has; NULL: none */
  gpointer   memory; /* of its own; NULL: none */
  gsize      bytes;
  gsize      offset; /* in the inputs; G_MAXSIZE if it is not among them */

  gboolean   comes_ahead;  /* it was sent ahead of a run, and follows the ones that were not */
  HybTensor *ahead;        /* whose contents were sent ahead; NULL: none */
  gsize      ahead_offset; /* there */
} HybDeviceValue;

/* Values from the host. */
typedef struct
{
  gsize now, ahead;
} HybSentBytes;

struct _HybDeviceValues
{
  HybGpu         *gpu;
  HybQueue       *queue;
  guint           n;
  HybDeviceValue *values;

  /* The values sent by every run lie side by side and goes in one copy: the seed, if the plan draws random
   * numbers, and variables.  The host fills one buffer while the device may still read the other. */
  gboolean has_seed; /* in front of the variables */
  gsize    input_bytes;
  gpointer inputs;     /* on the device */
  gpointer staging[2]; /* pinned */
  guint    turn;
  gsize    front_bytes; /* of the seed and the inputs that are not sent ahead */
  gboolean is_ahead;    /* all others of the next run were */

  /* Values sent during the previous run go through a queue of its own, and from its memory to
   * the inputs when its run begins. */
  HybQueue *ahead_queue; /* NULL: nothing was sent ahead yet */
  gsize     ahead_bytes;
  gpointer  ahead_memory, ahead_pinned;
};

/* The address of variable number index on the device. */
gpointer hyb_device_values_find (const HybDeviceValues *values, guint index);
/* The address of the seed on the device; NULL if none was staged. */
const guint64 *hyb_device_values_find_seed (const HybDeviceValues *values);
/* Writes the seed, unless it is NULL, and those bound variables that reads names, and that are not constant,
 * to a pinned buffer.  FALSE and an error if there is no memory for them. */
gboolean hyb_device_values_stage (HybDeviceValues *values,
                                  const guint8    *reads,
                                  const guint64   *seed,
                                  GError         **error);
/* Sends the staged values, and moves the ones that were sent ahead to their places; returns all bytes that came
 * from the host for this run. */
HybSentBytes hyb_device_values_send_staged (HybDeviceValues *values);

/* Sends the tensor that is bound, unless the device has it or it is staged; *sent_bytes: how much was
 * copied.  The tensor must stay as it is until the device is waited for.  FALSE and an error if there is no memory for it. */
gboolean
hyb_device_values_send (HybDeviceValues *values, guint index, gsize *sent_bytes, GError **error);
