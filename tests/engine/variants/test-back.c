/* test-back.c — unrolled cells that became one fused operator go back: every conversion is proved, and the
 * last graph has the cells, the parameters and the shapes of the first.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/engine/variants/converted.h"
#include "tests/engine/variants/listed.h"
#include "tests/program.h"

#include <string.h>

static void
assert_same_parameters (HybModel *a, HybModel *b)
{
  g_assert_cmpuint (hyb_model_n_parameters (a), ==, hyb_model_n_parameters (b));
  for (guint i = 0; i < hyb_model_n_parameters (a); i++)
    {
      const char *name = hyb_model_get_parameter_name (a, i);
      HybTensor  *x = hyb_model_get_parameter (a, name), *y = hyb_model_get_parameter (b, name);

      g_assert_nonnull (y);
      g_assert_true (hyb_shape_equal (hyb_tensor_get_shape (x), hyb_tensor_get_shape (y)));
      g_assert_cmpmem (hyb_tensor_get_data (x), hyb_tensor_get_bytes (x), hyb_tensor_get_data (y),
                       hyb_tensor_get_bytes (y));
    }
}

static void
test_there_and_back (gconstpointer name)
{
  g_autoptr (HybModel) model = listed_open (name, "?hidden=8");
  g_autoptr (HybTensorList) input = NULL;
  g_autoptr (HybVariant) unrolled = NULL;
  g_autoptr (HybVariant) fused = NULL;
  g_autoptr (HybVariant) back = NULL;
  g_autoptr (HybVariant) again = NULL;
  gboolean has_weights;

  if (!model)
    {
      g_test_skip ("the golden is not here");
      return;
    }
  input = listed_input (name, model, &has_weights);
  unrolled = converted_new (model, HYB_FORM_UNROLLED, input);
  fused = converted_new (unrolled->model, HYB_FORM_FUSED, input);
  g_assert_cmpuint (converted_count_nodes (fused->model, "RNN"), >, 0);
  /* MXNet's simple_bind infers no shape of a trainable initial state through stack. */
  g_assert_cmpuint (converted_count_nodes (fused->model, "stack"), ==, 0);
  back = converted_new (fused->model, HYB_FORM_UNROLLED, input);
  g_assert_cmpuint (converted_count_nodes (back->model, "RNN"), ==, 0);
  g_assert_cmpuint (converted_count_nodes (back->model, "FullyConnected"), ==,
                    converted_count_nodes (unrolled->model, "FullyConnected"));
  again = converted_new (back->model, HYB_FORM_FUSED, input);
  g_assert_cmpuint (converted_count_nodes (again->model, "RNN"), ==,
                    converted_count_nodes (fused->model, "RNN"));
  assert_same_parameters (fused->model, again->model);
}

TEST_PROGRAM (test_back)
{
  static const char *const names[] = { "cell-lstm-t6-ntc-none",     "cell-bi-t6-tnc-true",
                                       "cell-residual-t6-ntc-none", "rnn-gru-t4-ntc-false-ones",
                                       "lm-chained-cells",          "gallery:stacked",
                                       "gallery:residual" };

  g_test_init (&argc, &argv, NULL);
  g_test_set_nonfatal_assertions ();
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autofree char *path =
          g_strconcat ("/engine/variants/back/unrolled-fused-unrolled-", names[i], NULL);

      g_test_add_data_func (g_strdelimit (path, ":", '-'), names[i], test_there_and_back);
    }
  return g_test_run ();
}
