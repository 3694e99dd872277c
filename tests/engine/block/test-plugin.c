/* test-plugin.c — models from plug-ins, and the errors of modules that cannot be used.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/hybrid.h"

#include <string.h>

static const struct
{
  const char *path, *text, *message;
} refusals[] = {
  { "no-such-file", "nowhere.so", "there is no such file" },
  { "no-table", "no-table.so", "has no table" },
  { "another-version", "old-abi.so", "Compile it again" },
  { "no-library", "text.so", "cannot be loaded" },
  { "several-models-want-a-name", "two-models.so", "name one as FILE.so:NAME: good, plain" },
  { "no-such-model", "two-models.so:bad", "there is no model “bad” in it; there are good" },
  { "no-such-option",
    "two-models.so:good?width=3",
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

static void
test_texts (void)
{
  g_assert_true (hyb_is_plugin_name ("gallery:mlp"));
  g_assert_true (hyb_is_plugin_name ("a.so"));
  g_assert_true (hyb_is_plugin_name ("dir.so.d/a.so:b?c=d"));
  g_assert_false (hyb_is_plugin_name ("net-symbol.json"));
  g_assert_false (hyb_is_plugin_name ("a.sock-symbol.json"));
}

int
main (int argc, char **argv)
{
  g_setenv ("HYBRIDSCOPE_GALLERY", HYB_GALLERY, FALSE);
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (refusals); i++)
    {
      g_autofree char *path = g_strdup_printf ("/engine/block/plugin/refused/%s", refusals[i].path);

      g_test_add_data_func (path, &refusals[i], test_refusal);
    }
  g_test_add_func ("/engine/block/plugin/model-with-options", test_model);
  g_test_add_func ("/engine/block/plugin/names-start-anew", test_names);
  g_test_add_func ("/engine/block/plugin/what-is-a-plugin-by-name", test_texts);
  return g_test_run ();
}
