/* cell-fused.c — mx.rnn's FusedRNNCell: all steps, layers and directions as one operator (RNN) with
 * one flat parameter; and the equivalent stack of single cells (hyb_fused_cell_unfuse()).
 *
 * formats/rnn-weights.h describes the flat parameter.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/block/layers.h"
#include "engine/rnn/cell-private.h"
#include "engine/rnn/layer.h"

#include <string.h>

typedef struct
{
  HybCell            cell;
  HybRnnLayerOptions options;
  char              *mode;
  char              *prefix;
  guint              layers, directions;
  HybParameter      *parameters;
} FusedCell;

static gboolean
is_lstm (const FusedCell *self)
{
  return strcmp (self->mode, "lstm") == 0;
}

static guint
fused_n_states (HybCell *cell)
{
  return is_lstm ((FusedCell *) cell) ? 2 : 1;
}

static void
fused_state_info (HybCell *cell, guint index, HybStateInfo *info)
{
  FusedCell *self = (FusedCell *) cell;

  info->shape = hyb_shape_3d ((gint64) self->layers * self->directions, HYB_UNKNOWN, cell->hidden);
  info->layout = "LNC";
}

/* A number as Python writes a float: "0.5", "0.0". */
static const char *
float_text (HybF *F, double x)
{
  char text[G_ASCII_DTOSTR_BUF_SIZE];

  g_ascii_formatd (text, sizeof text, "%.15g", x);
  return hyb_f_text (F, strpbrk (text, ".e") ? "%s" : "%s.0", text);
}

static HybValue *
fused_operator (HybF *F, FusedCell *self, HybValue *x, HybValue *states)
{
  gboolean  next = self->options.get_next_state;
  HybValue *inputs[] = { x, hyb_use (F, self->parameters), states };

  return HYB_OP (F, "RNN", .name = hyb_f_text (F, "%srnn", self->prefix), .inputs = inputs,
                 .n_inputs = G_N_ELEMENTS (inputs),
                 .attributes =
                     HYB_WITH ("__layout__", next ? "LNC" : NULL, "bidirectional",
                               self->options.bidirectional ? "True" : "False", "mode", self->mode,
                               "num_layers", hyb_f_text (F, "%u", self->layers), "p",
                               float_text (F, self->options.dropout), "state_outputs",
                               next ? "True" : "False", "state_size",
                               hyb_f_text (F, "%" G_GINT64_FORMAT, self->cell.hidden)));
}

static HybValue *
fused_unroll (HybF *F, HybCell *cell, const HybUnroll *unroll, HybValue **states)
{
  FusedCell *self = (FusedCell *) cell;
  int        axis = hyb_layout_axis (unroll->layout, 'T');
  HybValue  *x = hyb_format_sequence (F, cell, unroll, unroll->inputs, HYB_MERGE_YES);
  HybValue  *all, *output;

  if (axis == 1)
    x = hyb_swap_axes (F, x, 0, 1);
  all = fused_operator (F, self, x, hyb_unroll_get_begin_state (F, cell, unroll));

  output = hyb_item (F, all, 0);
  *states = hyb_list (F, 0, NULL);
  if (self->options.get_next_state)
    *states = hyb_states_slice (F, all, 1, fused_n_states (cell));
  if (axis == 1)
    output = hyb_swap_axes (F, output, 0, 1);
  return hyb_format_sequence (F, cell, unroll, output,
                              unroll->merge == HYB_MERGE_NATURAL ? HYB_MERGE_YES : unroll->merge);
}

static const HybCellClass fused_class = {
  .block = { .name = "FusedRNNCell",
             .size = sizeof (FusedCell),
             .forward = hyb_cell_forward,
             .finish = hyb_cell_finish },
  .n_states = fused_n_states,
  .state_info = fused_state_info,
  .unroll = fused_unroll,
  .no_step = "a fused cell cannot be stepped: it is one operator over all steps. Unroll it, or "
             "unfuse it and step the cells",
};

/* MXNet's JSON form of the initialiser "fusedrnn".  (transfer full) */
static char *
initialiser (const FusedCell *self)
{
  double forget = self->options.forget_bias != 0 ? self->options.forget_bias : 1;
  char   text[G_ASCII_DTOSTR_BUF_SIZE];

  g_ascii_formatd (text, sizeof text, "%.15g", forget);
  return g_strdup_printf ("[\"fusedrnn\", {\"init\": null, \"num_hidden\": %" G_GINT64_FORMAT
                          ", \"num_layers\": %u, \"mode\": \"%s\", \"bidirectional\": %s, "
                          "\"forget_bias\": %s%s}]",
                          self->cell.hidden, self->layers, self->mode,
                          self->options.bidirectional ? "true" : "false", text,
                          strpbrk (text, ".e") ? "" : ".0");
}

HybBlock *
hyb_fused_cell_new (const HybRnnLayerOptions *given)
{
  const HybRnnLayerOptions *options = given ? given : &(const HybRnnLayerOptions){ 0 };
  const char               *mode = options->mode ? options->mode : "lstm";
  g_autofree char          *automatic = g_strconcat (mode, "_", NULL);
  const char               *prefix = options->prefix ? options->prefix : automatic;
  HybCellOptions            cell_options = { .hidden = options->hidden,
                                             .prefix = prefix,
                                             .shared = options->shared,
                                             .style = HYB_STYLE_SYMBOLIC };
  HybCell                  *cell = hyb_cell_new (&fused_class, &cell_options, prefix);
  FusedCell                *self = (FusedCell *) cell;
  g_autofree char          *init = NULL;

  self->options = *options;
  if (options->dropout > 0 && options->layers <= 1)
    g_message ("%s: dropout acts between layers, and there is only one: it is ignored", prefix);
  /* Interned strings are never freed; there are only a few modes and prefixes. */
  self->mode = (char *) g_intern_string (mode);
  self->prefix = (char *) g_intern_string (prefix);
  self->layers = MAX (options->layers, 1);
  self->directions = options->bidirectional ? 2 : 1;
  init = initialiser (self);
  self->parameters =
      hyb_block_add_parameter (&cell->parent,
                               &(HybParameterSpec){ .name = "parameters",
                                                    .shape = hyb_shape_1d (HYB_UNKNOWN),
                                                    .init = init,
                                                    .is_bare = TRUE,
                                                    .allow_deferred = TRUE });
  return &cell->parent;
}

gboolean
hyb_fused_cell_get_weights (HybBlock *block, HybRnnWeights *weights)
{
  FusedCell *self = (FusedCell *) block;

  if (block->klass != &fused_class.block)
    return FALSE;
  *weights = (HybRnnWeights){ .n_layers = self->layers,
                              .is_bidirectional = self->directions == 2,
                              .hidden = self->cell.hidden,
                              .prefix = self->prefix };
  return hyb_rnn_mode_from_name (self->mode, &weights->mode);
}

/* A single cell of the same kind.  (transfer full) */
static HybBlock *
single_cell (const FusedCell *self, const char *prefix)
{
  HybCellOptions options = {
    .hidden = self->cell.hidden,
    .prefix = prefix,
    .style = HYB_STYLE_SYMBOLIC,
    .forget_bias = self->options.forget_bias,
  };

  if (is_lstm (self))
    return hyb_lstm_cell_new (&options);
  if (strcmp (self->mode, "gru") == 0)
    return hyb_gru_cell_new (&options);
  options.activation = strcmp (self->mode, "rnn_relu") == 0 ? "relu" : "tanh";
  return hyb_rnn_cell_new (&options);
}

HybBlock *
hyb_fused_cell_unfuse (HybBlock *block)
{
  g_return_val_if_fail (block && block->klass == &fused_class.block, NULL);

  FusedCell *self = (FusedCell *) block;
  HybBlock  *stack = hyb_sequential_cell_new (HYB_STYLE_SYMBOLIC, NULL);

  for (guint layer = 0; layer < self->layers; layer++)
    {
      g_autofree char *left = g_strdup_printf ("%sl%u_", self->prefix, layer);
      g_autofree char *right = g_strdup_printf ("%sr%u_", self->prefix, layer);
      g_autofree char *output = g_strdup_printf ("%sbi_l%u_", self->prefix, layer);
      g_autofree char *dropout = g_strdup_printf ("%s_dropout%u_", self->prefix, layer);

      if (self->directions == 2)
        {
          HybBlock *forward = single_cell (self, left);

          hyb_append (stack, hyb_bidirectional_cell_new (forward, single_cell (self, right), output,
                                                         HYB_STYLE_SYMBOLIC));
        }
      else
        hyb_append (stack, single_cell (self, left));
      if (self->options.dropout > 0 && layer + 1 < self->layers)
        hyb_append (stack,
                    hyb_dropout_cell_new (self->options.dropout, HYB_STYLE_SYMBOLIC, dropout));
    }
  return stack;
}
