/* test-operators.c — operators of plug-ins: how nodes find them, what they compute, and refusals.
 *
 * Uses resources/operators/swish.c, the example of docs/custom-operators.md.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/autograd/gradient-check.h"
#include "engine/base/remedy.h"
#include "engine/formats/model-files.h"
#include "engine/gradient/gradient.h"
#include "engine/graph/model.h"
#include "engine/hybrid.h"
#include "tests/program.h"

#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

#define NODE(type, attributes)                                                            \
  "{\"nodes\": [{\"op\": \"null\", \"name\": \"data\", \"inputs\": []}, {\"op\": \"" type \
  "\", \"name\": \"y\", \"attrs\": {" attributes "}, \"inputs\": [[0, 0, 0]]}], "         \
  "\"arg_nodes\": [0], \"node_row_ptr\": [0, 1, 2], \"heads\": [[1, 0, 0]], "             \
  "\"attrs\": {\"mxnet_version\": [\"int\", 10901]}}"
#define PLAIN  NODE ("swish", "\"beta\": \"2\"")
#define CUSTOM NODE ("Custom", "\"op_type\": \"swish\", \"beta\": \"2\"")

/* A file with this text in a folder of its own; (transfer full) */
static char *
write_symbol (const char *text)
{
  g_autofree char *folder = g_dir_make_tmp ("operators-XXXXXX", NULL);
  char            *path = g_build_filename (folder, "net-symbol.json", NULL);

  g_assert_true (g_file_set_contents (path, text, -1, NULL));
  return path;
}

static void
remove_symbol (const char *path)
{
  g_autofree char *folder = g_path_get_dirname (path);

  g_unlink (path);
  g_rmdir (folder);
}

static HybModel *
open_symbol (const char *text)
{
  g_autofree char *path = write_symbol (text);
  g_autoptr (GError) error = NULL;
  HybModel *model = hyb_model_open (path, NULL, HYB_EPOCH_HIGHEST, &error);

  g_assert_no_error (error);
  remove_symbol (path);
  return model;
}

static void
load (void)
{
  g_autoptr (GError) error = NULL;

  g_assert_true (hyb_operators_load (HYB_OPERATOR_MODULES "/swish.so", &error));
  g_assert_no_error (error);
}

/* --- Before the plug-in is loaded --- */

static void
test_without_a_plugin_a_custom_node_is_opaque (void)
{
  g_autoptr (HybModel) model = open_symbol (CUSTOM);
  HybGraph      *graph = hyb_model_get_graph (model);
  const HybNode *node = hyb_graph_get_node (graph, 1);
  g_autoptr (GError) error = NULL;
  g_autoptr (HybExecutor) executor = hyb_executor_new (graph, &(HybExecutorOptions){ 0 });
  g_autoptr (HybTensor) data =
      hyb_tensor_new_float (1, (const gint64[]){ 2 }, (const float[]){ 0, 1 });

  g_assert_true (node->op->flags & HYB_OP_OPAQUE);
  g_assert_true (hyb_executor_bind (executor, "data", data, &error));
  g_assert_false (hyb_executor_run (executor, NULL, &error));
  g_assert_nonnull (strstr (error->message, "node “y” (Custom)"));
  g_assert_cmpint (hyb_error_get_remedy (error), ==, HYB_REMEDY_OPERATOR);
}

/* --- With the plug-in --- */

/* x / (1 + exp (−2 x)) */
static void
check_numbers (const char *text)
{
  static const float x[] = { -1.5F, 0, 0.25F, 3 };
  g_autoptr (HybModel) model = open_symbol (text);
  g_autoptr (HybExecutor) executor =
      hyb_executor_new (hyb_model_get_graph (model), &(HybExecutorOptions){ 0 });
  g_autoptr (HybTensor) data = hyb_tensor_new_float (1, (const gint64[]){ 4 }, x);
  g_autoptr (GError) error = NULL;

  hyb_executor_bind (executor, "data", data, &error);
  hyb_executor_run (executor, NULL, &error);
  g_assert_no_error (error);
  for (int i = 0; i < 4; i++)
    g_assert_cmpfloat_with_epsilon (hyb_tensor_get_value (hyb_executor_get_output (executor, 0), i),
                                    x[i] / (1 + exp (-2 * x[i])), 1e-6);
}

static void
test_a_node_of_its_name_runs (void)
{
  load ();
  check_numbers (PLAIN);
}

static void
test_a_custom_node_runs_with_its_attributes (void)
{
  load ();
  check_numbers (CUSTOM);
}

static void
test_the_gradient_is_that_of_finite_differences (void)
{
  static const float x[] = { -1.5F, 0, 0.25F, 1 };
  HybNodeId          wrt = 0;
  g_autoptr (HybModel) model = NULL;
  g_autoptr (HybTensor) data = hyb_tensor_new_float (1, (const gint64[]){ 4 }, x);
  g_autoptr (GError) error = NULL;
  HybGradientCheck check = { .variables = &data, .n_wrt = 1, .wrt = &wrt };

  load ();
  model = open_symbol (CUSTOM);
  check.graph = hyb_model_get_graph (model);
  hyb_gradient_check (&check, &error);
  g_assert_no_error (error);
}

/* hyb_check_gradient() finds a wrong gradient and an operator that has none. */
static void
test_authors_can_check_a_gradient (void)
{
  static const float x[] = { -1.5F, 0.5F, 0.25F, 1 };
  g_autoptr (HybTensor) data = hyb_tensor_new_float (1, (const gint64[]){ 4 }, x);
  HybTensor *both[] = { data, data };
  g_autoptr (GError) error = NULL;

  load ();
  g_assert_true (hyb_check_gradient ("swish", HYB_STRINGS ("beta", "2"), 1, &data, &error));
  g_assert_no_error (error);
  g_assert_true (hyb_check_gradient ("tanh", NULL, 1, &data, &error));
  g_assert_no_error (error);
  g_assert_false (hyb_check_gradient ("no-such-operator", NULL, 1, &data, &error));
  g_assert_nonnull (strstr (error->message, "no-such-operator"));
  g_clear_error (&error);
  g_assert_false (hyb_check_gradient ("swish", HYB_STRINGS ("alpha", "2"), 1, &data, &error));
  g_clear_error (&error);
  g_assert_false (hyb_check_gradient ("swish_gradient", NULL, 2, both, &error));
  g_assert_nonnull (error);
}

static void
test_a_custom_node_is_written_as_it_was_read (void)
{
  g_autofree char *path = NULL, *copy = NULL, *text = NULL;
  g_autoptr (HybModel) model = NULL;
  g_autoptr (GError) error = NULL;

  load ();
  model = open_symbol (CUSTOM);
  path = write_symbol ("");
  copy = g_strndup (path, strlen (path) - strlen ("-symbol.json"));
  g_assert_true (hyb_model_save (model, copy, 0, NULL, &error));
  g_assert_no_error (error);
  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  g_assert_nonnull (strstr (text, "\"op\": \"Custom\""));
  g_assert_nonnull (strstr (text, "\"op_type\": \"swish\""));
  g_assert_nonnull (strstr (text, "\"beta\": \"2\""));
  remove_symbol (path);
}

static void
test_custom_names_no_operator_of_the_program (void)
{
  g_autoptr (HybModel) model = open_symbol (NODE ("Custom", "\"op_type\": \"relu\""));
  const HybNode *node = hyb_graph_get_node (hyb_model_get_graph (model), 1);

  g_assert_true (node->op->flags & HYB_OP_OPAQUE);
}

/* --- Refusals --- */

static void
refuse_module (const char *name, const char *message)
{
  g_autofree char *path = g_build_filename (HYB_MODULES, name, NULL);
  g_autoptr (GError) error = NULL;

  g_assert_false (hyb_operators_load (path, &error));
  if (!strstr (error->message, message))
    g_error ("the message is “%s”, without “%s”", error->message, message);
}

static void
test_modules_that_cannot_be_used (void)
{
  refuse_module ("nowhere.so", "there is no such file");
  refuse_module ("two-models.so", "Export operators with HYB_OPERATORS");
  refuse_module ("bad-operators.so", "relu");
}

static void
refuse_operator (const HybOp *op, const char *message)
{
  g_autoptr (GError) error = NULL;

  g_assert_false (hyb_op_register (op, &error));
  if (!strstr (error->message, message))
    g_error ("the message is “%s”, without “%s”", error->message, message);
}

static void
test_incomplete_operators_are_refused (void)
{
  static const char *const inputs[] = { "data", NULL };
  HybOp                    op = { .name = "test_incomplete", .doc = "A test.", .inputs = inputs };

  refuse_operator (&op, "infer_shape");
  op.infer_shape = hyb_op_find ("relu")->infer_shape;
  refuse_operator (&op, "forward");
  op.forward = hyb_op_find ("relu")->forward;
  op.name = "_copy";
  refuse_operator (&op, "_copy");
  op.name = NULL;
  refuse_operator (&op, "name");
}

TEST_PROGRAM (test_operators)
{
  g_test_init (&argc, &argv, NULL);

#define TEST(name, function) g_test_add_func ("/engine/block/operators/" name, function)
  TEST ("without-a-plugin-a-custom-node-is-opaque", test_without_a_plugin_a_custom_node_is_opaque);
  TEST ("a-node-of-its-name-runs", test_a_node_of_its_name_runs);
  TEST ("a-custom-node-runs-with-its-attributes", test_a_custom_node_runs_with_its_attributes);
  TEST ("the-gradient-is-that-of-finite-differences",
        test_the_gradient_is_that_of_finite_differences);
  TEST ("authors-can-check-a-gradient", test_authors_can_check_a_gradient);
  TEST ("a-custom-node-is-written-as-it-was-read", test_a_custom_node_is_written_as_it_was_read);
  TEST ("custom-names-no-operator-of-the-program", test_custom_names_no_operator_of_the_program);
  TEST ("modules-that-cannot-be-used", test_modules_that_cannot_be_used);
  TEST ("incomplete-operators-are-refused", test_incomplete_operators_are_refused);
#undef TEST
  return g_test_run ();
}
