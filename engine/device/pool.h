/* pool.h — memory of a device that is used again by size.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/device/device.h"

typedef struct _HybDevicePool HybDevicePool;

/* A pool of memory of this device, which must live longer.  pinned: memory of the host that the
 * device copies from faster.  (transfer full) */
HybDevicePool *hyb_device_pool_new (const HybBackend *backend, HybDevice *device, gboolean pinned);
/* Gives all unused blocks back to the driver and frees the pool. */
void hyb_device_pool_free (HybDevicePool *pool);
/* A block of at least this many bytes: an unused one of that size, else a new one.  Unused blocks
 * are freed before the pool reports that memory is short. */
gpointer hyb_device_pool_take (HybDevicePool *pool, gsize bytes, GError **error);
/* Makes a block of hyb_device_pool_take() unused; NULL is allowed. */
void hyb_device_pool_give (HybDevicePool *pool, gpointer memory);
/* The bytes of the blocks that are in use. */
gsize hyb_device_pool_get_used (HybDevicePool *pool);
/* The bytes that the pool has of the driver, in use or not. */
gsize hyb_device_pool_get_taken (HybDevicePool *pool);
