/* test-guess-shapes.c — sizes of inputs that operators, weights, names and habits suggest.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/analysis/guess-shapes.h"

#include "engine/analysis/infer-types.h"
#include "engine/graph/builder.h"
#include "engine/graph/reach.h"
#include "tests/program.h"

#include <string.h>

/* A node with up to two inputs. */
static HybValueId
add (HybBuilder        *builder,
     const char        *op,
     const char        *name,
     const HybValueId  *inputs,
     const char *const *attributes)
{
  HybNodeSpec spec = { .name = name, .attributes = attributes, .inputs = inputs };
  g_autoptr (GError) error = NULL;
  HybValueId value;

  while (inputs[spec.n_inputs] != HYB_NO_ID)
    spec.n_inputs++;
  value = hyb_builder_call (builder, op, &spec, &error);
  g_assert_no_error (error);
  return value;
}

#define INPUTS(...)     ((const HybValueId[]){ __VA_ARGS__, HYB_NO_ID })
#define ATTRIBUTES(...) ((const char *const[]){ __VA_ARGS__, NULL })

/* The guesses for a graph that ends in this value.  weight: (nullable) the shape of variable 1. */
static GPtrArray *
guess (HybBuilder *builder, HybValueId head, const HybShape *weight, const char *file)
{
  g_autoptr (HybGraph) graph = NULL;
  g_autofree HybType *types = NULL;
  g_autofree guint8  *needed = NULL;
  g_autoptr (GError) error = NULL;
  HybGuessHints    hints = { .file = file };
  guint            n;
  const HybNodeId *variables;
  GPtrArray       *guesses;

  hyb_builder_add_head (builder, head);
  graph = hyb_builder_freeze (builder);
  types = g_new (HybType, hyb_graph_n_values (graph));
  for (guint i = 0; i < hyb_graph_n_values (graph); i++)
    types[i] = HYB_TYPE_UNKNOWN;
  variables = hyb_graph_get_variables (graph, &n);
  if (weight)
    types[hyb_graph_get_node (graph, variables[1])->first_output].shape = *weight;
  g_assert_true (hyb_infer_types (graph, types, NULL, FALSE, &error));
  needed = hyb_graph_find_needed (graph, NULL);
  guesses = hyb_guess_shapes (graph, types, needed, FALSE, &hints);
  for (guint i = 0; i < guesses->len; i++)
    {
      const HybShapeGuess *found = guesses->pdata[i];
      const HybNode       *node = hyb_graph_get_node (graph, found->variable);

      g_assert_true (hyb_shape_equal (&types[node->first_output].shape, &found->shape));
    }
  return guesses;
}

static void
assert_guess (GPtrArray *guesses, guint at, const HybShape *shape, const char *reason)
{
  const HybShapeGuess *found;

  g_assert_cmpuint (at, <, guesses->len);
  found = guesses->pdata[at];
  g_assert_true (hyb_shape_equal (&found->shape, shape));
  if (!strstr (found->reason, reason))
    g_error ("“%s” does not say “%s”", found->reason, reason);
}

/* data → convolution 3 × 3 → the given pooling → a fully connected layer with 100 classes. */
static HybValueId
add_image_network (HybBuilder *builder, const char *const *pooling)
{
  HybValueId data = hyb_builder_add_variable (builder, "data", NULL);
  HybValueId weight = hyb_builder_add_variable (builder, "fc_weight", NULL);
  HybValueId filters = hyb_builder_add_variable (builder, "conv_weight", NULL);
  HybValueId conv =
      add (builder, "Convolution", "conv", INPUTS (data, filters),
           ATTRIBUTES ("kernel", "(3, 3)", "pad", "(1, 1)", "num_filter", "4", "no_bias", "True"));
  HybValueId pool = add (builder, "Pooling", "pool", INPUTS (conv), pooling);

  return add (builder, "FullyConnected", "fc", INPUTS (pool, weight),
              ATTRIBUTES ("num_hidden", "100", "no_bias", "True"));
}

static void
test_an_image_has_the_usual_size_if_any_fits (void)
{
  HybBuilder *builder = hyb_builder_new ();
  HybValueId  head =
      add_image_network (builder, ATTRIBUTES ("global_pool", "True", "kernel", "(1, 1)"));
  g_autoptr (GPtrArray) guesses = guess (builder, head, NULL, NULL);
  HybShape expected = hyb_shape_4d (1, 3, 224, 224);

  g_assert_cmpuint (guesses->len, ==, 1);
  assert_guess (guesses, 0, &expected, "others fit");
}

static void
test_weights_behind_a_flatten_decide_the_size (void)
{
  static const gint64 sizes[] = { 96, 100, 1 }; /* usual; found by trying all; the smallest */

  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    {
      HybBuilder *builder = hyb_builder_new ();
      HybValueId  head = add_image_network (builder, ATTRIBUTES ("kernel", "(1, 1)"));
      HybShape    weight = hyb_shape_2d (100, 4 * sizes[i] * sizes[i]);
      HybShape    expected = hyb_shape_4d (1, 3, sizes[i], sizes[i]);
      g_autoptr (GPtrArray) guesses = guess (builder, head, &weight, NULL);

      assert_guess (guesses, 0, &expected, "“fc” (FullyConnected) refuses 224");
    }
}

static void
test_a_window_that_is_too_large_for_the_usual_size_asks_for_the_next (void)
{
  HybBuilder *builder = hyb_builder_new ();
  HybValueId  head = add_image_network (builder, ATTRIBUTES ("kernel", "(250, 250)"));
  g_autoptr (GPtrArray) guesses = guess (builder, head, NULL, NULL);
  HybShape expected = hyb_shape_4d (1, 3, 299, 299);

  assert_guess (guesses, 0, &expected, "“pool” (Pooling) refuses 224");
}

static void
test_a_size_in_the_name_of_the_file_comes_first (void)
{
  static const struct
  {
    const char *file;
    gint64      size;
  } cases[] = { { "zoo/ssd_512_net50-symbol.json", 512 }, { "zoo/ssd_300-symbol.json", 300 },
                { "zoo/net50_v1-symbol.json", 224 },      { "zoo_512/net-symbol.json", 224 },
                { "net_2080-symbol.json", 224 },          { "net_2048-symbol.json", 2048 } };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      HybBuilder *builder = hyb_builder_new ();
      HybValueId  head = add_image_network (builder, ATTRIBUTES ("kernel", "(2, 2)"));
      HybShape    expected = hyb_shape_4d (1, 3, cases[i].size, cases[i].size);
      g_autoptr (GPtrArray) guesses = guess (builder, head, NULL, cases[i].file);

      assert_guess (guesses, 0, &expected, "a batch of 1");
    }
}

/* What ends in the node of this name and is accepted for every size. */
static HybValueId
add_network_of_kind (HybBuilder *builder, const char *kind)
{
  gboolean   is_pose = strcmp (kind, "key points") == 0;
  HybValueId data = hyb_builder_add_variable (builder, "data", NULL);
  HybValueId filters = hyb_builder_add_variable (builder, "conv_weight", NULL);
  HybValueId more = hyb_builder_add_variable (builder, "more_weight", NULL);
  HybValueId x = add (builder, "Convolution", "conv", INPUTS (data, filters),
                      ATTRIBUTES ("kernel", "(3, 3)", "num_filter", "4", "no_bias", "True",
                                  "dilate", strcmp (kind, "dilation") == 0 ? "(6, 6)" : "(1, 1)"));

  if (is_pose)
    x = add (builder, "Deconvolution", "enlarge", INPUTS (x, more),
             ATTRIBUTES ("kernel", "(2, 2)", "stride", "(2, 2)", "num_filter", "8"));
  if (strcmp (kind, "regions") == 0)
    return add (builder, "_contrib_ROIAlign", "regions",
                INPUTS (x, hyb_builder_add_variable (builder, "boxes_weight", NULL)),
                ATTRIBUTES ("pooled_size", "(2, 2)", "spatial_scale", "1"));
  return add (builder, "Convolution", "last",
              INPUTS (x, hyb_builder_add_variable (builder, "last_weight", NULL)),
              ATTRIBUTES ("kernel", "(1, 1)", "num_filter", "17", "no_bias", "True"));
}

static void
test_some_kinds_of_networks_have_a_size_of_their_own (void)
{
  static const struct
  {
    const char *kind, *file, *reason;
    gint64      height, width;
  } cases[] = {
    { "plain", NULL, "224 is usual for images", 224, 224 },
    { "key points", NULL, "17 key points and others fit", 256, 192 },
    { "dilation", NULL, "dilation 6", 300, 300 },
    { "regions", NULL, "shorter side where regions", 800, 800 },
    { "regions", "net_512-symbol.json", "512 as in the name", 512, 512 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      HybBuilder *builder = hyb_builder_new ();
      HybValueId  head = add_network_of_kind (builder, cases[i].kind);
      HybShape    expected = hyb_shape_4d (1, 3, cases[i].height, cases[i].width);
      g_autoptr (GPtrArray) guesses = guess (builder, head, NULL, cases[i].file);

      assert_guess (guesses, 0, &expected, cases[i].reason);
    }
}

static void
test_weights_of_a_fully_connected_layer_tell_the_features (void)
{
  HybBuilder *builder = hyb_builder_new ();
  HybValueId  data = hyb_builder_add_variable (builder, "data", NULL);
  HybValueId  weight = hyb_builder_add_variable (builder, "fc_weight", NULL);
  HybValueId  head = add (builder, "FullyConnected", "fc", INPUTS (data, weight),
                          ATTRIBUTES ("num_hidden", "3", "no_bias", "True"));
  HybShape    known = hyb_shape_2d (3, 17), expected = hyb_shape_2d (1, 17);
  g_autoptr (GPtrArray) guesses = guess (builder, head, &known, NULL);

  assert_guess (guesses, 0, &expected, "“fc” reads 17 numbers");
}

static void
test_steps_of_an_unrolled_graph_are_counted (void)
{
  HybBuilder *builder = hyb_builder_new ();
  HybValueId  data = hyb_builder_add_variable (builder, "data", NULL);
  HybValueId  steps = add (builder, "SliceChannel", "steps", INPUTS (data),
                           ATTRIBUTES ("num_outputs", "7", "axis", "1", "squeeze_axis", "True"));
  HybValueId  sum = add (builder, "_Plus", "sum", INPUTS (steps, steps + 6), NULL);
  HybValueId  weight = hyb_builder_add_variable (builder, "fc_weight", NULL);
  HybValueId  head = add (builder, "FullyConnected", "fc", INPUTS (sum, weight),
                          ATTRIBUTES ("num_hidden", "3", "no_bias", "True"));
  g_autoptr (GPtrArray) guesses = guess (builder, head, NULL, NULL);
  const HybShapeGuess *found;

  g_assert_cmpuint (guesses->len, ==, 1);
  found = guesses->pdata[0];
  g_assert_cmpint (found->shape.dim[0], ==, 1);
  g_assert_cmpint (found->shape.dim[1], ==, 7);
}

/* Words of which each has three factors. */
static void
test_axes_may_have_different_sizes (void)
{
  HybBuilder *builder = hyb_builder_new ();
  HybValueId  data = hyb_builder_add_variable (builder, "data", NULL);
  HybValueId  vectors = hyb_builder_add_variable (builder, "embed_weight", NULL);
  HybValueId  weight = hyb_builder_add_variable (builder, "fc_weight", NULL);
  HybShape    expected = hyb_shape_3d (1, 35, 3);
  HybValueId  x = add (builder, "SliceChannel", "split", INPUTS (data),
                       ATTRIBUTES ("axis", "2", "num_outputs", "3", "squeeze_axis", "True"));
  g_autoptr (GPtrArray) guesses = NULL;

  x = add (builder, "Embedding", "embed", INPUTS (x, vectors),
           ATTRIBUTES ("input_dim", "50", "output_dim", "6"));
  x = add (builder, "FullyConnected", "fc", INPUTS (x, weight),
           ATTRIBUTES ("num_hidden", "4", "no_bias", "True", "flatten", "False"));
  guesses = guess (builder, x, NULL, NULL);
  assert_guess (guesses, 0, &expected, "3 as the graph says");
}

/* Tokens step by step, whose steps are the first axis, and a state of as many samples with 16 numbers each.
 * The tokens are variable 1. */
static HybValueId
add_tokens_and_state (HybBuilder *builder)
{
  HybValueId state = hyb_builder_add_variable (builder, "state", NULL);
  HybValueId data = hyb_builder_add_variable (builder, "data", NULL);
  HybValueId weight =
      hyb_builder_add_variable (builder, "h2h_weight", ATTRIBUTES ("__shape__", "(3, 16)"));
  HybValueId vectors = hyb_builder_add_variable (builder, "embed_weight", NULL);
  HybValueId out = hyb_builder_add_variable (builder, "i2h_weight", NULL);
  HybValueId x = add (builder, "Embedding", "embed", INPUTS (data, vectors),
                      ATTRIBUTES ("input_dim", "50", "output_dim", "3"));
  HybValueId h = add (builder, "FullyConnected", "h2h", INPUTS (state, weight),
                      ATTRIBUTES ("num_hidden", "3", "no_bias", "True"));

  x = add (builder, "SliceChannel", "split", INPUTS (x),
           ATTRIBUTES ("axis", "0", "num_outputs", "7", "squeeze_axis", "True"));
  x = add (builder, "FullyConnected", "i2h", INPUTS (x, out),
           ATTRIBUTES ("num_hidden", "3", "no_bias", "True"));
  return add (builder, "elemwise_add", "sum", INPUTS (x, h), NULL);
}

static void
test_a_batch_may_be_the_second_axis (void)
{
  HybBuilder *builder = hyb_builder_new ();
  HybValueId  sum = add_tokens_and_state (builder);
  HybShape    tokens = hyb_shape_2d (7, 1);
  g_autoptr (GPtrArray) guesses = guess (builder, sum, NULL, NULL);

  assert_guess (guesses, 1, &tokens, "7 as the graph says");
}

/* The user gives the shape of one input; the others follow its batch. */
static void
test_a_known_input_tells_the_batch (void)
{
  HybBuilder *builder = hyb_builder_new ();
  HybValueId  sum = add_tokens_and_state (builder);
  HybShape    tokens = hyb_shape_2d (7, 4), state = hyb_shape_2d (4, 16);
  g_autoptr (GPtrArray) guesses = guess (builder, sum, &tokens, NULL);

  g_assert_cmpuint (guesses->len, ==, 1);
  assert_guess (guesses, 0, &state, "a batch of 4 as in “data”");
}

/* As after unroll() of a cell, whose weights tell the features: here more than any usual size. */
static void
test_weights_of_an_unrolled_cell_tell_its_features (void)
{
  static const gint64 features[] = { 4, 650 };

  for (guint i = 0; i < G_N_ELEMENTS (features); i++)
    {
      HybBuilder *builder = hyb_builder_new ();
      HybValueId  data = hyb_builder_add_variable (builder, "data", NULL);
      HybValueId  weight = hyb_builder_add_variable (builder, "i2h_weight", NULL);
      HybValueId  steps = add (builder, "SliceChannel", "steps", INPUTS (data),
                               ATTRIBUTES ("num_outputs", "6", "axis", "1", "squeeze_axis", "1"));
      HybValueId  first = add (builder, "FullyConnected", "t0", INPUTS (steps, weight),
                               ATTRIBUTES ("num_hidden", "16", "no_bias", "True"));
      HybValueId  last = add (builder, "FullyConnected", "t5", INPUTS (steps + 5, weight),
                              ATTRIBUTES ("num_hidden", "16", "no_bias", "True"));
      HybShape    known = hyb_shape_2d (16, features[i]);
      HybShape    expected = hyb_shape_3d (1, 6, features[i]);
      g_autoptr (GPtrArray) guesses =
          guess (builder, add (builder, "_Plus", "sum", INPUTS (first, last), NULL), &known, NULL);

      assert_guess (guesses, 0, &expected, "6 as the graph says");
    }
}

static void
test_a_recurrent_operator_tells_time_from_batch (void)
{
  for (guint swaps = 0; swaps < 2; swaps++)
    {
      HybBuilder *builder = hyb_builder_new ();
      HybValueId  data = hyb_builder_add_variable (builder, "data", NULL);
      HybValueId  weight = hyb_builder_add_variable (builder, "embed_weight", NULL);
      HybValueId  parameters = hyb_builder_add_variable (builder, "parameters", NULL);
      HybValueId  state = hyb_builder_add_variable (builder, "begin_state", NULL);
      HybValueId  x = add (builder, "Embedding", "embed", INPUTS (data, weight),
                           ATTRIBUTES ("input_dim", "50", "output_dim", "6"));
      HybShape    expected = swaps ? hyb_shape_2d (1, 35) : hyb_shape_2d (35, 1);
      HybShape    begin = hyb_shape_3d (1, 1, 4);
      g_autoptr (GPtrArray) guesses = NULL;

      if (swaps)
        x = add (builder, "SwapAxis", "swap", INPUTS (x), ATTRIBUTES ("dim1", "0", "dim2", "1"));
      x = add (builder, "RNN", "rnn", INPUTS (x, parameters, state),
               ATTRIBUTES ("mode", "gru", "state_size", "4", "num_layers", "1"));
      guesses = guess (builder, x, NULL, NULL);
      assert_guess (guesses, 0, &expected, "sequences");
      for (guint i = 1; i < guesses->len; i++)
        assert_guess (guesses, i, &begin, "a batch of 1");
    }
}

static void
test_an_input_that_nothing_fits_stays_open (void)
{
  HybBuilder *builder = hyb_builder_new ();
  HybValueId  data = hyb_builder_add_variable (builder, "data", NULL);
  HybValueId  first =
      hyb_builder_add_variable (builder, "a_weight", ATTRIBUTES ("__shape__", "(3, 17)"));
  HybValueId second =
      hyb_builder_add_variable (builder, "b_weight", ATTRIBUTES ("__shape__", "(3, 18)"));
  HybValueId a = add (builder, "FullyConnected", "a", INPUTS (data, first),
                      ATTRIBUTES ("num_hidden", "3", "no_bias", "True"));
  HybValueId b = add (builder, "FullyConnected", "b", INPUTS (data, second),
                      ATTRIBUTES ("num_hidden", "3", "no_bias", "True"));
  g_autoptr (GPtrArray) guesses =
      guess (builder, add (builder, "_Plus", "sum", INPUTS (a, b), NULL), NULL, NULL);

  g_assert_cmpuint (guesses->len, ==, 0);
}

static void
test_an_input_of_elementwise_operators_stays_open (void)
{
  HybBuilder *builder = hyb_builder_new ();
  HybValueId  a = hyb_builder_add_variable (builder, "a", NULL);
  HybValueId  b = hyb_builder_add_variable (builder, "b", NULL);
  g_autoptr (GPtrArray) guesses =
      guess (builder, add (builder, "elemwise_add", "sum", INPUTS (a, b), NULL), NULL, NULL);

  g_assert_cmpuint (guesses->len, ==, 0);
}

TEST_PROGRAM (test_guess_shapes)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/guess-shapes/an-image-has-the-usual-size-if-any-fits",
                   test_an_image_has_the_usual_size_if_any_fits);
  g_test_add_func ("/guess-shapes/weights-behind-a-flatten-decide-the-size",
                   test_weights_behind_a_flatten_decide_the_size);
  g_test_add_func ("/guess-shapes/a-window-that-is-too-large-for-the-usual-size-asks-for-the-next",
                   test_a_window_that_is_too_large_for_the_usual_size_asks_for_the_next);
  g_test_add_func ("/guess-shapes/a-size-in-the-name-of-the-file-comes-first",
                   test_a_size_in_the_name_of_the_file_comes_first);
  g_test_add_func ("/guess-shapes/some-kinds-of-networks-have-a-size-of-their-own",
                   test_some_kinds_of_networks_have_a_size_of_their_own);
  g_test_add_func ("/guess-shapes/weights-of-a-fully-connected-layer-tell-the-features",
                   test_weights_of_a_fully_connected_layer_tell_the_features);
  g_test_add_func ("/guess-shapes/axes-may-have-different-sizes",
                   test_axes_may_have_different_sizes);
  g_test_add_func ("/guess-shapes/a-batch-may-be-the-second-axis",
                   test_a_batch_may_be_the_second_axis);
  g_test_add_func ("/guess-shapes/a-known-input-tells-the-batch",
                   test_a_known_input_tells_the_batch);
  g_test_add_func ("/guess-shapes/steps-of-an-unrolled-graph-are-counted",
                   test_steps_of_an_unrolled_graph_are_counted);
  g_test_add_func ("/guess-shapes/weights-of-an-unrolled-cell-tell-its-features",
                   test_weights_of_an_unrolled_cell_tell_its_features);
  g_test_add_func ("/guess-shapes/a-recurrent-operator-tells-time-from-batch",
                   test_a_recurrent_operator_tells_time_from_batch);
  g_test_add_func ("/guess-shapes/an-input-that-nothing-fits-stays-open",
                   test_an_input_that_nothing_fits_stays_open);
  g_test_add_func ("/guess-shapes/an-input-of-elementwise-operators-stays-open",
                   test_an_input_of_elementwise_operators_stays_open);
  return g_test_run ();
}
