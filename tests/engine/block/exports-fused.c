/* exports-fused.c — export tests: FusedRNNCell and its unfuse(), compared byte for byte with the
 * symbol files that MXNet exported.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/rnn/layer.h"
#include "tests/engine/block/export-check.h"

typedef struct
{
  const char        *folder;
  guint              length;
  const char        *layout;
  HybMerge           merge;
  HybRnnLayerOptions options;
  gboolean           variables; /* begin states are */
} Row;

static const Row rows[] = {
  { "fused-document",
    5,
    "NTC",
    HYB_MERGE_YES,
    { .mode = "lstm", .hidden = 3, .layers = 3, .bidirectional = TRUE, .dropout = 0.5 } },
  { "fused-gru-l1", 4, "TNC", HYB_MERGE_YES, { .mode = "gru", .hidden = 5, .layers = 1 } },
  { "fused-gru-l2-bi",
    4,
    "NTC",
    HYB_MERGE_YES,
    { .mode = "gru", .hidden = 5, .layers = 2, .bidirectional = TRUE } },
  { "fused-gru-l2",
    4,
    "TNC",
    HYB_MERGE_YES,
    { .mode = "gru", .hidden = 5, .layers = 2, .get_next_state = TRUE } },
  { "fused-gru-l3-bi",
    4,
    "NTC",
    HYB_MERGE_NATURAL,
    { .mode = "gru", .hidden = 5, .layers = 3, .bidirectional = TRUE } },
  { "fused-lstm-l1", 4, "TNC", HYB_MERGE_YES, { .mode = "lstm", .hidden = 5, .layers = 1 }, TRUE },
  { "fused-lstm-l2-bi",
    4,
    "NTC",
    HYB_MERGE_NATURAL,
    { .mode = "lstm", .hidden = 5, .layers = 2, .bidirectional = TRUE, .get_next_state = TRUE } },
  { "fused-lstm-l2",
    4,
    "TNC",
    HYB_MERGE_YES,
    { .mode = "lstm", .hidden = 5, .layers = 2, .get_next_state = TRUE },
    TRUE },
  { "fused-lstm-l3-bi",
    4,
    "NTC",
    HYB_MERGE_YES,
    { .mode = "lstm", .hidden = 5, .layers = 3, .bidirectional = TRUE },
    TRUE },
  { "fused-rnn_relu-l1",
    4,
    "TNC",
    HYB_MERGE_YES,
    { .mode = "rnn_relu", .hidden = 5, .layers = 1, .get_next_state = TRUE } },
  { "fused-rnn_relu-l2-bi",
    4,
    "NTC",
    HYB_MERGE_NO,
    { .mode = "rnn_relu", .hidden = 5, .layers = 2, .bidirectional = TRUE } },
  { "fused-rnn_relu-l2",
    4,
    "TNC",
    HYB_MERGE_YES,
    { .mode = "rnn_relu", .hidden = 5, .layers = 2 },
    TRUE },
  { "fused-rnn_relu-l3-bi",
    4,
    "NTC",
    HYB_MERGE_YES,
    { .mode = "rnn_relu",
      .hidden = 5,
      .layers = 3,
      .bidirectional = TRUE,
      .get_next_state = TRUE } },
  { "fused-rnn_tanh-l1",
    4,
    "TNC",
    HYB_MERGE_YES,
    { .mode = "rnn_tanh", .hidden = 5, .layers = 1 } },
  { "fused-rnn_tanh-l2-bi",
    4,
    "NTC",
    HYB_MERGE_YES,
    { .mode = "rnn_tanh", .hidden = 5, .layers = 2, .bidirectional = TRUE, .get_next_state = TRUE },
    TRUE },
  { "fused-rnn_tanh-l2",
    4,
    "TNC",
    HYB_MERGE_YES,
    { .mode = "rnn_tanh", .hidden = 5, .layers = 2 } },
  { "fused-rnn_tanh-l3-bi",
    4,
    "NTC",
    HYB_MERGE_NO,
    { .mode = "rnn_tanh", .hidden = 5, .layers = 3, .bidirectional = TRUE } },
};

static HybGraph *
unroll (HybF *F, HybBlock *cell, const Row *row, gboolean states_are_heads)
{
  HybValue *states = row->variables ? hyb_cell_begin_state (F, cell, NULL, 0) : NULL;
  HybValue *outputs =
      hyb_unroll (F, cell, &states, .length = row->length,
                  .inputs = hyb_value_variable (F, "data", NULL), .layout = row->layout,
                  .begin_state = states, .merge = row->merge);

  return hyb_f_finish (F, states_are_heads ? hyb_list_of (F, outputs, states, NULL) : outputs,
                       NULL);
}

static HybGraph *
fused (gconstpointer data)
{
  const Row *row = data;
  g_autoptr (HybF) F = hyb_f_new_trace (FALSE);
  g_autoptr (HybBlock) cell = NULL;

  hyb_names_reset ();
  cell = hyb_fused_cell_new (&row->options);
  return unroll (F, cell, row, row->options.get_next_state);
}

static HybGraph *
unfused (gconstpointer data)
{
  const Row *row = data;
  g_autoptr (HybF) F = hyb_f_new_trace (FALSE);
  g_autoptr (HybBlock) cell = NULL;
  g_autoptr (HybBlock) stack = NULL;

  hyb_names_reset ();
  cell = hyb_fused_cell_new (&row->options);
  stack = hyb_fused_cell_unfuse (cell);
  return unroll (F, stack, row, row->options.get_next_state);
}

void
exports_add_fused (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autofree char *twin = g_strconcat (rows[i].folder, "-unfused", NULL);

      export_check_add_graph (rows[i].folder, fused, &rows[i]);
      export_check_add_graph (g_intern_string (twin), unfused, &rows[i]);
    }
}
