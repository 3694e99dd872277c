/* test-rnn.c — RNN: modes, layers, directions, projection, clipping, lengths, dropout.
 *
 * Sizes: I inputs, H units, R = H or the projection; parameters measure
 * D G H (I + R + 2) + (L-1) D G H (D R + R + 2) + L D P H.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/engine/ops/op-check.h"
#include "tests/program.h"

#include <math.h>
#include <string.h>

static const OpSample samples[] = {
  { "RNN",
    "tanh, one step",
    "mode=rnn_tanh state_size=2 num_layers=1",
    { "f32[1,2,3]", "f32[14]", "f32[1,2,2]" } },
  { "RNN",
    "tanh, states out",
    "mode=rnn_tanh state_size=2 num_layers=1 state_outputs=1",
    { "f32[3,2,2]", "f32[12]", "f32[1,2,2]" } },
  { "RNN",
    "relu, one layer",
    "mode=rnn_relu state_size=3 num_layers=1 state_outputs=1",
    { "f32[3,2,2] 0.1..2", "f32[21] 0.1..1", "f32[1,2,3] 0.1..1" } },
  { "RNN",
    "relu, three layers",
    "mode=rnn_relu state_size=2 num_layers=3 state_outputs=1",
    { "f32[3,1,2] 0.1..2", "f32[36] 0.1..1", "f32[3,1,2] 0.1..1" } },
  { "RNN",
    "tanh, both directions, two layers",
    "mode=rnn_tanh state_size=2 num_layers=2 bidirectional=1 state_outputs=1",
    { "f32[3,2,2]", "f32[56]", "f32[4,2,2]" } },
  { "RNN",
    "lstm",
    "mode=lstm state_size=2 num_layers=1 state_outputs=1",
    { "f32[4,2,2]", "f32[48]", "f32[1,2,2]", "f32[1,2,2]" } },
  { "RNN",
    "lstm, output only",
    "mode=lstm state_size=2 num_layers=1",
    { "f32[2,1,3]", "f32[56]", "f32[1,1,2]", "f32[1,1,2]" } },
  { "RNN",
    "lstm, both directions, two layers",
    "mode=lstm state_size=1 num_layers=2 bidirectional=1 state_outputs=1",
    { "f32[3,2,2]", "f32[80]", "f32[4,2,1]", "f32[4,2,1]" } },
  { "RNN",
    "gru",
    "mode=gru state_size=2 num_layers=1 state_outputs=1",
    { "f32[4,2,2]", "f32[36]", "f32[1,2,2]" } },
  { "RNN",
    "gru, both directions, two layers",
    "mode=gru state_size=1 num_layers=2 bidirectional=1 state_outputs=1",
    { "f32[3,2,2]", "f32[60]", "f32[4,2,1]" } },
  { "RNN",
    "gru, dropout",
    "mode=gru state_size=2 num_layers=2 p=0.4",
    { "f32[3,2,2]", "f32[72]", "f32[2,2,2]" } },
  { "RNN",
    "lstm, dropout, three layers, both directions",
    "mode=lstm state_size=1 num_layers=3 bidirectional=1 p=0.5",
    { "f32[3,2,1]", "f32[112]", "f32[6,2,1]", "f32[6,2,1]" } },
  { "RNN",
    "lstm, projection",
    "mode=lstm state_size=3 num_layers=1 projection_size=2 state_outputs=1",
    { "f32[3,2,2]", "f32[78]", "f32[1,2,2]", "f32[1,2,3]" } },
  { "RNN",
    "lstm, projection wider than the gates",
    "mode=lstm state_size=1 num_layers=1 projection_size=6 state_outputs=1",
    { "f32[2,2,1]", "f32[42]", "f32[1,2,6]", "f32[1,2,1]" } },
  { "RNN",
    "lstm, projection, both directions, two layers",
    "mode=lstm state_size=2 num_layers=2 projection_size=1 bidirectional=1 state_outputs=1",
    { "f32[2,2,2]", "f32[168]", "f32[4,2,1]", "f32[4,2,2]" } },
  { "RNN",
    "lstm, clipped",
    "mode=lstm state_size=2 num_layers=1 lstm_state_clip_min=-0.2 lstm_state_clip_max=0.2 "
    "state_outputs=1",
    { "f32[4,2,2]", "f32[48]", "f32[1,2,2]", "f32[1,2,2]" } },
  { "RNN",
    "tanh, lengths",
    "mode=rnn_tanh state_size=2 num_layers=1 use_sequence_length=1 state_outputs=1",
    { "f32[4,3,2]", "f32[12]", "f32[1,3,2]", "i32[3] = 2,4,1" } },
  { "RNN",
    "gru, lengths, both directions, two layers",
    "mode=gru state_size=1 num_layers=2 bidirectional=1 use_sequence_length=1 state_outputs=1",
    { "f32[4,3,1]", "f32[54]", "f32[4,3,1]", "u8[3] = 3,0,4" } },
  { "RNN",
    "lstm, lengths, both directions, projection, dropout",
    "mode=lstm state_size=2 num_layers=2 bidirectional=1 projection_size=1 p=0.3 "
    "use_sequence_length=1 state_outputs=1",
    { "f32[3,2,1]", "f32[152]", "f32[4,2,1]", "f32[4,2,2]", "i64[2] = 2,3" } },
  { "RNN",
    "half floats",
    "mode=lstm state_size=2 num_layers=1 state_outputs=1",
    { "f16[2,2,2]", "f16[48]", "f16[1,2,2]", "f16[1,2,2]" },
    OP_SKIP_GRADIENT | OP_SKIP_DOUBLE },
  { "RNN",
    "no step",
    "mode=lstm state_size=2 num_layers=2 state_outputs=1",
    { "f32[0,2,2]", "f32[96]", "f32[2,2,2]", "f32[2,2,2]" } },
  { "RNN",
    "no sequence",
    "mode=gru state_size=2 num_layers=1 state_outputs=1",
    { "f32[3,0,2]", "f32[36]", "f32[1,0,2]" } },
  { 0 },
};

static const OpRefusal refusals[] = {
  { "RNN",
    "data of two dimensions",
    "mode=gru state_size=3 num_layers=1",
    { "f32[4,3]", "f32[72]", "f32[1,3,3]" },
    "data must have 3 dimensions (steps, batch, size), not (4, 3)" },
  { "RNN",
    "too few parameters",
    "mode=gru state_size=3 num_layers=1",
    { "f32[4,2,3]", "f32[7]", "f32[1,2,3]" },
    "parameters has 7 numbers, but gru with 1 layers needs 72" },
  { "RNN",
    "state of another batch",
    "mode=gru state_size=3 num_layers=1",
    { "f32[4,2,3]", "f32[72]", "f32[1,4,3]" },
    "state: " },
  { "RNN",
    "one bound of two",
    "mode=lstm state_size=2 num_layers=1 lstm_state_clip_min=0",
    { "f32[1,1,2]", "f32[48]", "f32[1,1,2]", "f32[1,1,2]" },
    "need each other" },
  { "RNN",
    "projection of a gru",
    "mode=gru state_size=2 num_layers=1 projection_size=1",
    { "f32[1,1,2]", "f32[36]", "f32[1,1,2]" },
    "projection_size needs mode lstm" },
  { "RNN",
    "size beyond memory",
    "mode=lstm state_size=2000000000 num_layers=60000",
    { "f32[1,1,2]", "f32[36]", "f32[1,1,2]", "f32[1,1,2]" },
    "fit into memory" },
  { 0 },
};

/* --- Lengths: a batch with lengths is its sequences run one by one --- */

enum
{
  STEPS = 5,
  BATCH = 3,
  INPUT = 2,
  HIDDEN = 3,
  SLOTS = 4, /* two layers, both directions */
};

static const gint64 lengths[BATCH] = { 3, 5, 1 };

/* The columns of sequence n of a (rows, BATCH, width) tensor, first `rows` rows. */
static HybTensor *
take_sequence (HybTensor *whole, gint64 rows, gint64 n)
{
  const HybShape *shape = hyb_tensor_get_shape (whole);
  gint64          width = shape->dim[2];
  gint64          dims[] = { rows, 1, width };
  float          *values = g_new (float, rows *width);
  HybTensor      *part;

  for (gint64 t = 0; t < rows; t++)
    for (gint64 i = 0; i < width; i++)
      values[t * width + i] =
          (float) hyb_tensor_get_value (whole, (t * shape->dim[1] + n) * width + i);
  part = hyb_tensor_new_float (3, dims, values);
  g_free (values);
  return part;
}

static GPtrArray *
tensor_list (void)
{
  return g_ptr_array_new_with_free_func ((GDestroyNotify) hyb_tensor_unref);
}

static void
compare_sequence (GPtrArray *whole, GPtrArray *alone, gint64 n)
{
  HybTensor *y = whole->pdata[0];
  gint64     width = hyb_tensor_get_shape (y)->dim[2];
  g_autoptr (HybTensor) valid = take_sequence (y, lengths[n], n);

  op_assert_same (valid, alone->pdata[0], 1e-6);
  for (gint64 t = lengths[n]; t < STEPS; t++)
    for (gint64 i = 0; i < width; i++)
      g_assert_cmpfloat (hyb_tensor_get_value (y, (t * BATCH + n) * width + i), ==, 0);
  for (guint k = 1; k < alone->len; k++)
    {
      g_autoptr (HybTensor) state = take_sequence (whole->pdata[k], SLOTS, n);

      op_assert_same (state, alone->pdata[k], 1e-6);
    }
}

static void
check_lengths (const char *mode, gint64 n_parameters, gboolean has_cell)
{
  const char      *sizes = "state_size=3 num_layers=2 bidirectional=1 state_outputs=1";
  g_autofree char *without = g_strdup_printf ("mode=%s %s", mode, sizes);
  g_autofree char *with = g_strconcat (without, " use_sequence_length=1", NULL);
  g_autofree char *parameters = g_strdup_printf ("f32[%d]", (int) n_parameters);
  g_autoptr (GPtrArray) inputs = tensor_list ();
  g_autoptr (GPtrArray) whole = NULL;

  g_ptr_array_add (inputs, op_tensor_from_text ("f32[5,3,2]", 0));
  g_ptr_array_add (inputs, op_tensor_from_text (parameters, 1));
  for (guint k = 0; k < (has_cell ? 2 : 1); k++)
    g_ptr_array_add (inputs, op_tensor_from_text ("f32[4,3,3]", 2 + k));
  g_ptr_array_add (inputs, op_tensor_from_text ("i32[3] = 3,5,1", 4));
  whole = op_run_all ("RNN", with, FALSE, inputs);

  for (gint64 n = 0; n < BATCH; n++)
    {
      g_autoptr (GPtrArray) one = tensor_list ();
      g_autoptr (GPtrArray) alone = NULL;

      g_ptr_array_add (one, take_sequence (inputs->pdata[0], lengths[n], n));
      g_ptr_array_add (one, hyb_tensor_ref (inputs->pdata[1]));
      for (guint k = 2; k < inputs->len - 1; k++)
        g_ptr_array_add (one, take_sequence (inputs->pdata[k], SLOTS, n));
      alone = op_run_all ("RNN", without, FALSE, one);
      compare_sequence (whole, alone, n);
    }
}

static void
test_lengths_are_sequences_alone (void)
{
  check_lengths ("rnn_tanh", 2 * 3 * (2 + 3 + 2) + 2 * 3 * (6 + 3 + 2), FALSE);
  check_lengths ("gru", 2 * 9 * (2 + 3 + 2) + 2 * 9 * (6 + 3 + 2), FALSE);
  check_lengths ("lstm", 2 * 12 * (2 + 3 + 2) + 2 * 12 * (6 + 3 + 2), TRUE);
}

static void
test_clipping_bounds_the_cell (void)
{
  const char *with = "mode=lstm state_size=4 num_layers=1 state_outputs=1 lstm_state_clip_min=-0.1 "
                     "lstm_state_clip_max=0.15";
  g_autoptr (GPtrArray) inputs = tensor_list ();
  g_autoptr (GPtrArray) outputs = NULL;
  double low = 0, high = 0;

  g_ptr_array_add (inputs, op_tensor_from_text ("f32[6,4,3] -3..3", 0));
  g_ptr_array_add (inputs, op_tensor_from_text ("f32[144] -2..2", 1));
  g_ptr_array_add (inputs, op_tensor_from_text ("f32[1,4,4]", 2));
  g_ptr_array_add (inputs, op_tensor_from_text ("f32[1,4,4]", 3));
  outputs = op_run_all ("RNN", with, FALSE, inputs);
  for (gint64 i = 0; i < 16; i++)
    {
      low = MIN (low, hyb_tensor_get_value (outputs->pdata[2], i));
      high = MAX (high, hyb_tensor_get_value (outputs->pdata[2], i));
    }
  g_assert_cmpfloat_with_epsilon (low, -0.1, 1e-6);
  g_assert_cmpfloat_with_epsilon (high, 0.15, 1e-6);
}

/* NaN in the initial cell stays, or with lstm_state_clip_nan becomes the minimum. */
static void
test_clipping_of_nan_is_a_choice (void)
{
  const char      *stays = "mode=lstm state_size=1 num_layers=1 state_outputs=1 "
                           "lstm_state_clip_min=-0.5 lstm_state_clip_max=0.5";
  g_autofree char *goes = g_strconcat (stays, " lstm_state_clip_nan=True", NULL);
  g_autoptr (GPtrArray) inputs = tensor_list ();
  g_autoptr (GPtrArray) a = NULL;
  g_autoptr (GPtrArray) b = NULL;

  g_ptr_array_add (inputs, op_tensor_from_text ("f32[1,1,1]", 0));
  g_ptr_array_add (inputs, op_tensor_from_text ("f32[16]", 1));
  g_ptr_array_add (inputs, op_tensor_from_text ("f32[1,1,1]", 2));
  g_ptr_array_add (inputs, op_tensor_from_text ("f32[1,1,1] = nan", 3));
  a = op_run_all ("RNN", stays, FALSE, inputs);
  b = op_run_all ("RNN", goes, FALSE, inputs);
  g_assert_true (isnan (hyb_tensor_get_value (a->pdata[2], 0)));
  g_assert_cmpfloat (hyb_tensor_get_value (b->pdata[2], 0), ==, -0.5);
}

/* p = 0.5 between layers of relu cells that pass their input on, so outputs are 0 or twice the
 * input. */
static void
test_dropout_is_between_layers_and_scaled (void)
{
  /* Weights: layer 0 i2h, h2h, layer 1 i2h, h2h; biases zero. */
  const char *attributes = "mode=rnn_relu state_size=1 num_layers=2 p=0.5";
  g_autoptr (GPtrArray) inputs = tensor_list ();
  g_autoptr (GPtrArray) outputs = NULL;
  g_autoptr (GPtrArray) calm = NULL;
  guint n_dropped = 0;

  g_ptr_array_add (inputs, op_tensor_from_text ("f32[1,200,1] = 1", 0));
  g_ptr_array_add (inputs, op_tensor_from_text ("f32[8] = 1,0,1,0,0", 1));
  g_ptr_array_add (inputs, op_tensor_from_text ("f32[2,200,1] = 0", 2));
  outputs = op_run_all ("RNN", attributes, TRUE, inputs);
  calm = op_run_all ("RNN", attributes, FALSE, inputs);
  for (gint64 i = 0; i < 200; i++)
    {
      double y = hyb_tensor_get_value (outputs->pdata[0], i);

      g_assert_true (y == 0 || y == 2);
      n_dropped += y == 0;
      g_assert_cmpfloat (hyb_tensor_get_value (calm->pdata[0], i), ==, 1);
    }
  g_assert_cmpuint (n_dropped, >, 60);
  g_assert_cmpuint (n_dropped, <, 140);
}

/* What is kept for the gradient has the type that the kernel computes in, which for integers is
 * float64. */
static void
test_integers_keep_float64_for_the_gradient (void)
{
  g_autoptr (GPtrArray) inputs = tensor_list ();
  g_autoptr (GPtrArray) outputs = NULL;

  g_ptr_array_add (inputs, op_tensor_from_text ("i32[4,2,3]", 0));
  g_ptr_array_add (inputs, op_tensor_from_text ("i32[150]", 1));
  g_ptr_array_add (inputs, op_tensor_from_text ("i32[1,2,5]", 2));
  outputs = op_run_all ("_rnn_recording", "mode=gru state_size=5 num_layers=1", TRUE, inputs);
  g_assert_cmpint (hyb_tensor_get_dtype (outputs->pdata[0]), ==, HYB_I32);
  g_assert_cmpint (hyb_tensor_get_dtype (outputs->pdata[outputs->len - 1]), ==, HYB_F64);
}

TEST_PROGRAM (test_rnn)
{
  g_test_init (&argc, &argv, NULL);

  op_check_family ("rnn", hyb_ops_rnn, samples, refusals);
  g_test_add_func ("/engine/ops/rnn/lengths-are-sequences-alone", test_lengths_are_sequences_alone);
  g_test_add_func ("/engine/ops/rnn/clipping-bounds-the-cell", test_clipping_bounds_the_cell);
  g_test_add_func ("/engine/ops/rnn/clipping-of-nan-is-a-choice", test_clipping_of_nan_is_a_choice);
  g_test_add_func ("/engine/ops/rnn/dropout-is-between-layers-and-scaled",
                   test_dropout_is_between_layers_and_scaled);
  g_test_add_func ("/engine/ops/rnn/integers-keep-float64-for-the-gradient",
                   test_integers_keep_float64_for_the_gradient);

  return g_test_run ();
}
