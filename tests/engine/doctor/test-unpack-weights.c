/* test-unpack-weights.c — the doctor unpacks a flat vector for the variables of a cell.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/doctor/unpack-weights.h"
#include "tests/engine/ops/op-body.h"
#include "tests/program.h"

#define INPUTS 2
#define HIDDEN 3
#define LENGTH (HIDDEN * INPUTS + HIDDEN * HIDDEN + 2 * HIDDEN)

static void
add_vector (HybModel *model, const char *name, gint64 length)
{
  HybType type = { hyb_shape_1d (length), HYB_F32 };
  g_autoptr (HybTensor) tensor = hyb_tensor_new_zeros (&type, NULL);

  hyb_model_set_parameter (model, name, tensor);
}

/* One step of a plain cell, with its weights in one vector.  (transfer full) */
static HybModel *
make_cell (gint64 length)
{
  HybModel   *model = hyb_model_new ();
  HybBuilder *b = hyb_builder_new ();
  HybValueId  x = op_variable (b, "data"), state = op_variable (b, "state");
  HybValueId  weights[] = { op_variable (b, "rnn_i2h_weight"), op_variable (b, "rnn_h2h_weight") };
  HybValueId  biases[] = { op_variable (b, "rnn_i2h_bias"), op_variable (b, "rnn_h2h_bias") };
  g_autoptr (HybGraph) graph = NULL;

  x = op_node (b, "FullyConnected", "num_hidden=3", x, weights[0], biases[0], HYB_NO_ID);
  state = op_node (b, "FullyConnected", "num_hidden=3", state, weights[1], biases[1], HYB_NO_ID);
  x = op_node (b, "elemwise_add", NULL, x, state, HYB_NO_ID);
  graph = op_finish (b, op_node (b, "tanh", NULL, x, HYB_NO_ID), HYB_NO_ID);
  hyb_model_set_graph (model, graph);
  add_vector (model, "rnn_parameters", length);
  return model;
}

static void
test_vector_becomes_arrays (void)
{
  g_autoptr (HybModel) model = make_cell (LENGTH);
  g_autoptr (GPtrArray) unpacked = g_ptr_array_new_with_free_func (g_free);

  g_assert_true (hyb_unpack_weights (model, "rnn_parameters", unpacked));
  g_assert_cmpuint (unpacked->len, ==, 4);
  g_assert_cmpuint (hyb_model_n_parameters (model), ==, 4);
  g_assert_null (hyb_model_get_parameter (model, "rnn_parameters"));
}

static void
test_vector_of_another_length_is_left (void)
{
  g_autoptr (HybModel) model = make_cell (LENGTH + 1);
  g_autoptr (GPtrArray) unpacked = g_ptr_array_new_with_free_func (g_free);

  g_assert_false (hyb_unpack_weights (model, "rnn_parameters", unpacked));
  g_assert_nonnull (hyb_model_get_parameter (model, "rnn_parameters"));
}

/* Which of the two holds the bias is not known. */
static void
test_arrays_that_are_there_are_not_replaced (void)
{
  g_autoptr (HybModel) model = make_cell (LENGTH);
  g_autoptr (GPtrArray) unpacked = g_ptr_array_new_with_free_func (g_free);
  HybTensor *bias;

  add_vector (model, "rnn_h2h_bias", HIDDEN);
  bias = hyb_model_get_parameter (model, "rnn_h2h_bias");
  g_assert_false (hyb_unpack_weights (model, "rnn_parameters", unpacked));
  g_assert_cmpuint (unpacked->len, ==, 0);
  g_assert_cmpuint (hyb_model_n_parameters (model), ==, 2);
  g_assert_true (hyb_model_get_parameter (model, "rnn_h2h_bias") == bias);
}

TEST_PROGRAM (test_unpack_weights)
{
  g_test_init (&argc, &argv, NULL);
#define ADD(name, function) g_test_add_func ("/engine/doctor/unpack-weights/" name, function)
  ADD ("vector-becomes-arrays", test_vector_becomes_arrays);
  ADD ("vector-of-another-length-is-left", test_vector_of_another_length_is_left);
  ADD ("arrays-that-are-there-are-not-replaced", test_arrays_that_are_there_are_not_replaced);
#undef ADD
  return g_test_run ();
}
