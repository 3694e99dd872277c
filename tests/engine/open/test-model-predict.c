/* test-model-predict.c — what a program does with a model: arrays from files, inputs and outputs by name.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/hybrid.h"
#include "tests/program.h"

#include <glib/gstdio.h>
#include <string.h>

static HybTensor *
row (float a, float b, float c)
{
  return hyb_tensor_new_float (2, (const gint64[]){ 1, 3 }, (const float[]){ a, b, c });
}

/* Two layers, one behind the other, whose weights are ones. */
static HybBlock *
new_net (void)
{
  HybBlock *net = hyb_sequential ("net_");

  hyb_block_enter_scope (net);
  hyb_append (net, hyb_dense (.units = 2, .in_units = 3, .weight_init = "ones"));
  hyb_append (net, hyb_dense (.units = 1, .in_units = 2, .weight_init = "ones"));
  hyb_block_leave_scope (net);
  hyb_block_initialize (net, NULL, 0);
  return net;
}

static HybModel *
new_model (void)
{
  g_autoptr (HybBlock) net = new_net ();
  g_autoptr (HybTensor) x = row (1, 2, 3);
  g_autoptr (HybTensor) y = NULL;
  g_autoptr (GError) error = NULL;
  HybModel *model;

  g_assert_true (hyb_block_hybridize (net, TRUE, NULL, NULL));
  y = hyb_block_predict (net, x, &error);
  g_assert_no_error (error);
  model = hyb_block_to_model (net, &error);
  g_assert_no_error (error);
  return model;
}

static void
test_arrays_go_through_files_by_name (void)
{
  static const char *const endings[] = { "npz", "params" };
  g_autofree char         *folder = g_dir_make_tmp ("arrays-XXXXXX", NULL);
  g_autoptr (HybTensorList) list = hyb_tensor_list_new ();
  g_autoptr (HybTensor) a = row (1, 2, 3);
  g_autoptr (HybTensor) b = row (4, 5, 6);

  hyb_tensor_list_set (list, "a", a);
  hyb_tensor_list_set (list, "b", b);
  for (guint i = 0; i < G_N_ELEMENTS (endings); i++)
    {
      g_autofree char *path = g_strdup_printf ("%s/arrays.%s", folder, endings[i]);
      g_autoptr (GError) error = NULL;
      g_autoptr (HybTensorList) read = NULL;

      g_assert_true (hyb_arrays_write (list, path, &error));
      g_assert_no_error (error);
      read = hyb_arrays_read (path, &error);
      g_assert_no_error (error);
      g_assert_cmpuint (hyb_tensor_list_n (read), ==, 2);
      g_assert_cmpfloat (hyb_tensor_get_value (hyb_tensor_list_find (read, "b"), 1), ==, 5);
      g_unlink (path);
    }
  g_rmdir (folder);
}

static void
test_files_that_cannot_be_used_are_errors (void)
{
  g_autoptr (HybTensorList) list = hyb_tensor_list_new ();
  g_autoptr (GError) error = NULL;

  g_assert_null (hyb_arrays_read ("/nowhere/in.npz", &error));
  g_assert_nonnull (strstr (error->message, "in.npz"));
  g_clear_error (&error);
  g_assert_false (hyb_arrays_write (list, "/tmp/out.docx", &error));
  g_assert_nonnull (strstr (error->message, "out.docx"));
}

static void
test_a_model_runs_on_named_arrays (void)
{
  g_autoptr (HybModel) model = new_model ();
  g_auto (GStrv) names = hyb_model_dup_input_names (model);
  g_autoptr (HybTensorList) inputs = hyb_tensor_list_new ();
  g_autoptr (HybTensorList) outputs = NULL;
  g_autoptr (HybTensor) x = row (1, 2, 3);
  g_autoptr (GError) error = NULL;

  g_assert_cmpuint (g_strv_length (names), ==, 1);
  g_assert_cmpstr (names[0], ==, "data");
  hyb_tensor_list_set (inputs, "data", x);
  outputs = hyb_model_predict (model, inputs, &error);
  g_assert_no_error (error);
  g_assert_cmpfloat (hyb_tensor_get_value (hyb_tensor_list_find (outputs, "net_dense1_fwd_output"),
                                           0),
                     ==, 12);
}

static void
test_wrong_inputs_are_named (void)
{
  g_autoptr (HybModel) model = new_model ();
  g_autoptr (HybTensorList) inputs = hyb_tensor_list_new ();
  g_autoptr (HybTensor) x = row (1, 2, 3);
  g_autoptr (GError) error = NULL;

  g_assert_null (hyb_model_predict (model, NULL, &error));
  g_assert_nonnull (strstr (error->message, "data"));
  g_clear_error (&error);
  hyb_tensor_list_set (inputs, "date", x);
  g_assert_null (hyb_model_predict (model, inputs, &error));
  g_assert_nonnull (strstr (error->message, "date"));
}

static void
test_an_executor_finds_its_outputs (void)
{
  g_autoptr (HybModel) model = new_model ();
  g_autoptr (HybExecutor) executor =
      hyb_executor_new (hyb_model_get_graph (model),
                        &(HybExecutorOptions){ .mode = HYB_MODE_STATIC });
  g_autoptr (HybTensor) x = row (1, 0, 0);
  g_autoptr (GError) error = NULL;

  g_assert_true (hyb_model_bind_parameters (model, executor, &error));
  g_assert_true (hyb_executor_bind (executor, "data", x, &error));
  g_assert_true (hyb_executor_run (executor, NULL, &error));
  g_assert_no_error (error);
  g_assert_true (hyb_executor_find_output (executor, "net_dense1_fwd_output") ==
                 hyb_executor_get_output (executor, 0));
  g_assert_null (hyb_executor_find_output (executor, "net_dense0_fwd_output"));
}

static HybValue *
sum_and_difference (HybF *F, HybValue *inputs)
{
  HybValue *a = hyb_item (F, inputs, 0), *b = hyb_item (F, inputs, 1);

  return hyb_list_of (F, hyb_add (F, a, b), hyb_sub (F, a, b), NULL);
}

static void
test_a_block_takes_and_returns_several_arrays (void)
{
  g_autoptr (HybBlock) block = hyb_lambda_new (sum_and_difference, NULL);
  g_autoptr (HybTensor) a = row (1, 2, 3);
  g_autoptr (HybTensor) b = row (10, 20, 30);
  HybTensor *inputs[] = { a, b };
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) outputs = hyb_block_predict_all (block, 2, inputs, &error);

  g_assert_no_error (error);
  g_assert_cmpuint (outputs->len, ==, 2);
  g_assert_cmpfloat (hyb_tensor_get_value (outputs->pdata[0], 2), ==, 33);
  g_assert_cmpfloat (hyb_tensor_get_value (outputs->pdata[1], 2), ==, -27);
  g_assert_null (hyb_block_predict_all (block, 1, inputs, &error));
  g_assert_nonnull (strstr (error->message, "item 1"));
}

static void
test_the_version_is_that_of_the_headers (void)
{
  g_assert_cmpstr (hyb_get_version (), ==, HYB_VERSION);
  g_assert_true (HYB_CHECK_VERSION (0, 2, 0));
  g_assert_true (HYB_CHECK_VERSION (0, 1, 9));
  g_assert_false (HYB_CHECK_VERSION (HYB_VERSION_MAJOR, HYB_VERSION_MINOR + 1, 0));
  g_assert_false (HYB_CHECK_VERSION (HYB_VERSION_MAJOR + 1, 0, 0));
}

TEST_PROGRAM (test_model_predict)
{
  g_test_init (&argc, &argv, NULL);
#define TEST(name, function) g_test_add_func ("/engine/open/model-predict/" name, function)
  TEST ("arrays-go-through-files-by-name", test_arrays_go_through_files_by_name);
  TEST ("files-that-cannot-be-used-are-errors", test_files_that_cannot_be_used_are_errors);
  TEST ("a-model-runs-on-named-arrays", test_a_model_runs_on_named_arrays);
  TEST ("wrong-inputs-are-named", test_wrong_inputs_are_named);
  TEST ("an-executor-finds-its-outputs", test_an_executor_finds_its_outputs);
  TEST ("a-block-takes-and-returns-several-arrays", test_a_block_takes_and_returns_several_arrays);
  TEST ("the-version-is-that-of-the-headers", test_the_version_is_that_of_the_headers);
#undef TEST
  return g_test_run ();
}
