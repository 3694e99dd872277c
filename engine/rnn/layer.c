/* layer.c — Gluon's recurrent layers, which call the fused operator RNN.
 *
 * A layer has one parameter for each matrix and each bias, named as in Gluon.  The operator takes
 * all of them as one flat vector; nodes of the graph concatenate them (flat_parameters()).  Start
 * at layer_forward().
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/rnn/layer.h"

#include "engine/block/trace-private.h"

#include <string.h>

typedef struct
{
  HybBlock           parent;
  HybRnnLayerOptions options;
  char              *mode;
  char              *layout;
  guint              layers, directions;
  GPtrArray         *weights, *biases; /* of HybParameter, in the order of the flat vector */
} RnnLayer;

/* Whether the present call in F returns states. */
static gboolean *
returns_states (HybF *F, const RnnLayer *self)
{
  return hyb_f_get_memory (F, self, sizeof (gboolean));
}

static gboolean
is_lstm (const RnnLayer *self)
{
  return strcmp (self->mode, "lstm") == 0;
}

static guint
gates (const char *mode)
{
  return strcmp (mode, "lstm") == 0 ? 4 : strcmp (mode, "gru") == 0 ? 3 : 1;
}

static HybValue *
flat_parameters (HybF *F, RnnLayer *self)
{
  guint                 n = self->weights->len + self->biases->len;
  g_autofree HybValue **pieces = g_new (HybValue *, n);

  for (guint i = 0; i < n; i++)
    {
      HybParameter *parameter = i < self->weights->len
                                    ? g_ptr_array_index (self->weights, i)
                                    : g_ptr_array_index (self->biases, i - self->weights->len);

      pieces[i] = hyb_reshape (F, hyb_use (F, parameter), "-1");
    }
  return HYB_OP (F, "_rnn_param_concat", .inputs = pieces, .n_inputs = n,
                 .attributes = HYB_WITH ("dim", "0", "num_args", hyb_f_text (F, "%u", n)));
}

static const char *
number (HybF *F, double x)
{
  char text[G_ASCII_DTOSTR_BUF_SIZE];

  return hyb_f_text (F, "%s", g_ascii_formatd (text, sizeof text, "%.15g", x));
}

static HybValue *
fused (HybF *F, RnnLayer *self, HybValue *x, HybValue *states)
{
  const HybRnnLayerOptions *options = &self->options;
  HybValue                 *inputs[] = { x, flat_parameters (F, self), states };

  return HYB_OP (F, "RNN", .inputs = inputs, .n_inputs = G_N_ELEMENTS (inputs),
                 .attributes =
                     HYB_WITH ("bidirectional", options->bidirectional ? "True" : "False",
                               "lstm_state_clip_max", "None", "lstm_state_clip_min", "None",
                               "lstm_state_clip_nan", "False", "mode", self->mode, "num_layers",
                               hyb_f_text (F, "%u", self->layers), "p",
                               number (F, options->dropout), "projection_size",
                               options->projection > 0
                                   ? hyb_f_text (F, "%" G_GINT64_FORMAT, options->projection)
                                   : "None",
                               "state_outputs", "True", "state_size",
                               hyb_f_text (F, "%" G_GINT64_FORMAT, options->hidden),
                               "use_sequence_length", "False"));
}

/* The batch size of x; 0 while tracing, when it is not known. */
static gint64
batch_of (HybF *F, RnnLayer *self, HybValue *x)
{
  const HybType *type;
  int            axis = strcmp (self->layout, "NTC") == 0 ? 0 : 1;

  if (hyb_f_is_tracing (F))
    return 0;
  type = hyb_value_get_type (x);
  return type->shape.rank > axis ? type->shape.dim[axis] : 0;
}

/* Adds begin states to the input.  Gluon creates them outside the layer's name scope. */
static HybValue *
layer_before (HybF *F, HybBlock *block, HybValue *input)
{
  RnnLayer *self = (RnnLayer *) block;

  *returns_states (F, self) = hyb_is_list (input) && !self->options.skip_states;
  if (hyb_is_list (input))
    return input;
  return hyb_list_of (F, input,
                      hyb_rnn_layer_begin_state (F, block, "_zeros", batch_of (F, self, input)),
                      NULL);
}

static gboolean
states_fit (HybF *F, const RnnLayer *self, HybValue *states)
{
  guint n = is_lstm (self) ? 2 : 1;

  if (hyb_n_items (states) == n)
    return TRUE;
  hyb_f_fail (F,
              "%u states were given where a layer of mode %s has %u. Use "
              "hyb_rnn_layer_begin_state(), or give none for zeros",
              hyb_n_items (states), self->mode, n);
  return FALSE;
}

static HybValue *
layer_forward (HybF *F, HybBlock *block, HybValue *input)
{
  RnnLayer *self = (RnnLayer *) block;
  HybValue *x = hyb_item (F, input, 0);
  gboolean  swap = strcmp (self->layout, "NTC") == 0;
  HybValue *states = hyb_item (F, input, 1), *all, *output;

  if (!states_fit (F, self, states))
    return hyb_list (F, 0, NULL);
  if (swap)
    x = hyb_swap_axes (F, x, 0, 1);
  all = fused (F, self, x, states);
  output = hyb_item (F, all, 0);
  if (swap)
    output = hyb_swap_axes (F, output, 0, 1);
  if (!*returns_states (F, self))
    return output;
  states = is_lstm (self) ? hyb_list_of (F, hyb_item (F, all, 1), hyb_item (F, all, 2), NULL)
                          : hyb_list_of (F, hyb_item (F, all, 1), NULL);
  return hyb_list_of (F, output, states, NULL);
}

static void
layer_finish (HybBlock *block)
{
  RnnLayer *self = (RnnLayer *) block;

  g_ptr_array_unref (self->weights);
  g_ptr_array_unref (self->biases);
  g_free (self->mode);
  g_free (self->layout);
}

static const HybBlockClass layer_class = {
  .name = "RNN",
  .size = sizeof (RnnLayer),
  .forward = layer_forward,
  .before = layer_before,
  .finish = layer_finish,
};

HybValue *
hyb_rnn_layer_begin_state (HybF *F, HybBlock *block, const char *op, gint64 batch)
{
  g_return_val_if_fail (F && block && block->klass == &layer_class && op, NULL);

  RnnLayer *self = (RnnLayer *) block;
  HybValue *states[2];
  guint     n = is_lstm (self) ? 2 : 1;

  for (guint i = 0; i < n; i++)
    {
      gint64 size =
          i == 0 && self->options.projection > 0 ? self->options.projection : self->options.hidden;

      states[i] =
          HYB_OP (F, op, .name = hyb_f_text (F, "%sh0_%u", hyb_block_get_prefix (block), i),
                  .attributes =
                      HYB_WITH ("__layout__", "LNC", "dtype", "float32", "shape",
                                hyb_f_text (F, "(%u, %" G_GINT64_FORMAT ", %" G_GINT64_FORMAT ")",
                                            self->layers * self->directions, batch, size)));
    }
  return hyb_list (F, n, states);
}

static void
add_array (RnnLayer *self, const char *name, HybShape shape, const char *init, GPtrArray *list)
{
  g_ptr_array_add (list, hyb_block_add_parameter (&self->parent,
                                                  &(HybParameterSpec){ .name = name,
                                                                       .shape = shape,
                                                                       .init = init,
                                                                       .allow_deferred = TRUE }));
}

static void
add_weights (RnnLayer *self, guint layer, char direction)
{
  const HybRnnLayerOptions *options = &self->options;
  gint64                    rows = options->hidden * gates (self->mode);
  gint64                    out = options->projection > 0 ? options->projection : options->hidden;
  gint64                    in = layer > 0                 ? out * self->directions
                                 : options->input_size > 0 ? options->input_size
                                                           : HYB_UNKNOWN;
  g_autofree char          *i2h = g_strdup_printf ("%c%u_i2h_weight", direction, layer);
  g_autofree char          *h2h = g_strdup_printf ("%c%u_h2h_weight", direction, layer);
  g_autofree char          *h2r = g_strdup_printf ("%c%u_h2r_weight", direction, layer);

  add_array (self, i2h, hyb_shape_2d (rows, in), options->i2h_weight_init, self->weights);
  add_array (self, h2h, hyb_shape_2d (rows, out), options->h2h_weight_init, self->weights);
  if (options->projection > 0)
    add_array (self, h2r, hyb_shape_2d (out, options->hidden), NULL, self->weights);
}

static void
add_biases (RnnLayer *self, guint layer, char direction)
{
  gint64           rows = self->options.hidden * gates (self->mode);
  g_autofree char *i2h = g_strdup_printf ("%c%u_i2h_bias", direction, layer);
  g_autofree char *h2h = g_strdup_printf ("%c%u_h2h_bias", direction, layer);

  add_array (self, i2h, hyb_shape_1d (rows), "zeros", self->biases);
  add_array (self, h2h, hyb_shape_1d (rows), "zeros", self->biases);
}

HybBlock *
hyb_rnn_layer_new (const HybRnnLayerOptions *given)
{
  const HybRnnLayerOptions *options = given ? given : &(const HybRnnLayerOptions){ 0 };
  const char               *mode = options->mode ? options->mode : "lstm";
  const char               *alias = g_str_has_prefix (mode, "rnn") ? "rnn" : mode;
  HybBlock *block = hyb_block_new_full (&layer_class, alias, options->prefix, options->shared);
  RnnLayer *self = (RnnLayer *) block;

  self->options = *options;
  if (options->dropout > 0 && options->layers <= 1)
    g_message ("%s: dropout acts between layers, and there is only one: it is ignored",
               hyb_block_get_name (block));
  self->mode = g_strdup (mode);
  self->layout = g_strdup (options->layout ? options->layout : "TNC");
  self->layers = MAX (options->layers, 1);
  self->directions = options->bidirectional ? 2 : 1;
  self->weights = g_ptr_array_new ();
  self->biases = g_ptr_array_new ();
  for (guint layer = 0; layer < self->layers; layer++)
    for (guint d = 0; d < self->directions; d++)
      add_weights (self, layer, "lr"[d]);
  for (guint layer = 0; layer < self->layers; layer++)
    for (guint d = 0; d < self->directions; d++)
      add_biases (self, layer, "lr"[d]);
  return block;
}
