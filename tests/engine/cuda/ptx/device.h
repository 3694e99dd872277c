/* device.h — short ways to put numbers into the memory of a PtxMemory and to read them back.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "tests/engine/cuda/ptx/ptx.h"

#include <string.h>

/* Device memory with a copy of BYTES bytes from DATA; DATA NULL: unwritten. */
static inline guint64
device_put (PtxMemory *memory, gconstpointer data, gsize bytes)
{
  PtxAccess access = { .address = ptx_memory_take (memory, bytes), .bytes = bytes, .write = TRUE };

  g_assert_cmpuint (access.address, !=, 0);
  if (data)
    memcpy (ptx_memory_reach (memory, &access, NULL), data, bytes);
  return access.address;
}

/* The bytes at ADDRESS, all of which must have been written. */
static inline gconstpointer
device_get (PtxMemory *memory, guint64 address, gsize bytes)
{
  PtxAccess access = { .address = address, .bytes = bytes };
  g_autoptr (GError) error = NULL;
  gconstpointer data = ptx_memory_reach (memory, &access, &error);

  g_assert_no_error (error);
  return data;
}

/* Device addresses stand in argument structs as pointers. */
static inline gpointer
device_pointer (guint64 address)
{
  return (gpointer) (gsize) address;
}
