/* bench-rnn.c — recurrent benchmark cases, named CELL-PHASE-hH-tT-bB-FORM.
 *
 * One layer over T steps; the input is as wide as the hidden state.  The forms unrolled, foreach
 * and fused are graphs; imperative calls every operator, cell calls a hybridized cell for each
 * step.  Start at bench_rnn_new().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/command/bench/bench-case.h"

#include "engine/autograd/tape.h"
#include "engine/block/control.h"
#include "engine/gradient/backward.h"
#include "engine/rnn/layer.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define MAX_SIZE     65536
#define MAX_ELEMENTS (G_GINT64_CONSTANT (1) << 31)
#define N_WEIGHTS    4

typedef enum
{
  CELL_RNN,
  CELL_GRU,
  CELL_LSTM,
  N_CELLS,
} Cell;

typedef enum
{
  FORM_IMPERATIVE,
  FORM_CELL,
  FORM_UNROLLED,
  FORM_FOREACH,
  FORM_FUSED,
  N_FORMS,
} Form;

static const char *const cell_names[] = { "rnn", "gru", "lstm" };
static const char *const form_names[] = { "imperative", "cell", "unrolled", "foreach", "fused" };
static const gint64      n_gates[] = { 1, 3, 4 }; /* by cell */

typedef struct
{
  Cell     cell;
  Form     form;
  gboolean training;
  gint64   hidden, steps, batch;
} RnnSpec;

/* --- Names --- */

static int
find_name (const char *const *names, int n, const char *name)
{
  for (int i = 0; i < n; i++)
    if (strcmp (names[i], name) == 0)
      return i;
  return -1;
}

static gboolean
parse_size (const char *text, char letter, gint64 *size)
{
  char *end;

  if (text[0] != letter || !g_ascii_isdigit (text[1]))
    return FALSE;
  *size = g_ascii_strtoll (text + 1, &end, 10);
  return *end == '\0' && *size > 0 && *size <= MAX_SIZE;
}

static gboolean
parse_name (const char *name, RnnSpec *rnn)
{
  g_auto (GStrv) parts = g_strsplit (name, "-", 7);
  int cell, form;

  if (g_strv_length (parts) != 6 || !parse_size (parts[2], 'h', &rnn->hidden) ||
      !parse_size (parts[3], 't', &rnn->steps) || !parse_size (parts[4], 'b', &rnn->batch))
    return FALSE;

  cell = find_name (cell_names, N_CELLS, parts[0]);
  form = find_name (form_names, N_FORMS, parts[5]);
  rnn->cell = (Cell) MAX (cell, 0);
  rnn->form = (Form) MAX (form, 0);
  rnn->training = strcmp (parts[1], "train") == 0;
  return cell >= 0 && form >= 0 && (rnn->training || strcmp (parts[1], "infer") == 0) &&
         rnn->steps * rnn->batch <= MAX_ELEMENTS / rnn->hidden;
}

/* Lists all sizes of a cell.  Without all_forms FORM_CELL is left out. */
static void
list_grid (GPtrArray *names, Cell cell, const gint64 *hidden, guint n_hidden, gboolean all_forms)
{
  static const gint64 steps[] = { 35, 100 }, batch[] = { 1, 32 };

  for (guint p = 0; p < 2; p++)
    for (guint h = 0; h < n_hidden; h++)
      for (guint t = 0; t < G_N_ELEMENTS (steps); t++)
        for (guint b = 0; b < G_N_ELEMENTS (batch); b++)
          for (guint f = 0; f < N_FORMS; f++)
            if (all_forms || f != FORM_CELL)
              g_ptr_array_add (names,
                               g_strdup_printf ("%s-%s-h%d-t%d-b%d-%s", cell_names[cell],
                                                p == 0 ? "infer" : "train", (int) hidden[h],
                                                (int) steps[t], (int) batch[b], form_names[f]));
}

void
bench_rnn_list (GPtrArray *names)
{
  static const gint64 small[] = { 256, 512 }, large[] = { 1024 };

  for (Cell cell = 0; cell < N_CELLS; cell++)
    list_grid (names, cell, small, G_N_ELEMENTS (small), TRUE);
  list_grid (names, CELL_LSTM, large, G_N_ELEMENTS (large), FALSE);
}

/* --- Data and blocks, for all forms --- */

typedef struct
{
  BenchCase  parent;
  RnnSpec    rnn;
  HybBlock  *block; /* a cell, or a layer */
  HybTape   *tape;  /* for training step by step; else NULL */
  HybTensor *data;
  HybTensor *state[2];
  HybTensor *output; /* of the last run */
} RnnCase;

static guint
n_states (const RnnSpec *rnn)
{
  return rnn->cell == CELL_LSTM ? 2 : 1;
}

static HybBlock *
make_block (const RnnSpec *rnn)
{
  static const char *const modes[] = { "rnn_tanh", "gru", "lstm" };
  HybCellOptions           cell = { .hidden = rnn->hidden, .input_size = rnn->hidden };

  if (rnn->form == FORM_FUSED)
    return hyb_rnn_layer (.mode = modes[rnn->cell], .hidden = rnn->hidden,
                          .input_size = rnn->hidden);
  switch (rnn->cell)
    {
    case CELL_RNN:
      return hyb_rnn_cell_new (&cell);
    case CELL_GRU:
      return hyb_gru_cell_new (&cell);
    case CELL_LSTM:
      return hyb_lstm_cell_new (&cell);
    case N_CELLS:
      break;
    }
  g_return_val_if_reached (NULL);
}

/* Fills the parameters with seeds 2 to 5, in the order of suffixes. */
static gboolean
fill_parameters (RnnCase *self, GError **error)
{
  static const char *const suffixes[] = { "i2h_weight", "h2h_weight", "i2h_bias", "h2h_bias" };
  g_autoptr (GPtrArray) parameters = hyb_block_collect_parameters (self->block);
  gint64 rows = self->rnn.hidden * n_gates[self->rnn.cell];

  for (guint i = 0; i < parameters->len; i++)
    for (guint k = 0; k < N_WEIGHTS; k++)
      if (g_str_has_suffix (hyb_parameter_get_name (parameters->pdata[i]), suffixes[k]))
        {
          HybShape  shape = k < 2 ? hyb_shape_2d (rows, self->rnn.hidden) : hyb_shape_1d (rows);
          BenchFill fill = { 2 + k, 1 / sqrt ((double) self->rnn.hidden), 0 };
          g_autoptr (HybTensor) values = bench_fill (&shape, fill, error);

          if (!values || !hyb_parameter_set_data (parameters->pdata[i], values, error))
            return FALSE;
        }
  return TRUE;
}

static gboolean
fill_inputs (RnnCase *self, GError **error)
{
  const RnnSpec *rnn = &self->rnn;
  HybShape       data = hyb_shape_3d (rnn->steps, rnn->batch, rnn->hidden);
  HybShape       state = rnn->form == FORM_FUSED ? hyb_shape_3d (1, rnn->batch, rnn->hidden)
                                                 : hyb_shape_2d (rnn->batch, rnn->hidden);

  self->data = bench_fill (&data, (BenchFill){ 1, 1, 0 }, error);
  if (!self->data)
    return FALSE;
  for (guint i = 0; i < n_states (rnn); i++)
    {
      self->state[i] = bench_zeros (&state, error);
      if (!self->state[i])
        return FALSE;
    }
  return TRUE;
}

static void
rnn_free (BenchCase *bench)
{
  RnnCase *self = (RnnCase *) bench;

  g_clear_pointer (&self->block, hyb_block_unref);
  g_clear_pointer (&self->tape, hyb_tape_free);
  g_clear_pointer (&self->data, hyb_tensor_unref);
  g_clear_pointer (&self->state[0], hyb_tensor_unref);
  g_clear_pointer (&self->state[1], hyb_tensor_unref);
  g_clear_pointer (&self->output, hyb_tensor_unref);
  g_free (self);
}

/* In training the checksum is computed of this parameter's gradient. */
static HybParameter *
checked_parameter (RnnCase *self)
{
  g_autoptr (GPtrArray) parameters = hyb_block_collect_parameters (self->block);

  for (guint i = 0; i < parameters->len; i++)
    if (g_str_has_suffix (hyb_parameter_get_name (parameters->pdata[i]), "h2h_weight"))
      return parameters->pdata[i];
  g_return_val_if_reached (NULL);
}

/* --- Step by step --- */

static HybValue *
begin_states (HybF *F, RnnCase *self)
{
  HybValue *states[2];
  guint     n = n_states (&self->rnn);

  for (guint i = 0; i < n; i++)
    states[i] = hyb_value_from_tensor (F, self->state[i]);
  return hyb_list (F, n, states);
}

/* The loop that users write around a hybridized cell. */
static HybValue *
call_cell_by_step (HybF *F, RnnCase *self, HybValue *data, HybValue *states)
{
  guint                 n = (guint) self->rnn.steps;
  g_autofree HybValue **outputs = g_new (HybValue *, n);
  HybValue             *slices = hyb_split (F, data, n, 0, TRUE);

  for (guint t = 0; t < n; t++)
    {
      HybValue *result =
          hyb_call_list (F, self->block, n > 1 ? hyb_item (F, slices, t) : slices, states, NULL);

      outputs[t] = hyb_item (F, result, 0);
      states = hyb_item (F, result, 1);
    }
  return hyb_stack (F, hyb_list (F, n, outputs), 0);
}

static HybValue *
steps_forward (HybF *F, RnnCase *self)
{
  HybValue *data = hyb_value_from_tensor (F, self->data);
  HybValue *states = begin_states (F, self);

  if (self->rnn.form == FORM_CELL)
    return call_cell_by_step (F, self, data, states);
  return hyb_unroll (F, self->block, NULL, .length = (guint) self->rnn.steps, .inputs = data,
                     .begin_state = states, .layout = "TNC", .merge = HYB_MERGE_YES);
}

static gboolean
steps_run (BenchCase *bench, GError **error)
{
  RnnCase *self = (RnnCase *) bench;
  g_autoptr (HybF) F = hyb_f_new (self->rnn.training, 0);
  HybValue  *output;
  HybTensor *head;

  if (self->tape)
    {
      hyb_f_set_tape (F, self->tape);
      hyb_tape_begin (self->tape);
    }
  output = steps_forward (F, self);
  if (self->tape)
    hyb_tape_end (self->tape);
  if (!hyb_f_check (F, error))
    return FALSE;

  g_clear_pointer (&self->output, hyb_tensor_unref);
  head = hyb_value_get_tensor (output);
  self->output = hyb_tensor_ref (head);
  return !self->tape ||
         hyb_tape_backward (self->tape, &(HybBackwardPass){ .n_heads = 1, .heads = &head }, error);
}

static HybTensor *
steps_result (BenchCase *bench, GError **error)
{
  RnnCase *self = (RnnCase *) bench;

  if (!self->tape)
    return hyb_tensor_ref (self->output);
  return hyb_tensor_ref (
      hyb_tape_get_gradient (self->tape, hyb_parameter_get_data (checked_parameter (self), error)));
}

static const BenchKind steps_kind = { steps_run, steps_result, rnn_free };

static gboolean
prepare_steps (RnnCase *self, GError **error)
{
  g_autoptr (GPtrArray) parameters = hyb_block_collect_parameters (self->block);

  if (self->rnn.form == FORM_CELL && !hyb_block_hybridize (self->block, TRUE, NULL, error))
    return FALSE;
  if (!self->rnn.training)
    return TRUE;

  self->tape = hyb_tape_new ();
  for (guint i = 0; i < parameters->len; i++)
    {
      HybTensor *data = hyb_parameter_get_data (parameters->pdata[i], error);

      if (!data)
        return FALSE;
      hyb_tape_attach (self->tape, data, HYB_REQUEST_WRITE);
    }
  return TRUE;
}

/* --- As one graph --- */

static HybValue *
form_value (HybF *F, RnnCase *self)
{
  HybValue *data = hyb_value_variable (F, "data", NULL);
  HybValue *state[] = { hyb_value_variable (F, "state0", NULL), NULL };
  HybValue *states;

  if (n_states (&self->rnn) > 1)
    state[1] = hyb_value_variable (F, "state1", NULL);
  states = hyb_list (F, n_states (&self->rnn), state);
  if (self->rnn.form == FORM_FUSED)
    return hyb_item (F, hyb_call_list (F, self->block, data, states, NULL), 0);
  if (self->rnn.form == FORM_FOREACH)
    return hyb_item (F, hyb_foreach_cell (F, self->block, data, states), 0);
  return hyb_unroll (F, self->block, NULL, .length = (guint) self->rnn.steps, .inputs = data,
                     .begin_state = states, .layout = "TNC", .merge = HYB_MERGE_YES);
}

static HybGraph *
form_graph (RnnCase *self, GError **error)
{
  g_autoptr (HybF) F = hyb_f_new_trace (self->rnn.training);

  return hyb_f_finish (F, form_value (F, self), error);
}

/* Extends the graph: its heads are the outputs, then one gradient per parameter. */
static HybGraph *
add_gradients (HybGraph *graph, GPtrArray *names, guint first, GError **error)
{
  g_autofree HybNodeId *wrt = g_new (HybNodeId, names->len);

  for (guint i = first; i < names->len; i++)
    wrt[i - first] = hyb_graph_find_variable (graph, names->pdata[i]);
  return hyb_graph_with_gradients (graph, names->len - first, wrt, error);
}

static BenchCase *
new_graph_case (RnnCase *self, const BenchOptions *options, GError **error)
{
  static const char *const state_names[] = { "state0", "state1" };
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  g_autoptr (GPtrArray) values = g_ptr_array_new ();
  g_autoptr (GPtrArray) parameters = hyb_block_collect_parameters (self->block);
  g_autoptr (HybGraph) forward = form_graph (self, error);
  g_autoptr (HybGraph) with_gradients = NULL;
  BenchGraph graph = { .training = self->rnn.training };

  if (!forward)
    return NULL;
  g_ptr_array_add (names, (gpointer) "data");
  g_ptr_array_add (values, self->data);
  for (guint i = 0; i < n_states (&self->rnn); i++)
    {
      g_ptr_array_add (names, (gpointer) state_names[i]);
      g_ptr_array_add (values, self->state[i]);
    }
  graph.n_inputs = names->len;
  for (guint i = 0; i < parameters->len; i++)
    {
      HybTensor *data = hyb_parameter_get_data (parameters->pdata[i], error);

      if (!data)
        return NULL;
      if (parameters->pdata[i] == checked_parameter (self) && self->rnn.training)
        graph.checked_head = 1 + i;
      g_ptr_array_add (names, (gpointer) hyb_parameter_get_name (parameters->pdata[i]));
      g_ptr_array_add (values, data);
    }
  if (self->rnn.training)
    {
      with_gradients = add_gradients (forward, names, graph.n_inputs, error);
      if (!with_gradients)
        return NULL;
    }

  graph.graph = with_gradients ? with_gradients : forward;
  graph.n_values = names->len;
  graph.names = (const char *const *) names->pdata;
  graph.values = (HybTensor *const *) values->pdata;
  return bench_graph_new (&graph, options, error);
}

BenchCase *
bench_rnn_new (const char *name, const BenchOptions *options, GError **error)
{
  RnnSpec    rnn;
  RnnCase   *self;
  BenchCase *result = NULL;

  if (!parse_name (name, &rnn))
    return NULL;

  self = g_new0 (RnnCase, 1);
  self->parent.kind = &steps_kind;
  self->rnn = rnn;
  self->block = make_block (&rnn);
  if (fill_parameters (self, error) && fill_inputs (self, error))
    {
      if (rnn.form != FORM_IMPERATIVE && rnn.form != FORM_CELL)
        result = new_graph_case (self, options, error);
      else if (prepare_steps (self, error))
        return &self->parent;
    }
  rnn_free (&self->parent);
  return result;
}
