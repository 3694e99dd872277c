/* pool.c — memory of a device that is used again by size.
 *
 * The driver's functions for memory wait for everything that the device does, so blocks are kept.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/device/pool.h"

/* Sizes are rounded up to whole pages of this size, so that similar requests share blocks. */
#define PAGE ((gsize) 4096)

struct _HybDevicePool
{
  const HybBackend *backend;
  HybDevice        *device;
  gboolean          pinned;
  GMutex            lock;
  GHashTable       *sizes; /* block → its bytes */
  GHashTable       *idle;  /* bytes → GPtrArray of unused blocks */
  gsize             used;
  gsize             taken; /* of the driver */
};

HybDevicePool *
hyb_device_pool_new (const HybBackend *backend, HybDevice *device, gboolean pinned)
{
  HybDevicePool *pool = g_new0 (HybDevicePool, 1);

  pool->backend = backend;
  pool->device = device;
  pool->pinned = pinned;
  g_mutex_init (&pool->lock);
  pool->sizes = g_hash_table_new (NULL, NULL);
  pool->idle = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) g_ptr_array_unref);
  return pool;
}

static void
trim (HybDevicePool *pool)
{
  GHashTableIter iter;
  gpointer       blocks;

  g_hash_table_iter_init (&iter, pool->idle);
  while (g_hash_table_iter_next (&iter, NULL, &blocks))
    {
      GPtrArray *idle = blocks;

      for (guint i = 0; i < idle->len; i++)
        {
          pool->taken -= GPOINTER_TO_SIZE (g_hash_table_lookup (pool->sizes, idle->pdata[i]));
          g_hash_table_remove (pool->sizes, idle->pdata[i]);
          pool->backend->give (pool->device, pool->pinned, idle->pdata[i]);
        }
      g_ptr_array_set_size (idle, 0);
    }
}

void
hyb_device_pool_free (HybDevicePool *pool)
{
  if (!pool)
    return;

  trim (pool);
  g_hash_table_unref (pool->sizes);
  g_hash_table_unref (pool->idle);
  g_mutex_clear (&pool->lock);
  g_free (pool);
}

/* A new block; trims once if the driver has none left. */
static gpointer
new_block (HybDevicePool *pool, gsize bytes, GError **error)
{
  gpointer memory = pool->backend->take (pool->device, pool->pinned, bytes, NULL);

  if (!memory)
    {
      trim (pool);
      memory = pool->backend->take (pool->device, pool->pinned, bytes, error);
    }
  if (memory)
    {
      g_hash_table_insert (pool->sizes, memory, GSIZE_TO_POINTER (bytes));
      pool->taken += bytes;
    }
  return memory;
}

gpointer
hyb_device_pool_take (HybDevicePool *pool, gsize bytes, GError **error)
{
  gsize      rounded = bytes > G_MAXSIZE - PAGE ? bytes : (MAX (bytes, 1) + PAGE - 1) / PAGE * PAGE;
  GPtrArray *idle;
  gpointer   memory;

  g_mutex_lock (&pool->lock);
  idle = g_hash_table_lookup (pool->idle, GSIZE_TO_POINTER (rounded));
  if (idle && idle->len > 0)
    memory = g_ptr_array_steal_index_fast (idle, idle->len - 1);
  else
    memory = new_block (pool, rounded, error);
  if (memory)
    pool->used += rounded;
  g_mutex_unlock (&pool->lock);
  return memory;
}

void
hyb_device_pool_give (HybDevicePool *pool, gpointer memory)
{
  gpointer   bytes;
  GPtrArray *idle;

  if (!memory)
    return;

  g_mutex_lock (&pool->lock);
  bytes = g_hash_table_lookup (pool->sizes, memory);
  idle = g_hash_table_lookup (pool->idle, bytes);
  if (!idle)
    g_hash_table_insert (pool->idle, bytes, idle = g_ptr_array_new ());
  g_ptr_array_add (idle, memory);
  pool->used -= GPOINTER_TO_SIZE (bytes);
  g_mutex_unlock (&pool->lock);
}

gsize
hyb_device_pool_get_used (HybDevicePool *pool)
{
  gsize used;

  g_mutex_lock (&pool->lock);
  used = pool->used;
  g_mutex_unlock (&pool->lock);
  return used;
}

gsize
hyb_device_pool_get_taken (HybDevicePool *pool)
{
  gsize taken;

  g_mutex_lock (&pool->lock);
  taken = pool->taken;
  g_mutex_unlock (&pool->lock);
  return taken;
}
