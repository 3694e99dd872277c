/* cell-basic.c — the plain, LSTM and GRU cells.  Equations: reference of the RNN
 * operator; gate orders i f c o and r z n.
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

/* Gluon writes the operator of the function itself, mx.rnn always Activation.
 * “hard” and other names that are no operators go through Activation as well. */
static HybValue *
activate (HybF *F, HybCell *cell, HybValue *x, const char *function, const char *name)
{
  gboolean own = strcmp (function, "tanh") == 0 || strcmp (function, "relu") == 0 ||
                 strcmp (function, "sigmoid") == 0 || strcmp (function, "softsign") == 0 ||
                 strcmp (function, "hard_sigmoid") == 0;

  if (strcmp (function, "leaky") == 0)
    return HYB_OP (F,
                   "LeakyReLU",
                   .name = name,
                   .in = { x },
                   .attributes = HYB_WITH ("act_type", "leaky", "slope", "0.2"));
  if (cell->style == HYB_STYLE_GLUON && own)
    return HYB_OP (F, function, .name = name, .in = { x });
  return hyb_activation (F, x, function, name);
}

/* Cells of gluon.contrib write their gates as Activation. */
static HybValue *
activate_gate (HybF *F, HybCell *cell, HybValue *x, const char *name)
{
  if (cell->is_contrib || cell->convolution)
    return hyb_activation (F, x, "sigmoid", name);
  return activate (F, cell, x, cell->recurrent_activation, name);
}

/* What goes into the state: of LSTMP an Activation, like its gates. */
static HybValue *
activate_new (HybF *F, HybCell *cell, HybValue *x, const char *name)
{
  if (cell->is_contrib && !cell->convolution)
    return hyb_activation (F, x, cell->activation, name);
  return activate (F, cell, x, cell->activation, name);
}

static HybValue *
squash_state (HybF *F, HybCell *cell, HybValue *c)
{
  if (cell->convolution)
    return activate (F, cell, c, cell->activation, NULL);
  return hyb_activation (F, c, cell->activation, hyb_cell_gluon_name (F, cell, "activation0"));
}

static HybValue *
split_gates (HybF *F, HybValue *gates, const char *n, const char *axis, const char *name)
{
  return HYB_OP (F,
                 "SliceChannel",
                 .name = name,
                 .in = { gates },
                 .attributes = HYB_WITH ("axis", axis, "num_outputs", n));
}

static HybValue *
binary (HybF *F, const char *op, HybValue *a, HybValue *b, const char *name, const char *hint)
{
  return HYB_OP (F, op, .name = name, .hint = hint, .in = { a, b });
}

/* h = act (W x + b + R h' + c) */
HybValue *
hyb_cell_plain_step (HybF *F, HybCell *cell, HybValue *x, HybValue **states)
{
  HybValue *i2h = hyb_cell_linear (F,
                                   cell,
                                   x,
                                   cell->i2h_weight,
                                   cell->i2h_bias,
                                   hyb_cell_name (F, cell, "i2h"));
  HybValue *h2h = hyb_cell_linear (F,
                                   cell,
                                   hyb_item (F, *states, 0),
                                   cell->h2h_weight,
                                   cell->h2h_bias,
                                   hyb_cell_name (F, cell, "h2h"));
  HybValue *sum =
      binary (F, "elemwise_add", i2h, h2h, hyb_cell_gluon_name (F, cell, "plus0"), "_plus");
  HybValue *h = activate (F, cell, sum, cell->activation, hyb_cell_name (F, cell, "out"));

  *states = hyb_list (F, 1, &h);
  return h;
}

/* c = f c' + i g;  h = o tanh (c), perhaps projected. */
HybValue *
hyb_cell_lstm_step (HybF *F, HybCell *cell, HybValue *x, HybValue **states)
{
  const char *axis = cell->convolution ? "1" : NULL;
  HybValue   *i2h = hyb_cell_linear (F,
                                   cell,
                                   x,
                                   cell->i2h_weight,
                                   cell->i2h_bias,
                                   hyb_cell_name (F, cell, "i2h"));
  HybValue   *h2h = hyb_cell_linear (F,
                                   cell,
                                   hyb_item (F, *states, 0),
                                   cell->h2h_weight,
                                   cell->h2h_bias,
                                   hyb_cell_name (F, cell, "h2h"));
  HybValue   *sum =
      binary (F, "elemwise_add", i2h, h2h, hyb_cell_gluon_name (F, cell, "plus0"), "_plus");
  HybValue *gates = split_gates (F, sum, "4", axis, hyb_cell_name (F, cell, "slice"));
  HybValue *i = activate_gate (F, cell, hyb_item (F, gates, 0), hyb_cell_name (F, cell, "i"));
  HybValue *f = activate_gate (F, cell, hyb_item (F, gates, 1), hyb_cell_name (F, cell, "f"));
  HybValue *g = activate_new (F, cell, hyb_item (F, gates, 2), hyb_cell_name (F, cell, "c"));
  HybValue *o = activate_gate (F, cell, hyb_item (F, gates, 3), hyb_cell_name (F, cell, "o"));
  HybValue *kept = binary (F,
                           "elemwise_mul",
                           f,
                           hyb_item (F, *states, 1),
                           hyb_cell_gluon_name (F, cell, "mul0"),
                           "_mul");
  HybValue *new = binary (F, "elemwise_mul", i, g, hyb_cell_gluon_name (F, cell, "mul1"), "_mul");
  HybValue *c = binary (F, "elemwise_add", kept, new, hyb_cell_name (F, cell, "state"), NULL);
  HybValue *squashed = squash_state (F, cell, c);
  gboolean  projected = cell->h2r_weight != NULL;
  HybValue *h = binary (F,
                        "elemwise_mul",
                        o,
                        squashed,
                        hyb_cell_name (F, cell, projected ? "hidden" : "out"),
                        NULL);

  if (projected)
    h = hyb_cell_linear (F, cell, h, cell->h2r_weight, NULL, hyb_cell_name (F, cell, "out"));
  *states = hyb_list_of (F, h, c, NULL);
  return h;
}

/* mx.rnn asks for the names of a GRU with a prefix that ends in “_” and adds one more. */
static const char *
gru_name (HybF *F, HybCell *cell, const char *suffix)
{
  if (cell->style == HYB_STYLE_GLUON)
    return hyb_cell_name (F, cell, suffix);
  return hyb_cell_name (F, cell, hyb_f_text (F, "_%s", suffix));
}

/* … but not those of its convolutions. */
static const char *
product_name (HybF *F, HybCell *cell, const char *suffix)
{
  return cell->convolution ? hyb_cell_name (F, cell, suffix) : gru_name (F, cell, suffix);
}

/* Gluon's 1 − z is an array of ones minus z, mx.rnn's a scalar minus z. */
static HybValue *
one_minus (HybF *F, HybCell *cell, HybValue *z)
{
  HybValue *ones;

  if (cell->style == HYB_STYLE_SYMBOLIC || cell->is_contrib)
    return hyb_rsub_scalar (F, z, 1);
  ones = HYB_OP (F, "ones_like", .name = hyb_cell_name (F, cell, "ones_like0"), .in = { z });
  return binary (F, "elemwise_sub", ones, z, hyb_cell_name (F, cell, "minus0"), NULL);
}

/* n = tanh (Wn x + b + r (Rn h' + c));  h = (1 − z) n + z h'. */
HybValue *
hyb_cell_gru_step (HybF *F, HybCell *cell, HybValue *x, HybValue **states)
{
  HybValue   *old = hyb_item (F, *states, 0);
  gboolean    maps = cell->convolution && cell->style == HYB_STYLE_GLUON;
  const char *axis = maps ? "1" : NULL;
  HybValue   *i2h =
      hyb_cell_linear (F, cell, x, cell->i2h_weight, cell->i2h_bias, product_name (F, cell, "i2h"));
  HybValue *h2h = hyb_cell_linear (F,
                                   cell,
                                   old,
                                   cell->h2h_weight,
                                   cell->h2h_bias,
                                   product_name (F, cell, "h2h"));
  HybValue *xs = split_gates (F, i2h, "3", axis, gru_name (F, cell, "i2h_slice"));
  HybValue *hs = split_gates (F, h2h, "3", axis, gru_name (F, cell, "h2h_slice"));
  HybValue *r_sum = binary (F,
                            "elemwise_add",
                            hyb_item (F, xs, 0),
                            hyb_item (F, hs, 0),
                            hyb_cell_gluon_name (F, cell, "plus0"),
                            "_plus");
  HybValue *r = hyb_activation (F, r_sum, "sigmoid", gru_name (F, cell, "r_act"));
  HybValue *z_sum = binary (F,
                            "elemwise_add",
                            hyb_item (F, xs, 1),
                            hyb_item (F, hs, 1),
                            hyb_cell_gluon_name (F, cell, "plus1"),
                            "_plus");
  HybValue *z = hyb_activation (F, z_sum, "sigmoid", gru_name (F, cell, "z_act"));
  HybValue *gated = binary (F,
                            "elemwise_mul",
                            r,
                            hyb_item (F, hs, 2),
                            hyb_cell_gluon_name (F, cell, "mul0"),
                            "_mul");
  HybValue *n_sum = binary (F,
                            "elemwise_add",
                            hyb_item (F, xs, 2),
                            gated,
                            hyb_cell_gluon_name (F, cell, "plus2"),
                            "_plus");
  HybValue *n = cell->convolution
                    ? activate (F, cell, n_sum, cell->activation, gru_name (F, cell, "h_act"))
                    : hyb_activation (F, n_sum, "tanh", gru_name (F, cell, "h_act"));
  HybValue *new = binary (F,
                          "elemwise_mul",
                          one_minus (F, cell, z),
                          n,
                          hyb_cell_gluon_name (F, cell, "mul1"),
                          "_mul");
  HybValue *kept =
      binary (F, "elemwise_mul", z, old, hyb_cell_gluon_name (F, cell, "mul20"), "_mul");
  HybValue *h = binary (F, "elemwise_add", new, kept, hyb_cell_name (F, cell, "out"), NULL);

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
hyb_rnn_cell_new (const HybCellOptions *options)
{
  HybCell *cell = hyb_cell_new (&plain_class, options, "rnn_");

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
      forget = g_strdup_printf ("[\"lstmbias\", {\"forget_bias\": %s%s}]",
                                text,
                                strchr (text, '.') ? "" : ".0");
      options.i2h_bias_init = forget;
    }
  hyb_cell_add_parameters (cell, &options, 4);
  return &cell->parent;
}

HybBlock *
hyb_lstm_cell_new (const HybCellOptions *options)
{
  return lstm_new (&lstm_class, options, 0);
}

HybBlock *
hyb_lstmp_cell_new (const HybCellOptions *options, gint64 projection)
{
  return lstm_new (&lstmp_class, options, projection);
}

HybBlock *
hyb_gru_cell_new (const HybCellOptions *options)
{
  HybCell *cell = hyb_cell_new (&gru_class, options, "gru_");

  hyb_cell_add_parameters (cell, options, 3);
  return &cell->parent;
}
