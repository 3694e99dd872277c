/* exports-mxrnn.c — export tests: mx.rnn's wrappers, stacks and convolutional cells.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/block/layers.h"
#include "engine/rnn/layer.h"
#include "tests/engine/block/export-check.h"

static HybBlock *
lstm (const char *prefix, gint64 hidden)
{
  return hyb_lstm_cell (.hidden = hidden, .prefix = prefix, .style = HYB_STYLE_SYMBOLIC);
}

static HybBlock *
gru (const char *prefix, gint64 hidden)
{
  return hyb_gru_cell (.hidden = hidden, .prefix = prefix, .style = HYB_STYLE_SYMBOLIC);
}

static HybBlock *
plain (const char *prefix, gint64 hidden)
{
  return hyb_rnn_cell (.hidden = hidden, .prefix = prefix, .style = HYB_STYLE_SYMBOLIC);
}

static HybBlock *
both_ways (HybBlock *left, HybBlock *right, const char *output_prefix)
{
  return hyb_bidirectional_cell_new (left, right, output_prefix, HYB_STYLE_SYMBOLIC);
}

static HybBlock *
stack (void)
{
  return hyb_sequential_cell_new (HYB_STYLE_SYMBOLIC, NULL);
}

static HybBlock *
single_lstm (void)
{
  return lstm (NULL, 4);
}

static HybBlock *
bi_list (void)
{
  HybBlock *left = plain ("f_", 4);

  return both_ways (left, plain ("b_", 4), NULL);
}

static HybBlock *
bi_lstm_gru (void)
{
  HybBlock *left = lstm (NULL, 4);

  return both_ways (left, gru (NULL, 5), NULL);
}

static HybBlock *
conv_cell (const char *mode)
{
  return hyb_conv_cell (mode, .input_shape = hyb_shape_3d (3, 5, 4), .channels = 4,
                        .style = HYB_STYLE_SYMBOLIC);
}

static HybBlock *
conv_rnn (void)
{
  return conv_cell ("rnn");
}

static HybBlock *
conv_lstm (void)
{
  return conv_cell ("lstm");
}

static HybBlock *
conv_gru (void)
{
  return conv_cell ("gru");
}

static HybBlock *
modifiers (void)
{
  HybBlock *cells = stack (), *left;

  hyb_append (cells, plain ("a_", 4));
  hyb_append (cells, hyb_residual_cell_new (lstm ("b_", 4)));
  hyb_append (cells, hyb_zoneout_cell_new (gru ("c_", 4), 0.1, 0.1));
  left = gru ("e_", 2);
  hyb_append (cells, both_ways (left, lstm ("f_", 3), "last_"));
  return cells;
}

static HybBlock *
residual_gru (void)
{
  return hyb_residual_cell_new (gru (NULL, 4));
}

static HybBlock *
residual_lstm (void)
{
  return hyb_residual_cell_new (lstm (NULL, 4));
}

static HybBlock *
shared (void)
{
  HybBlock *cells = stack ();
  HybBlock *first = hyb_append (cells, plain ("tied_", 3));

  hyb_append (cells, hyb_rnn_cell (.hidden = 3, .prefix = "tied2_", .style = HYB_STYLE_SYMBOLIC,
                                   .shared = first));
  return cells;
}

static HybBlock *
document_stack (void)
{
  HybBlock *cells = stack (), *left = lstm ("l0_", 4);

  hyb_append (cells, both_ways (left, lstm ("r0_", 4), "bi0_"));
  hyb_append (cells, hyb_dropout_cell_new (0.5, HYB_STYLE_SYMBOLIC, NULL));
  hyb_append (cells, lstm ("l1_", 4));
  return cells;
}

static HybBlock *
stack_of_three (void)
{
  HybBlock *cells = stack ();

  hyb_append (cells, lstm ("lstm_l0_", 4));
  hyb_append (cells, gru ("gru_l1_", 4));
  hyb_append (cells, lstm ("lstm_l2_", 4));
  return cells;
}

static HybBlock *
zoneout_both (void)
{
  return hyb_zoneout_cell_new (gru (NULL, 4), 0.3, 0.2);
}

static HybBlock *
zoneout_states (void)
{
  return hyb_zoneout_cell_new (lstm (NULL, 4), 0, 0.5);
}

typedef struct
{
  const char *folder;
  HybBlock *(*cell) (void);
  const char *layout;
  HybMerge    merge;
  guint       listed;    /* inputs are a list of this many variables; 0: one variable */
  gboolean    variables; /* begin states are */
} Row;

static const Row rows[] = {
  { "rnn-bi-list", bi_list, "TNC", HYB_MERGE_NO },
  { "rnn-bi-lstm-gru", bi_lstm_gru, "NTC", HYB_MERGE_YES },
  { "rnn-conv-gru", conv_gru, "NTC", HYB_MERGE_NO, 3 },
  { "rnn-conv-lstm", conv_lstm, "NTC", HYB_MERGE_NO, 3 },
  { "rnn-conv-rnn", conv_rnn, "NTC", HYB_MERGE_NO, 3 },
  { "rnn-lstm-listinput", single_lstm, "NTC", HYB_MERGE_NO, 4 },
  { "rnn-modifiers-deep", modifiers, "NTC", HYB_MERGE_YES },
  { "rnn-residual-list", residual_gru, "TNC", HYB_MERGE_NO },
  { "rnn-residual-lstm", residual_lstm, "NTC", HYB_MERGE_YES },
  { "rnn-shared-params", shared, "NTC", HYB_MERGE_YES },
  { "rnn-stack-document", document_stack, "NTC", HYB_MERGE_YES },
  { "rnn-stack-three", stack_of_three, "TNC", HYB_MERGE_NO },
  { "rnn-stack-three-var", stack_of_three, "NTC", HYB_MERGE_YES, 0, TRUE },
  { "rnn-zoneout-both", zoneout_both, "NTC", HYB_MERGE_NO },
  { "rnn-zoneout-states", zoneout_states, "NTC", HYB_MERGE_YES },
};

static HybValue *
inputs_of (HybF *F, guint n)
{
  g_autofree HybValue **steps = g_new (HybValue *, MAX (n, 1));

  if (n == 0)
    return hyb_value_variable (F, "data", NULL);
  for (guint t = 0; t < n; t++)
    steps[t] = hyb_value_variable (F, hyb_f_text (F, "t%u_data", t), NULL);
  return hyb_list (F, n, steps);
}

static HybGraph *
unroll (gconstpointer data)
{
  const Row *row = data;
  g_autoptr (HybF) F = hyb_f_new_trace (FALSE);
  g_autoptr (HybBlock) cell = NULL;
  g_autoptr (GError) error = NULL;
  HybValue *states = NULL, *outputs;
  HybGraph *graph;

  hyb_names_reset ();
  cell = row->cell ();
  if (row->variables)
    states = hyb_cell_begin_state (F, cell, NULL, 0);
  outputs = hyb_unroll (F, cell, &states, .length = row->listed > 0 ? row->listed : 4,
                        .inputs = inputs_of (F, row->listed), .layout = row->layout,
                        .merge = row->merge, .begin_state = states);
  graph = hyb_f_finish (F, hyb_list_of (F, outputs, states, NULL), &error);
  g_assert_no_error (error);
  return graph;
}

void
exports_add_mxrnn (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    export_check_add_graph (rows[i].folder, unroll, &rows[i]);
}
