/* test-op-twins.c — the list of operators that a GPU computes: names exist, are not aliases, and are sorted.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/op/twin.h"

#include <string.h>

static const char *const names[] = {
#define HYB_TWIN(name) name,
#include "engine/ops/op-twins.h"
#include "tests/program.h"
#undef HYB_TWIN
};

static void
test_names (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      const HybOp *op = hyb_op_find (names[i]);

      if (!op || strcmp (op->name, names[i]) != 0)
        g_error ("%s is not the name of an operator", names[i]);
      if (i > 0 && strcmp (names[i - 1], names[i]) >= 0)
        g_error ("%s stands after %s", names[i], names[i - 1]);
      g_assert_true (hyb_op_has_twin (op));
    }
}

static void
test_others (void)
{
  static const char *const others[] = { "cumsum", "ctc_loss", "_foreach" };

  for (guint i = 0; i < G_N_ELEMENTS (others); i++)
    g_assert_false (hyb_op_has_twin (hyb_op_find (others[i])));
}

TEST_PROGRAM (test_op_twins)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/engine/ops/op-twins/names-exist-and-are-sorted", test_names);
  g_test_add_func ("/engine/ops/op-twins/others-have-none", test_others);
  return g_test_run ();
}
