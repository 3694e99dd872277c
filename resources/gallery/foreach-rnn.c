/* foreach-rnn.c — ForeachRNN of MXNet's control flow tutorial: a loop over the steps with a cell as
 * its body (hyb_foreach()), for each kind of cell.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include <hybridscope/hybrid.h>

typedef enum
{
  CELL_RNN,
  CELL_GRU,
  CELL_LSTM,
} CellKind;

typedef struct
{
  int    cell;
  gint64 inputs, hidden, length, batch;
} Options;

static const char *const cells[] = { "rnn", "gru", "lstm", NULL };

static const HybParam options[] = {
  { HYB_FIELD (Options, cell), HYB_PARAM_ENUM, "lstm", .choices = cells, .doc = "rnn, gru, lstm" },
  { HYB_FIELD (Options, inputs), HYB_PARAM_INT, "64", 1, 65536, .doc = "features of a step" },
  { HYB_FIELD (Options, hidden), HYB_PARAM_INT, "64", 1, 65536, .doc = "units of the cell" },
  { HYB_FIELD (Options, length), HYB_PARAM_INT, "20", 1, 65536, .doc = "steps" },
  { HYB_FIELD (Options, batch), HYB_PARAM_INT, "32", 1, 65536, .doc = "sequences in a batch" },
  { 0 },
};

typedef struct
{
  HybBlock  parent;
  HybBlock *cell;
} ForeachRnn;

static HybValue *
foreach_rnn_forward (HybF *F, HybBlock *block, HybValue *input)
{
  ForeachRnn *self = (ForeachRnn *) block;

  hyb_cell_reset (self->cell);
  return hyb_foreach_cell (F, self->cell, hyb_item (F, input, 0), hyb_item (F, input, 1));
}

static const HybBlockClass foreach_rnn_class = {
  .name = "ForeachRNN",
  .size = sizeof (ForeachRnn),
  .forward = foreach_rnn_forward,
};

static HybBlock *
build (gconstpointer data)
{
  const Options *given = data;
  HybBlock      *block = hyb_block_new (&foreach_rnn_class, NULL);
  ForeachRnn    *self = (ForeachRnn *) block;
  HybCellOptions cell = { .hidden = given->hidden, .input_size = given->inputs };

  hyb_block_enter_scope (block);
  switch ((CellKind) given->cell)
    {
    case CELL_RNN:
      self->cell = hyb_append (block, hyb_rnn_cell_new (&cell));
      break;
    case CELL_GRU:
      self->cell = hyb_append (block, hyb_gru_cell_new (&cell));
      break;
    case CELL_LSTM:
      self->cell = hyb_append (block, hyb_lstm_cell_new (&cell));
      break;
    }
  hyb_block_leave_scope (block);
  return block;
}

static char *
describe_inputs (gconstpointer data)
{
  const Options *given = data;

  return g_strdup (given->cell == CELL_LSTM
                       ? "[float32(length, batch, inputs),"
                         " [float32(batch, hidden), float32(batch, hidden)]]"
                       : "[float32(length, batch, inputs), [float32(batch, hidden)]]");
}

/* Unit j learns the running mean of one of the features. */
static void
fill (gconstpointer data, const HybBatch *batch)
{
  const Options *given = data;
  guint64        draw = hyb_random_mix (batch->seed, batch->step);
  float         *x = hyb_tensor_get_data (batch->inputs[0]);
  float         *label = hyb_tensor_get_data (batch->label);
  gint64         row = given->batch * given->inputs;

  for (gint64 i = 0; i < given->length * row; i++)
    x[i] = (float) (2 * hyb_random_uniform (draw, (guint64) i) - 1);
  for (gint64 n = 0; n < given->batch; n++)
    for (gint64 j = 0; j < given->hidden; j++)
      {
        double sum = 0;

        for (gint64 t = 0; t < given->length; t++)
          {
            sum += x[t * row + n * given->inputs + j % given->inputs];
            label[(t * given->batch + n) * given->hidden + j] = (float) (sum / (double) (t + 1));
          }
      }
}

HYB_MODEL (.name = "foreach-rnn",
           .doc = "A cell in a foreach loop: ForeachRNN of the control flow tutorial",
           .options = options,
           .options_size = sizeof (Options),
           .describe_inputs = describe_inputs,
           .build = build,
           .task = { .loss = "l2",
                     .label = "float32(length, batch, hidden)",
                     .optimizer = "adam",
                     .settings = "learning_rate=0.01",
                     .clip_global_norm = 1,
                     .steps = 100,
                     .fill = fill });
