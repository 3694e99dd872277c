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

/* Waits, because the device may still read or write it. */
static void
give_ahead (HybDeviceValues *values)
{
  if (values->ahead_bytes == 0)
    return;
  values->gpu->backend->finish (values->queue, NULL, NULL);
  values->gpu->backend->finish (values->ahead_queue, NULL, NULL);
  hyb_device_pool_give (values->gpu->memory, values->ahead_memory);
  hyb_device_pool_give (values->gpu->pinned, values->ahead_pinned);
  values->ahead_memory = values->ahead_pinned = NULL;
  values->ahead_bytes = 0;
  for (guint i = 0; i < values->n; i++)
    g_clear_pointer (&values->values[i].ahead, hyb_tensor_unref);
}

void
hyb_device_values_free (HybDeviceValues *values)
{
  if (!values)
    return;

  values->gpu->backend->finish (values->queue, NULL, NULL);
  give_inputs (values);
  give_ahead (values);
  if (values->ahead_queue)
    values->gpu->backend->queue_free (values->ahead_queue);
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
  gsize bytes = values->input_bytes + values->ahead_bytes;

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

/* Gives offsets to the inputs that are sent ahead, or to all others. */
static void
place_some (HybDeviceValues *values, const guint8 *reads, gboolean ahead, gsize *total)
{
  for (guint i = 0; i < values->n; i++)
    {
      HybDeviceValue *value = &values->values[i];

      if (value->comes_ahead == ahead)
        value->offset = reads[i] && !value->is_constant
                            ? hyb_workspace_take (total, hyb_tensor_get_bytes (value->tensor))
                            : G_MAXSIZE;
    }
}

/* Gives every input its offset; returns the bytes of all inputs and the seed. */
static gsize
place_inputs (HybDeviceValues *values, const guint8 *reads)
{
  gsize total = 0, seed_bytes;

  if (values->has_seed)
    hyb_workspace_take (&total, sizeof (guint64));
  seed_bytes = total;
  place_some (values, reads, FALSE, &total);
  values->front_bytes = total;
  place_some (values, reads, TRUE, &total);
  if (total <= MAX_PINNED)
    return total;
  for (guint i = 0; i < values->n; i++)
    values->values[i].offset = G_MAXSIZE;
  return values->front_bytes = seed_bytes;
}

/* Memory that a run may still use is freed after the run. */
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

/* TRUE if the contents that a run needs were sent ahead. */
static gboolean
is_there (const HybDeviceValue *value)
{
  return value->ahead && value->ahead == value->tensor;
}

/* Writes the inputs that were not sent ahead to a pinned buffer. */
static void
fill_staging (HybDeviceValues *values, char *staging)
{
  values->is_ahead = TRUE;
  for (guint i = 0; i < values->n; i++)
    {
      HybDeviceValue *value = &values->values[i];
      gsize           bytes = value->tensor ? hyb_tensor_get_bytes (value->tensor) : 0;

      if (value->offset == G_MAXSIZE)
        continue;
      g_clear_pointer (&value->sent, hyb_tensor_unref);
      if (is_there (value))
        continue;
      values->is_ahead = values->is_ahead && !value->comes_ahead;
      if (bytes > 0)
        memcpy (staging + value->offset, hyb_tensor_get_data (value->tensor), bytes);
    }
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
  fill_staging (values, values->staging[values->turn]);
  return !values->ahead_queue || values->gpu->backend->finish (values->ahead_queue, NULL, error);
}

/* Moves the values that were sent ahead to their places; returns their bytes. */
static gsize
move_ahead (HybDeviceValues *values)
{
  const HybBackend *backend = values->gpu->backend;
  gsize             total = 0;

  for (guint i = 0; i < values->n; i++)
    {
      HybDeviceValue *value = &values->values[i];
      gsize           bytes = is_there (value) ? hyb_tensor_get_bytes (value->tensor) : 0;

      if (bytes > 0 && value->offset != G_MAXSIZE)
        {
          backend->copy (values->queue, (char *) values->inputs + value->offset,
                         (char *) values->ahead_memory + value->ahead_offset, bytes);
          total += bytes;
        }
      g_clear_pointer (&value->ahead, hyb_tensor_unref);
    }
  if (total > 0)
    backend->follow (values->ahead_queue, values->queue);
  return total;
}

HybSentBytes
hyb_device_values_send_staged (HybDeviceValues *values)
{
  HybSentBytes sent = { .now = values->is_ahead ? values->front_bytes : values->input_bytes };

  if (sent.now > 0)
    values->gpu->backend->copy (values->queue, values->inputs, values->staging[values->turn],
                                sent.now);
  values->turn ^= 1;
  sent.ahead = move_ahead (values);
  return sent;
}

/* --- Sending ahead --- */

/* Memory for values that are sent ahead, with a queue. */
static gboolean
take_ahead (HybDeviceValues *values, gsize bytes)
{
  HybGpu *gpu = values->gpu;

  if (!values->ahead_queue)
    values->ahead_queue = gpu->backend->queue_new (gpu->device, NULL);
  if (!values->ahead_queue || bytes == 0 || bytes > MAX_PINNED)
    return FALSE;
  if (bytes == values->ahead_bytes)
    return TRUE;
  give_ahead (values);
  values->ahead_memory = hyb_device_pool_take (gpu->memory, bytes, NULL);
  values->ahead_pinned = hyb_device_pool_take (gpu->pinned, bytes, NULL);
  if (values->ahead_memory && values->ahead_pinned)
    values->ahead_bytes = bytes;
  else
    {
      hyb_device_pool_give (gpu->memory, values->ahead_memory);
      hyb_device_pool_give (gpu->pinned, values->ahead_pinned);
      values->ahead_memory = values->ahead_pinned = NULL;
    }
  return values->ahead_bytes > 0;
}

gboolean
hyb_device_values_send_ahead (HybDeviceValues  *values,
                              guint             n,
                              const guint      *indices,
                              HybTensor *const *tensors)
{
  const HybBackend *backend = values->gpu->backend;
  gsize             bytes = 0, at = 0;

  for (guint i = 0; i < n; i++)
    hyb_workspace_take (&bytes, hyb_tensor_get_bytes (tensors[i]));
  /* The buffer may still be read for values that no run has used yet. */
  if (!take_ahead (values, bytes) || !backend->finish (values->ahead_queue, NULL, NULL))
    return FALSE;
  for (guint i = 0; i < n; i++)
    {
      HybDeviceValue *value = &values->values[indices[i]];
      gsize           size = hyb_tensor_get_bytes (tensors[i]);

      value->comes_ahead = TRUE;
      value->ahead_offset = hyb_workspace_take (&at, size);
      g_clear_pointer (&value->ahead, hyb_tensor_unref);
      value->ahead = hyb_tensor_ref (tensors[i]);
      if (size > 0)
        memcpy ((char *) values->ahead_pinned + value->ahead_offset,
                hyb_tensor_get_data (tensors[i]), size);
    }
  backend->copy (values->ahead_queue, values->ahead_memory, values->ahead_pinned, bytes);
  return TRUE;
}

/* --- Constant variables --- */

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
    values->gpu->backend->copy (values->queue, value->memory, hyb_tensor_get_data (value->tensor),
                                bytes);
  value->sent = hyb_tensor_ref (value->tensor);
  *sent_bytes = bytes;
  return TRUE;
}

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
