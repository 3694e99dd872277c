/* exports-unrolled.c — export tests: the control flow benchmark, the tutorial's ForeachRNN and
 * dynamic_unroll; cells in loops, and the same loops unrolled.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/block/control.h"
#include "engine/block/layers.h"
#include "engine/rnn/cell.h"
#include "tests/engine/block/export-check.h"

#include <string.h>

typedef struct
{
  const char *kind; /* "lstm", "gru", "rnn", "relu", "stack" */
  gint64      hidden, input_size;
  guint       length;
} Cell;

static HybBlock *
residual_gru (void)
{
  return hyb_residual_cell_new (hyb_gru_cell (.hidden = 4, .input_size = 4));
}

static HybBlock *
stack (void)
{
  HybBlock *cells = hyb_sequential_cell_new (HYB_STYLE_GLUON, NULL);

  hyb_append (cells, hyb_lstm_cell (.hidden = 4, .input_size = 3));
  hyb_append (cells, hyb_dropout_cell_new (0.2, HYB_STYLE_GLUON, NULL));
  hyb_append (cells, residual_gru ());
  return cells;
}

static HybBlock *
cell_of (const Cell *cell)
{
  HybCellOptions options = { .hidden = cell->hidden, .input_size = cell->input_size };

  if (strcmp (cell->kind, "stack") == 0)
    return stack ();
  if (strcmp (cell->kind, "lstm") == 0)
    return hyb_lstm_cell_new (&options);
  if (strcmp (cell->kind, "gru") == 0)
    return hyb_gru_cell_new (&options);
  options.activation = strcmp (cell->kind, "relu") == 0 ? "relu" : NULL;
  return hyb_rnn_cell_new (&options);
}

/* A cell with a name of its own, made outside the block around it. */
static HybBlock *
around_cell (gconstpointer data)
{
  const ModelRow *row = data;
  HybBlock       *cell = cell_of (row->data);
  HybBlock       *block = model_from_row (row);

  ((Model *) block)->part[0] = hyb_block_add_child (block, cell, "cell");
  return block;
}

static HybValue *
looped (HybF *F, Model *model, HybValue *input)
{
  HybValue *result =
      hyb_foreach_cell (F, model->part[0], hyb_item (F, input, 0), hyb_item (F, input, 1));

  return hyb_item (F, result, 0);
}

static HybValue *
unrolled (HybF *F, Model *model, HybValue *input)
{
  return hyb_unroll (F, model->part[0], NULL, .length = ((const Cell *) model->row->data)->length,
                     .inputs = hyb_item (F, input, 0), .begin_state = hyb_item (F, input, 1),
                     .layout = "TNC", .merge = HYB_MERGE_YES);
}

/* The tutorial's body gives the states among its outputs, too. */
static HybValue *
step_and_states (HybF *F, HybValue *x, HybValue **states, gpointer cell)
{
  HybValue *output = hyb_cell_step (F, cell, x, states);

  return hyb_list_of (F, output, *states, NULL);
}

static HybValue *
foreach_rnn (HybF *F, Model *model, HybValue *input)
{
  HybValue *result = hyb_foreach (F, step_and_states, hyb_item (F, input, 0),
                                  hyb_item (F, input, 1), model->part[0]);

  return hyb_item (F, result, 0);
}

/* --- dynamic_unroll --- */

static void
dynamic_parts (Model *model)
{
  model->part[0] = hyb_block_add_child (&model->parent, cell_of (model->row->data), "cell");
}

static HybValue *
dynamic (HybF *F, Model *model, HybValue *input)
{
  HybValue *states;
  HybValue *y =
      hyb_cell_dynamic_unroll (F, model->part[0],
                               &(const HybUnroll){ .inputs = hyb_item (F, input, 0),
                                                   .begin_state = hyb_item (F, input, 1) },
                               &states);

  return hyb_list_of (F, y, states, NULL);
}

static HybValue *
dynamic_valid (HybF *F, Model *model, HybValue *input)
{
  HybValue *states;
  HybValue *y = hyb_cell_dynamic_unroll (F, model->part[0],
                                         &(const HybUnroll){ .inputs = hyb_item (F, input, 0),
                                                             .valid_length = hyb_item (F, input, 1),
                                                             .begin_state = hyb_item (F, input, 2),
                                                             .layout = "NTC" },
                                         &states);

  return hyb_list_of (F, y, states, NULL);
}

static const Cell lstm = { "lstm", 4, 3, 0 }, gru = { "gru", 4, 3, 0 }, rnn = { "rnn", 4, 3, 0 };
static const Cell relu = { "relu", 4, 3, 0 }, stacked = { "stack", 4, 3, 0 };
static const Cell small_lstm = { "lstm", 8, 8, 6 }, small_gru = { "gru", 8, 8, 6 };
static const Cell small_rnn = { "rnn", 8, 8, 6 };
static const Cell large_lstm = { "lstm", 512, 512, 100 }, large_gru = { "gru", 512, 512, 100 };
static const Cell large_rnn = { "rnn", 512, 512, 100 };

#define ONE "[0, [0]]"
#define TWO "[0, [0, 0]]"

static const ModelRow rows[] = {
  { "benchmark-gru-foreach-b1", "Looped", ONE, looped, NULL, &large_gru },
  { "benchmark-gru-foreach-b32", "Looped", ONE, looped, NULL, &large_gru },
  { "benchmark-gru-unrolled-b1", "Unrolled", ONE, unrolled, NULL, &large_gru },
  { "benchmark-lstm-foreach-b1", "Looped", TWO, looped, NULL, &large_lstm },
  { "benchmark-lstm-foreach-b32", "Looped", TWO, looped, NULL, &large_lstm },
  { "benchmark-lstm-unrolled-b1", "Unrolled", TWO, unrolled, NULL, &large_lstm },
  { "benchmark-rnn-foreach-b1", "Looped", ONE, looped, NULL, &large_rnn },
  { "benchmark-rnn-foreach-b32", "Looped", ONE, looped, NULL, &large_rnn },
  { "benchmark-rnn-unrolled-b1", "Unrolled", ONE, unrolled, NULL, &large_rnn },
  { "benchmark-small-gru-foreach", "Looped", ONE, looped, NULL, &small_gru },
  { "benchmark-small-gru-unrolled", "Unrolled", ONE, unrolled, NULL, &small_gru },
  { "benchmark-small-lstm-foreach", "Looped", TWO, looped, NULL, &small_lstm },
  { "benchmark-small-lstm-unrolled", "Unrolled", TWO, unrolled, NULL, &small_lstm },
  { "benchmark-small-rnn-foreach", "Looped", ONE, looped, NULL, &small_rnn },
  { "benchmark-small-rnn-unrolled", "Unrolled", ONE, unrolled, NULL, &small_rnn },
  { "foreachrnn-gru", "ForeachRNN", ONE, foreach_rnn, NULL, &gru },
  { "foreachrnn-lstm", "ForeachRNN", TWO, foreach_rnn, NULL, &lstm },
  { "foreachrnn-rnn", "ForeachRNN", ONE, foreach_rnn, NULL, &rnn },
  { "foreachrnn-rnn-relu", "ForeachRNN", ONE, foreach_rnn, NULL, &relu },
  { "foreachrnn-stack", "ForeachRNN", "[0, [0, 0, 0]]", foreach_rnn, NULL, &stacked },
};

static const ModelRow dynamic_rows[] = {
  { "dynamic-unroll-gru", "DynamicUnroll", ONE, dynamic, dynamic_parts, &gru },
  { "dynamic-unroll-lstm", "DynamicUnroll", TWO, dynamic, dynamic_parts, &lstm },
  { "dynamic-unroll-valid", "DynamicUnroll", "[0, 0, [0]]", dynamic_valid, dynamic_parts, &gru },
};

void
exports_add_unrolled (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    export_check_add (rows[i].folder, around_cell, &rows[i], rows[i].structure);
  export_check_add_models (dynamic_rows, G_N_ELEMENTS (dynamic_rows));
}
