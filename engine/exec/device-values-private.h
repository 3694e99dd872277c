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
  HybTensor *sent; /* whose contents the device has; NULL: none */
  gpointer   memory;
  gsize      bytes;
} HybDeviceValue;

struct _HybDeviceValues
{
  HybGpu         *gpu;
  HybQueue       *queue;
  guint           n;
  HybDeviceValue *values;
};

/* Sends the tensor that is bound, unless the device has it; *sent_bytes: how much was copied.  FALSE
 * and an error if there is no memory for it. */
gboolean
hyb_device_values_send (HybDeviceValues *values, guint index, gsize *sent_bytes, GError **error);
