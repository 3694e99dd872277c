/* test-twins.c — the table of the GPU module: its operators exist and are complete.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/device/loader.h"

#include <string.h>

static const HybBackend *
load (void)
{
  g_autoptr (GError) error = NULL;
  const HybBackend *backend = hyb_backend_open (HYB_GPU_MODULE, &error);

  g_assert_no_error (error);
  return backend;
}

static void
test_twins (void)
{
  const HybBackend *backend = load ();
  guint             n = 0;

  for (const HybDeviceOp *twin = backend->ops; twin->name; twin++, n++)
    {
      const HybOp *op = hyb_op_find (twin->name);

      if (!op)
        g_error ("there is no operator %s", twin->name);
      g_assert_cmpstr (op->name, ==, twin->name); /* not an alias: the engine looks names up */
      g_assert_nonnull (twin->launch);
      for (const HybDeviceOp *other = backend->ops; other < twin; other++)
        g_assert_cmpstr (other->name, !=, twin->name);
    }
  g_assert_cmpuint (n, >, 100);
  g_test_message ("%u operators", n);
}

static void
test_functions (void)
{
  const HybBackend *backend = load ();
  const gpointer   *from = (const gpointer *) (gconstpointer) &backend->count;
  const gpointer   *end = (const gpointer *) (gconstpointer) (backend + 1);

  g_assert_cmpuint (backend->abi, ==, HYB_BACKEND_ABI);
  for (; from < end; from++)
    g_assert_nonnull (*from);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/engine/cuda/twins/every-twin-has-an-operator", test_twins);
  g_test_add_func ("/engine/cuda/twins/no-function-is-missing", test_functions);
  return g_test_run ();
}
