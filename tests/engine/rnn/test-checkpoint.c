/* test-checkpoint.c — checkpoints of mx.rnn: MXNet's files can be loaded, and saved files have the
 * same arrays.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/rnn/checkpoint.h"

#include "engine/analysis/infer-types.h"
#include "engine/block/layers.h"
#include "engine/formats/format.h"
#include "engine/formats/npz.h"
#include "engine/open/open.h"
#include "engine/rnn/cell-private.h"
#include "engine/rnn/layer.h"
#include "tests/engine/goldens/golden.h"
#include "tests/program.h"

#include <glib/gstdio.h>
#include <string.h>

static HybBlock *
fused_lstm (void)
{
  return hyb_fused_cell (.mode = "lstm", .hidden = 4, .layers = 2);
}

static HybBlock *
fused_gru (void)
{
  return hyb_fused_cell (.mode = "gru", .hidden = 4, .layers = 2, .bidirectional = TRUE);
}

static HybBlock *
fused_tanh (void)
{
  return hyb_fused_cell (.mode = "rnn_tanh", .hidden = 4);
}

static HybBlock *
stack (void)
{
  HybBlock *cells = hyb_sequential_cell_new (HYB_STYLE_SYMBOLIC, NULL);

  hyb_append (cells,
              hyb_lstm_cell (.hidden = 4, .prefix = "lstm_l0_", .style = HYB_STYLE_SYMBOLIC));
  hyb_append (cells, hyb_gru_cell (.hidden = 4, .prefix = "gru_l1_", .style = HYB_STYLE_SYMBOLIC));
  return cells;
}

static const struct
{
  const char *folder;
  HybBlock *(*cell) (void);
  guint epoch;
} cases[] = {
  { "rnn-checkpoint-fused-lstm", fused_lstm, 3 },
  { "rnn-checkpoint-fused-gru-bi", fused_gru, 1 },
  { "rnn-checkpoint-tanh", fused_tanh, 0 },
  { "rnn-checkpoint-stack", stack, 12 },
};

static char *
prefix_of (const char *folder)
{
  return golden_path ("models", folder, folder, NULL);
}

static void
assert_same (HybTensor *got, HybTensor *want)
{
  g_assert_nonnull (got);
  g_assert_true (hyb_shape_equal (hyb_tensor_get_shape (got), hyb_tensor_get_shape (want)));
  g_assert_cmpmem (hyb_tensor_get_data (got), hyb_tensor_get_bytes (got),
                   hyb_tensor_get_data (want), hyb_tensor_get_bytes (want));
}

/* The file that is written holds the arrays of MXNet's, and no others. */
static void
check_saved (const char *saved, const char *original, guint epoch)
{
  g_autofree char *ours = g_strdup_printf ("%s-%04u.params", saved, epoch);
  g_autofree char *theirs = g_strdup_printf ("%s-%04u.params", original, epoch);
  g_autofree char *symbol = g_strconcat (saved, "-symbol.json", NULL);
  g_autoptr (HybTensorList) got = hyb_weights_read_file (ours, NULL, NULL);
  g_autoptr (HybTensorList) want = hyb_weights_read_file (theirs, NULL, NULL);

  g_assert_cmpuint (hyb_tensor_list_n (got), ==, hyb_tensor_list_n (want));
  for (guint i = 0; i < hyb_tensor_list_n (want); i++)
    {
      const HybNamedTensor *entry = hyb_tensor_list_get (want, i);

      g_test_message ("%s", entry->name);
      assert_same (hyb_tensor_list_find (got, entry->name), entry->tensor);
    }
  g_unlink (ours);
  g_unlink (symbol);
}

static void
check_case (const char *folder, HybBlock *cell, guint epoch)
{
  g_autofree char *prefix = prefix_of (folder);
  g_autofree char *packed_path = golden_path ("models", folder, "packed.npz", NULL);
  g_autofree char *below = g_dir_make_tmp ("hyb-XXXXXX", NULL);
  g_autofree char *saved = g_build_filename (below, "net", NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (HybTensorList) packed = hyb_npz_read_file (packed_path, &error);
  g_autoptr (HybModel) model = NULL;

  g_assert_no_error (error);
  model = hyb_rnn_load_checkpoint (&(HybRnnCheckpoint){ &cell, 1, prefix, 1 }, epoch, &error);
  g_assert_no_error (error);
  for (guint i = 0; i < hyb_tensor_list_n (packed); i++)
    assert_same (hyb_model_get_parameter (model, hyb_tensor_list_get (packed, i)->name),
                 hyb_tensor_list_get (packed, i)->tensor);

  g_assert_true (
      hyb_rnn_save_checkpoint (&(HybRnnCheckpoint){ &cell, 1, saved, 1 }, epoch, model, &error));
  g_assert_no_error (error);
  check_saved (saved, prefix, epoch);
  g_rmdir (below);
}

static void
test_checkpoints_of_mxnet (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (HybBlock) cell = cases[i].cell ();
      g_autofree char *path = golden_path ("models", cases[i].folder, "packed.npz", NULL);

      if (!g_file_test (path, G_FILE_TEST_EXISTS))
        continue; /* the small set has some of them */
      g_test_message ("%s", cases[i].folder);
      check_case (cases[i].folder, cell, cases[i].epoch);
    }
}

/* What a fused cell saved, its unfused form loads. */
static void
test_fused_loads_unfused (void)
{
  g_autoptr (HybBlock) fused = fused_lstm ();
  g_autoptr (HybBlock) cells = hyb_fused_cell_unfuse (fused);
  g_autoptr (HybModel) model = hyb_model_new ();
  HybRnnWeights weights;
  g_autoptr (HybTensor) vector = NULL;
  g_autoptr (GError) error = NULL;
  HybTensor *forget;

  g_assert_true (hyb_fused_cell_get_weights (fused, &weights));
  weights.input = 6;
  vector = hyb_tensor_new_float (1, (gint64[]){ hyb_rnn_packed_size (&weights) }, NULL);
  for (gint64 i = 0; i < hyb_tensor_get_size (vector); i++)
    ((float *) hyb_tensor_get_data (vector))[i] = (float) i;
  hyb_model_set_parameter (model, "lstm_parameters", vector);
  g_assert_true (hyb_rnn_unpack_weights (&fused, 1, model, &error));
  g_assert_true (hyb_rnn_pack_weights (&cells, 1, model, &error));
  g_assert_no_error (error);
  g_assert_cmpuint (hyb_model_n_parameters (model), ==, 8);
  forget = hyb_model_get_parameter (model, "lstm_l0_i2h_weight");
  g_assert_cmpint (hyb_tensor_get_shape (forget)->dim[0], ==, 16);
  g_assert_cmpfloat (hyb_tensor_get_value (forget, 24), ==, 24);
}

/* A model that unrolls the cells over three steps; every parameter counts up from 0.  (transfer full) */
static HybModel *
new_model (HybBlock *cells)
{
  g_autoptr (HybF) F = hyb_f_new_trace (FALSE);
  HybValue *data = hyb_value_variable (F, "data", NULL);
  HybValue *outputs =
      hyb_unroll (F, cells, NULL, .length = 3, .inputs = data, .merge = HYB_MERGE_YES);
  g_autoptr (GError) error = NULL;
  g_autoptr (HybGraph) graph = hyb_f_finish (F, outputs, &error);
  g_autofree HybType *types = NULL;
  HybModel           *model = hyb_model_new ();
  const HybNodeId    *variables;
  guint               n;

  g_assert_no_error (error);
  types = g_new (HybType, hyb_graph_n_values (graph));
  for (guint i = 0; i < hyb_graph_n_values (graph); i++)
    types[i] = HYB_TYPE_UNKNOWN;
  variables = hyb_graph_get_variables (graph, &n);
  for (guint i = 0; i < n; i++)
    if (strcmp (hyb_graph_get_node (graph, variables[i])->name, "data") == 0)
      types[hyb_graph_get_node (graph, variables[i])->first_output] =
          (HybType){ hyb_shape_make (3, (gint64[]){ 2, 3, 5 }), HYB_F32 };
  g_assert_true (hyb_infer_types (graph, types, NULL, FALSE, &error));
  hyb_model_set_graph (model, graph);
  for (guint i = 0; i < n; i++)
    {
      const HybNode *node = hyb_graph_get_node (graph, variables[i]);
      g_autoptr (HybTensor) tensor = hyb_tensor_new (&types[node->first_output], &error);

      for (gint64 k = 0; k < hyb_tensor_get_size (tensor); k++)
        ((float *) hyb_tensor_get_data (tensor))[k] = (float) k;
      if (strcmp (node->name, "data") != 0)
        hyb_model_set_parameter (model, node->name, tensor);
    }
  return model;
}

/* Saves a checkpoint with some cells and loads it with others: the parameters must be those, and only
 * those, that a graph of the others has. */
static void
check_across (HybBlock *from, HybBlock *to)
{
  g_autofree char *below = g_dir_make_tmp ("hyb-XXXXXX", NULL);
  g_autofree char *prefix = g_build_filename (below, "net", NULL);
  g_autofree char *params = g_strconcat (prefix, "-0001.params", NULL);
  g_autofree char *symbol = g_strconcat (prefix, "-symbol.json", NULL);
  g_autoptr (HybModel) saved = new_model (from);
  g_autoptr (HybModel) own = new_model (to);
  g_autoptr (HybModel) loaded = NULL;
  g_autoptr (GError) error = NULL;

  g_assert_true (
      hyb_rnn_save_checkpoint (&(HybRnnCheckpoint){ &from, 1, prefix, 1 }, 1, saved, &error));
  loaded = hyb_rnn_load_checkpoint (&(HybRnnCheckpoint){ &to, 1, prefix, 1 }, 1, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (hyb_model_n_parameters (loaded), ==, hyb_model_n_parameters (own));
  for (guint i = 0; i < hyb_model_n_parameters (own); i++)
    {
      const char *name = hyb_model_get_parameter_name (own, i);

      g_assert_nonnull (hyb_model_get_parameter (loaded, name));
      g_assert_true (hyb_shape_equal (hyb_tensor_get_shape (hyb_model_get_parameter (loaded, name)),
                                      hyb_tensor_get_shape (hyb_model_get_parameter (own, name))));
    }

  /* And back: the same numbers. */
  g_assert_true (
      hyb_rnn_save_checkpoint (&(HybRnnCheckpoint){ &to, 1, prefix, 1 }, 1, loaded, &error));
  g_clear_pointer (&loaded, hyb_model_unref);
  loaded = hyb_rnn_load_checkpoint (&(HybRnnCheckpoint){ &from, 1, prefix, 1 }, 1, &error);
  g_assert_no_error (error);
  for (guint i = 0; i < hyb_model_n_parameters (saved); i++)
    {
      const char *name = hyb_model_get_parameter_name (saved, i);

      assert_same (hyb_model_get_parameter (loaded, name), hyb_model_get_parameter (saved, name));
    }
  g_unlink (params);
  g_unlink (symbol);
  g_assert_cmpint (g_rmdir (below), ==, 0);
}

static void
test_files_load_with_the_other_form (void)
{
  HybBlock *(*const cells[]) (void) = { fused_lstm, fused_gru, fused_tanh };

  for (guint i = 0; i < G_N_ELEMENTS (cells); i++)
    {
      g_autoptr (HybBlock) fused = cells[i]();
      g_autoptr (HybBlock) single = hyb_fused_cell_unfuse (fused);

      check_across (fused, single);
      check_across (single, fused);
    }
}

static void
test_missing_arrays_are_named (void)
{
  g_autoptr (HybBlock) cells = stack ();
  g_autoptr (HybModel) model = hyb_model_new ();
  g_autoptr (GError) error = NULL;

  g_assert_false (hyb_rnn_unpack_weights (&cells, 1, model, &error));
  g_assert_nonnull (strstr (error->message, "lstm_l0_i2h_weight"));
  g_assert_nonnull (strstr (error->message, "prefix"));
  g_clear_error (&error);
  g_assert_false (hyb_rnn_pack_weights (&cells, 1, model, &error));
  g_assert_nonnull (strstr (error->message, "lstm_l0_i2h_i_weight"));
}

static void
test_epochs_are_saved_by_period (void)
{
  g_autofree char *below = g_dir_make_tmp ("hyb-XXXXXX", NULL);
  g_autofree char *prefix = g_build_filename (below, "net", NULL);
  g_autofree char *second = g_strconcat (prefix, "-0002.params", NULL);
  g_autofree char *first = g_strconcat (prefix, "-0001.params", NULL);
  g_autofree char *symbol = g_strconcat (prefix, "-symbol.json", NULL);
  g_autofree char *original = prefix_of (cases[0].folder);
  g_autoptr (HybBlock) cell = fused_lstm ();
  g_autoptr (GError) error = NULL;
  g_autoptr (HybModel) model =
      hyb_rnn_load_checkpoint (&(HybRnnCheckpoint){ &cell, 1, original, 1 }, cases[0].epoch,
                               &error);
  HybRnnCheckpoint checkpoint = { &cell, 1, prefix, 2 };

  if (!model)
    {
      g_test_skip ("goldens/models is not here");
      return;
    }
  for (guint epoch = 0; epoch < 3; epoch++)
    g_assert_true (hyb_rnn_checkpoint_epoch (&checkpoint, epoch, model, &error));
  g_assert_false (g_file_test (first, G_FILE_TEST_EXISTS));
  g_assert_true (g_file_test (second, G_FILE_TEST_EXISTS));
  g_unlink (second);
  g_unlink (symbol);
  g_assert_cmpint (g_rmdir (below), ==, 0); /* nothing else was written */
}

TEST_PROGRAM (test_checkpoint)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/engine/rnn/checkpoint/checkpoints-of-mxnet", test_checkpoints_of_mxnet);
  g_test_add_func ("/engine/rnn/checkpoint/fused-loads-unfused", test_fused_loads_unfused);
  g_test_add_func ("/engine/rnn/checkpoint/files-load-with-the-other-form",
                   test_files_load_with_the_other_form);
  g_test_add_func ("/engine/rnn/checkpoint/missing-arrays-are-named",
                   test_missing_arrays_are_named);
  g_test_add_func ("/engine/rnn/checkpoint/epochs-are-saved-by-period",
                   test_epochs_are_saved_by_period);
  return g_test_run ();
}
