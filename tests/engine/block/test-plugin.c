/* test-plugin.c — models from plug-ins, and the errors of modules that cannot be used.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/hybrid.h"
#include "tests/program.h"

#include <glib/gstdio.h>
#include <string.h>

static const struct
{
  const char *path, *text, *message;
} refusals[] = {
  { "no-such-file", "nowhere.so", "No such file" },
  { "no-table", "no-table.so", "has no table" },
  { "another-version", "old-abi.so", "Compile it again" },
  { "no-library", "text.so", "cannot be loaded" },
  { "several-models-want-a-name", "two-models.so", "name one as FILE.so:NAME: good, plain" },
  { "no-such-model", "two-models.so:bad", "there is no model “bad” in it; there are good" },
  { "no-such-option", "two-models.so:good?width=3",
    "there is no option “width”; there are units=3 (of the layer), kind=relu (activation), "
    "seed=0" },
  { "value-out-of-range", "two-models.so:good?units=101", "100" },
  { "value-not-among-the-choices", "two-models.so:good?kind=sine", "relu, tanh" },
  { "value-is-no-number", "two-models.so:good?units=many", "units" },
  { "option-without-value", "two-models.so:good?units", "has no value" },
  { "seed-is-no-number", "two-models.so:good?seed=x", "seed" },
  { "plain-block", "two-models.so:plain", "plain block cannot be traced" },
  { "no-block", "two-models.so:nothing", "built no block" },
  { "inputs-unreadable", "two-models.so:unreadable", "cannot be read from" },
  { "gallery-has-no-such-model", "gallery:no-such", "the gallery has no model “no-such”; it has" },
  { "gallery-names-are-no-paths", "gallery:../gallery/mlp", "the gallery has no model" },
};

static char *
full_name (const char *text)
{
  return g_str_has_prefix (text, "gallery:") ? g_strdup (text)
                                             : g_strconcat (HYB_MODULES "/", text, NULL);
}

static void
test_refusal (gconstpointer data)
{
  const char     **row = (const char **) data;
  g_autofree char *name = full_name (row[1]);
  g_autoptr (GError) error = NULL;

  g_file_set_contents (HYB_MODULES "/text.so", "this is no library\n", -1, NULL);
  g_assert_null (hyb_model_open (name, NULL, HYB_EPOCH_HIGHEST, &error));
  g_assert_nonnull (error);
  if (!strstr (error->message, row[2]))
    {
      g_test_message ("it says: %s", error->message);
      g_test_fail ();
    }
}

static void
test_model (void)
{
  g_autofree char *name = full_name ("two-models.so:good?units=5&kind=tanh&seed=9");
  g_autoptr (GError) error = NULL;
  g_autoptr (HybModel) model = hyb_model_open (name, NULL, HYB_EPOCH_HIGHEST, &error);
  HybShape wanted = hyb_shape_2d (2, 10);

  g_assert_no_error (error);
  g_assert_true (hyb_shape_equal (&hyb_model_get_input_type (model, "data")->shape, &wanted));
  wanted = hyb_shape_2d (5, 10);
  g_assert_true (
      hyb_shape_equal (hyb_tensor_get_shape (hyb_model_get_parameter (model, "dense0_weight")),
                       &wanted));
}

/* The operator of the same module is there when its model is built. */
static void
test_a_module_holds_models_and_operators (void)
{
  g_autofree char *name = full_name ("model-and-operator.so");
  g_autoptr (GError) error = NULL;
  g_autoptr (HybModel) model = hyb_model_open (name, NULL, HYB_EPOCH_HIGHEST, &error);
  g_autoptr (HybTensorList) inputs = hyb_tensor_list_new ();
  g_autoptr (HybTensorList) outputs = NULL;
  g_autoptr (HybTensor) x =
      hyb_tensor_new_float (2, (const gint64[]){ 1, 2 }, (const float[]){ 3, -4 });
  g_auto (GStrv) names = NULL;

  g_assert_no_error (error);
  names = hyb_model_dup_input_names (model);
  g_assert_cmpuint (g_strv_length (names), ==, 1);
  hyb_tensor_list_set (inputs, names[0], x);
  outputs = hyb_model_predict (model, inputs, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (hyb_tensor_list_n (outputs), ==, 1);
  g_assert_cmpfloat (hyb_tensor_get_value (hyb_tensor_list_get (outputs, 0)->tensor, 0), ==, 6);
  g_assert_cmpfloat (hyb_tensor_get_value (hyb_tensor_list_get (outputs, 0)->tensor, 1), ==, -8);
}

/* Names start anew for each model, so that equal models give equal files. */
static void
test_names (void)
{
  g_autofree char *name = full_name ("two-models.so:good");

  for (int i = 0; i < 2; i++)
    {
      g_autoptr (HybModel) model = hyb_model_open (name, NULL, HYB_EPOCH_HIGHEST, NULL);

      g_assert_nonnull (hyb_model_get_parameter (model, "dense0_weight"));
    }
}

/* --- Which texts name a plug-in --- */

/* A folder with a copy of a module and with data files that are named to look like modules. */
static char *
new_folder (void)
{
  static const char *const files[] = {
    "model.so:net-symbol.json",
    "model.so:net",
    "gallery:mlp",
    "model.so?x/net-symbol.json",
    "model.so?x/net:plain?b=c",
    "folder.so/net-symbol.json",
  };
  char            *folder = g_dir_make_tmp ("plugin-XXXXXX", NULL);
  g_autofree char *module = g_build_filename (folder, "model.so", NULL);
  g_autofree char *text = NULL;
  gsize            length;

  g_assert_true (g_file_get_contents (HYB_MODULES "/two-models.so", &text, &length, NULL));
  g_assert_true (g_file_set_contents (module, text, (gssize) length, NULL));
  for (guint i = 0; i < G_N_ELEMENTS (files); i++)
    {
      g_autofree char *path = g_build_filename (folder, files[i], NULL);
      g_autofree char *above = g_path_get_dirname (path);

      g_mkdir_with_parents (above, 0700);
      g_assert_true (g_file_set_contents (path, "{\"nodes\": []}", -1, NULL));
    }
  return folder;
}

static void
remove_folder (char *folder)
{
  char *argv[] = { (char *) "rm", (char *) "-r", folder, NULL };

  g_assert_true (
      g_spawn_sync (NULL, argv, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, NULL, NULL, NULL, NULL));
  g_free (folder);
}

static gboolean
names_plugin (const char *folder, const char *text)
{
  g_autofree char *path = g_build_filename (folder, text, NULL);

  return hyb_is_plugin_name (path);
}

static void
test_existing_files_are_data (void)
{
  char *folder = new_folder ();

  g_assert_false (names_plugin (folder, "model.so:net-symbol.json"));
  g_assert_false (names_plugin (folder, "model.so:net"));
  g_assert_false (names_plugin (folder, "model.so?x/net-symbol.json"));
  g_assert_false (names_plugin (folder, "model.so?x/net:plain?b=c"));
  g_assert_false (names_plugin (folder, "folder.so/net-symbol.json"));
  remove_folder (folder);
}

static void
test_missing_files_load_nothing (void)
{
  char *folder = new_folder ();

  g_assert_false (names_plugin (folder, "model.so:gone-symbol.json"));
  g_assert_false (names_plugin (folder, "model.so?x/gone-symbol.json"));
  g_assert_false (names_plugin (folder, "model.so?a=b/../model.so:"));
  g_assert_false (names_plugin (folder, "model.so:"));
  g_assert_false (names_plugin (folder, "model.so:Plain"));
  g_assert_false (names_plugin (folder, "folder.so"));
  g_assert_false (names_plugin (folder, "folder.so:plain"));
  g_assert_false (names_plugin (folder, "gone.so"));
  g_assert_false (hyb_is_plugin_name ("net-symbol.json"));
  g_assert_false (hyb_is_plugin_name (""));
  remove_folder (folder);
}

static void
test_modules_are_plugins (void)
{
  char            *folder = new_folder ();
  g_autofree char *path = g_build_filename (folder, "model.so:good?units=3", NULL);
  g_autofree char *module = hyb_plugin_dup_module (path);

  g_assert_true (names_plugin (folder, "model.so"));
  g_assert_true (names_plugin (folder, "model.so:plain"));
  g_assert_true (names_plugin (folder, "model.so?units=3"));
  g_assert_true (hyb_is_plugin_name (path));
  g_assert_true (g_str_has_suffix (module, "/model.so"));
  g_assert_true (hyb_is_plugin_name ("gallery:mlp?hidden=3"));
  g_assert_null (hyb_plugin_dup_module ("gallery:mlp"));
  remove_folder (folder);
}

/* A file with the name of a gallery model, in the current folder, is that file. */
static void
test_literal_names_win (void)
{
  char            *folder = new_folder ();
  g_autofree char *before = g_get_current_dir ();

  g_assert_no_errno (g_chdir (folder));
  g_assert_false (hyb_is_plugin_name ("gallery:mlp"));
  g_assert_true (hyb_is_plugin_name ("gallery:lenet"));
  g_assert_no_errno (g_chdir (before));
  remove_folder (folder);
}

static void
test_environment_forbids_modules (void)
{
  g_autofree char *module = full_name ("two-models.so:good");
  g_autoptr (GError) error = NULL;
  g_autoptr (HybModel) allowed = NULL;

  g_setenv (HYB_PLUGINS_VARIABLE, HYB_PLUGINS_GALLERY, TRUE);
  g_assert_null (hyb_model_open (module, NULL, HYB_EPOCH_HIGHEST, &error));
  g_assert_nonnull (strstr (error->message, "loads only those of the gallery"));
  allowed = hyb_model_open ("gallery:mlp", NULL, HYB_EPOCH_HIGHEST, NULL);
  g_assert_nonnull (allowed);
  g_unsetenv (HYB_PLUGINS_VARIABLE);
}

TEST_PROGRAM (test_plugin)
{
  g_setenv ("HYBRIDSCOPE_GALLERY", HYB_GALLERY, FALSE);
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (refusals); i++)
    {
      g_autofree char *path = g_strdup_printf ("/engine/block/plugin/refused/%s", refusals[i].path);

      g_test_add_data_func (path, &refusals[i], test_refusal);
    }
  g_test_add_func ("/engine/block/plugin/model-with-options", test_model);
  g_test_add_func ("/engine/block/plugin/a-module-holds-models-and-operators",
                   test_a_module_holds_models_and_operators);
  g_test_add_func ("/engine/block/plugin/names-start-anew", test_names);
  g_test_add_func ("/engine/block/plugin/names/existing-files-are-data",
                   test_existing_files_are_data);
  g_test_add_func ("/engine/block/plugin/names/missing-files-load-nothing",
                   test_missing_files_load_nothing);
  g_test_add_func ("/engine/block/plugin/names/modules-are-plugins", test_modules_are_plugins);
  g_test_add_func ("/engine/block/plugin/names/literal-names-win", test_literal_names_win);
  g_test_add_func ("/engine/block/plugin/names/environment-forbids-modules",
                   test_environment_forbids_modules);
  return g_test_run ();
}
