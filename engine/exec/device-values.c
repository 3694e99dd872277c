/* device-values.c — the tensors that an executor binds, in the memory of a device.
 *
 * Each variable has a block of its own, which stays when another tensor of that size is bound.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/exec/device-values-private.h"

HybDeviceValues *
hyb_device_values_new (HybGpu *gpu, guint n, GError **error)
{
  HybQueue        *queue = gpu->backend->queue_new (gpu->device, error);
  HybDeviceValues *values;

  if (!queue)
    return NULL;
  values = g_new0 (HybDeviceValues, 1);
  values->gpu = hyb_gpu_ref (gpu);
  values->queue = queue;
  values->n = n;
  values->values = g_new0 (HybDeviceValue, MAX (n, 1));
  return values;
}

void
hyb_device_values_free (HybDeviceValues *values)
{
  if (!values)
    return;

  values->gpu->backend->finish (values->queue, NULL, NULL);
  for (guint i = 0; i < values->n; i++)
    {
      hyb_device_pool_give (values->gpu->memory, values->values[i].memory);
      g_clear_pointer (&values->values[i].sent, hyb_tensor_unref);
    }
  values->gpu->backend->queue_free (values->queue);
  hyb_gpu_unref (values->gpu);
  g_free (values->values);
  g_free (values);
}

void
hyb_device_values_bind (HybDeviceValues *values,
                        guint            index,
                        HybTensor       *tensor,
                        gboolean         are_constant)
{
  values->values[index].tensor = tensor;
  values->values[index].is_constant = are_constant;
}

gsize
hyb_device_values_get_bytes (const HybDeviceValues *values)
{
  gsize bytes = 0;

  for (guint i = 0; i < values->n; i++)
    bytes += values->values[i].bytes;
  return bytes;
}

gboolean
hyb_device_values_send (HybDeviceValues *values, guint index, gsize *sent_bytes, GError **error)
{
  HybDeviceValue *value = &values->values[index];
  gsize           bytes = hyb_tensor_get_bytes (value->tensor);

  *sent_bytes = 0;
  if (value->is_constant && value->sent == value->tensor)
    return TRUE;
  g_clear_pointer (&value->sent, hyb_tensor_unref);
  if (value->bytes != bytes || !value->memory)
    {
      hyb_device_pool_give (values->gpu->memory, value->memory);
      value->bytes = 0;
      value->memory = hyb_device_pool_take (values->gpu->memory, bytes, error);
      if (!value->memory)
        return FALSE;
      value->bytes = bytes;
    }
  if (bytes > 0)
    values->gpu->backend->copy (values->queue,
                                value->memory,
                                hyb_tensor_get_data (value->tensor),
                                bytes);
  value->sent = hyb_tensor_ref (value->tensor);
  *sent_bytes = bytes;
  return TRUE;
}
