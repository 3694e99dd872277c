/* test-guess-inputs.c — weights beside a graph tell the features of its inputs, if they belong to it.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/open/guess-inputs.h"

#include "engine/analysis/infer-types.h"
#include "engine/formats/format.h"
#include "engine/formats/tensor-list.h"
#include "engine/graph/reach.h"
#include "engine/open/open.h"
#include "tests/program.h"

#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A dense layer for any number of features. */
#define GRAPH                                                                                \
  "{\"nodes\": ["                                                                            \
  "{\"op\": \"null\", \"name\": \"x\", \"inputs\": []},"                                     \
  "{\"op\": \"null\", \"name\": \"fc_weight\", \"inputs\": []},"                             \
  "{\"op\": \"FullyConnected\", \"name\": \"fc\", \"attrs\": {\"num_hidden\": \"3\", "       \
  "\"no_bias\": \"True\"}, \"inputs\": [[0, 0, 0], [1, 0, 0]]}],"                            \
  "\"arg_nodes\": [0, 1], \"heads\": [[2, 0, 0]], \"attrs\": {\"mxnet_version\": [\"int\", " \
  "10700]}}"

typedef struct
{
  char *folder;
  char *graph;
} Fixture;

static void
set_up (Fixture *fixture, gconstpointer data G_GNUC_UNUSED)
{
  g_autoptr (GError) error = NULL;

  fixture->folder = g_dir_make_tmp ("guess-inputs-XXXXXX", &error);
  g_assert_no_error (error);
  fixture->graph = g_build_filename (fixture->folder, "3f2a-net-symbol.json", NULL);
  g_file_set_contents (fixture->graph, GRAPH, -1, &error);
  g_assert_no_error (error);
}

static void
tear_down (Fixture *fixture, gconstpointer data G_GNUC_UNUSED)
{
  g_autoptr (GDir) dir = g_dir_open (fixture->folder, 0, NULL);
  const char *entry;

  while ((entry = g_dir_read_name (dir)))
    {
      g_autofree char *path = g_build_filename (fixture->folder, entry, NULL);

      g_unlink (path);
    }
  g_rmdir (fixture->folder);
  g_free (fixture->graph);
  g_free (fixture->folder);
}

/* A file beside the graph with one array of this name and shape. */
static void
add_weights (Fixture *fixture, const char *file, const char *name, HybShape shape)
{
  g_autofree char *path = g_build_filename (fixture->folder, file, NULL);
  g_autoptr (HybTensorList) list = hyb_tensor_list_new ();
  HybType type = { .dtype = HYB_F32, .shape = shape };
  g_autoptr (GError) error = NULL;
  g_autoptr (HybTensor) tensor = hyb_tensor_new_zeros (&type, &error);

  g_assert_no_error (error);
  hyb_tensor_list_set (list, name, tensor);
  hyb_weights_write_file (list, path, &error);
  g_assert_no_error (error);
}

static GPtrArray *
guess (Fixture *fixture)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (HybModel) model = hyb_model_open (fixture->graph, NULL, -1, &error);
  g_autofree HybType *types = NULL;
  g_autofree guint8  *needed = NULL;
  HybGuessHints       hints = { .file = fixture->graph };
  GPtrArray          *guesses;

  g_assert_no_error (error);
  types = hyb_model_new_types (model);
  needed = hyb_graph_find_needed (hyb_model_get_graph (model), NULL);
  g_assert_true (hyb_infer_types (hyb_model_get_graph (model), types, NULL, FALSE, NULL));
  guesses = hyb_model_guess_inputs (model, types, needed, FALSE, &hints);
  if (guesses->len > 0)
    g_assert_true (
        hyb_shape_equal (&types[0].shape, &((HybShapeGuess *) guesses->pdata[0])->shape));
  g_assert_cmpuint (hyb_model_n_parameters (model), ==, 0);
  return guesses;
}

static void
test_renamed_weights_tell_the_features (Fixture *fixture, gconstpointer data G_GNUC_UNUSED)
{
  g_autoptr (GPtrArray) guesses = NULL;
  HybShape             expected = hyb_shape_2d (1, 17);
  const HybShapeGuess *found;

  add_weights (fixture, "a71c-net-0000.params", "arg:fc_weight", hyb_shape_2d (3, 17));
  add_weights (fixture, "other.params", "arg:conv_weight", hyb_shape_2d (3, 18));
  guesses = guess (fixture);
  g_assert_cmpuint (guesses->len, ==, 1);
  found = guesses->pdata[0];
  g_assert_true (hyb_shape_equal (&found->shape, &expected));
  g_assert_nonnull (strstr (found->reason, "a71c-net-0000.params"));
}

static void
test_weights_that_disagree_tell_nothing (Fixture *fixture, gconstpointer data G_GNUC_UNUSED)
{
  g_autoptr (GPtrArray) guesses = NULL;

  add_weights (fixture, "a-0000.params", "arg:fc_weight", hyb_shape_2d (3, 17));
  add_weights (fixture, "b-0000.params", "arg:fc_weight", hyb_shape_2d (3, 18));
  guesses = guess (fixture);
  g_assert_cmpuint (guesses->len, ==, 0);
}

static void
test_weights_of_another_shape_tell_nothing (Fixture *fixture, gconstpointer data G_GNUC_UNUSED)
{
  g_autoptr (GPtrArray) guesses = NULL;

  add_weights (fixture, "a-0000.params", "arg:fc_weight", hyb_shape_2d (4, 17));
  guesses = guess (fixture);
  g_assert_cmpuint (guesses->len, ==, 0);
}

static void
test_damaged_weights_are_passed_over (Fixture *fixture, gconstpointer data G_GNUC_UNUSED)
{
  g_autofree char *path = g_build_filename (fixture->folder, "a-0000.params", NULL);
  g_autoptr (GPtrArray) guesses = NULL;

  g_file_set_contents (path, "no weights", -1, NULL);
  add_weights (fixture, "b-0000.params", "fc_weight", hyb_shape_2d (3, 17));
  guesses = guess (fixture);
  g_assert_cmpuint (guesses->len, ==, 1);
}

/* A file that blocks who opens it is not opened. */
static void
test_pipes_are_passed_over (Fixture *fixture, gconstpointer data G_GNUC_UNUSED)
{
  g_autofree char *path = g_build_filename (fixture->folder, "a-0000.params", NULL);
  g_autoptr (GPtrArray) guesses = NULL;

  g_assert_cmpint (mkfifo (path, 0600), ==, 0);
  add_weights (fixture, "b-0000.params", "fc_weight", hyb_shape_2d (3, 17));
  alarm (30); /* ends a process that waits for a writer */
  guesses = guess (fixture);
  alarm (0);
  g_assert_cmpuint (guesses->len, ==, 1);
}

#define ADD(name, function) \
  g_test_add ("/guess-inputs/" name, Fixture, NULL, set_up, function, tear_down)

TEST_PROGRAM (test_guess_inputs)
{
  g_test_init (&argc, &argv, NULL);
  ADD ("renamed-weights-tell-the-features", test_renamed_weights_tell_the_features);
  ADD ("weights-that-disagree-tell-nothing", test_weights_that_disagree_tell_nothing);
  ADD ("weights-of-another-shape-tell-nothing", test_weights_of_another_shape_tell_nothing);
  ADD ("damaged-weights-are-passed-over", test_damaged_weights_are_passed_over);
  ADD ("pipes-are-passed-over", test_pipes_are_passed_over);
  return g_test_run ();
}
