/* device-values.c — the tensors that an executor binds, in the memory of a device.
 *
 * Constant variables have a block of their own each, which stays when another tensor of that size is
 * bound.  Those that every run sends share one, and go there through two pinned buffers in turns.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/base/remedy.h"
#include "engine/exec/device-values-private.h"
#include "engine/op/run.h"

#include <string.h>

/* Inputs that are larger than this together are sent without pinned memory, which is taken from all
 * programs. */
#define MAX_PINNED ((gsize) 256 << 20)

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

static void
give_inputs (HybDeviceValues *values)
{
  hyb_device_pool_give (values->gpu->memory, values->inputs);
  for (guint i = 0; i < G_N_ELEMENTS (values->staging); i++)
    hyb_device_pool_give (values->gpu->pinned, values->staging[i]);
  values->inputs = values->staging[0] = values->staging[1] = NULL;
  values->input_bytes = 0;
}

void
hyb_device_values_free (HybDeviceValues *values)
{
  if (!values)
    return;

  values->gpu->backend->finish (values->queue, NULL, NULL);
  give_inputs (values);
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
  gsize bytes = values->input_bytes;

  for (guint i = 0; i < values->n; i++)
    bytes += values->values[i].bytes;
  return bytes;
}

/* --- Inputs --- */

gpointer
hyb_device_values_find (const HybDeviceValues *values, guint index)
{
  const HybDeviceValue *value = &values->values[index];

  return value->offset == G_MAXSIZE ? value->memory : (char *) values->inputs + value->offset;
}

const guint64 *
hyb_device_values_find_seed (const HybDeviceValues *values)
{
  return values->has_seed ? values->inputs : NULL;
}

/* Gives every input its offset; returns the bytes of all, with those of the seed. */
static gsize
place_inputs (HybDeviceValues *values, const guint8 *reads)
{
  gsize total = 0, seed_bytes;

  if (values->has_seed)
    hyb_workspace_take (&total, sizeof (guint64));
  seed_bytes = total;

  for (guint i = 0; i < values->n; i++)
    {
      HybDeviceValue *value = &values->values[i];

      value->offset = reads[i] && !value->is_constant
                          ? hyb_workspace_take (&total, hyb_tensor_get_bytes (value->tensor))
                          : G_MAXSIZE;
    }
  if (total <= MAX_PINNED)
    return total;
  for (guint i = 0; i < values->n; i++)
    values->values[i].offset = G_MAXSIZE;
  return seed_bytes;
}

/* Memory that a run may still use is not given back before it has ended. */
static gboolean
take_inputs (HybDeviceValues *values, gsize bytes, GError **error)
{
  if (values->input_bytes > 0)
    values->gpu->backend->finish (values->queue, NULL, NULL);
  give_inputs (values);
  if (bytes == 0)
    return TRUE;
  values->inputs = hyb_device_pool_take (values->gpu->memory, bytes, error);
  for (guint i = 0; i < G_N_ELEMENTS (values->staging) && values->inputs; i++)
    {
      values->staging[i] = hyb_device_pool_take (values->gpu->pinned, bytes, error);
      if (!values->staging[i])
        give_inputs (values);
    }
  values->input_bytes = values->inputs ? bytes : 0;
  return values->inputs != NULL;
}

gboolean
hyb_device_values_stage (HybDeviceValues *values,
                         const guint8    *reads,
                         const guint64   *seed,
                         GError         **error)
{
  gsize total;

  values->has_seed = seed != NULL;
  total = place_inputs (values, reads);
  if (total != values->input_bytes && !take_inputs (values, total, error))
    return FALSE;
  if (seed)
    memcpy (values->staging[values->turn], seed, sizeof *seed);
  for (guint i = 0; i < values->n; i++)
    {
      HybDeviceValue *value = &values->values[i];
      gsize           bytes = value->tensor ? hyb_tensor_get_bytes (value->tensor) : 0;

      if (value->offset == G_MAXSIZE)
        continue;
      g_clear_pointer (&value->sent, hyb_tensor_unref);
      if (bytes > 0)
        memcpy ((char *) values->staging[values->turn] + value->offset,
                hyb_tensor_get_data (value->tensor),
                bytes);
    }
  return TRUE;
}

gsize
hyb_device_values_send_staged (HybDeviceValues *values)
{
  if (values->input_bytes > 0)
    values->gpu->backend->copy (values->queue,
                                values->inputs,
                                values->staging[values->turn],
                                values->input_bytes);
  values->turn ^= 1;
  return values->input_bytes;
}

gboolean
hyb_device_values_send (HybDeviceValues *values, guint index, gsize *sent_bytes, GError **error)
{
  HybDeviceValue *value = &values->values[index];
  gsize           bytes = hyb_tensor_get_bytes (value->tensor);

  *sent_bytes = 0;
  if (value->offset != G_MAXSIZE || (value->is_constant && value->sent == value->tensor))
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

/* --- Constant variables that runs write after all --- */

gsize
hyb_device_values_fetch (HybDeviceValues *values, guint index, HybTensor *tensor)
{
  const HybDeviceValue *value = &values->values[index];
  gsize                 bytes = hyb_tensor_get_bytes (tensor);

  if (value->sent != tensor || bytes == 0)
    return 0;
  values->gpu->backend->copy (values->queue, hyb_tensor_get_data (tensor), value->memory, bytes);
  return bytes;
}

gboolean
hyb_device_values_wait (HybDeviceValues *values, GError **error)
{
  if (values->gpu->backend->finish (values->queue, NULL, error))
    return TRUE;
  return hyb_error_add_remedy (error, HYB_REMEDY_DEVICE, NULL);
}

void
hyb_device_values_forget (HybDeviceValues *values, guint index)
{
  g_clear_pointer (&values->values[index].sent, hyb_tensor_unref);
}
