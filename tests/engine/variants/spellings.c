/* spellings.c — formulas of one step of a cell, and models that repeat them.
 *
 * Each function writes one step and sets h and c; the table at the end lists the functions.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/engine/variants/spelling-text.h"

/* --- LSTM --- */

/* The new states from the gates i, f, g, o. */
static void
finish_lstm (ModelText *text, const HybValueId *gates)
{
  HybValueId kept = spelling_mul (text, spelling_unary (text, "sigmoid", gates[1], NULL), text->c);
  HybValueId added = spelling_mul (text, spelling_unary (text, "sigmoid", gates[0], NULL),
                                   spelling_unary (text, "Activation", gates[2], "act_type=tanh"));

  text->c = spelling_add (text, kept, added);
  text->h = spelling_mul (text, spelling_unary (text, "sigmoid", gates[3], NULL),
                          spelling_unary (text, "tanh", text->c, NULL));
}

static void
split_lstm (ModelText *text, HybValueId all, const guint *order)
{
  HybValueId first = spelling_unary (text, "SliceChannel", all, "num_outputs=4;axis=1"), gates[4];

  for (guint g = 0; g < 4; g++)
    gates[g] = first + order[g];
  finish_lstm (text, gates);
}

static const guint usual[] = { 0, 1, 2, 3 }, older[] = { 0, 3, 1, 2 };

static void
lstm (ModelText *text)
{
  split_lstm (text, spelling_products (text, "lstm", 4 * UNITS), usual);
}

static void
lstm_older_order (ModelText *text)
{
  split_lstm (text, spelling_products (text, "lstm", 4 * UNITS), older);
}

static void
lstm_sliced (ModelText *text)
{
  static const char *const ranges[] = { "axis=1;begin=0;end=5", "axis=-1;begin=5;end=10",
                                        "axis=1;begin=10;end=15", "axis=1;begin=15;end=None" };
  HybValueId               all = spelling_products (text, "lstm", 4 * UNITS), gates[4];

  for (guint g = 0; g < 4; g++)
    gates[g] = spelling_unary (text, "slice_axis", all, ranges[g]);
  finish_lstm (text, gates);
}

static void
lstm_by_gate (ModelText *text)
{
  static const char *const names[] = { "in", "forget", "transform", "out" };
  HybValueId               gates[4];

  for (guint g = 0; g < 4; g++)
    gates[g] = spelling_products (text, names[g], UNITS);
  finish_lstm (text, gates);
}

/* The state is projected to another size. */
static void
lstm_projected (ModelText *text)
{
  HybValueId all = spelling_add (text, spelling_product (text, text->x, "i2h", 4 * UNITS, WIDTH),
                                 spelling_product (text, text->h, "h2h", 4 * UNITS, PROJECTED));

  split_lstm (text, all, usual);
  text->h = spelling_plain_product (text, text->h, "h2r", PROJECTED, UNITS);
}

/* x R instead of x Rᵀ, of the same size as without projection. */
static void
lstm_projected_by_dot (ModelText *text)
{
  lstm (text);
  text->h = spelling_binary (text, "dot", text->h, spelling_weight (text, "h2r", UNITS, UNITS));
}

/* Something else multiplies the outputs; the state is not projected. */
static void
lstm_multiplied (ModelText *text)
{
  lstm (text);
  text->also = spelling_plain_product (text, text->h, "decoder", PROJECTED, UNITS);
}

static void
lstm_without_biases (ModelText *text)
{
  split_lstm (text,
              spelling_add (text, spelling_plain_product (text, text->x, "i2h", 4 * UNITS, WIDTH),
                            spelling_plain_product (text, text->h, "h2h", 4 * UNITS, UNITS)),
              usual);
}

/* x W + h U + b, as in the formulas of papers. */
static void
lstm_by_dot (ModelText *text)
{
  HybValueId sum = spelling_add (text,
                                 spelling_binary (text, "dot", text->x,
                                                  spelling_weight (text, "W", WIDTH, 4 * UNITS)),
                                 spelling_binary (text, "dot", text->h,
                                                  spelling_weight (text, "U", UNITS, 4 * UNITS)));

  split_lstm (text,
              spelling_binary (text, "broadcast_add", sum,
                               spelling_weight (text, "b", 4 * UNITS, 0)),
              usual);
}

static void
lstm_joined (ModelText *text)
{
  split_lstm (text,
              spelling_product (text, spelling_join (text, text->x, text->h), "W", 4 * UNITS,
                                WIDTH + UNITS),
              usual);
}

static void
lstm_joined_state_first (ModelText *text)
{
  static const char *const names[] = { "in", "forget", "transform", "out" };
  HybValueId               both = spelling_join (text, text->h, text->x), gates[4];

  for (guint g = 0; g < 4; g++)
    gates[g] = spelling_product (text, both, names[g], UNITS, WIDTH + UNITS);
  finish_lstm (text, gates);
}

static void
lstm_joined_by_dot (ModelText *text)
{
  HybValueId sum = spelling_binary (text, "dot", spelling_join (text, text->x, text->h),
                                    spelling_weight (text, "W", WIDTH + UNITS, 4 * UNITS));

  split_lstm (text,
              spelling_binary (text, "broadcast_add", sum,
                               spelling_weight (text, "b", 4 * UNITS, 0)),
              older);
}

/* --- One product of the inputs of all steps --- */

#define FIRST_AXIS "axis=0;num_outputs=4;squeeze_axis=True"

/* The products of the inputs of all steps, split by step. */
static HybValueId
split_inputs (ModelText *text, gint64 rows)
{
  HybValueId all = spelling_product (text, text->data, "i2h_weight", rows, WIDTH);

  return spelling_unary (text, "SliceChannel", all, FIRST_AXIS);
}

/* The new states from text->all, the products of the inputs by step. */
static void
finish_batched_lstm (ModelText *text)
{
  HybValueId state = spelling_product (text, text->h, "h2h_weight", 4 * UNITS, UNITS);

  split_lstm (text, spelling_add (text, text->all + text->step, state), usual);
}

static void
lstm_batched (ModelText *text)
{
  if (text->step == 0)
    text->all = split_inputs (text, 4 * UNITS);
  finish_batched_lstm (text);
}

/* The product of all steps is also an output. */
static void
lstm_batched_and_read (ModelText *text)
{
  if (text->step == 0)
    {
      text->also = spelling_product (text, text->data, "i2h_weight", 4 * UNITS, WIDTH);
      text->all = spelling_unary (text, "SliceChannel", text->also, FIRST_AXIS);
    }
  finish_batched_lstm (text);
}

/* The product has the layout (batch, steps, width). */
static void
lstm_batched_second_axis (ModelText *text)
{
  if (text->step == 0)
    {
      text->all = spelling_unary (text, "SwapAxis", text->data, "dim1=0;dim2=1");
      text->all = spelling_product (text, text->all, "i2h_weight", 4 * UNITS, WIDTH);
      text->all = spelling_unary (text, "SliceChannel", text->all,
                                  "axis=1;num_outputs=4;squeeze_axis=True");
    }
  finish_batched_lstm (text);
}

/* The inputs are reshaped to (steps × batch, width), the product back. */
static void
lstm_batched_in_rows (ModelText *text)
{
  if (text->step == 0)
    {
      text->all = spelling_unary (text, "Reshape", text->data, "shape=(-1, 3)");
      text->all = spelling_product (text, text->all, "i2h_weight", 4 * UNITS, WIDTH);
      text->all = spelling_unary (text, "Reshape", text->all, "shape=(4, -1, 20)");
      text->all = spelling_unary (text, "SliceChannel", text->all, FIRST_AXIS);
    }
  finish_batched_lstm (text);
}

static HybValueId
rows_of_step (ModelText *text, HybValueId rows)
{
  g_autofree char *range =
      g_strdup_printf ("axis=0;begin=%u;end=%u", text->step * BATCH, (text->step + 1) * BATCH);

  return spelling_unary (text, "slice_axis", rows, range);
}

static void
lstm_batched_cut_by_rows (ModelText *text)
{
  if (text->step == 0)
    {
      text->all = spelling_unary (text, "Reshape", text->data, "shape=(-3, 0)");
      text->all = spelling_product (text, text->all, "i2h_weight", 4 * UNITS, WIDTH);
    }
  split_lstm (text,
              spelling_add (text, rows_of_step (text, text->all),
                            spelling_product (text, text->h, "h2h_weight", 4 * UNITS, UNITS)),
              older);
}

/* The inputs are rows from the start: all of step 0, then all of step 1. */
static void
lstm_batched_from_steps (ModelText *text)
{
  HybValueId steps[STEPS];

  for (guint t = 0; t < STEPS; t++)
    steps[t] = text->x + t;
  if (text->step == 0)
    {
      text->all = spelling_call (text, "Concat", STEPS, steps, "dim=0;num_args=4");
      text->all = spelling_product (text, text->all, "i2h_weight", 4 * UNITS, WIDTH);
      text->all = spelling_unary (text, "SliceChannel", text->all, "axis=0;num_outputs=4");
    }
  finish_batched_lstm (text);
}

/* The product is split into gates first, then into steps. */
static void
lstm_batched_gates_first (ModelText *text)
{
  HybValueId gates[4];

  if (text->step == 0)
    {
      HybValueId all = spelling_product (text, text->data, "i2h_weight", 4 * UNITS, WIDTH);
      HybValueId parts = spelling_unary (text, "SliceChannel", all, "num_outputs=4;axis=2");

      for (guint g = 0; g < 4; g++)
        {
          HybValueId steps = spelling_unary (text, "SliceChannel", parts + g, FIRST_AXIS);

          text->all = g == 0 ? steps : text->all;
        }
    }
  for (guint g = 0; g < 4; g++)
    {
      g_autofree char *name = g_strdup_printf ("h2h%u_weight", g);

      gates[g] = spelling_add (text, text->all + g * STEPS + text->step,
                               spelling_plain_product (text, text->h, name, UNITS, UNITS));
    }
  finish_lstm (text, gates);
}

/* --- GRU --- */

/* r, z: sums of products; candidate: product of the input; again: product of the state. */
static void
finish_gru (ModelText *text, HybValueId r, HybValueId z, HybValueId candidate, HybValueId again)
{
  HybValueId n =
      spelling_add (text, candidate,
                    spelling_mul (text, spelling_unary (text, "sigmoid", r, NULL), again));

  n = spelling_unary (text, "tanh", n, NULL);
  z = spelling_unary (text, "sigmoid", z, NULL);
  text->h =
      spelling_add (text,
                    spelling_mul (text, spelling_unary (text, "_rminus_scalar", z, "scalar=1"), n),
                    spelling_mul (text, z, text->h));
}

static void
gru_by_gate (ModelText *text)
{
  HybValueId r = spelling_products (text, "r", UNITS), z = spelling_products (text, "z", UNITS);

  finish_gru (text, r, z, spelling_product (text, text->x, "n_i2h", UNITS, WIDTH),
              spelling_product (text, text->h, "n_h2h", UNITS, UNITS));
}

static void
gru_joined (ModelText *text)
{
  HybValueId both = spelling_join (text, text->x, text->h);
  HybValueId gates = spelling_product (text, both, "gates", 2 * UNITS, WIDTH + UNITS);

  gates = spelling_unary (text, "SliceChannel", gates, "num_outputs=2;axis=1");
  finish_gru (text, gates, gates + 1, spelling_product (text, text->x, "n_i2h", UNITS, WIDTH),
              spelling_product (text, text->h, "n_h2h", UNITS, UNITS));
}

/* n + z (h − n) */
static void
gru_by_difference (ModelText *text)
{
  HybValueId x = spelling_product (text, text->x, "i2h", 3 * UNITS, WIDTH);
  HybValueId s = spelling_product (text, text->h, "h2h", 3 * UNITS, UNITS), n, z;

  x = spelling_unary (text, "SliceChannel", x, "num_outputs=3;axis=1");
  s = spelling_unary (text, "SliceChannel", s, "num_outputs=3;axis=1");
  n = spelling_mul (text, spelling_unary (text, "sigmoid", spelling_add (text, x, s), NULL), s + 2);
  n = spelling_unary (text, "tanh", spelling_add (text, x + 2, n), NULL);
  z = spelling_unary (text, "sigmoid", spelling_add (text, x + 1, s + 1), NULL);
  text->h =
      spelling_add (text, n,
                    spelling_mul (text, z, spelling_binary (text, "elemwise_sub", text->h, n)));
}

static void
gru_batched (ModelText *text)
{
  HybValueId x, s;

  if (text->step == 0)
    text->all = split_inputs (text, 3 * UNITS);
  x = spelling_unary (text, "SliceChannel", text->all + text->step, "num_outputs=3;axis=1");
  s = spelling_product (text, text->h, "h2h_weight", 3 * UNITS, UNITS);
  s = spelling_unary (text, "SliceChannel", s, "num_outputs=3;axis=1");
  finish_gru (text, spelling_add (text, x, s), spelling_add (text, x + 1, s + 1), x + 2, s + 2);
}

/* The state is reset before its product. */
static void
gru_reset_before (ModelText *text)
{
  HybValueId r = spelling_unary (text, "sigmoid", spelling_products (text, "r", UNITS), NULL);
  HybValueId z = spelling_unary (text, "sigmoid", spelling_products (text, "z", UNITS), NULL);
  HybValueId again =
      spelling_product (text, spelling_mul (text, r, text->h), "n_h2h", UNITS, UNITS);
  HybValueId n =
      spelling_add (text, spelling_product (text, text->x, "n_i2h", UNITS, WIDTH), again);

  text->h =
      spelling_add (text,
                    spelling_mul (text, spelling_unary (text, "_rminus_scalar", z, "scalar=1"),
                                  spelling_unary (text, "tanh", n, NULL)),
                    spelling_mul (text, z, text->h));
}

/* --- Plain cells --- */

static void
rnn_tanh (ModelText *text)
{
  text->h = spelling_unary (text, "tanh", spelling_products (text, "rnn", UNITS), NULL);
}

static void
rnn_relu_joined (ModelText *text)
{
  text->h = spelling_unary (text, "relu",
                            spelling_product (text, spelling_join (text, text->x, text->h), "W",
                                              UNITS, WIDTH + UNITS),
                            NULL);
}

static void
rnn_batched (ModelText *text)
{
  if (text->step == 0)
    text->all = split_inputs (text, UNITS);
  text->h = spelling_unary (text, "Activation",
                            spelling_add (text, text->all + text->step,
                                          spelling_plain_product (text, text->h, "h2h_weight",
                                                                  UNITS, UNITS)),
                            "act_type=tanh");
}

/* --- All spellings --- */

static const struct
{
  Spelling spelling;
  void (*write_step) (ModelText *text);
  gboolean has_memory;
  gint64   state; /* size of h; 0: UNITS */
} rows[] = {
  { { "lstm-all-gates-in-one", "lstm" }, lstm, TRUE },
  { { "lstm-older-order-of-gates", "lstm" }, lstm_older_order, TRUE },
  { { "lstm-cut-by-slice-axis", "lstm" }, lstm_sliced, TRUE },
  { { "lstm-one-product-a-gate", "lstm" }, lstm_by_gate, TRUE },
  { { "lstm-without-biases", "lstm" }, lstm_without_biases, TRUE },
  { { "lstm-by-dot-and-a-bias-added", "lstm" }, lstm_by_dot, TRUE },
  { { "lstm-input-and-state-in-one-product", "lstm" }, lstm_joined, TRUE },
  { { "lstm-state-and-input-in-one-product-a-gate", "lstm" }, lstm_joined_state_first, TRUE },
  { { "lstm-input-and-state-in-one-dot", "lstm" }, lstm_joined_by_dot, TRUE },
  { { "lstm-input-batched-over-time", "lstm" }, lstm_batched, TRUE },
  { { "lstm-input-batched-and-read-as-a-whole", "lstm" }, lstm_batched_and_read, TRUE },
  { { "lstm-input-batched-with-time-second", "lstm" }, lstm_batched_second_axis, TRUE },
  { { "lstm-input-batched-in-rows", "lstm" }, lstm_batched_in_rows, TRUE },
  { { "lstm-input-batched-and-cut-by-rows", "lstm" }, lstm_batched_cut_by_rows, TRUE },
  { { "lstm-input-batched-from-steps", "lstm" }, lstm_batched_from_steps, TRUE },
  { { "lstm-input-batched-gates-cut-first", "lstm" }, lstm_batched_gates_first, TRUE },
  { { "lstm-with-projection", "lstmp" }, lstm_projected, TRUE, PROJECTED },
  { { "lstm-with-projection-by-dot", "lstmp" }, lstm_projected_by_dot, TRUE },
  { { "lstm-whose-output-is-multiplied", "lstm" }, lstm_multiplied, TRUE },
  { { "gru-one-product-a-gate", "gru" }, gru_by_gate, FALSE },
  { { "gru-gates-in-one-product", "gru" }, gru_joined, FALSE },
  { { "gru-by-difference", "gru" }, gru_by_difference, FALSE },
  { { "gru-input-batched-over-time", "gru" }, gru_batched, FALSE },
  { { "gru-reset-before-the-product", "gru_reset_before",
      "its reset gate comes before the product" },
    gru_reset_before,
    FALSE },
  { { "rnn-tanh", "rnn_tanh" }, rnn_tanh, FALSE },
  { { "rnn-relu-input-and-state-in-one-product", "rnn_relu" }, rnn_relu_joined, FALSE },
  { { "rnn-input-batched-over-time", "rnn_tanh" }, rnn_batched, FALSE },
};

static HybValueId
begin (ModelText *text, const char *name, gint64 size, gboolean is_learnt)
{
  g_autofree char *shape = g_strdup_printf ("shape=(%d, %d)", BATCH, (int) size);

  return is_learnt ? spelling_weight (text, name, BATCH, size)
                   : spelling_call (text, "_zeros", 0, NULL, shape);
}

const Spelling *
spelling_get (guint index)
{
  return index < G_N_ELEMENTS (rows) ? &rows[index].spelling : NULL;
}

HybModel *
spelling_write (guint row, gboolean has_learnt_states, gboolean is_last_only)
{
  ModelText  text = { hyb_model_new (), hyb_builder_new (), .also = HYB_NO_ID };
  HybValueId first, outputs[STEPS], head;
  g_autoptr (HybGraph) graph = NULL;

  text.data = hyb_builder_add_variable (text.builder, "data", NULL);
  first =
      spelling_unary (&text, "SliceChannel", text.data, "axis=0;num_outputs=4;squeeze_axis=True");
  text.h =
      begin (&text, "begin_h", rows[row].state > 0 ? rows[row].state : UNITS, has_learnt_states);
  if (rows[row].has_memory)
    text.c = begin (&text, "begin_c", UNITS, has_learnt_states);
  for (guint t = 0; t < STEPS; t++)
    {
      text.step = t;
      text.x = first + t;
      rows[row].write_step (&text);
      outputs[t] = text.h;
    }
  head =
      is_last_only ? text.h : spelling_call (&text, "stack", STEPS, outputs, "axis=0;num_args=4");
  hyb_builder_add_head (text.builder, head);
  if (text.also != HYB_NO_ID)
    hyb_builder_add_head (text.builder, text.also);
  graph = hyb_builder_freeze (text.builder);
  hyb_model_set_graph (text.model, graph);
  return text.model;
}

HybTensorList *
spelling_input (void)
{
  HybTensorList *list = hyb_tensor_list_new ();
  HybType        type = { hyb_shape_3d (STEPS, BATCH, WIDTH), HYB_F32 };
  g_autoptr (HybTensor) flat = spelling_random (7, STEPS * BATCH * WIDTH, 0);
  g_autoptr (HybTensor) data = hyb_tensor_new_view (flat, &type, 0);

  hyb_tensor_list_set (list, "data", data);
  return list;
}
