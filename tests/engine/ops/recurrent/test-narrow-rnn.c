/* test-narrow-rnn.c — _narrow_rnn, compared with RNN of the same weights as floats.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/engine/ops/op-check.h"
#include "tests/program.h"

#include <string.h>

/* One network: the attributes of RNN and its inputs; weights: how many of the parameters are. */
typedef struct
{
  const char *attributes;
  const char *data, *parameters, *state, *cell, *lengths;
  gint64      weights;
} Network;

static const Network networks[] = {
  { "mode=rnn_tanh state_size=2 num_layers=1", "f32[1,1,3]", "[14]", "f32[1,1,2]", NULL, NULL, 10 },
  { "mode=rnn_relu state_size=2 num_layers=3 state_outputs=1", "f32[3,1,2]", "[36]", "f32[3,1,2]",
    NULL, NULL, 24 },
  { "mode=lstm state_size=2 num_layers=1 state_outputs=1", "f32[4,1,2]", "[48]", "f32[1,1,2]",
    "f32[1,1,2]", NULL, 32 },
  { "mode=lstm state_size=1 num_layers=2 bidirectional=1 state_outputs=1", "f32[3,2,2]", "[80]",
    "f32[4,2,1]", "f32[4,2,1]", NULL, 48 },
  { "mode=gru state_size=1 num_layers=2 bidirectional=1 state_outputs=1", "f32[3,1,2]", "[60]",
    "f32[4,1,1]", NULL, NULL, 36 },
  { "mode=lstm state_size=2 num_layers=2 projection_size=1 bidirectional=1 state_outputs=1",
    "f32[2,1,2]", "[168]", "f32[4,1,1]", "f32[4,1,2]", NULL, 104 },
  { "mode=rnn_tanh state_size=2 num_layers=1 use_sequence_length=1 state_outputs=1", "f32[4,2,2]",
    "[12]", "f32[1,2,2]", NULL, "i32[2] = 4,2", 8 },
};

/* The inputs of either operator.   (transfer full) */
static GPtrArray *
make_inputs (const Network *network, HybTensor *parameters)
{
  GPtrArray *inputs = g_ptr_array_new_with_free_func ((GDestroyNotify) hyb_tensor_unref);

  g_ptr_array_add (inputs, op_tensor_from_text (network->data, 0));
  g_ptr_array_add (inputs, hyb_tensor_ref (parameters));
  g_ptr_array_add (inputs, op_tensor_from_text (network->state, 2));
  if (network->cell)
    g_ptr_array_add (inputs, op_tensor_from_text (network->cell, 3));
  if (network->lengths)
    g_ptr_array_add (inputs, op_tensor_from_text (network->lengths, 4));
  return inputs;
}

static HybTensor *
biases_of (const Network *network, HybTensor *floats)
{
  gint64 n = hyb_tensor_get_size (floats) - network->weights;

  return hyb_tensor_new_float (1, &n,
                               (const float *) hyb_tensor_get_data (floats) + network->weights);
}

static void
check (const Network *network, const char *dtype)
{
  g_autofree char *text = g_strconcat (dtype, network->parameters, NULL);
  g_autoptr (HybTensor) narrow = op_tensor_from_text (text, 1);
  g_autoptr (HybTensor) floats = hyb_tensor_convert (narrow, HYB_F32);
  g_autoptr (GPtrArray) inputs = make_inputs (network, narrow);
  g_autoptr (GPtrArray) others = make_inputs (network, floats);
  g_autoptr (GPtrArray) got = NULL;
  g_autoptr (GPtrArray) want = op_run_all ("RNN", network->attributes, FALSE, others);

  g_ptr_array_add (inputs, biases_of (network, floats));
  got = op_run_all ("_narrow_rnn", network->attributes, FALSE, inputs);
  g_assert_cmpuint (got->len, ==, want->len);
  for (guint i = 0; i < got->len; i++)
    op_assert_same (got->pdata[i], want->pdata[i], 1e-5);
}

static void
test_like_rnn (gconstpointer dtype)
{
  for (guint i = 0; i < G_N_ELEMENTS (networks); i++)
    check (&networks[i], dtype);
}

static const OpSample samples[] = {
  { "_narrow_rnn",
    "tanh, one step",
    "mode=rnn_tanh state_size=2 num_layers=1",
    { "f32[1,1,3]", "f16[10]", "f32[1,1,2]", "f32[4]" } },
  { 0 },
};

static const OpRefusal refusals[] = {
  { "_narrow_rnn",
    "too few weights",
    "mode=rnn_tanh state_size=2 num_layers=1",
    { "f32[1,1,3]", "f16[9]", "f32[1,1,2]", "f32[4]" },
    "weights has 9 elements, but needs 10" },
  { "_narrow_rnn",
    "too few biases",
    "mode=rnn_tanh state_size=2 num_layers=1",
    { "f32[1,1,3]", "f16[10]", "f32[1,1,2]", "f32[3]" },
    "biases" },
  { 0 },
};

TEST_PROGRAM (test_narrow_rnn)
{
  g_test_init (&argc, &argv, NULL);

  op_check_family ("narrow-rnn", hyb_ops_narrow_rnn, samples, refusals);
  g_test_add_data_func ("/engine/ops/narrow-rnn/float16-like-rnn", "f16", test_like_rnn);
  g_test_add_data_func ("/engine/ops/narrow-rnn/bfloat16-like-rnn", "bf16", test_like_rnn);
  return g_test_run ();
}
