/* exports-layers.c — export tests: recurrent layers, and mx.rnn's basic cells.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/block/layers.h"
#include "engine/rnn/layer.h"
#include "tests/engine/block/export-check.h"

/* --- Layers --- */

static HybBlock *
top_layer (gconstpointer data)
{
  HybRnnLayerOptions options = *(const HybRnnLayerOptions *) data;

  options.skip_states = TRUE;
  return hyb_rnn_layer_new (&options);
}

static HybValue *
wrapped_forward (HybF *F, HybBlock *block, HybValue *x)
{
  for (guint i = 0; i < hyb_block_n_children (block); i++)
    x = hyb_call (F, hyb_block_get_child (block, i), x);
  return x;
}

static const HybBlockClass wrapped_class = {
  .name = "Wrapped",
  .size = sizeof (HybBlock),
  .forward = wrapped_forward,
};
static const HybBlockClass stateful_class = {
  .name = "Stateful",
  .size = sizeof (HybBlock),
  .forward = wrapped_forward,
};

static HybBlock *
nested_layer (gconstpointer data)
{
  HybBlock *block = hyb_block_new (&wrapped_class, NULL);

  hyb_block_enter_scope (block);
  hyb_append (block, hyb_rnn_layer_new (data));
  hyb_append (block, hyb_dense (.units = 3, .no_flatten = TRUE));
  hyb_block_leave_scope (block);
  return block;
}

static HybBlock *
stateful_layer (gconstpointer data)
{
  HybBlock *block = hyb_block_new (&stateful_class, NULL);

  hyb_block_enter_scope (block);
  hyb_append (block, hyb_rnn_layer_new (data));
  hyb_block_leave_scope (block);
  return block;
}

static HybBlock *
sequential_layer (gconstpointer data)
{
  HybBlock *block = hyb_sequential (NULL);

  hyb_block_enter_scope (block);
  hyb_append (block, hyb_dense (.units = 3, .no_flatten = TRUE, .activation = "tanh"));
  hyb_append (block, hyb_rnn_layer_new (data));
  hyb_append (block, hyb_dense (.units = 2, .no_flatten = TRUE));
  hyb_block_leave_scope (block);
  return block;
}

#define LAYER(...)           \
  {                          \
    .hidden = 4, __VA_ARGS__ \
  }

static const struct
{
  const char        *folder;
  ExportBuild        build;
  const char        *structure;
  HybRnnLayerOptions options;
} layers[] = {
  { "layer-nested-gru-l1-tnc", nested_layer, "0", LAYER (.mode = "gru") },
  { "layer-nested-rnn-relu-l2-tnc", nested_layer, "0", LAYER (.mode = "rnn_relu", .layers = 2) },
  { "layer-sequential-gru-l2-bi-tnc", sequential_layer, "0",
    LAYER (.mode = "gru", .layers = 2, .bidirectional = TRUE) },
  { "layer-sequential-gru-l3-bi-tnc", sequential_layer, "0",
    LAYER (.mode = "gru", .layers = 3, .bidirectional = TRUE) },
  { "layer-sequential-lstm-l3-bi-tnc", sequential_layer, "0",
    LAYER (.mode = "lstm", .layers = 3, .bidirectional = TRUE) },
  { "layer-sequential-rnn-relu-l2-bi-tnc", sequential_layer, "0",
    LAYER (.mode = "rnn_relu", .layers = 2, .bidirectional = TRUE) },
  { "layer-stateful-gru-l3-ntc", stateful_layer, "[0, [0]]",
    LAYER (.mode = "gru", .layers = 3, .layout = "NTC") },
  { "layer-stateful-lstm-l1-ntc", stateful_layer, "[0, [0, 0]]",
    LAYER (.mode = "lstm", .layout = "NTC") },
  { "layer-stateful-rnn-tanh-l1-ntc", stateful_layer, "[0, [0]]",
    LAYER (.mode = "rnn_tanh", .layout = "NTC") },
  { "layer-stateful-rnn-tanh-l3-ntc", stateful_layer, "[0, [0]]",
    LAYER (.mode = "rnn_tanh", .layers = 3, .layout = "NTC") },
  { "layer-top-gru-l2-bi-ntc", top_layer, "[0, [0]]",
    LAYER (.mode = "gru", .layers = 2, .layout = "NTC", .bidirectional = TRUE) },
  { "layer-top-rnn-tanh-l1-bi-ntc", top_layer, "[0, [0]]",
    LAYER (.mode = "rnn_tanh", .layout = "NTC", .bidirectional = TRUE) },
  { "layer-top-lstm-l1-bi-ntc", top_layer, "[0, [0, 0]]",
    LAYER (.mode = "lstm", .layout = "NTC", .bidirectional = TRUE) },
  { "layer-top-lstm-l2-bi-ntc", top_layer, "[0, [0, 0]]",
    LAYER (.mode = "lstm", .layout = "NTC", .bidirectional = TRUE, .layers = 2) },
  { "layer-top-gru-l1-bi-ntc", top_layer, "[0, [0]]",
    LAYER (.mode = "gru", .layout = "NTC", .bidirectional = TRUE) },
  { "layer-top-rnn-tanh-l2-bi-ntc", top_layer, "[0, [0]]",
    LAYER (.mode = "rnn_tanh", .layout = "NTC", .bidirectional = TRUE, .layers = 2) },
  { "layer-nested-lstm-l1-tnc", nested_layer, "0", LAYER (.mode = "lstm") },
  { "layer-nested-lstm-l2-tnc", nested_layer, "0", LAYER (.mode = "lstm", .layers = 2) },
  { "layer-nested-gru-l2-tnc", nested_layer, "0", LAYER (.mode = "gru", .layers = 2) },
  { "layer-nested-rnn-relu-l1-tnc", nested_layer, "0", LAYER (.mode = "rnn_relu") },
  { "layer-stateful-lstm-l3-ntc", stateful_layer, "[0, [0, 0]]",
    LAYER (.mode = "lstm", .layers = 3, .layout = "NTC") },
  { "layer-stateful-gru-l1-ntc", stateful_layer, "[0, [0]]",
    LAYER (.mode = "gru", .layout = "NTC") },
  { "layer-sequential-lstm-l2-bi-tnc", sequential_layer, "0",
    LAYER (.mode = "lstm", .layers = 2, .bidirectional = TRUE) },
  { "layer-sequential-rnn-relu-l3-bi-tnc", sequential_layer, "0",
    LAYER (.mode = "rnn_relu", .layers = 3, .bidirectional = TRUE) },
};

/* --- mx.rnn --- */

typedef struct
{
  const char *folder;
  HybBlock *(*cell) (void);
  guint       length;
  const char *layout;
  HybMerge    merge;
  const char *begin;     /* "zeros": not given; "_ones"; NULL: variables */
  gboolean    no_states; /* states are no heads */
} Symbolic;

static HybGraph *
unroll_symbolic (gconstpointer data)
{
  const Symbolic *row = data;
  g_autoptr (HybF) F = hyb_f_new_trace (FALSE);
  g_autoptr (HybBlock) cell = NULL;
  HybValue *states = NULL, *outputs;

  hyb_names_reset ();
  cell = row->cell ();
  if (g_strcmp0 (row->begin, "zeros") != 0)
    states = hyb_cell_begin_state (F, cell, row->begin, 0);
  outputs = hyb_unroll (F, cell, &states, .length = row->length,
                        .inputs = hyb_value_variable (F, "data", NULL), .layout = row->layout,
                        .merge = row->merge, .begin_state = states);
  return hyb_f_finish (F, row->no_states ? outputs : hyb_list_of (F, outputs, states, NULL), NULL);
}

static HybBlock *
lstm (void)
{
  return hyb_lstm_cell (.hidden = 4, .style = HYB_STYLE_SYMBOLIC);
}

static HybBlock *
gru (void)
{
  return hyb_gru_cell (.hidden = 4, .style = HYB_STYLE_SYMBOLIC);
}

static HybBlock *
plain (void)
{
  return hyb_rnn_cell (.hidden = 4, .style = HYB_STYLE_SYMBOLIC);
}

static HybBlock *
plain_relu (void)
{
  return hyb_rnn_cell (.hidden = 4, .activation = "relu", .prefix = "el_",
                       .style = HYB_STYLE_SYMBOLIC);
}

static const Symbolic symbolic[] = {
  { "rnn-lstm-t1-ntc-none-default", lstm, 1, "NTC", HYB_MERGE_NATURAL, "zeros" },
  { "rnn-lstm-t4-ntc-true-default", lstm, 4, "NTC", HYB_MERGE_YES, "zeros" },
  { "rnn-lstm-t4-ntc-false-ones", lstm, 4, "NTC", HYB_MERGE_NO, "_ones" },
  { "rnn-lstm-t4-tnc-none-var", lstm, 4, "TNC", HYB_MERGE_NATURAL, NULL },
  { "rnn-gru-t4-ntc-true-default", gru, 4, "NTC", HYB_MERGE_YES, "zeros" },
  { "rnn-gru-t1-tnc-true-ones", gru, 1, "TNC", HYB_MERGE_YES, "_ones" },
  { "rnn-gru-t4-tnc-none-var", gru, 4, "TNC", HYB_MERGE_NATURAL, NULL },
  { "rnn-rnn-t4-ntc-true-default", plain, 4, "NTC", HYB_MERGE_YES, "zeros" },
  { "rnn-lstm-t1-ntc-false-var", lstm, 1, "NTC", HYB_MERGE_NO, NULL },
  { "rnn-gru-t4-ntc-false-ones", gru, 4, "NTC", HYB_MERGE_NO, "_ones" },
  { "rnn-rnn-t1-ntc-none-default", plain, 1, "NTC", HYB_MERGE_NATURAL, "zeros" },
  { "rnn-rnn-t4-ntc-false-ones", plain, 4, "NTC", HYB_MERGE_NO, "_ones" },
  { "rnn-rnn-t4-tnc-none-var", plain, 4, "TNC", HYB_MERGE_NATURAL, NULL },
  { "rnn-rnn-relu-t1-tnc-true-ones", plain_relu, 1, "TNC", HYB_MERGE_YES, "_ones" },
  { "rnn-rnn-relu-t4-ntc-false-ones", plain_relu, 4, "NTC", HYB_MERGE_NO, "_ones" },
  { "rnn-rnn-relu-t4-ntc-true-default", plain_relu, 4, "NTC", HYB_MERGE_YES, "zeros" },
  { "rnn-rnn-relu-t4-tnc-none-var", plain_relu, 4, "TNC", HYB_MERGE_NATURAL, NULL },
  { "rnn-rnn-t1-ntc-false-var", plain, 1, "NTC", HYB_MERGE_NO, NULL },
};

void
exports_add_layers (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (layers); i++)
    export_check_add (layers[i].folder, layers[i].build, &layers[i].options, layers[i].structure);
  for (guint i = 0; i < G_N_ELEMENTS (symbolic); i++)
    export_check_add_graph (symbolic[i].folder, unroll_symbolic, &symbolic[i]);
}
