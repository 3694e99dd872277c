/* spellings.c — formulas of one step of a cell, and models that repeat them.
 *
 * Each function writes one step and sets h and c; the table at the end lists the functions.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/engine/variants/spellings.h"

#include "engine/base/random.h"
#include "engine/graph/builder.h"

#include <string.h>

/* The model that is written. */
typedef struct
{
  HybModel   *model;
  HybBuilder *builder;
  HybValueId  data, x; /* all inputs (steps, batch, width); that of the step (batch, width) */
  HybValueId  h, c;
  HybValueId  all;  /* a product for all steps; HYB_NO_ID: not made */
  HybValueId  also; /* another head; HYB_NO_ID: none */
  guint       step;
} ModelText;

/* --- Operators --- */

static HybTensor *
make_random (guint64 seed, gint64 rows, gint64 columns)
{
  HybType    type = { columns > 0 ? hyb_shape_2d (rows, columns) : hyb_shape_1d (rows), HYB_F32 };
  HybTensor *tensor = hyb_tensor_new (&type, NULL);

  for (gint64 i = 0; i < hyb_tensor_get_size (tensor); i++)
    ((float *) hyb_tensor_get_data (tensor))[i] =
        (float) (hyb_random_uniform (seed, (guint64) i) - 0.5);
  return tensor;
}

/* The parameter with this name, made with random values at its first use.  columns 0: a vector. */
static HybValueId
weight (ModelText *text, const char *name, gint64 rows, gint64 columns)
{
  for (HybNodeId id = 0; id < hyb_builder_n_nodes (text->builder); id++)
    if (strcmp (hyb_builder_get_node (text->builder, id)->name, name) == 0)
      return hyb_builder_output (text->builder, id, 0);
  {
    g_autoptr (HybTensor) tensor = make_random (g_str_hash (name), rows, columns);

    hyb_model_set_parameter (text->model, name, tensor);
  }
  return hyb_builder_add_variable (text->builder, name, NULL);
}

static HybValueId
call (ModelText *text, const char *op, guint n, const HybValueId *inputs, const char *attributes)
{
  g_autofree char *name = g_strdup_printf ("n%u", hyb_builder_n_nodes (text->builder));
  g_auto (GStrv) words = g_strsplit_set (attributes ? attributes : "", "=;", -1);
  g_autoptr (GError) error = NULL;
  HybValueId value = hyb_builder_call (text->builder,
                                       op,
                                       &(HybNodeSpec){ .name = name,
                                                       .n_inputs = n,
                                                       .inputs = inputs,
                                                       .attributes = (const char *const *) words },
                                       &error);

  g_assert_no_error (error);
  return value;
}

static HybValueId
unary (ModelText *text, const char *op, HybValueId x, const char *attributes)
{
  return call (text, op, 1, &x, attributes);
}

static HybValueId
binary (ModelText *text, const char *op, HybValueId a, HybValueId b)
{
  return call (text, op, 2, (const HybValueId[]){ a, b }, NULL);
}

static HybValueId
add (ModelText *text, HybValueId a, HybValueId b)
{
  return binary (text, "elemwise_add", a, b);
}

static HybValueId
mul (ModelText *text, HybValueId a, HybValueId b)
{
  return binary (text, "elemwise_mul", a, b);
}

static HybValueId
join (ModelText *text, HybValueId a, HybValueId b)
{
  return call (text, "Concat", 2, (const HybValueId[]){ a, b }, "dim=1;num_args=2");
}

static HybValueId
call_product (ModelText *text, guint n_inputs, const HybValueId *inputs, gint64 rows)
{
  g_autofree char *attributes = g_strdup_printf ("num_hidden=%d;flatten=False;no_bias=%s",
                                                 (int) rows,
                                                 n_inputs == 2 ? "True" : "False");

  return call (text, "FullyConnected", n_inputs, inputs, attributes);
}

/* x Wᵀ + b; W is rows × columns. */
static HybValueId
product (ModelText *text, HybValueId x, const char *name, gint64 rows, gint64 columns)
{
  g_autofree char *bias = g_strconcat (name, "_bias", NULL);
  HybValueId       w = weight (text, name, rows, columns), b = weight (text, bias, rows, 0);

  return call_product (text, 3, (HybValueId[]){ x, w, b }, rows);
}

/* x Wᵀ; W is rows × columns. */
static HybValueId
plain_product (ModelText *text, HybValueId x, const char *name, gint64 rows, gint64 columns)
{
  return call_product (text, 2, (HybValueId[]){ x, weight (text, name, rows, columns) }, rows);
}

/* The sum of a product of the input and one of the state. */
static HybValueId
products (ModelText *text, const char *gate, gint64 rows)
{
  g_autofree char *i2h = g_strconcat (gate, "_i2h_weight", NULL);
  g_autofree char *h2h = g_strconcat (gate, "_h2h_weight", NULL);

  return add (text,
              product (text, text->x, i2h, rows, WIDTH),
              product (text, text->h, h2h, rows, UNITS));
}

/* --- LSTM --- */

/* The new states from the gates i, f, g, o. */
static void
finish_lstm (ModelText *text, const HybValueId *gates)
{
  HybValueId kept = mul (text, unary (text, "sigmoid", gates[1], NULL), text->c);
  HybValueId added = mul (text,
                          unary (text, "sigmoid", gates[0], NULL),
                          unary (text, "Activation", gates[2], "act_type=tanh"));

  text->c = add (text, kept, added);
  text->h =
      mul (text, unary (text, "sigmoid", gates[3], NULL), unary (text, "tanh", text->c, NULL));
}

static void
split_lstm (ModelText *text, HybValueId all, const guint *order)
{
  HybValueId first = unary (text, "SliceChannel", all, "num_outputs=4;axis=1"), gates[4];

  for (guint g = 0; g < 4; g++)
    gates[g] = first + order[g];
  finish_lstm (text, gates);
}

static const guint usual[] = { 0, 1, 2, 3 }, older[] = { 0, 3, 1, 2 };

static void
lstm (ModelText *text)
{
  split_lstm (text, products (text, "lstm", 4 * UNITS), usual);
}

static void
lstm_older_order (ModelText *text)
{
  split_lstm (text, products (text, "lstm", 4 * UNITS), older);
}

static void
lstm_sliced (ModelText *text)
{
  static const char *const ranges[] = { "axis=1;begin=0;end=5",
                                        "axis=-1;begin=5;end=10",
                                        "axis=1;begin=10;end=15",
                                        "axis=1;begin=15;end=None" };
  HybValueId               all = products (text, "lstm", 4 * UNITS), gates[4];

  for (guint g = 0; g < 4; g++)
    gates[g] = unary (text, "slice_axis", all, ranges[g]);
  finish_lstm (text, gates);
}

static void
lstm_by_gate (ModelText *text)
{
  static const char *const names[] = { "in", "forget", "transform", "out" };
  HybValueId               gates[4];

  for (guint g = 0; g < 4; g++)
    gates[g] = products (text, names[g], UNITS);
  finish_lstm (text, gates);
}

static void
lstm_without_biases (ModelText *text)
{
  split_lstm (text,
              add (text,
                   plain_product (text, text->x, "i2h", 4 * UNITS, WIDTH),
                   plain_product (text, text->h, "h2h", 4 * UNITS, UNITS)),
              usual);
}

/* x W + h U + b, as in the formulas of papers. */
static void
lstm_by_dot (ModelText *text)
{
  HybValueId sum = add (text,
                        binary (text, "dot", text->x, weight (text, "W", WIDTH, 4 * UNITS)),
                        binary (text, "dot", text->h, weight (text, "U", UNITS, 4 * UNITS)));

  split_lstm (text, binary (text, "broadcast_add", sum, weight (text, "b", 4 * UNITS, 0)), usual);
}

static void
lstm_joined (ModelText *text)
{
  split_lstm (text,
              product (text, join (text, text->x, text->h), "W", 4 * UNITS, WIDTH + UNITS),
              usual);
}

static void
lstm_joined_state_first (ModelText *text)
{
  static const char *const names[] = { "in", "forget", "transform", "out" };
  HybValueId               both = join (text, text->h, text->x), gates[4];

  for (guint g = 0; g < 4; g++)
    gates[g] = product (text, both, names[g], UNITS, WIDTH + UNITS);
  finish_lstm (text, gates);
}

static void
lstm_joined_by_dot (ModelText *text)
{
  HybValueId sum = binary (text,
                           "dot",
                           join (text, text->x, text->h),
                           weight (text, "W", WIDTH + UNITS, 4 * UNITS));

  split_lstm (text, binary (text, "broadcast_add", sum, weight (text, "b", 4 * UNITS, 0)), older);
}

/* --- One product of the inputs of all steps --- */

#define FIRST_AXIS "axis=0;num_outputs=4;squeeze_axis=True"

/* The products of the inputs of all steps, split by step. */
static HybValueId
split_inputs (ModelText *text, gint64 rows)
{
  HybValueId all = product (text, text->data, "i2h_weight", rows, WIDTH);

  return unary (text, "SliceChannel", all, FIRST_AXIS);
}

/* The new states from text->all, the products of the inputs by step. */
static void
finish_batched_lstm (ModelText *text)
{
  HybValueId state = product (text, text->h, "h2h_weight", 4 * UNITS, UNITS);

  split_lstm (text, add (text, text->all + text->step, state), usual);
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
      text->also = product (text, text->data, "i2h_weight", 4 * UNITS, WIDTH);
      text->all = unary (text, "SliceChannel", text->also, FIRST_AXIS);
    }
  finish_batched_lstm (text);
}

/* The product has the layout (batch, steps, width). */
static void
lstm_batched_second_axis (ModelText *text)
{
  if (text->step == 0)
    {
      text->all = unary (text, "SwapAxis", text->data, "dim1=0;dim2=1");
      text->all = product (text, text->all, "i2h_weight", 4 * UNITS, WIDTH);
      text->all = unary (text, "SliceChannel", text->all, "axis=1;num_outputs=4;squeeze_axis=True");
    }
  finish_batched_lstm (text);
}

/* The inputs are reshaped to (steps × batch, width), the product back. */
static void
lstm_batched_in_rows (ModelText *text)
{
  if (text->step == 0)
    {
      text->all = unary (text, "Reshape", text->data, "shape=(-1, 3)");
      text->all = product (text, text->all, "i2h_weight", 4 * UNITS, WIDTH);
      text->all = unary (text, "Reshape", text->all, "shape=(4, -1, 20)");
      text->all = unary (text, "SliceChannel", text->all, FIRST_AXIS);
    }
  finish_batched_lstm (text);
}

static HybValueId
rows_of_step (ModelText *text, HybValueId rows)
{
  g_autofree char *range =
      g_strdup_printf ("axis=0;begin=%u;end=%u", text->step * BATCH, (text->step + 1) * BATCH);

  return unary (text, "slice_axis", rows, range);
}

static void
lstm_batched_cut_by_rows (ModelText *text)
{
  if (text->step == 0)
    {
      text->all = unary (text, "Reshape", text->data, "shape=(-3, 0)");
      text->all = product (text, text->all, "i2h_weight", 4 * UNITS, WIDTH);
    }
  split_lstm (text,
              add (text,
                   rows_of_step (text, text->all),
                   product (text, text->h, "h2h_weight", 4 * UNITS, UNITS)),
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
      text->all = call (text, "Concat", STEPS, steps, "dim=0;num_args=4");
      text->all = product (text, text->all, "i2h_weight", 4 * UNITS, WIDTH);
      text->all = unary (text, "SliceChannel", text->all, "axis=0;num_outputs=4");
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
      HybValueId all = product (text, text->data, "i2h_weight", 4 * UNITS, WIDTH);
      HybValueId parts = unary (text, "SliceChannel", all, "num_outputs=4;axis=2");

      for (guint g = 0; g < 4; g++)
        {
          HybValueId steps = unary (text, "SliceChannel", parts + g, FIRST_AXIS);

          text->all = g == 0 ? steps : text->all;
        }
    }
  for (guint g = 0; g < 4; g++)
    {
      g_autofree char *name = g_strdup_printf ("h2h%u_weight", g);

      gates[g] = add (text,
                      text->all + g * STEPS + text->step,
                      plain_product (text, text->h, name, UNITS, UNITS));
    }
  finish_lstm (text, gates);
}

/* --- GRU --- */

/* r, z: sums of products; candidate: product of the input; again: product of the state. */
static void
finish_gru (ModelText *text, HybValueId r, HybValueId z, HybValueId candidate, HybValueId again)
{
  HybValueId n = add (text, candidate, mul (text, unary (text, "sigmoid", r, NULL), again));

  n = unary (text, "tanh", n, NULL);
  z = unary (text, "sigmoid", z, NULL);
  text->h = add (text,
                 mul (text, unary (text, "_rminus_scalar", z, "scalar=1"), n),
                 mul (text, z, text->h));
}

static void
gru_by_gate (ModelText *text)
{
  HybValueId r = products (text, "r", UNITS), z = products (text, "z", UNITS);

  finish_gru (text,
              r,
              z,
              product (text, text->x, "n_i2h", UNITS, WIDTH),
              product (text, text->h, "n_h2h", UNITS, UNITS));
}

static void
gru_joined (ModelText *text)
{
  HybValueId both = join (text, text->x, text->h);
  HybValueId gates = product (text, both, "gates", 2 * UNITS, WIDTH + UNITS);

  gates = unary (text, "SliceChannel", gates, "num_outputs=2;axis=1");
  finish_gru (text,
              gates,
              gates + 1,
              product (text, text->x, "n_i2h", UNITS, WIDTH),
              product (text, text->h, "n_h2h", UNITS, UNITS));
}

/* n + z (h − n) */
static void
gru_by_difference (ModelText *text)
{
  HybValueId x = product (text, text->x, "i2h", 3 * UNITS, WIDTH);
  HybValueId s = product (text, text->h, "h2h", 3 * UNITS, UNITS), n, z;

  x = unary (text, "SliceChannel", x, "num_outputs=3;axis=1");
  s = unary (text, "SliceChannel", s, "num_outputs=3;axis=1");
  n = mul (text, unary (text, "sigmoid", add (text, x, s), NULL), s + 2);
  n = unary (text, "tanh", add (text, x + 2, n), NULL);
  z = unary (text, "sigmoid", add (text, x + 1, s + 1), NULL);
  text->h = add (text, n, mul (text, z, binary (text, "elemwise_sub", text->h, n)));
}

static void
gru_batched (ModelText *text)
{
  HybValueId x, s;

  if (text->step == 0)
    text->all = split_inputs (text, 3 * UNITS);
  x = unary (text, "SliceChannel", text->all + text->step, "num_outputs=3;axis=1");
  s = product (text, text->h, "h2h_weight", 3 * UNITS, UNITS);
  s = unary (text, "SliceChannel", s, "num_outputs=3;axis=1");
  finish_gru (text, add (text, x, s), add (text, x + 1, s + 1), x + 2, s + 2);
}

/* The state is reset before its product. */
static void
gru_reset_before (ModelText *text)
{
  HybValueId r = unary (text, "sigmoid", products (text, "r", UNITS), NULL);
  HybValueId z = unary (text, "sigmoid", products (text, "z", UNITS), NULL);
  HybValueId again = product (text, mul (text, r, text->h), "n_h2h", UNITS, UNITS);
  HybValueId n = add (text, product (text, text->x, "n_i2h", UNITS, WIDTH), again);

  text->h =
      add (text,
           mul (text, unary (text, "_rminus_scalar", z, "scalar=1"), unary (text, "tanh", n, NULL)),
           mul (text, z, text->h));
}

/* --- Plain cells --- */

static void
rnn_tanh (ModelText *text)
{
  text->h = unary (text, "tanh", products (text, "rnn", UNITS), NULL);
}

static void
rnn_relu_joined (ModelText *text)
{
  text->h = unary (text,
                   "relu",
                   product (text, join (text, text->x, text->h), "W", UNITS, WIDTH + UNITS),
                   NULL);
}

static void
rnn_batched (ModelText *text)
{
  if (text->step == 0)
    text->all = split_inputs (text, UNITS);
  text->h = unary (text,
                   "Activation",
                   add (text,
                        text->all + text->step,
                        plain_product (text, text->h, "h2h_weight", UNITS, UNITS)),
                   "act_type=tanh");
}

/* --- All spellings --- */

static const struct
{
  Spelling spelling;
  void (*write_step) (ModelText *text);
  gboolean has_memory;
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
  { { "gru-one-product-a-gate", "gru" }, gru_by_gate, FALSE },
  { { "gru-gates-in-one-product", "gru" }, gru_joined, FALSE },
  { { "gru-by-difference", "gru" }, gru_by_difference, FALSE },
  { { "gru-input-batched-over-time", "gru" }, gru_batched, FALSE },
  { { "gru-reset-before-the-product",
      "gru_reset_before",
      "its reset gate comes before the product" },
    gru_reset_before,
    FALSE },
  { { "rnn-tanh", "rnn_tanh" }, rnn_tanh, FALSE },
  { { "rnn-relu-input-and-state-in-one-product", "rnn_relu" }, rnn_relu_joined, FALSE },
  { { "rnn-input-batched-over-time", "rnn_tanh" }, rnn_batched, FALSE },
};

static HybValueId
begin (ModelText *text, const char *name, gboolean is_learnt)
{
  g_autofree char *shape = g_strdup_printf ("shape=(%d, %d)", BATCH, UNITS);

  return is_learnt ? weight (text, name, BATCH, UNITS) : call (text, "_zeros", 0, NULL, shape);
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
  first = unary (&text, "SliceChannel", text.data, "axis=0;num_outputs=4;squeeze_axis=True");
  text.h = begin (&text, "begin_h", has_learnt_states);
  if (rows[row].has_memory)
    text.c = begin (&text, "begin_c", has_learnt_states);
  for (guint t = 0; t < STEPS; t++)
    {
      text.step = t;
      text.x = first + t;
      rows[row].write_step (&text);
      outputs[t] = text.h;
    }
  head = is_last_only ? text.h : call (&text, "stack", STEPS, outputs, "axis=0;num_args=4");
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
  g_autoptr (HybTensor) flat = make_random (7, STEPS * BATCH * WIDTH, 0);
  g_autoptr (HybTensor) data = hyb_tensor_new_view (flat, &type, 0);

  hyb_tensor_list_set (list, "data", data);
  return list;
}
