/* device-buffers.c — the buffers that CUPTI fills with records, on threads of its own.
 *
 * CUPTI's callbacks have no data of ours, so the list is one of the process.  The lock is never held while
 * CUPTI is called.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "profiler/record/device-buffers.h"

#include <stdlib.h>

#define BUFFER_BYTES  ((gsize) 4 << 20)
#define DEFAULT_LIMIT ((gsize) 128 << 20)
/* The first CUPTI to which no buffer may be refused without a crash is older than this one, of CUDA 12.9. */
#define MAY_REFUSE 27

static struct
{
  GMutex   lock;
  GArray  *full; /* of ProfDeviceBuffer */
  gsize    kept; /* bytes of buffers that are lent, and of records in full ones */
  gsize    limit;
  guint    n_refused;
  gboolean may_refuse;
} buffers = { .limit = DEFAULT_LIMIT };

static void
lend (uint8_t **buffer, size_t *size, size_t *most)
{
  gboolean is_allowed;

  *buffer = NULL;
  *size = *most = 0;
  g_mutex_lock (&buffers.lock);
  is_allowed = buffers.kept < buffers.limit || !buffers.may_refuse;
  if (is_allowed)
    buffers.kept += BUFFER_BYTES;
  else
    buffers.n_refused++;
  g_mutex_unlock (&buffers.lock);
  if (is_allowed)
    *buffer = aligned_alloc (64, BUFFER_BYTES);
  if (*buffer)
    *size = BUFFER_BYTES;
}

/* Returns the part of the buffer that has records; frees all of it when there are none. */
static uint8_t *
keep_valid (uint8_t *bytes, size_t valid)
{
  uint8_t *kept;

  if (!bytes || valid == 0)
    {
      free (bytes);
      return NULL;
    }
  kept = realloc (bytes, valid);
  return kept ? kept : bytes;
}

static void
take_back (CUcontext context, uint32_t stream, uint8_t *bytes, size_t size, size_t valid)
{
  ProfDeviceBuffer buffer = { keep_valid (bytes, valid), valid };

  g_mutex_lock (&buffers.lock);
  buffers.kept -= MIN (buffers.kept, BUFFER_BYTES - MIN (valid, BUFFER_BYTES));
  if (buffer.bytes)
    {
      if (!buffers.full)
        buffers.full = g_array_new (FALSE, FALSE, sizeof (ProfDeviceBuffer));
      g_array_append_val (buffers.full, buffer);
    }
  g_mutex_unlock (&buffers.lock);
}

CUptiResult
prof_device_buffers_register (const ProfCupti *cupti)
{
  buffers.may_refuse = cupti->version >= MAY_REFUSE;
  return cupti->call.cuptiActivityRegisterCallbacks (lend, take_back);
}

GArray *
prof_device_buffers_take (guint *n_refused)
{
  GArray *taken;

  g_mutex_lock (&buffers.lock);
  taken = g_steal_pointer (&buffers.full);
  for (guint i = 0; taken && i < taken->len; i++)
    buffers.kept -= MIN (buffers.kept, g_array_index (taken, ProfDeviceBuffer, i).valid);
  *n_refused = buffers.n_refused;
  buffers.n_refused = 0;
  g_mutex_unlock (&buffers.lock);
  if (!taken)
    taken = g_array_new (FALSE, FALSE, sizeof (ProfDeviceBuffer));
  g_array_set_clear_func (taken, prof_device_buffer_clear);
  return taken;
}

void
prof_device_buffer_clear (gpointer buffer)
{
  free (((ProfDeviceBuffer *) buffer)->bytes);
}

void
prof_device_buffers_set_limit (gsize bytes)
{
  g_mutex_lock (&buffers.lock);
  buffers.limit = bytes > 0 ? bytes : DEFAULT_LIMIT;
  g_mutex_unlock (&buffers.lock);
}
