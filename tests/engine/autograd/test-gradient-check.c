/* test-gradient-check.c — the gradient check accepts right gradients and finds wrong ones.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/autograd/gradient-check.h"

#include "engine/base/error.h"
#include "engine/graph/builder.h"
#include "tests/engine/ops/op-tensor.h"
#include "tests/program.h"

#include <string.h>

/* op2 (op1 (a)), or op1 (a) alone. */
static gboolean
check (const char *op1, const char *op2, const char *attributes_text, GError **error)
{
  HybBuilder *builder = hyb_builder_new ();
  g_auto (GStrv) attributes = op_attributes_from_text (attributes_text);
  g_autoptr (HybTensor) tensor = op_tensor_from_text ("f32[3,4] 0.2..2", 0);
  HybValueId y = hyb_builder_add_variable (builder, "a", NULL);
  HybNodeId  wrt[] = { 0 };

  g_autoptr (HybGraph) graph = NULL;
  g_autoptr (GError) broken = NULL;

  y = hyb_builder_call (builder, op1,
                        &(HybNodeSpec){ .name = "y",
                                        .n_inputs = 1,
                                        .inputs = &y,
                                        .attributes = (const char *const *) attributes },
                        &broken);
  g_assert_no_error (broken);
  if (op2)
    y = hyb_builder_call (builder, op2, &(HybNodeSpec){ .name = "z", .n_inputs = 1, .inputs = &y },
                          &broken);
  g_assert_no_error (broken);
  hyb_builder_add_head (builder, y);
  graph = hyb_builder_freeze (builder);

  return hyb_gradient_check (&(HybGradientCheck){ .graph = graph,
                                                  .variables = &tensor,
                                                  .n_wrt = 1,
                                                  .wrt = wrt },
                             error);
}

static void
test_right_gradients_pass (void)
{
  g_autoptr (GError) error = NULL;

  check ("exp", NULL, NULL, &error);
  g_assert_no_error (error);
  check ("sqrt", "softmax", NULL, &error);
  g_assert_no_error (error);
}

static void
test_wrong_gradients_are_found (void)
{
  g_autoptr (GError) error = NULL;

  /* BlockGrad is the identity, but its gradient is 0. */
  g_assert_false (check ("BlockGrad", NULL, NULL, &error));
  g_assert_error (error, HYB_OP_ERROR, HYB_OP_ERROR_GRADIENT);
  g_assert_nonnull (strstr (error->message, "variable “a”, element 0"));
}

static void
test_dtypes_that_attributes_fix_are_respected (void)
{
  g_autoptr (GError) error = NULL;

  check ("Cast", "square", "dtype=float64", &error);
  g_assert_no_error (error);
}

TEST_PROGRAM (test_gradient_check)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/engine/autograd/gradient-check/right-gradients-pass",
                   test_right_gradients_pass);
  g_test_add_func ("/engine/autograd/gradient-check/wrong-gradients-are-found",
                   test_wrong_gradients_are_found);
  g_test_add_func ("/engine/autograd/gradient-check/dtypes-that-attributes-fix-are-respected",
                   test_dtypes_that_attributes_fix_are_respected);

  return g_test_run ();
}
