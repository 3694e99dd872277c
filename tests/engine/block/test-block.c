/* test-block.c — blocks give the same numbers when called imperatively, hybridized, exported, and
 * loaded again; errors name the block.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/autograd/tape.h"
#include "engine/base/random.h"
#include "engine/block/layers.h"
#include "engine/formats/mxnet-symbol.h"
#include "engine/open/open.h"
#include "engine/rnn/layer.h"
#include "tests/program.h"

#include <glib/gstdio.h>
#include <string.h>

static HybTensor *
random_tensor (HybShape shape, guint64 seed)
{
  HybTensor *tensor = hyb_tensor_new_float (shape.rank, shape.dim, NULL);
  float     *values = hyb_tensor_get_data (tensor);

  for (gint64 i = 0; i < hyb_tensor_get_size (tensor); i++)
    values[i] = (float) hyb_random_normal (seed, (guint64) i);
  return tensor;
}

static HybBlock *
network (void)
{
  HybBlock *net = hyb_sequential (NULL);

  hyb_block_enter_scope (net);
  hyb_append (net, hyb_conv (.channels = 4, .kernel = hyb_shape_2d (3, 3), .activation = "relu"));
  hyb_append (net, hyb_batch_norm (.epsilon = 1e-5));
  hyb_append (net, hyb_pool (.type = "max", .size = hyb_shape_2d (2, 2)));
  hyb_append (net, hyb_flatten_new (NULL));
  hyb_append (net, hyb_dense (.units = 8, .activation = "tanh"));
  hyb_append (net, hyb_dense (.units = 3));
  hyb_block_leave_scope (net);
  hyb_block_initialize (net, "xavier", 1);
  return net;
}

/* The output of one call; asserts that it went well. */
static HybTensor *
call (HybBlock *block, HybTensor *input)
{
  g_autoptr (HybF) F = hyb_f_new (FALSE, 0);
  g_autoptr (GError) error = NULL;
  HybValue *output = hyb_call (F, block, hyb_value_from_tensor (F, input));

  hyb_f_check (F, &error);
  g_assert_no_error (error);
  return hyb_tensor_ref (hyb_value_get_tensor (hyb_item (F, output, 0)));
}

static void
assert_equal (HybTensor *a, HybTensor *b, double tolerance)
{
  g_assert_true (hyb_shape_equal (hyb_tensor_get_shape (a), hyb_tensor_get_shape (b)));
  for (gint64 i = 0; i < hyb_tensor_get_size (a); i++)
    g_assert_cmpfloat_with_epsilon (hyb_tensor_get_value (a, i), hyb_tensor_get_value (b, i),
                                    tolerance);
}

static void
test_hybridized_equals_imperative (void)
{
  g_autoptr (HybBlock) net = network ();
  g_autoptr (HybTensor) x = random_tensor (hyb_shape_4d (2, 1, 8, 8), 2);
  g_autoptr (HybTensor) at_once = call (net, x);
  g_autoptr (HybTensor) hybrid = NULL, static_memory = NULL;

  g_assert_true (hyb_block_hybridize (net, TRUE, NULL, NULL));
  hybrid = call (net, x);
  assert_equal (at_once, hybrid, 1e-5);
  g_assert_true (hyb_block_hybridize (net, TRUE, &(HybHybridize){ .static_alloc = TRUE }, NULL));
  static_memory = call (net, x);
  assert_equal (at_once, static_memory, 1e-5);
}

static void
test_forward_is_called_once_per_signature (void)
{
  g_autoptr (HybBlock) net = network ();
  g_autoptr (HybTensor) small = random_tensor (hyb_shape_4d (2, 1, 8, 8), 2);
  g_autoptr (HybTensor) large = random_tensor (hyb_shape_4d (5, 1, 8, 8), 3);

  for (guint i = 0; i < 3; i++)
    hyb_tensor_unref (call (net, small));
  g_assert_cmpuint (hyb_block_n_forward_calls (net), ==, 3);

  hyb_block_hybridize (net, TRUE, NULL, NULL);
  for (guint i = 0; i < 3; i++)
    {
      hyb_tensor_unref (call (net, small));
      hyb_tensor_unref (call (net, large));
    }
  g_assert_cmpuint (hyb_block_n_forward_calls (net), ==, 4);
}

static void
test_export_and_load_give_the_same (void)
{
  g_autoptr (HybBlock) net = network ();
  g_autoptr (HybBlock) again = NULL;
  g_autoptr (HybTensor) x = random_tensor (hyb_shape_4d (2, 1, 8, 8), 2);
  g_autoptr (HybTensor) before = NULL, after = NULL;
  g_autofree char *folder = g_dir_make_tmp ("hyb-XXXXXX", NULL);
  g_autofree char *prefix = g_build_filename (folder, "net", NULL);
  g_autofree char *symbol = g_strconcat (prefix, "-symbol.json", NULL);
  g_autofree char *params = g_strconcat (prefix, "-0007.params", NULL);
  g_autoptr (HybModel) model = NULL;
  g_autoptr (GError) error = NULL;

  g_assert_false (hyb_block_export (net, prefix, 7, &error));
  g_assert_nonnull (strstr (error->message, "hyb_block_hybridize"));
  g_clear_error (&error);

  hyb_block_hybridize (net, TRUE, NULL, NULL);
  before = call (net, x);
  g_assert_true (hyb_block_export (net, prefix, 7, &error));
  model = hyb_model_open (symbol, params, HYB_EPOCH_HIGHEST, &error);
  g_assert_no_error (error);
  again = hyb_symbol_block_new (model, (const char *const[]){ "data", NULL }, &error);
  g_assert_no_error (error);
  after = call (again, x);
  assert_equal (before, after, 1e-5);
  g_unlink (symbol);
  g_unlink (params);
  g_rmdir (folder);
}

static void
test_parameters_save_and_load (void)
{
  g_autoptr (HybBlock) a = network (), b = network ();
  g_autoptr (HybTensor) x = random_tensor (hyb_shape_4d (2, 1, 8, 8), 2);
  g_autoptr (HybTensor) y = call (a, x), z = NULL;
  g_autofree char *file = g_build_filename (g_get_tmp_dir (), "hyb-parameters.params", NULL);
  g_autoptr (GError) error = NULL;

  hyb_block_initialize (b, "xavier", 99);
  g_assert_true (hyb_block_save_parameters (a, file, &error));
  g_assert_true (hyb_block_load_parameters (b, file, &error));
  g_assert_no_error (error);
  z = call (b, x);
  assert_equal (y, z, 1e-12);
  g_unlink (file);
}

static void
test_recurrent_layer_runs_both_ways (void)
{
  g_autoptr (HybBlock) layer = hyb_rnn_layer (.mode = "lstm", .hidden = 5, .layers = 2);
  g_autoptr (HybTensor) x = random_tensor (hyb_shape_3d (4, 2, 3), 5);
  g_autoptr (HybTensor) at_once = NULL, hybrid = NULL;

  hyb_block_initialize (layer, "xavier", 3);
  at_once = call (layer, x);
  hyb_block_hybridize (layer, TRUE, NULL, NULL);
  hybrid = call (layer, x);
  assert_equal (at_once, hybrid, 1e-6);
}

static void
test_mistakes_name_the_block (void)
{
  g_autoptr (HybBlock) net = network ();
  g_autoptr (HybTensor) x = random_tensor (hyb_shape_3d (2, 8, 8), 2);
  g_autoptr (HybF) F = hyb_f_new (FALSE, 0);

  hyb_call (F, net, hyb_value_from_tensor (F, x));
  g_assert_nonnull (hyb_f_get_error (F));
  g_assert_nonnull (strstr (hyb_f_get_error (F)->message, "conv"));
}

static void
test_uninitialized_parameters_are_named (void)
{
  g_autoptr (HybBlock) dense = hyb_dense (.units = 3, .in_units = 4, .prefix = "layer_");
  g_autoptr (HybTensor) x = random_tensor (hyb_shape_2d (2, 4), 2);
  g_autoptr (HybF) F = hyb_f_new (FALSE, 0);

  hyb_call (F, dense, hyb_value_from_tensor (F, x));
  g_assert_nonnull (strstr (hyb_f_get_error (F)->message, "layer_weight"));
  g_assert_nonnull (strstr (hyb_f_get_error (F)->message, "hyb_block_initialize"));
}

static HybValue *
peeking_forward (HybF *F, HybBlock *block, HybValue *x)
{
  hyb_value_get_tensor (x);
  return x;
}

static void
test_reading_a_traced_value_is_refused (void)
{
  static const HybBlockClass peeking = {
    .name = "Peeking",
    .size = sizeof (HybBlock),
    .forward = peeking_forward,
  };
  g_autoptr (HybBlock) block = hyb_block_new (&peeking, NULL);
  g_autoptr (HybGraph) graph = NULL;
  g_autoptr (GError) error = NULL;

  graph = hyb_block_trace (block, 1, "0", FALSE, &error);
  g_assert_null (graph);
  g_assert_nonnull (strstr (error->message, "peeking"));
  g_assert_nonnull (strstr (error->message, "traced"));
}

static void
test_plain_children_are_refused (void)
{
  g_autoptr (HybBlock) net = hyb_sequential (NULL);
  g_autoptr (GError) error = NULL;

  hyb_append (net, hyb_plain_sequential (NULL));
  g_assert_false (hyb_block_hybridize (net, TRUE, NULL, &error));
  g_assert_nonnull (strstr (error->message, "sequential"));
}

static void
test_tape_gives_gradients_of_a_block (void)
{
  g_autoptr (HybBlock) dense = hyb_dense (.units = 1, .in_units = 3, .no_bias = TRUE);
  g_autoptr (HybTensor) x = random_tensor (hyb_shape_2d (1, 3), 4);
  g_autoptr (HybTape) tape = hyb_tape_new ();
  g_autoptr (HybF) F = hyb_f_new (TRUE, 0);
  g_autoptr (GPtrArray) parameters = NULL;
  g_autoptr (GError) error = NULL;
  HybTensor *weight, *output, *gradient;

  hyb_block_initialize (dense, "xavier", 1);
  parameters = hyb_block_collect_parameters (dense);
  weight = hyb_parameter_get_data (g_ptr_array_index (parameters, 0), NULL);
  hyb_tape_attach (tape, weight, HYB_REQUEST_WRITE);
  hyb_f_set_tape (F, tape);
  hyb_tape_begin (tape);
  output = hyb_value_get_tensor (hyb_call (F, dense, hyb_value_from_tensor (F, x)));
  hyb_tape_end (tape);
  g_assert_true (
      hyb_tape_backward (tape, &(HybBackwardPass){ .n_heads = 1, .heads = &output }, &error));
  gradient = hyb_tape_get_gradient (tape, weight);
  for (gint64 i = 0; i < 3; i++)
    g_assert_cmpfloat_with_epsilon (hyb_tensor_get_value (gradient, i), hyb_tensor_get_value (x, i),
                                    1e-6);
}

/* A file with NumPy's shapes in a block that records: its rows of a vector are numbers without axes. */
static void
test_tape_gives_gradients_of_a_file_with_scalars (void)
{
  static const char text[] =
      "{\"nodes\": [{\"op\": \"null\", \"name\": \"x\", \"inputs\": []},"
      " {\"op\": \"_linalg_det\", \"name\": \"d\", \"inputs\": [[0, 0, 0]]}],"
      " \"arg_nodes\": [0], \"heads\": [[1, 0, 0]], \"attrs\": {\"is_np_shape\": [\"int\", 1]}}";
  g_autoptr (GBytes) bytes = g_bytes_new_static (text, strlen (text));
  g_autoptr (HybModel) model = hyb_model_new ();
  g_autoptr (HybTensor) x = random_tensor (hyb_shape_2d (2, 2), 4);
  g_autoptr (HybTape) tape = hyb_tape_new ();
  g_autoptr (HybF) F = hyb_f_new (TRUE, 0);
  g_autoptr (HybBlock) block = NULL;
  g_autoptr (GError) error = NULL;
  HybTensor *output;

  hyb_symbol_read (model, bytes, "text", &error);
  g_assert_no_error (error);
  block = hyb_symbol_block_new (model, (const char *const[]){ "x", NULL }, &error);
  g_assert_no_error (error);
  hyb_tape_attach (tape, x, HYB_REQUEST_WRITE);
  hyb_f_set_tape (F, tape);
  hyb_tape_begin (tape);
  output = hyb_value_get_tensor (hyb_call (F, block, hyb_value_from_tensor (F, x)));
  hyb_tape_end (tape);
  hyb_f_check (F, &error);
  g_assert_no_error (error);
  g_assert_cmpint (hyb_tensor_get_shape (output)->rank, ==, 0);
  hyb_tape_backward (tape, &(HybBackwardPass){ .n_heads = 1, .heads = &output }, &error);
  g_assert_no_error (error);
  g_assert_cmpfloat_with_epsilon (hyb_tensor_get_value (hyb_tape_get_gradient (tape, x), 0),
                                  hyb_tensor_get_value (x, 3), 1e-5);
}

static void
test_summary_counts_parameters (void)
{
  g_autoptr (HybBlock) net = network ();
  g_autoptr (HybTensor) x = random_tensor (hyb_shape_4d (2, 1, 8, 8), 2);
  g_autoptr (HybF) F = hyb_f_new (FALSE, 0);
  g_autofree char *text = hyb_block_summary (net, F, hyb_value_from_tensor (F, x));

  g_assert_nonnull (strstr (text, "(2, 4, 6, 6)"));
  g_assert_nonnull (strstr (text, "379")); /* 40 + 16 + 296 + 27 */
}

TEST_PROGRAM (test_block)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/engine/block/hybridized-equals-imperative", test_hybridized_equals_imperative);
  g_test_add_func ("/engine/block/forward-is-called-once-per-signature",
                   test_forward_is_called_once_per_signature);
  g_test_add_func ("/engine/block/export-and-load-give-the-same",
                   test_export_and_load_give_the_same);
  g_test_add_func ("/engine/block/parameters-save-and-load", test_parameters_save_and_load);
  g_test_add_func ("/engine/block/recurrent-layer-runs-both-ways",
                   test_recurrent_layer_runs_both_ways);
  g_test_add_func ("/engine/block/mistakes-name-the-block", test_mistakes_name_the_block);
  g_test_add_func ("/engine/block/uninitialized-parameters-are-named",
                   test_uninitialized_parameters_are_named);
  g_test_add_func ("/engine/block/reading-a-traced-value-is-refused",
                   test_reading_a_traced_value_is_refused);
  g_test_add_func ("/engine/block/plain-children-are-refused", test_plain_children_are_refused);
  g_test_add_func ("/engine/block/tape-gives-gradients-of-a-block",
                   test_tape_gives_gradients_of_a_block);
  g_test_add_func ("/engine/block/summary-counts-parameters", test_summary_counts_parameters);
  g_test_add_func ("/engine/block/tape-gives-gradients-of-a-file-with-scalars",
                   test_tape_gives_gradients_of_a_file_with_scalars);

  return g_test_run ();
}
