/* cell-basic.c — the plain, LSTM and GRU cells, and one step of each.
 *
 * The equations are those of MXNet's operator RNN.  Gates are stacked along the rows of the
 * weights in the order i f c o (LSTM) and r z n (GRU).  Names and spelling of the nodes differ
 * between Gluon, gluon.contrib and mx.rnn.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/rnn/cell-private.h"

#include <string.h>

static guint
one_state (HybCell *cell)
{
  return 1;
}

static guint
two_states (HybCell *cell)
{
  return 2;
}

static void
vector_state (HybCell *cell, guint index, HybStateInfo *info)
{
  gboolean projected = index == 0 && cell->projection > 0;

  info->shape = hyb_shape_2d (HYB_UNKNOWN, projected ? cell->projection : cell->hidden);
  info->layout = "NC";
}

/* Gluon uses the operator named function if there is one, otherwise Activation; mx.rnn always uses
 * Activation. */
static HybValue *
activate (HybF *F, HybCell *cell, HybValue *x, const char *function, const char *name)
{
  gboolean is_operator = strcmp (function, "tanh") == 0 || strcmp (function, "relu") == 0 ||
                         strcmp (function, "sigmoid") == 0 || strcmp (function, "softsign") == 0 ||
                         strcmp (function, "hard_sigmoid") == 0;

  if (strcmp (function, "leaky") == 0)
    return HYB_OP (F, "LeakyReLU", .name = name, .in = { x },
                   .attributes = HYB_WITH ("act_type", "leaky", "slope", "0.2"));
  if (cell->style == HYB_STYLE_GLUON && is_operator)
    return HYB_OP (F, function, .name = name, .in = { x });
  return hyb_activation (F, x, function, name);
}

/* The nonlinearity of a gate; cells of gluon.contrib use Activation. */
static HybValue *
activate_gate (HybF *F, HybCell *cell, HybValue *x, const char *name)
{
  if (cell->is_contrib || cell->convolution)
    return hyb_activation (F, x, "sigmoid", name);
  return activate (F, cell, x, cell->recurrent_activation, name);
}

/* The nonlinearity of the candidate state; LSTMP uses Activation, like for its gates. */
static HybValue *
activate_candidate (HybF *F, HybCell *cell, HybValue *x, const char *name)
{
  if (cell->is_contrib && !cell->convolution)
    return hyb_activation (F, x, cell->activation, name);
  return activate (F, cell, x, cell->activation, name);
}

/* act (c), the factor of the output gate. */
static HybValue *
activate_state (HybF *F, HybCell *cell, HybValue *c)
{
  if (cell->convolution)
    return activate (F, cell, c, cell->activation, NULL);
  return hyb_activation (F, c, cell->activation, hyb_cell_gluon_name (F, cell, "activation0"));
}

static HybValue *
split_gates (HybF *F, HybValue *gates, const char *n, const char *axis, const char *name)
{
  return HYB_OP (F, "SliceChannel", .name = name, .in = { gates },
                 .attributes = HYB_WITH ("axis", axis, "num_outputs", n));
}

/* a + b; name may be NULL. */
static HybValue *
add (HybF *F, HybValue *a, HybValue *b, const char *name)
{
  return HYB_OP (F, "elemwise_add", .name = name, .hint = "_plus", .in = { a, b });
}

/* a · b element by element; name may be NULL. */
static HybValue *
multiply (HybF *F, HybValue *a, HybValue *b, const char *name)
{
  return HYB_OP (F, "elemwise_mul", .name = name, .hint = "_mul", .in = { a, b });
}

/* The sum of both products of a step: W x + b + R h' + c. */
static HybValue *
add_products (HybF *F, HybCell *cell, HybValue *x, HybValue *h)
{
  HybValue *i2h = hyb_cell_linear (F, cell, x, CELL_I2H, hyb_cell_name (F, cell, "i2h"));
  HybValue *h2h = hyb_cell_linear (F, cell, h, CELL_H2H, hyb_cell_name (F, cell, "h2h"));

  return add (F, i2h, h2h, hyb_cell_gluon_name (F, cell, "plus0"));
}

HybValue *
hyb_cell_plain_step (HybF *F, HybCell *cell, HybValue *x, HybValue **states)
{
  HybValue *sum = add_products (F, cell, x, hyb_item (F, *states, 0));
  HybValue *h = activate (F, cell, sum, cell->activation, hyb_cell_name (F, cell, "out"));

  *states = hyb_list (F, 1, &h);
  return h;
}

/* c = f c' + i g;  h = o act (c), which is projected if the cell has a projection. */
HybValue *
hyb_cell_lstm_step (HybF *F, HybCell *cell, HybValue *x, HybValue **states)
{
  const char *axis = cell->convolution ? "1" : NULL;
  HybValue   *sum = add_products (F, cell, x, hyb_item (F, *states, 0));
  HybValue   *gates = split_gates (F, sum, "4", axis, hyb_cell_name (F, cell, "slice"));
  HybValue   *i = activate_gate (F, cell, hyb_item (F, gates, 0), hyb_cell_name (F, cell, "i"));
  HybValue   *f = activate_gate (F, cell, hyb_item (F, gates, 1), hyb_cell_name (F, cell, "f"));
  HybValue *g = activate_candidate (F, cell, hyb_item (F, gates, 2), hyb_cell_name (F, cell, "c"));
  HybValue *o = activate_gate (F, cell, hyb_item (F, gates, 3), hyb_cell_name (F, cell, "o"));
  HybValue *kept = multiply (F, f, hyb_item (F, *states, 1), hyb_cell_gluon_name (F, cell, "mul0"));
  HybValue *new = multiply (F, i, g, hyb_cell_gluon_name (F, cell, "mul1"));
  HybValue *c = add (F, kept, new, hyb_cell_name (F, cell, "state"));
  HybValue *activated = activate_state (F, cell, c);
  gboolean  is_projected = cell->h2r_weight != NULL;
  HybValue *h =
      multiply (F, o, activated, hyb_cell_name (F, cell, is_projected ? "hidden" : "out"));

  if (is_projected)
    h = hyb_cell_linear (F, cell, h, CELL_H2R, hyb_cell_name (F, cell, "out"));
  *states = hyb_list_of (F, h, c, NULL);
  return h;
}

/* The name of a node of a GRU.  mx.rnn doubles the “_” between the prefix and the suffix. */
static const char *
gru_name (HybF *F, HybCell *cell, const char *suffix)
{
  if (cell->style == HYB_STYLE_GLUON)
    return hyb_cell_name (F, cell, suffix);
  return hyb_cell_name (F, cell, hyb_f_text (F, "_%s", suffix));
}

/* The name of a product of a GRU, which mx.rnn's convolutional cells do not double. */
static const char *
product_name (HybF *F, HybCell *cell, const char *suffix)
{
  return cell->convolution ? hyb_cell_name (F, cell, suffix) : gru_name (F, cell, suffix);
}

/* 1 − z: Gluon subtracts z from an array of ones, mx.rnn and gluon.contrib from a scalar. */
static HybValue *
one_minus (HybF *F, HybCell *cell, HybValue *z)
{
  HybValue *ones;

  if (cell->style == HYB_STYLE_SYMBOLIC || cell->is_contrib)
    return hyb_rsub_scalar (F, z, 1);
  ones = HYB_OP (F, "ones_like", .name = hyb_cell_name (F, cell, "ones_like0"), .in = { z });
  return HYB_OP (F, "elemwise_sub", .name = hyb_cell_name (F, cell, "minus0"), .in = { ones, z });
}

/* n = tanh (Wn x + b + r (Rn h' + c));  h = (1 − z) n + z h'. */
HybValue *
hyb_cell_gru_step (HybF *F, HybCell *cell, HybValue *x, HybValue **states)
{
  HybValue   *old = hyb_item (F, *states, 0);
  gboolean    maps = cell->convolution && cell->style == HYB_STYLE_GLUON;
  const char *axis = maps ? "1" : NULL;
  HybValue   *i2h = hyb_cell_linear (F, cell, x, CELL_I2H, product_name (F, cell, "i2h"));
  HybValue   *h2h = hyb_cell_linear (F, cell, old, CELL_H2H, product_name (F, cell, "h2h"));
  HybValue   *xs = split_gates (F, i2h, "3", axis, gru_name (F, cell, "i2h_slice"));
  HybValue   *hs = split_gates (F, h2h, "3", axis, gru_name (F, cell, "h2h_slice"));
  HybValue   *r_sum =
      add (F, hyb_item (F, xs, 0), hyb_item (F, hs, 0), hyb_cell_gluon_name (F, cell, "plus0"));
  HybValue *r = hyb_activation (F, r_sum, "sigmoid", gru_name (F, cell, "r_act"));
  HybValue *z_sum =
      add (F, hyb_item (F, xs, 1), hyb_item (F, hs, 1), hyb_cell_gluon_name (F, cell, "plus1"));
  HybValue *z = hyb_activation (F, z_sum, "sigmoid", gru_name (F, cell, "z_act"));
  HybValue *gated = multiply (F, r, hyb_item (F, hs, 2), hyb_cell_gluon_name (F, cell, "mul0"));
  HybValue *n_sum = add (F, hyb_item (F, xs, 2), gated, hyb_cell_gluon_name (F, cell, "plus2"));
  HybValue *n = cell->convolution
                    ? activate (F, cell, n_sum, cell->activation, gru_name (F, cell, "h_act"))
                    : hyb_activation (F, n_sum, "tanh", gru_name (F, cell, "h_act"));
  HybValue *new = multiply (F, one_minus (F, cell, z), n, hyb_cell_gluon_name (F, cell, "mul1"));
  HybValue *kept = multiply (F, z, old, hyb_cell_gluon_name (F, cell, "mul20"));
  HybValue *h = add (F, new, kept, hyb_cell_name (F, cell, "out"));

  *states = hyb_list (F, 1, &h);
  return h;
}

#define BASIC_CELL(Name, states, function)                            \
  {                                                                   \
    .block = { .name = Name,                                          \
               .size = sizeof (HybCell),                              \
               .forward = hyb_cell_forward,                           \
               .finish = hyb_cell_finish },                           \
    .n_states = states, .state_info = vector_state, .step = function, \
  }

static const HybCellClass plain_class = BASIC_CELL ("RNN", one_state, hyb_cell_plain_step);
static const HybCellClass lstm_class = BASIC_CELL ("LSTM", two_states, hyb_cell_lstm_step);
static const HybCellClass lstmp_class = BASIC_CELL ("LSTMP", two_states, hyb_cell_lstm_step);
static const HybCellClass gru_class = BASIC_CELL ("GRU", one_state, hyb_cell_gru_step);

#undef BASIC_CELL

HybBlock *
hyb_rnn_cell_new (const HybCellOptions *given)
{
  const HybCellOptions *options = given ? given : &(const HybCellOptions){ 0 };
  HybCell              *cell = hyb_cell_new (&plain_class, options, "rnn_");

  cell->activation = options->activation ? options->activation : "tanh";
  hyb_cell_add_parameters (cell, options, 1);
  return &cell->parent;
}

static HybBlock *
lstm_new (const HybCellClass *klass, const HybCellOptions *given, gint64 projection)
{
  HybCellOptions   options = *given;
  HybCell         *cell = hyb_cell_new (klass, given, "lstm_");
  g_autofree char *forget = NULL;

  cell->projection = projection;
  cell->is_contrib = projection > 0;
  cell->activation = options.activation ? options.activation : "tanh";
  cell->recurrent_activation =
      options.recurrent_activation ? options.recurrent_activation : "sigmoid";
  if (options.style == HYB_STYLE_SYMBOLIC && !options.i2h_bias_init)
    {
      double bias = options.forget_bias != 0 ? options.forget_bias : 1;
      char   text[G_ASCII_DTOSTR_BUF_SIZE];

      g_ascii_dtostr (text, sizeof text, bias);
      forget = g_strdup_printf ("[\"lstmbias\", {\"forget_bias\": %s%s}]", text,
                                strchr (text, '.') ? "" : ".0");
      options.i2h_bias_init = forget;
    }
  hyb_cell_add_parameters (cell, &options, 4);
  return &cell->parent;
}

HybBlock *
hyb_lstm_cell_new (const HybCellOptions *given)
{
  const HybCellOptions *options = given ? given : &(const HybCellOptions){ 0 };
  return lstm_new (&lstm_class, options, 0);
}

HybBlock *
hyb_lstmp_cell_new (const HybCellOptions *given, gint64 projection)
{
  const HybCellOptions *options = given ? given : &(const HybCellOptions){ 0 };
  return lstm_new (&lstmp_class, options, projection);
}

HybBlock *
hyb_gru_cell_new (const HybCellOptions *given)
{
  const HybCellOptions *options = given ? given : &(const HybCellOptions){ 0 };
  HybCell              *cell = hyb_cell_new (&gru_class, options, "gru_");

  hyb_cell_add_parameters (cell, options, 3);
  return &cell->parent;
}
