/* gate-gradients.c — _backward_lstm_gates and _backward_gru_gates: from the gradients of a recurrent cell's new state
 * to those of its two products and of its state before, in one operator.  The pass fuse-gates puts them in place of the
 * single operators.
 *
 * Float only.  They read what _recording_lstm_gates and _recording_gru_gates keep (gates.c).  Operations and their
 * order are those of the single operators, so the results are the same bytes.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/op/op.h"

#include "engine/base/parallel.h"
#include "engine/kernels/recurrent/gate-gradients.h"
#include "engine/op/rules.h"
#include "engine/op/run.h"

/* Fewest elements of a state that are worth a thread. */
#define GRAIN 2048

/* Places of inputs; the last of an LSTM may be missing. */
enum
{
  LSTM_GRADIENT,
  LSTM_INPUT_GATE,
  LSTM_FORGET_GATE,
  LSTM_CANDIDATE,
  LSTM_OUTPUT_GATE,
  LSTM_CELL_TANH,
  LSTM_CELL,
  LSTM_CELL_GRADIENT,
};

enum
{
  GRU_GRADIENT,
  GRU_RESET_GATE,
  GRU_UPDATE_GATE,
  GRU_CANDIDATE,
  GRU_H2H,
  GRU_STATE,
};

typedef struct
{
  const HybCall *call;
  const HybRun  *run;
  gint64         hidden;
} Rows;

static const float *
row_of (const Rows *rows, guint input, gint64 row)
{
  return (const float *) rows->run->input[input] + row * rows->hidden;
}

static void
lstm_rows (gint64 begin, gint64 end, gpointer data)
{
  const Rows *rows = data;
  gint64      H = rows->hidden;

  for (gint64 row = begin; row < end; row++)
    {
      float *sums = (float *) rows->run->output[0] + 4 * row * H;

      hyb_lstm_gradient (&(HybLstmGradient){
          .n = H,
          .output = row_of (rows, LSTM_GRADIENT, row),
          .cell = rows->call->n_inputs > LSTM_CELL_GRADIENT ? row_of (rows, LSTM_CELL_GRADIENT, row)
                                                            : NULL,
          .i = row_of (rows, LSTM_INPUT_GATE, row),
          .f = row_of (rows, LSTM_FORGET_GATE, row),
          .g = row_of (rows, LSTM_CANDIDATE, row),
          .o = row_of (rows, LSTM_OUTPUT_GATE, row),
          .t = row_of (rows, LSTM_CELL_TANH, row),
          .before = row_of (rows, LSTM_CELL, row),
          .to_i = sums,
          .to_f = sums + H,
          .to_g = sums + 2 * H,
          .to_o = sums + 3 * H,
          .to_before = (float *) rows->run->output[1] + row * H,
      });
    }
}

/* The parts of i2h get the gradients of the sums of r, z and the candidate; the parts of h2h get the same except the third. */
static void
gru_rows (gint64 begin, gint64 end, gpointer data)
{
  const Rows *rows = data;
  gint64      H = rows->hidden;

  for (gint64 row = begin; row < end; row++)
    {
      float *i2h = (float *) rows->run->output[0] + 3 * row * H;
      float *h2h = (float *) rows->run->output[1] + 3 * row * H;

      hyb_gru_gradient (&(HybGruGradient){
          .n = H,
          .output = row_of (rows, GRU_GRADIENT, row),
          .r = row_of (rows, GRU_RESET_GATE, row),
          .z = row_of (rows, GRU_UPDATE_GATE, row),
          .c = row_of (rows, GRU_CANDIDATE, row),
          .y = (const float *) rows->run->input[GRU_H2H] + (3 * row + 2) * H,
          .before = row_of (rows, GRU_STATE, row),
          .to_r = { i2h, h2h },
          .to_z = { i2h + H, h2h + H },
          .to_c = i2h + 2 * H,
          .to_y = h2h + 2 * H,
          .to_before = (float *) rows->run->output[2] + row * H,
      });
    }
}

static void
run_rows (const HybCall *call, const HybRun *run, HybParallelFunc function)
{
  const HybShape *shape = &call->input[0].shape;
  Rows            rows = { call, run, shape->dim[1] };

  hyb_parallel_for (shape->dim[0], 1 + GRAIN / MAX (rows.hidden, 1), function, &rows);
}

static void
lstm_forward (const HybCall *call, const HybRun *run)
{
  run_rows (call, run, lstm_rows);
}

static void
gru_forward (const HybCall *call, const HybRun *run)
{
  run_rows (call, run, gru_rows);
}

/* The shape of a product of n_gates gates, for a state of this shape. */
static HybShape
product_shape (const HybShape *state, gint64 n_gates)
{
  if (state->rank != 2)
    return hyb_shape_2d (HYB_UNKNOWN, HYB_UNKNOWN);
  return hyb_shape_2d (state->dim[0],
                       state->dim[1] == HYB_UNKNOWN ? HYB_UNKNOWN : n_gates * state->dim[1]);
}

static gboolean
lstm_infer_shape (HybCall *call, GError **error)
{
  HybShape *state = &call->input[LSTM_GRADIENT].shape, sum;

  for (guint i = 1; i < call->n_inputs; i++)
    if (!hyb_shape_unify (state, &call->input[i].shape, error))
      return FALSE;
  sum = product_shape (state, 4);
  return hyb_shape_unify (state, &call->output[1].shape, error) &&
         hyb_shape_unify (&call->output[0].shape, &sum, error);
}

static gboolean
gru_infer_shape (HybCall *call, GError **error)
{
  HybShape *state = &call->input[GRU_GRADIENT].shape, product;

  for (guint i = 1; i < call->n_inputs; i++)
    if (i != GRU_H2H && !hyb_shape_unify (state, &call->input[i].shape, error))
      return FALSE;
  product = product_shape (state, 3);
  return hyb_shape_unify (state, &call->output[2].shape, error) &&
         hyb_shape_unify (&call->input[GRU_H2H].shape, &product, error) &&
         hyb_shape_unify (&call->output[0].shape, &product, error) &&
         hyb_shape_unify (&call->output[1].shape, &product, error);
}

typedef struct
{
  gboolean has_cell_gradient;
} LstmParams;

static const HybParam lstm_params[] = {
  { HYB_FIELD (LstmParams, has_cell_gradient), HYB_PARAM_BOOL, "True",
    .doc = "a gradient of the new cell arrives" },
  { 0 },
};

static void
lstm_arity (gconstpointer values, guint *n_inputs, guint *n_outputs)
{
  const LstmParams *params = values;

  *n_inputs = params->has_cell_gradient ? LSTM_CELL_GRADIENT + 1 : LSTM_CELL_GRADIENT;
  *n_outputs = 2;
}

const HybOp hyb_ops_gate_gradients[] = {
  { .name = "_backward_lstm_gates",
    .doc = "Gradients of the products and of the cell of an LSTM.",
    .category = HYB_CATEGORY_ELEMENTWISE,
    .flags = HYB_OP_INTERNAL,
    .inputs = (const char *const[]){ "gradient", "input_gate", "forget_gate", "candidate",
                                     "output_gate", "cell_tanh", "cell", "cell_gradient", NULL },
    .outputs = (const char *const[]){ "products", "cell", NULL },
    HYB_PARAMS (lstm_params, LstmParams),
    .arity = lstm_arity,
    .infer_shape = lstm_infer_shape,
    .forward = lstm_forward,
    .flops_per_input = 12 /* six products, a sum, five functions */ },
  { .name = "_backward_gru_gates",
    .doc = "Gradients of the products and of the state of a GRU.",
    .category = HYB_CATEGORY_ELEMENTWISE,
    .flags = HYB_OP_INTERNAL,
    .inputs = (const char *const[]){ "gradient", "reset_gate", "update_gate", "candidate", "h2h",
                                     "state", NULL },
    .outputs = (const char *const[]){ "i2h", "h2h", "state", NULL },
    .infer_shape = gru_infer_shape,
    .forward = gru_forward,
    .flops_per_input = 11 /* six products, two sums, three functions */ },
  { 0 },
};
