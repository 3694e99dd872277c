/* test-rule-gradient.c — tests of shape inference in gradient operators: shapes of gradients and values that
 * contradict the differentiated operator are refused, whichever operand has them.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/engine/ops/op-check.h"
#include "tests/program.h"

#include "engine/base/error.h"
#include "engine/op/rules.h"

#include <string.h>

/* Shapes of the gradient of the output, of the data, and of the gradient of the data of "tile". */
static void
check_tile (HybShape gradient, HybShape data, HybShape result, const char *message)
{
  const HybOp      *op = hyb_op_find ("_backward_tile");
  const char *const pairs[] = { "reps", "(2,)", NULL };
  g_autoptr (GError) error = NULL;
  HybType types[] = { { gradient, HYB_F32 }, { data, HYB_F32 }, { result, HYB_F32 } };
  HybCall call = { .op = op, .input = types, .output = types + 2, .legacy_shapes = TRUE };

  call.params = hyb_params_parse (op->params, op->params_size, pairs, NULL, &error);
  g_assert_no_error (error);
  hyb_op_arity (op, call.params, &call.n_inputs, &call.n_outputs);
  g_assert_cmpuint (call.n_inputs, ==, 2);
  g_assert_cmpuint (call.n_outputs, ==, 1);

  g_assert_cmpint (hyb_rule_gradient (&call, &error), ==, !message);
  if (message)
    {
      g_assert_error (error, HYB_GRAPH_ERROR, HYB_GRAPH_ERROR_TYPES);
      g_assert_true (g_str_has_prefix (error->message, "as a gradient of tile: "));
      g_assert_nonnull (strstr (error->message, message));
    }
  else
    g_assert_no_error (error);
  hyb_params_unref ((gpointer) call.params);
}

static void
test_shapes_that_agree (void)
{
  check_tile (hyb_shape_1d (6), hyb_shape_1d (3), hyb_shape_1d (3), NULL);
}

/* The first fails in the rule of "tile" itself, the second where the result is paired with the data. */
static void
test_contradictions (void)
{
  check_tile (hyb_shape_1d (7), hyb_shape_1d (3), hyb_shape_1d (3), "(7,)");
  check_tile (hyb_shape_1d (6), hyb_shape_1d (3), hyb_shape_1d (4), "(4,)");
}

TEST_PROGRAM (test_rule_gradient)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/engine/op/rule-gradient/shapes-that-agree", test_shapes_that_agree);
  g_test_add_func ("/engine/op/rule-gradient/contradictions", test_contradictions);

  return g_test_run ();
}
