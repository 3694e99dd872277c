/* test-rnn-form.c — _rnn_form, compared with RNN where both compute the same; tests/engine/kernels/recurrent/test-cell-form.c
 * has the formulas of all forms.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/engine/ops/op-check.h"
#include "tests/program.h"

/* A network of RNN, and what _rnn_form is told besides. */
typedef struct
{
  const char *attributes, *functions;
  const char *inputs[6];
} Network;

static const Network networks[] = {
  { "mode=rnn_relu state_size=2 num_layers=1 state_outputs=1",
    "relu",
    { "f32[3,2,2]", "f32[12]", "f32[1,2,2]" } },
  { "mode=rnn_tanh state_size=2 num_layers=1 use_sequence_length=1 state_outputs=1",
    "tanh",
    { "f32[4,2,2]", "f32[12]", "f32[1,2,2]", "i32[2] = 4,2" } },
  { "mode=gru state_size=3 num_layers=1 bidirectional=1 state_outputs=1",
    "sigmoid,tanh,sigmoid,tanh",
    { "f32[3,1,2]", "f32[126]", "f32[2,1,3]" } },
  { "mode=lstm state_size=2 num_layers=1 state_outputs=1",
    "sigmoid,tanh,tanh",
    { "f32[4,1,2]", "f32[48]", "f32[1,1,2]", "f32[1,1,2]" } },
};

static GPtrArray *
run (const char *op, const char *attributes, const Network *network)
{
  g_autoptr (GPtrArray) inputs = g_ptr_array_new_with_free_func ((GDestroyNotify) hyb_tensor_unref);

  for (guint i = 0; network->inputs[i]; i++)
    g_ptr_array_add (inputs, op_tensor_from_text (network->inputs[i], i));
  return op_run_all (op, attributes, FALSE, inputs);
}

static void
test_default_functions_give_rnn (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (networks); i++)
    {
      g_autofree char *attributes =
          g_strdup_printf ("%s functions=%s", networks[i].attributes, networks[i].functions);
      g_autoptr (GPtrArray) want = run ("RNN", networks[i].attributes, &networks[i]);
      g_autoptr (GPtrArray) got = run ("_rnn_form", attributes, &networks[i]);

      g_assert_cmpuint (got->len, ==, want->len);
      for (guint k = 0; k < got->len; k++)
        op_assert_same (got->pdata[k], want->pdata[k], 1e-6);
    }
}

static const OpSample samples[] = {
  { "_rnn_form",
    "GRU whose reset gate comes first",
    "mode=gru state_size=2 resets_first=1 functions=sigmoid,tanh",
    { "f32[3,2,2]", "f32[36]", "f32[1,2,2]" } },
  { "_rnn_form",
    "LSTM with peepholes",
    "mode=lstm state_size=2 has_peepholes=1 functions=sigmoid,tanh,tanh clip=1",
    { "f32[3,1,2]", "f32[48]", "f32[1,1,2]", "f32[1,1,2]", "f32[1,6]" } },
  { 0 },
};

#define LSTM "mode=lstm state_size=2 "
#define RNN_INPUTS                        \
  {                                       \
    "f32[3,1,2]", "f32[12]", "f32[1,1,2]" \
  }

static const OpRefusal refusals[] = {
  { "_rnn_form",
    "too few functions",
    "mode=gru state_size=2 functions=sigmoid",
    { "f32[3,2,2]", "f32[36]", "f32[1,2,2]" },
    "has 1 names, but gru needs 2" },
  { "_rnn_form", "an unknown function", "mode=rnn_tanh state_size=2 functions=tan", RNN_INPUTS,
    "there is no function “tan”" },
  { "_rnn_form", "numbers for other functions",
    "mode=rnn_tanh state_size=2 functions=tanh alpha=(1,2)", RNN_INPUTS,
    "alpha and beta need a number for each function" },
  { "_rnn_form", "a reset gate of an RNN",
    "mode=rnn_tanh state_size=2 functions=tanh resets_first=1", RNN_INPUTS,
    "resets_first needs mode gru" },
  { "_rnn_form",
    "peepholes of an RNN",
    "mode=rnn_tanh state_size=2 functions=tanh has_peepholes=1",
    { "f32[3,1,2]", "f32[12]", "f32[1,1,2]", "f32[1,6]" },
    "need mode lstm" },
  { "_rnn_form",
    "peepholes of another size",
    LSTM "has_peepholes=1 functions=sigmoid,tanh,tanh",
    { "f32[3,1,2]", "f32[48]", "f32[1,1,2]", "f32[1,1,2]", "f32[1,5]" },
    "peepholes" },
  { 0 },
};

TEST_PROGRAM (test_rnn_form)
{
  g_test_init (&argc, &argv, NULL);

  op_check_family ("rnn-form", hyb_ops_rnn_form, samples, refusals);
  g_test_add_func ("/engine/ops/rnn-form/default-functions-give-rnn",
                   test_default_functions_give_rnn);
  return g_test_run ();
}
