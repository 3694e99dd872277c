/* exports-language.c — export tests: language models and other blocks with recurrent layers.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/block/layers.h"
#include "engine/rnn/layer.h"
#include "tests/engine/block/export-check.h"

#include <string.h>

static HybValue *
chain (HybF *F, Model *model, HybValue *x)
{
  for (guint i = 0; i < hyb_block_n_children (&model->parent); i++)
    x = hyb_call (F, hyb_block_get_child (&model->parent, i), x);
  return x;
}

/* --- Embedding, layer, decoder --- */

static void
language_parts (Model *model)
{
  HybBlock *block = &model->parent;

  hyb_append (block, hyb_embedding_new (13, 6, NULL));
  hyb_append (block, hyb_rnn_layer_new (model->row->data));
  hyb_append (block, hyb_dense (.units = 13, .no_flatten = TRUE, .in_units = 7));
}

static HybValue *
with_states (HybF *F, Model *model, HybValue *input)
{
  HybValue *x = hyb_call (F, hyb_block_get_child (&model->parent, 0), hyb_item (F, input, 0));
  HybValue *result =
      hyb_call_list (F, hyb_block_get_child (&model->parent, 1), x, hyb_item (F, input, 1), NULL);
  HybValue *y = hyb_call (F, hyb_block_get_child (&model->parent, 2), hyb_item (F, result, 0));

  return hyb_list_of (F, y, hyb_item (F, result, 1), NULL);
}

/* The decoder's weight is that of the embedding. */
static void
tied_parts (Model *model)
{
  HybBlock *block = &model->parent;
  HybBlock *embedding = hyb_append (block, hyb_embedding_new (13, 7, NULL));

  hyb_append (block, hyb_rnn_layer_new (model->row->data));
  hyb_append (block,
              hyb_dense (.units = 13, .no_flatten = TRUE, .in_units = 7, .shared = embedding));
}

static const HybRnnLayerOptions lstm_two_layers = { .mode = "lstm",
                                                    .hidden = 7,
                                                    .layers = 2,
                                                    .input_size = 6 };
static const HybRnnLayerOptions gru_three_layers = { .mode = "gru",
                                                     .hidden = 7,
                                                     .layers = 3,
                                                     .layout = "NTC",
                                                     .input_size = 6 };
static const HybRnnLayerOptions lstm_tied = { .mode = "lstm", .hidden = 7, .input_size = 7 };

/* --- A layer in a block, or alone --- */

static void
layer_parts (Model *model)
{
  hyb_append (&model->parent, hyb_rnn_layer_new (model->row->data));
}

static HybBlock *
layer_alone (gconstpointer options)
{
  return hyb_rnn_layer_new (options);
}

static void
chain_parts (Model *model)
{
  HybBlock *block = &model->parent;

  hyb_append (block, hyb_rnn_layer (.mode = "gru", .hidden = 5, .layout = "NTC"));
  hyb_append (block, hyb_rnn_layer (.mode = "lstm", .hidden = 6, .layers = 2, .layout = "NTC"));
  hyb_append (block, hyb_rnn_layer (.mode = "rnn_relu", .hidden = 5, .bidirectional = TRUE,
                                    .layout = "NTC"));
  hyb_append (block, hyb_dense (.units = 3, .no_flatten = TRUE));
}

static const HybRnnLayerOptions one_by_one = { .mode = "gru", .hidden = 1, .layers = 2 };
static const HybRnnLayerOptions with_dropout = { .mode = "lstm",
                                                 .hidden = 5,
                                                 .layers = 3,
                                                 .dropout = 0.4 };
static const HybRnnLayerOptions batch_first = { .mode = "lstm",
                                                .hidden = 5,
                                                .layers = 2,
                                                .layout = "NTC" };
static const HybRnnLayerOptions batch_first_silent = { .mode = "lstm",
                                                       .hidden = 5,
                                                       .layers = 2,
                                                       .layout = "NTC",
                                                       .skip_states = TRUE };
static const HybRnnLayerOptions one_step = { .mode = "lstm", .hidden = 5, .bidirectional = TRUE };

/* --- A cell applied by hand, with begin states that are parameters --- */

static HybValue *
by_hand (HybF *F, Model *model, HybValue *x)
{
  const char *layout = model->row->data;
  int         axis = (int) (strchr (layout, 'T') - layout);
  HybValue   *steps = hyb_split (F, x, 5, axis, FALSE);
  HybValue   *states = hyb_list_of (F, hyb_use (F, model->w[0]), hyb_use (F, model->w[1]), NULL);
  HybValue   *outputs[5];

  hyb_cell_reset (model->part[0]);
  for (guint t = 0; t < G_N_ELEMENTS (outputs); t++)
    outputs[t] =
        hyb_cell_step (F, model->part[0], hyb_squeeze (F, hyb_item (F, steps, t), axis), &states);
  return hyb_stack (F, hyb_list (F, G_N_ELEMENTS (outputs), outputs), axis);
}

static HybParameter *
add_begin_state (Model *model, const char *name)
{
  return hyb_block_add_parameter (&model->parent,
                                  &(HybParameterSpec){ .name = name,
                                                       .shape = hyb_shape_2d (HYB_UNKNOWN, 7),
                                                       .init = "zeros",
                                                       .allow_deferred = TRUE });
}

static void
by_hand_parts (Model *model)
{
  model->part[0] = hyb_block_add_child (&model->parent, hyb_lstm_cell (.hidden = 7), "lstm");
  model->w[0] = add_begin_state (model, "begin_state_c");
  model->w[1] = add_begin_state (model, "begin_state_h");
}

static const ModelRow by_hand_row = { NULL, "LstmHybrid", NULL, by_hand, by_hand_parts, "NTC" };

static void
chained_parts (Model *model)
{
  HybBlock *block = &model->parent;

  hyb_append (block, hyb_embedding_new (13, 6, NULL));
  hyb_append (block, model_from_row (&by_hand_row));
  hyb_append (block, model_from_row (&by_hand_row));
  hyb_append (block, hyb_dense (.units = 13, .no_flatten = TRUE));
}

static const ModelRow rows[] = {
  { "gru-batch-one", "Wrapped", "0", chain, layer_parts, &one_by_one },
  { "lm-chained-cells", "HybridSequential", "0", chain, chained_parts },
  { "lm-gru-ntc", "LM", "0", chain, language_parts, &gru_three_layers },
  { "lm-lstm", "LM", "0", chain, language_parts, &lstm_two_layers },
  { "lm-lstm-states", "LM", "[0, [0, 0]]", with_states, language_parts, &lstm_two_layers },
  { "lm-tied", "LM", "0", chain, tied_parts, &lstm_tied },
  { "lstm-dropout-infer", "Wrapped", "0", chain, layer_parts, &with_dropout },
  { "lstm-form-nested", "Wrapped", "0", chain, layer_parts, &batch_first },
  { "lstm-hybrid-nct", "LstmHybrid", "0", by_hand, by_hand_parts, "NCT" },
  { "lstm-hybrid-ntc", "LstmHybrid", "0", by_hand, by_hand_parts, "NTC" },
  { "lstm-hybrid-tnc", "LstmHybrid", "0", by_hand, by_hand_parts, "TNC" },
  { "lstm-sequence-one", "Wrapped", "0", chain, layer_parts, &one_step },
  { "lstm-two-layers-chain", "HybridSequential", "0", chain, chain_parts },
};

void
exports_add_language (void)
{
  export_check_add_models (rows, G_N_ELEMENTS (rows));
  export_check_add ("lstm-form-top", layer_alone, &batch_first_silent, "[0, [0, 0]]");
  export_check_add ("lstm-form-top-states", layer_alone, &batch_first, "[0, [0, 0]]");
}
