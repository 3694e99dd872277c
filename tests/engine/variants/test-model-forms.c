/* test-model-forms.c — programs ask what is wrong with a model, convert it, and compare two.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/hybrid.h"
#include "tests/program.h"

#include <string.h>

static HybModel *
open_gallery (const char *name)
{
  g_autoptr (GError) error = NULL;
  HybModel *model = hyb_model_open (name, NULL, HYB_EPOCH_HIGHEST, &error);

  g_assert_no_error (error);
  return model;
}

/* Zeros of the types that the model says its inputs usually have. */
static HybTensorList *
new_inputs (HybModel *model)
{
  HybTensorList *inputs = hyb_tensor_list_new ();
  g_auto (GStrv) names = hyb_model_dup_input_names (model);

  for (guint i = 0; names[i]; i++)
    {
      const HybType *type = hyb_model_get_input_type (model, names[i]);
      g_autoptr (HybTensor) zeros = hyb_tensor_new_zeros (type, NULL);

      hyb_tensor_list_set (inputs, names[i], zeros);
    }
  return inputs;
}

#define RNN "gallery:lstm-unrolled?length=3&hidden=4&embedding=4&vocabulary=6"

static void
test_a_converted_model_is_equal (void)
{
  static const char *const forms[] = { "foreach", "while", "fused" };
  g_autoptr (HybModel) model = open_gallery (RNN);
  g_autoptr (HybTensorList) inputs = new_inputs (model);

  for (guint i = 0; i < G_N_ELEMENTS (forms); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (HybModel) converted = hyb_model_convert (model, forms[i], inputs, &error);

      g_assert_no_error (error);
      g_assert_true (converted != model);
      hyb_model_prove (model, converted, inputs, &error);
      g_assert_no_error (error);
    }
}

static void
test_what_cannot_be_converted_is_said (void)
{
  g_autoptr (HybModel) model = open_gallery (RNN);
  g_autoptr (HybModel) dense = open_gallery ("gallery:mlp");
  g_autoptr (HybTensorList) inputs = new_inputs (model);
  g_autoptr (GError) error = NULL;

  g_assert_null (hyb_model_convert (model, "folded", inputs, &error));
  g_assert_nonnull (strstr (error->message, "unrolled, foreach, while or fused"));
  g_clear_error (&error);
  g_assert_null (hyb_model_convert (dense, "fused", NULL, &error));
  g_assert_nonnull (error);
}

static void
test_a_difference_is_an_error (void)
{
  g_autoptr (HybModel) model = open_gallery (RNN);
  g_autoptr (HybModel) other = open_gallery (RNN "&seed=5");
  g_autoptr (HybTensorList) inputs = new_inputs (model);
  g_autoptr (GError) error = NULL;

  g_assert_false (hyb_model_prove (model, other, inputs, &error));
  g_assert_nonnull (strstr (error->message, "the models differ"));
}

static void
test_findings_are_those_of_check (void)
{
  g_autoptr (HybModel) model = open_gallery ("gallery:mlp");
  g_autoptr (HybModel) broken = open_gallery ("gallery:mlp");
  GPtrArray *findings;
  gboolean   is_found = FALSE;

  g_assert_cmpuint (hyb_model_check (model)->len, ==, 0);
  hyb_model_remove_parameter (broken, hyb_model_get_parameter_name (broken, 0));
  findings = hyb_model_check (broken);
  for (guint i = 0; i < findings->len; i++)
    is_found |= strcmp (((const HybFinding *) findings->pdata[i])->code, "missing-parameter") == 0;
  g_assert_true (is_found);
}

TEST_PROGRAM (test_model_forms)
{
  g_setenv ("HYBRIDSCOPE_GALLERY", HYB_GALLERY, FALSE);
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/engine/variants/model-forms/a-converted-model-is-equal",
                   test_a_converted_model_is_equal);
  g_test_add_func ("/engine/variants/model-forms/what-cannot-be-converted-is-said",
                   test_what_cannot_be_converted_is_said);
  g_test_add_func ("/engine/variants/model-forms/a-difference-is-an-error",
                   test_a_difference_is_an_error);
  g_test_add_func ("/engine/variants/model-forms/findings-are-those-of-check",
                   test_findings_are_those_of_check);
  return g_test_run ();
}
