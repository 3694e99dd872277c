/* test-diff.c — compares models that are equal, in another form, or trained further.
 *
 * The models are goldens and models of the gallery.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/formats/npz.h"
#include "engine/open/open.h"
#include "engine/variants/diff.h"
#include "engine/variants/variant.h"
#include "tests/engine/variants/listed.h"
#include "tests/program.h"

#define FOLDER "cell-lstm-t6-ntc-none"
#define WEIGHT "unroll0_lstm0_h2h_weight"

static HybModel *
open_lstm (void)
{
  g_autofree char *symbol = golden_path ("models", FOLDER, FOLDER "-symbol.json", NULL);

  if (!g_file_test (symbol, G_FILE_TEST_EXISTS))
    {
      g_test_skip ("the golden is not here");
      return NULL;
    }
  return hyb_model_open (symbol, NULL, HYB_EPOCH_HIGHEST, NULL);
}

static void
test_same (void)
{
  g_autoptr (HybModel) a = open_lstm ();
  g_autoptr (HybModel) b = a ? open_lstm () : NULL;
  g_autoptr (HybDiff) diff = NULL;

  if (!a)
    return;
  diff = hyb_diff_new (a, b);
  g_assert_true (diff->same);
  g_assert_cmpuint (diff->n_matched, ==, hyb_graph_n_nodes (hyb_model_get_graph (a)));
}

static void
test_forms (void)
{
  g_autofree char *arrays = golden_path ("models", FOLDER, "input.npz", NULL);
  g_autoptr (HybModel) a = open_lstm ();
  g_autoptr (HybTensorList) input = a ? hyb_npz_read_file (arrays, NULL) : NULL;
  HybConvertOptions options = { .form = HYB_FORM_FUSED, .input = input };
  g_autoptr (HybVariant) variant = NULL;
  g_autoptr (HybDiff) diff = NULL;
  const HybDiffGroup *group;

  if (!a)
    return;
  variant = hyb_variant_convert (a, &options, NULL);
  diff = hyb_diff_new (a, variant->model);
  g_assert_false (diff->same);
  g_assert_cmpuint (diff->groups->len, ==, 1);
  group = diff->groups->pdata[0];
  g_assert_cmpuint (group->a->len, ==, 6 * 13);
  g_assert_cmpuint (group->b->len, ==, 1);
}

/* A long model of the gallery: 35 steps of 13 nodes. */
static void
test_many_steps (void)
{
  g_autoptr (HybModel) a = listed_open ("gallery:lstm-unrolled", "?hidden=8");
  gboolean has_weights;
  g_autoptr (HybTensorList) input = listed_input ("gallery:lstm-unrolled", a, &has_weights);
  HybConvertOptions options = { .form = HYB_FORM_FUSED, .input = input };
  g_autoptr (GError) error = NULL;
  g_autoptr (HybVariant) variant = hyb_variant_convert (a, &options, &error);
  g_autoptr (HybDiff) diff = NULL;
  const HybDiffGroup *group;

  g_assert_no_error (error);
  diff = hyb_diff_new (a, variant->model);
  g_assert_cmpuint (diff->groups->len, ==, 1);
  group = diff->groups->pdata[0];
  g_assert_cmpuint (group->a->len, ==, 35 * 13);
  g_assert_cmpuint (group->b->len, ==, 1);
}

static void
test_checkpoints (void)
{
  g_autoptr (HybModel) a = open_lstm ();
  g_autoptr (HybModel) b = a ? open_lstm () : NULL;
  g_autoptr (HybTensor) weight = NULL;
  g_autoptr (HybDiff) diff = NULL;
  const HybDiffParameter *parameter;

  if (!a)
    return;
  weight = hyb_tensor_copy (hyb_model_get_parameter (b, WEIGHT));
  ((float *) hyb_tensor_get_data (weight))[0] += 3;
  ((float *) hyb_tensor_get_data (weight))[1] += 4;
  hyb_model_set_parameter (b, WEIGHT, weight);
  diff = hyb_diff_new (a, b);
  g_assert_false (diff->same);
  g_assert_cmpuint (diff->added->len + diff->removed->len + diff->changed->len, ==, 0);
  g_assert_cmpuint (diff->parameters->len, ==, 1);
  parameter = &g_array_index (diff->parameters, HybDiffParameter, 0);
  g_assert_cmpstr (parameter->name, ==, WEIGHT);
  g_assert_cmpfloat_with_epsilon (parameter->max_abs, 4, 1e-5);
  g_assert_cmpfloat_with_epsilon (parameter->distance, 5, 1e-5);
}

TEST_PROGRAM (test_diff)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/engine/variants/diff/a-model-and-itself-are-the-same", test_same);
  g_test_add_func ("/engine/variants/diff/forms-are-one-group", test_forms);
  g_test_add_func ("/engine/variants/diff/all-steps-stand-against-one-operator", test_many_steps);
  g_test_add_func ("/engine/variants/diff/checkpoints-differ-in-parameters-only", test_checkpoints);
  return g_test_run ();
}
