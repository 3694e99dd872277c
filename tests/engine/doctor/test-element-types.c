/* test-element-types.c — the doctor casts parameters whose element type an operator does not take.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/doctor/diagnose.h"
#include "tests/engine/ops/op-body.h"
#include "tests/program.h"

#include <string.h>

static void
add_parameter (HybModel *model, const char *name, HybShape shape)
{
  HybType type = { shape, HYB_F16 };
  g_autoptr (HybTensor) tensor = hyb_tensor_new_zeros (&type, NULL);

  hyb_model_set_parameter (model, name, tensor);
}

/* All parameters are float16, but those of BatchNorm must be float32. */
static void
test_types_that_an_operator_requires (void)
{
  static const char *const dense[] = { "a_weight", "b_weight", "c_weight", "d_weight", "e_weight" };
  static const char *const norm[] = { "bn_gamma", "bn_beta", "bn_moving_mean", "bn_moving_var" };
  HybBuilder              *b = hyb_builder_new ();
  HybValueId               x = op_variable (b, "data"), operand[G_N_ELEMENTS (norm)];
  g_autoptr (HybModel) model = hyb_model_new ();
  g_autoptr (HybGraph) graph = NULL;
  g_autofree HybType *types = NULL;
  const HybFinding   *found = NULL;

  for (guint i = 0; i < G_N_ELEMENTS (dense); i++)
    x = op_node (b, "FullyConnected", "num_hidden=4 no_bias=True", x, op_variable (b, dense[i]),
                 HYB_NO_ID);
  for (guint i = 0; i < G_N_ELEMENTS (norm); i++)
    operand[i] = op_variable (b, norm[i]);
  x = op_node (b, "BatchNorm", NULL, x, operand[0], operand[1], operand[2], operand[3], HYB_NO_ID);
  graph = op_finish (b, x, HYB_NO_ID);
  hyb_model_set_graph (model, graph);
  for (guint i = 0; i < G_N_ELEMENTS (dense); i++)
    add_parameter (model, dense[i], hyb_shape_2d (4, 4));
  for (guint i = 0; i < G_N_ELEMENTS (norm); i++)
    add_parameter (model, norm[i], hyb_shape_1d (4));

  types = hyb_diagnose_new_types (hyb_model_get_graph (model));
  hyb_diagnose (model, types);
  for (guint i = 0; i < hyb_model_get_findings (model)->len && !found; i++)
    {
      const HybFinding *finding = hyb_model_get_findings (model)->pdata[i];

      found = strcmp (finding->code, "wrong-dtype") == 0 ? finding : NULL;
    }
  g_assert_nonnull (found);
  g_assert_cmpstr (g_array_index (found->items, HybFindingItem, 0).name, ==, "bn_gamma");
  g_assert_cmpstr (g_array_index (found->items, HybFindingItem, 0).expected, ==, "\"float32\"");
}

TEST_PROGRAM (test_element_types)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/engine/doctor/element-types/types-that-an-operator-requires",
                   test_types_that_an_operator_requires);
  return g_test_run ();
}
