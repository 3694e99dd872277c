/* test-open.c — opens models: which parameter file is found beside a graph file, and how its
 * names are matched to the variables of the graph.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/open/open.h"

#include "engine/doctor/match-parameters.h"
#include "engine/formats/format.h"
#include "tests/program.h"

#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>

static const char symbol[] =
    "{\"nodes\": [{\"op\": \"null\", \"name\": \"data\", \"inputs\": []},"
    "{\"op\": \"null\", \"name\": \"net_fc_weight\", \"inputs\": []},"
    "{\"op\": \"null\", \"name\": \"net_fc_bias\", \"inputs\": []},"
    "{\"op\": \"FullyConnected\", \"name\": \"fc\", \"attrs\": {\"num_hidden\": \"2\"}, "
    "\"inputs\": [[0,0,0],[1,0,0],[2,0,0]]}], \"arg_nodes\": [0,1,2], \"heads\": [[3,0,0]], "
    "\"attrs\": {\"mxnet_version\": [\"int\", 10901]}}";

typedef struct
{
  char *folder, *symbol;
} Fixture;

static void
set_up (Fixture *fixture, gconstpointer unused)
{
  fixture->folder = g_dir_make_tmp ("open-XXXXXX", NULL);
  fixture->symbol = g_build_filename (fixture->folder, "net-symbol.json", NULL);
  g_file_set_contents (fixture->symbol, symbol, -1, NULL);
}

static void
tear_down (Fixture *fixture, gconstpointer unused)
{
  g_autoptr (GDir) dir = g_dir_open (fixture->folder, 0, NULL);
  const char *name;

  while ((name = g_dir_read_name (dir)))
    {
      g_autofree char *path = g_build_filename (fixture->folder, name, NULL);

      g_remove (path);
    }
  g_rmdir (fixture->folder);
  g_free (fixture->folder);
  g_free (fixture->symbol);
}

static char *
write_params (Fixture *fixture, const char *name, const char *weight, const char *bias, float value)
{
  char *path = g_build_filename (fixture->folder, name, NULL);
  g_autoptr (HybTensorList) list = hyb_tensor_list_new ();
  g_autoptr (HybTensor) w = hyb_tensor_new_float (2, (gint64[]){ 2, 1 }, (float[]){ value, value });
  g_autoptr (HybTensor) b = hyb_tensor_new_float (1, (gint64[]){ 2 }, (float[]){ value, value });

  hyb_tensor_list_set (list, weight, w);
  hyb_tensor_list_set (list, bias, b);
  g_assert_true (hyb_weights_write_file (list, path, NULL));
  return path;
}

static const HybFinding *
find_code (HybModel *model, const char *code)
{
  GPtrArray *findings = hyb_model_get_findings (model);

  for (guint i = 0; i < findings->len; i++)
    if (strcmp (((HybFinding *) findings->pdata[i])->code, code) == 0)
      return findings->pdata[i];
  return NULL;
}

static double
bias_of (HybModel *model)
{
  HybTensor *tensor = hyb_model_get_parameter (model, "net_fc_bias");

  return tensor ? hyb_tensor_get_value (tensor, 0) : -1;
}

static void
test_the_highest_epoch_is_taken (Fixture *fixture, gconstpointer unused)
{
  g_autofree char *zero =
      write_params (fixture, "net-0000.params", "arg:net_fc_weight", "arg:net_fc_bias", 1);
  g_autofree char *twelve =
      write_params (fixture, "net-0012.params", "arg:net_fc_weight", "arg:net_fc_bias", 12);
  g_autofree char *other =
      write_params (fixture, "net2-0099.params", "arg:net_fc_weight", "arg:net_fc_bias", 99);
  g_autoptr (GError) error = NULL;
  g_autoptr (HybModel) model = hyb_model_open (fixture->symbol, NULL, HYB_EPOCH_HIGHEST, &error);
  g_autoptr (HybModel) first = hyb_model_open (fixture->symbol, NULL, 0, &error);
  g_autoptr (HybModel) named = hyb_model_open (fixture->symbol, other, HYB_EPOCH_HIGHEST, &error);

  g_assert_no_error (error);
  g_assert_cmpfloat (bias_of (model), ==, 12);
  g_assert_cmpstr (hyb_model_get_weights_file (model), ==, twelve);
  g_assert_nonnull (strstr (find_code (model, "paired-file")->message, "highest epoch"));
  g_assert_cmpfloat (bias_of (first), ==, 1);
  g_assert_cmpfloat (bias_of (named), ==, 99);
  g_assert_null (hyb_model_open (fixture->symbol, NULL, 7, &error));
  g_assert_nonnull (strstr (error->message, "epoch 7"));
  g_clear_error (&error);
  g_assert_cmpint (zero[0], ==, '/');
}

/* A pipe or a folder with the name of a higher epoch does not hide the file. */
static void
test_only_files_are_epochs (Fixture *fixture, gconstpointer unused)
{
  g_autofree char *file =
      write_params (fixture, "net-0003.params", "arg:net_fc_weight", "arg:net_fc_bias", 3);
  g_autofree char *pipe = g_build_filename (fixture->folder, "net-0007.params", NULL);
  g_autofree char *folder = g_build_filename (fixture->folder, "net-0008.params", NULL);
  g_autoptr (HybModel) model = NULL;

  g_assert_cmpint (mkfifo (pipe, 0600), ==, 0);
  g_assert_cmpint (g_mkdir (folder, 0700), ==, 0);
  model = hyb_model_open (fixture->symbol, NULL, HYB_EPOCH_HIGHEST, NULL);
  g_assert_cmpfloat (bias_of (model), ==, 3);
  g_unlink (pipe);
  g_rmdir (folder);
}

static void
test_no_parameters_are_no_error (Fixture *fixture, gconstpointer unused)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (HybModel) model = hyb_model_open (fixture->symbol, NULL, HYB_EPOCH_HIGHEST, &error);

  g_assert_no_error (error);
  g_assert_cmpuint (hyb_model_n_parameters (model), ==, 0);
}

static void
test_prefixes_are_added_and_taken_away (Fixture *fixture, gconstpointer unused)
{
  static const char *const names[][2] = {
    { "fc_weight", "fc_bias" },
    { "arg:other_fc_weight", "arg:other_fc_bias" },
    { "outer_net_fc_weight", "outer_net_fc_bias" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autofree char *path =
          write_params (fixture, "net-0000.params", names[i][0], names[i][1], 5);
      g_autoptr (GError) error = NULL;
      g_autoptr (HybModel) model =
          hyb_model_open (fixture->symbol, NULL, HYB_EPOCH_HIGHEST, &error);

      g_assert_no_error (error);
      g_assert_cmpfloat (bias_of (model), ==, 5);
      g_assert_cmpuint (find_code (model, "renamed-parameter")->items->len, ==, 2);
    }
}

static void
test_strangers_are_left_alone (Fixture *fixture, gconstpointer unused)
{
  g_autofree char *path = write_params (fixture, "net-0000.params", "conv0_gamma", "conv0_beta", 5);
  g_autoptr (HybModel) model = hyb_model_open (fixture->symbol, NULL, HYB_EPOCH_HIGHEST, NULL);

  g_assert_null (find_code (model, "renamed-parameter"));
  g_assert_nonnull (hyb_model_get_parameter (model, "conv0_gamma"));
}

static void
test_order_and_shape_are_a_guess (Fixture *fixture, gconstpointer unused)
{
  g_autofree char *path = write_params (fixture, "net-0000.params", "0.weight", "1.bias", 5);
  g_autoptr (HybModel) model = hyb_model_open (fixture->symbol, NULL, HYB_EPOCH_HIGHEST, NULL);
  g_autoptr (GPtrArray) rival = NULL;
  g_autoptr (GPtrArray) pairs = hyb_model_guess_parameters (model, &rival);

  g_assert_null (hyb_model_get_parameter (model, "net_fc_bias"));
  g_assert_null (rival);
  g_assert_cmpuint (pairs->len, ==, 4);
  g_assert_cmpstr (pairs->pdata[0], ==, "net_fc_weight");
  g_assert_cmpstr (pairs->pdata[1], ==, "0.weight");
}

/* The weight has two rows, the graph wants two; a bias of two for a weight does not fit. */
static void
test_shapes_forbid_a_guess (Fixture *fixture, gconstpointer unused)
{
  g_autofree char *path = write_params (fixture, "net-0000.params", "0.bias", "1.weight", 5);
  g_autoptr (HybModel) model = hyb_model_open (fixture->symbol, NULL, HYB_EPOCH_HIGHEST, NULL);
  g_autoptr (GPtrArray) rival = NULL;

  g_assert_null (hyb_model_guess_parameters (model, &rival));
}

static void
test_broken_parameters_are_an_error_or_a_finding (Fixture *fixture, gconstpointer unused)
{
  g_autofree char *path = g_build_filename (fixture->folder, "net-0000.params", NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (HybModel) model = NULL;

  g_file_set_contents (path, "<html>", -1, NULL);
  g_assert_null (hyb_model_open (fixture->symbol, NULL, HYB_EPOCH_HIGHEST, &error));
  g_assert_nonnull (strstr (error->message, "web page"));
  model = hyb_model_open_tolerant (fixture->symbol, NULL, HYB_EPOCH_HIGHEST, NULL);
  g_assert_nonnull (find_code (model, "bad-magic"));
  g_assert_nonnull (hyb_model_get_graph (model));
}

static void
test_saved_pairs_open_again (Fixture *fixture, gconstpointer unused)
{
  g_autofree char *path = write_params (fixture, "net-0000.params", "fc_weight", "fc_bias", 5);
  g_autofree char *prefix = g_build_filename (fixture->folder, "saved", NULL);
  g_autofree char *saved = g_strconcat (prefix, "-symbol.json", NULL);
  g_autoptr (GPtrArray) written = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GError) error = NULL;
  g_autoptr (HybModel) model = hyb_model_open (fixture->symbol, NULL, HYB_EPOCH_HIGHEST, &error);
  g_autoptr (HybModel) again = NULL;

  g_assert_true (hyb_model_save (model, prefix, 3, written, &error));
  g_assert_cmpuint (written->len, ==, 2);
  again = hyb_model_open (saved, NULL, HYB_EPOCH_HIGHEST, &error);
  g_assert_no_error (error);
  g_assert_cmpfloat (bias_of (again), ==, 5);
  g_assert_null (find_code (again, "renamed-parameter"));
}

/* An empty file of parameters would make every one of them “missing”. */
static void
test_a_model_without_parameters_is_saved_without_a_file_of_them (Fixture      *fixture,
                                                                 gconstpointer unused)
{
  g_autofree char *prefix = g_build_filename (fixture->folder, "alone", NULL);
  g_autofree char *saved = g_strconcat (prefix, "-symbol.json", NULL);
  g_autoptr (GPtrArray) written = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GError) error = NULL;
  g_autoptr (HybModel) model = hyb_model_open (fixture->symbol, NULL, HYB_EPOCH_HIGHEST, &error);
  g_autoptr (HybModel) again = NULL;

  g_assert_true (hyb_model_save (model, prefix, 0, written, &error));
  g_assert_cmpuint (written->len, ==, 1);
  g_assert_cmpstr (written->pdata[0], ==, saved);
  again = hyb_model_open (saved, NULL, HYB_EPOCH_HIGHEST, &error);
  g_assert_no_error (error);
  g_assert_null (find_code (again, "missing-parameter"));
}

/* What a file of the collection is, by its name. */
static void
open_any (const char *path)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (HybTensorList) list = NULL;
  g_autoptr (HybModel) model = NULL;
  gboolean is_graph = g_str_has_suffix (path, ".json") || g_str_has_suffix (path, ".json.ref") ||
                      g_str_has_suffix (path, ".onnx");

  g_test_message ("%s", path);
  if (g_str_has_suffix (path, ".params") || g_str_has_suffix (path, ".v0") ||
      g_str_has_suffix (path, ".best"))
    {
      list = hyb_weights_read_file (path, NULL, &error);
      g_assert_no_error (error);
      g_assert_cmpuint (hyb_tensor_list_n (list), >, 0);
      return;
    }
  if (g_str_has_suffix (path, ".md"))
    return;

  model = hyb_model_open (path, NULL, HYB_EPOCH_HIGHEST, &error);
  if (is_graph && !g_str_has_suffix (path, "noop-symbol.json"))
    g_assert_no_error (error);
  else
    g_assert_nonnull (error);
}

static void
open_all (const char *folder, guint *n)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name;

  while (dir && (name = g_dir_read_name (dir)))
    {
      g_autofree char *path = g_build_filename (folder, name, NULL);

      (*n)++;
      if (g_file_test (path, G_FILE_TEST_IS_DIR))
        open_all (path, n);
      else
        open_any (path);
    }
}

static void
test_exports_of_the_world (Fixture *fixture, gconstpointer unused)
{
  const char      *shared = g_getenv ("HYB_SHARED");
  g_autofree char *folder = shared ? g_build_filename (shared, "models", NULL)
                                   : g_build_filename (SOURCE_ROOT, "..", "shared", "models", NULL);
  guint            n = 0;

  open_all (folder, &n);
  if (n == 0)
    g_test_skip ("shared/models is not here");
}

#define ADD(path, function) \
  g_test_add ("/engine/formats/open/" path, Fixture, NULL, set_up, function, tear_down)

TEST_PROGRAM (test_open)
{
  g_test_init (&argc, &argv, NULL);

  ADD ("the-highest-epoch-is-taken", test_the_highest_epoch_is_taken);
  ADD ("no-parameters-are-no-error", test_no_parameters_are_no_error);
  ADD ("only-files-are-epochs", test_only_files_are_epochs);
  ADD ("prefixes-are-added-and-taken-away", test_prefixes_are_added_and_taken_away);
  ADD ("strangers-are-left-alone", test_strangers_are_left_alone);
  ADD ("order-and-shape-are-a-guess", test_order_and_shape_are_a_guess);
  ADD ("shapes-forbid-a-guess", test_shapes_forbid_a_guess);
  ADD ("broken-parameters-are-an-error-or-a-finding",
       test_broken_parameters_are_an_error_or_a_finding);
  ADD ("exports-of-the-world", test_exports_of_the_world);
  ADD ("saved-pairs-open-again", test_saved_pairs_open_again);
  ADD ("a-model-without-parameters-is-saved-without-a-file-of-them",
       test_a_model_without_parameters_is_saved_without_a_file_of_them);

  return g_test_run ();
}
