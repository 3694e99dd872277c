/* faulty-backend.h — a back end one of whose operators is launched by a function of the test.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/device/loader.h"
#include "tests/engine/cuda/on-pretend-gpu.h"

/* What the function may call. */
static const HybBackend *real_backend;
static HybDeviceOp       real_op;

/* The back end with that function; its operators are to be freed. */
static HybBackend
new_faulty_backend (const char *name, __typeof__ (real_op.launch) launch)
{
  g_autoptr (GArray) ops = g_array_new (TRUE, FALSE, sizeof (HybDeviceOp));
  g_autoptr (GError) error = NULL;
  HybBackend faulty;

  real_backend = hyb_backend_load (&error);
  g_assert_no_error (error);
  for (const HybDeviceOp *op = real_backend->ops; op->name; op++)
    {
      HybDeviceOp own = *op;

      if (strcmp (op->name, name) == 0)
        {
          real_op = *op;
          own.launch = launch;
        }
      g_array_append_val (ops, own);
    }
  g_assert_nonnull (real_op.launch);
  faulty = *real_backend;
  faulty.ops = (const HybDeviceOp *) (gpointer) g_array_free (g_steal_pointer (&ops), FALSE);
  return faulty;
}
