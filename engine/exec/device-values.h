/* device-values.h — the tensors that an executor binds, in the memory of a device.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/device/gpu.h"
#include "engine/tensor/tensor.h"

typedef struct _HybDeviceValues HybDeviceValues;

/* Bytes that a run has copied between host and device, and the number of stretches that it has
 * replayed. */
typedef struct
{
  guint   n_copies;
  guint64 copied_bytes;
  guint   n_replays;
} HybDeviceCounts;

/* For n variables, none of them bound; with a queue of its own.  NULL and an error.
 * (transfer full) */
HybDeviceValues *hyb_device_values_new (HybGpu *gpu, guint n, GError **error);
/* Frees it and its memory. */
void hyb_device_values_free (HybDeviceValues *values);
/* Binds variable number index for the next run.  Contents that are_constant are sent only when the
 * tensor is another one than before. */
void hyb_device_values_bind (HybDeviceValues *values,
                             guint            index,
                             HybTensor       *tensor,
                             gboolean         are_constant);
/* Begins to send the contents of n variables that the next run binds, while the device may compute the last run.
 * The contents are read at once.  FALSE if there is no memory for that: they are then sent with the run. */
gboolean hyb_device_values_send_ahead (HybDeviceValues  *values,
                                       guint             n,
                                       const guint      *indices,
                                       HybTensor *const *tensors);
/* Hands over the copy of a constant variable to this tensor, if the device has its contents; returns the bytes.
 * They are there once the device was waited for (hyb_device_values_wait()). */
gsize hyb_device_values_fetch (HybDeviceValues *values, guint index, HybTensor *tensor);
/* Waits for the device.  FALSE and an error if it failed. */
gboolean hyb_device_values_wait (HybDeviceValues *values, GError **error);
/* Lets a constant variable be sent before the next run, though the tensor is the same. */
void hyb_device_values_forget (HybDeviceValues *values, guint index);
/* The bytes of device memory that the values occupy. */
gsize hyb_device_values_get_bytes (const HybDeviceValues *values);
