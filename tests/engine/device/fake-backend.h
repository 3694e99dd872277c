/* fake-backend.h — a back end whose device is the memory of the host, for tests of engine/device.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/base/error.h"
#include "engine/device/device.h"

#include <stdlib.h>

/* What was taken and not given back, and how much the device has. */
static gsize fake_taken, fake_limit;
static guint fake_calls;

static gpointer
fake_take (HybDevice *device, gboolean pinned, gsize bytes, GError **error)
{
  gsize *memory;

  fake_calls++;
  if (fake_taken + bytes > fake_limit)
    {
      hyb_error_at (error, HYB_GRAPH_ERROR, HYB_GRAPH_ERROR_MEMORY, NULL, NULL,
                    "the fake device is full");
      return NULL;
    }
  memory = g_malloc (sizeof (gsize) * 8 + bytes);
  memory[0] = bytes;
  fake_taken += bytes;
  return memory + 8;
}

static void
fake_give (HybDevice *device, gboolean pinned, gpointer memory)
{
  gsize *begin = (gsize *) memory - 8;

  fake_taken -= begin[0];
  g_free (begin);
}

static const HybBackend fake_backend = { .abi = HYB_BACKEND_ABI,
                                         .name = "fake",
                                         .take = fake_take,
                                         .give = fake_give };
