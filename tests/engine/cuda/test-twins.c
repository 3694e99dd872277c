/* test-twins.c — the table of the GPU module: its operators exist and are complete.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/device/loader.h"
#include "engine/op/twin.h"
#include "tests/program.h"

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

static gboolean
has_twin (const HybBackend *backend, const char *name)
{
  for (const HybDeviceOp *twin = backend->ops; twin->name; twin++)
    if (strcmp (twin->name, name) == 0)
      return TRUE;
  return FALSE;
}

/* The operators' declaration, which is part of the engine, and the table of the module agree. */
static void
test_declared (void)
{
  const HybBackend   *backend = load ();
  guint               n_ops, n = 0;
  const HybOp *const *ops = hyb_op_list (&n_ops);

  for (guint i = 0; i < n_ops; i++)
    {
      gboolean is_declared = hyb_op_has_twin (ops[i]);

      n += is_declared;
      if (is_declared && !has_twin (backend, ops[i]->name))
        g_error ("%s is declared in op-twins.h and has no twin", ops[i]->name);
      if (!is_declared && has_twin (backend, ops[i]->name))
        g_error ("%s has a twin that op-twins.h does not declare", ops[i]->name);
    }
  g_test_message ("%u of %u operators are declared", n, n_ops);
  g_assert_cmpuint (n, >, 100);
}

/* What is differentiated on a GPU is differentiated there wholly. */
static void
test_gradients (void)
{
  guint               n_ops;
  const HybOp *const *ops = hyb_op_list (&n_ops);

  for (guint i = 0; i < n_ops; i++)
    if (ops[i]->gradient_of)
      {
        const HybOp *op = hyb_op_find (ops[i]->gradient_of);

        if (hyb_op_has_twin (op) && !hyb_op_has_twin (ops[i]))
          g_error ("%s has a twin, its gradient %s has none", op->name, ops[i]->name);
      }
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

TEST_PROGRAM (test_twins)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/engine/cuda/twins/every-twin-has-an-operator", test_twins);
  g_test_add_func ("/engine/cuda/twins/the-operators-declare-the-table-of-the-module",
                   test_declared);
  g_test_add_func ("/engine/cuda/twins/gradients-of-twins-are-twins", test_gradients);
  g_test_add_func ("/engine/cuda/twins/no-function-is-missing", test_functions);
  return g_test_run ();
}
