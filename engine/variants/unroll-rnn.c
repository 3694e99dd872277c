/* unroll-rnn.c — writes out a fused RNN operator: cells layer by layer, with weights of their own.
 *
 * The packed weights are split into one matrix or bias per part and become parameters of the new
 * model, unless the graph packs them itself.  Start reading at write_out().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/variants/unroll.h"

#include "engine/base/error.h"
#include "engine/formats/rnn-weights.h"
#include "engine/variants/copied-weights.h"
#include "engine/variants/node-kind.h"
#include "engine/variants/rebuild-value.h"
#include "engine/variants/steps/lengths.h"
#include "engine/variants/write-step.h"

#include <math.h>
#include <string.h>

/* The operator that is written out.  A row is one direction of one layer: layer × n_directions +
 * direction. */
typedef struct
{
  HybConversion    *conversion;
  HybRebuild       *rebuild;
  HybNodeId         id;
  const HybNode    *node;
  const HybValueId *inputs;
  HybRnnWeights     weights;
  guint             n_steps, n_directions, n_rows;
  double            dropout;
  char             *prefix;
  HybUnrolledCell  *cells; /* by row */
  HybValueId
      *state[2];      /* h and c by row: initial states, later the final ones; c NULL without it */
  HybValueId  *x;     /* by time step: input of the next layer */
  HybSequence *x_all; /* the same */
  HybValueId   lengths; /* of the sequences; HYB_NO_ID: all have all steps */
  HybSequence *masked;  /* outputs of the last layer, masked behind the lengths */
} FusedRnn;

static gboolean
refuse (const FusedRnn *fused, GError **error, const char *hint, const char *what)
{
  return hyb_error_at (error, HYB_GRAPH_ERROR, HYB_GRAPH_ERROR_STRUCTURE, fused->node->name, hint,
                       "%s", what);
}

/* Only an LSTM has the state that is clipped.  Its upper bound needs a lower one. */
static gboolean
clips_state (const FusedRnn *fused)
{
  return fused->weights.mode == HYB_RNN_LSTM &&
         !isnan (hyb_node_double (fused->node, "lstm_state_clip_min", NAN));
}

/* --- Weights --- */

/* The field of cell that a part of the packed weights belongs in. */
static HybValueId *
cell_field (HybUnrolledCell *cell, const HybRnnPart *part)
{
  if (part->is_projection)
    return &cell->h2r_weight;
  if (part->is_bias)
    return part->is_hidden ? &cell->h2h_bias : &cell->i2h_bias;
  return part->is_hidden ? &cell->h2h_weight : &cell->i2h_weight;
}

/* The new variable that another operator with the same packed weights made of this part; HYB_NO_ID
 * if there is none. */
static HybValueId
find_shared_part (FusedRnn *fused, const HybRnnPart *part, const char *packed)
{
  HybConversion *conversion = fused->conversion;
  HybBuilder    *builder = fused->rebuild->builder;
  gint64         count = part->rows * MAX (part->columns, 1);

  for (guint i = 0; i < conversion->copies->len; i++)
    {
      const HybParameterCopy *copy = &g_array_index (conversion->copies, HybParameterCopy, i);
      HybTensor              *tensor = hyb_model_get_parameter (conversion->to, copy->to);

      if (strcmp (copy->from, packed) != 0 || copy->from_offset != part->offset ||
          copy->count != count || !tensor || hyb_tensor_get_shape (tensor)->dim[0] != part->rows)
        continue;
      for (HybNodeId id = 0; id < hyb_builder_n_nodes (builder); id++)
        if (strcmp (hyb_builder_get_node (builder, id)->name, copy->to) == 0)
          return hyb_builder_output (builder, id, 0);
    }
  return HYB_NO_ID;
}

/* Makes one part of the packed weights a variable. */
static gboolean
add_part (FusedRnn *fused, const HybRnnPart *part, const char *packed, GError **error)
{
  HybConversion   *conversion = fused->conversion;
  g_autofree char *name = hyb_rnn_part_name (&fused->weights, part, "");
  const char      *unique;
  HybType          type = *hyb_tensor_get_type (hyb_model_get_parameter (conversion->from, packed));
  gint64           count = part->rows * MAX (part->columns, 1);
  guint            row = part->layer * fused->n_directions + part->direction;
  HybValueId       shared = find_shared_part (fused, part, packed);
  g_autoptr (HybTensor) tensor = NULL;

  if (shared != HYB_NO_ID)
    {
      *cell_field (&fused->cells[row], part) = shared;
      return TRUE;
    }
  /* A part is contiguous in the packed array: (rows, columns) from part->offset on, or rows for a
   * bias. */
  unique = hyb_rebuild_name (fused->rebuild, "%s", name);
  type.shape = part->is_bias ? hyb_shape_1d (part->rows) : hyb_shape_2d (part->rows, part->columns);
  hyb_parameter_copies_add (conversion->copies, &(HybParameterCopy){ .from = packed,
                                                                     .to = unique,
                                                                     .from_offset = part->offset,
                                                                     .stride = 1,
                                                                     .count = count });
  tensor = hyb_parameter_copies_gather (conversion->copies, unique, &type, conversion->from, error);
  if (!tensor)
    return FALSE;
  hyb_model_set_parameter (conversion->to, unique, tensor);
  *cell_field (&fused->cells[row], part) = hyb_rebuild_variable (fused->rebuild, unique, NULL);
  return TRUE;
}

/* Weights that are one packed variable. */
static gboolean
unpack_weights (FusedRnn *fused, HybValueId value, GError **error)
{
  HybGraph   *graph = fused->conversion->graph;
  const char *name = hyb_graph_get_node (graph, hyb_graph_get_producer (graph, value))->name;
  HybTensor  *packed = hyb_model_get_parameter (fused->conversion->from, name);
  g_autoptr (GArray) parts = NULL;
  const char *end = g_strrstr (name, "parameters");

  if (!packed)
    return refuse (fused, error, "Give the file of parameters", "its weights have no values");
  fused->prefix = end ? g_strndup (name, (gsize) (end - name)) : g_strconcat (name, "_", NULL);
  fused->weights.prefix = fused->prefix;
  fused->weights.input = hyb_rnn_input_size (&fused->weights, hyb_tensor_get_size (packed));
  if (fused->weights.input < 1)
    return refuse (fused, error, "Load the file that belongs to the model",
                   "no input size gives packed weights of this length");

  hyb_report_unpacked_weights (fused->conversion, value);
  parts = hyb_rnn_parts (&fused->weights);
  for (guint i = 0; i < parts->len; i++)
    if (!add_part (fused, &g_array_index (parts, HybRnnPart, i), name, error))
      return FALSE;
  return TRUE;
}

/* The variable that value is, or that it is reshaped from. */
static gboolean
find_variable (HybGraph *graph, HybValueId value, HybValueId *variable)
{
  HybNodeId id = hyb_graph_get_producer (graph, value);

  if (hyb_value_kind (graph, value) == HYB_KIND_RESHAPE)
    value = hyb_graph_get_inputs (graph, id)[0];
  *variable = value;
  return hyb_value_is_variable (graph, value);
}

/* Weights that are packed in the graph, by concatenating variables. */
static gboolean
find_joined_weights (FusedRnn *fused, HybValueId value, GError **error)
{
  HybGraph         *graph = fused->conversion->graph;
  HybNodeId         id = hyb_graph_get_producer (graph, value);
  const HybNode    *concat = hyb_graph_get_node (graph, id);
  const HybValueId *inputs = hyb_graph_get_inputs (graph, id);
  g_autoptr (GArray) parts = NULL;

  fused->weights.input = 1;
  parts = hyb_rnn_parts (&fused->weights);
  if (concat->n_inputs != parts->len)
    return refuse (fused, error, NULL,
                   "its weights are not concatenated from one variable per part");
  for (guint i = 0; i < parts->len; i++)
    {
      const HybRnnPart *part = &g_array_index (parts, HybRnnPart, i);
      guint             row = part->layer * fused->n_directions + part->direction;
      HybValueId        variable;
      const HybShape   *shape;

      if (!find_variable (graph, inputs[i], &variable))
        return refuse (fused, error, NULL, "some of its weights are computed");
      shape = &fused->conversion->types[variable].shape;
      if (shape->rank != HYB_UNKNOWN &&
          (shape->rank != (part->is_bias ? 1 : 2) ||
           (shape->dim[0] != HYB_UNKNOWN && shape->dim[0] != part->rows)))
        return refuse (fused, error, NULL,
                       "its weights are concatenated in another order than the operator reads "
                       "them");
      *cell_field (&fused->cells[row], part) = hyb_rebuild_value (fused->rebuild, variable);
      if (!part->is_bias && !part->is_hidden)
        {
          HybNodeId   maker = hyb_graph_get_producer (graph, variable);
          const char *name = hyb_graph_get_node (graph, maker)->name;
          const char *end = g_strrstr (name, "i2h_weight");

          fused->cells[row].prefix =
              hyb_rebuild_name (fused->rebuild, "%.*s",
                                end ? (int) (end - name) : (int) strlen (name), name);
        }
    }
  return TRUE;
}

static gboolean
find_weights (FusedRnn *fused, GError **error)
{
  HybGraph  *graph = fused->conversion->graph;
  HybValueId value = fused->inputs[1];

  if (hyb_value_is_variable (graph, value))
    {
      if (!unpack_weights (fused, value, error))
        return FALSE;
    }
  else if (hyb_value_kind (graph, value) != HYB_KIND_PARAM_CONCAT &&
           hyb_value_kind (graph, value) != HYB_KIND_CONCAT)
    return refuse (fused, error, NULL, "its weights are computed");
  else if (!find_joined_weights (fused, value, error))
    return FALSE;

  for (guint row = 0; row < fused->n_rows; row++)
    {
      HybUnrolledCell *cell = &fused->cells[row];

      cell->kind = hyb_cell_kind_from_rnn_mode (fused->weights.mode, fused->weights.projection > 0);
      cell->projection = fused->weights.projection;
      cell->hidden = fused->weights.hidden;
      cell->clips = clips_state (fused);
      cell->clip_min = hyb_node_double (fused->node, "lstm_state_clip_min", NAN);
      cell->clip_max = hyb_node_double (fused->node, "lstm_state_clip_max", NAN);
      if (!cell->prefix)
        cell->prefix =
            hyb_rebuild_name (fused->rebuild, "%s%c%u_", fused->prefix,
                              row % fused->n_directions ? 'r' : 'l', row / fused->n_directions);
    }
  return TRUE;
}

/* --- States --- */

/* Splits a constant of shape (rows, batch, units) into a constant (batch, units) per row.  Leaves
 * rows[0] HYB_NO_ID if the shape is not known. */
static void
split_constant (FusedRnn *fused, HybValueId old, HybValueId *rows)
{
  HybGraph        *graph = fused->conversion->graph;
  const HybNode   *node = hyb_graph_get_node (graph, hyb_graph_get_producer (graph, old));
  HybInts          shape = { 0 };
  const char      *text = hyb_node_get_attribute (node, "shape");
  g_autofree char *one = NULL;
  g_autoptr (GPtrArray) attributes = g_ptr_array_new ();

  if (!text || !hyb_params_parse_ints (text, &shape) || shape.n != 3)
    {
      g_free (shape.value);
      rows[0] = HYB_NO_ID;
      return;
    }
  /* (layers · directions, batch, units): a row is (batch, units), whose layout is NC. */
  one = g_strdup_printf ("(%" G_GINT64_FORMAT ", %" G_GINT64_FORMAT ")", shape.value[1],
                         shape.value[2]);
  g_free (shape.value);
  for (guint i = 0; node->attributes[i]; i += 2)
    {
      const char *key = node->attributes[i];

      g_ptr_array_add (attributes, (gpointer) key);
      g_ptr_array_add (attributes, strcmp (key, "shape") == 0 ? one
                                   : strcmp (key, "__layout__") == 0
                                       ? (gpointer) "NC"
                                       : (gpointer) node->attributes[i + 1]);
    }
  g_ptr_array_add (attributes, NULL);
  for (guint row = 0; row < fused->n_rows; row++)
    rows[row] = hyb_rebuild_call (fused->rebuild,
                                  &(HybRebuildCall){ .op = node->op->name,
                                                     .name = node->name,
                                                     .attributes =
                                                         (const char *const *) attributes->pdata });
}

/* The initial states by row.  old has the shape (rows, batch, units). */
static HybValueId *
make_initial_states (FusedRnn *fused, HybValueId old)
{
  HybGraph    *graph = fused->conversion->graph;
  HybNodeKind  word = hyb_value_kind (graph, old);
  HybValueId  *rows = g_new (HybValueId, fused->n_rows);
  HybNodeId    maker = hyb_graph_get_producer (graph, old);
  HybSequence *sequence;

  rows[0] = HYB_NO_ID;
  if (word == HYB_KIND_CONSTANT)
    split_constant (fused, old, rows);
  if (rows[0] != HYB_NO_ID)
    return rows;
  if (word == HYB_KIND_EXPAND && fused->n_rows == 1 &&
      hyb_node_int (hyb_graph_get_node (graph, maker), "axis", 1) == 0)
    {
      rows[0] = hyb_rebuild_value (fused->rebuild, hyb_graph_get_inputs (graph, maker)[0]);
      return rows;
    }
  sequence = hyb_rebuild_sequence (fused->rebuild, old, 0, fused->n_rows);
  for (guint row = 0; row < fused->n_rows; row++)
    rows[row] = hyb_sequence_step (fused->rebuild, sequence, row);
  return rows;
}

/* --- Steps --- */

/* The inputs of a row in the order of its steps. */
static HybSequence *
order_inputs (FusedRnn *fused, guint row)
{
  if (row % fused->n_directions == 0)
    return fused->x_all;
  return fused->lengths == HYB_NO_ID
             ? hyb_sequence_reversed (fused->rebuild, fused->x_all)
             : hyb_lengths_reverse (fused->rebuild, fused->x_all, fused->lengths);
}

/* Sets the final state of a row.  all: it after every step. */
static void
set_final_state (FusedRnn *fused, guint state, guint row, const HybValueId *all)
{
  HybValueId  *final = &fused->state[state][row];
  HybSequence *states;

  if (fused->lengths == HYB_NO_ID)
    {
      *final = all[fused->n_steps - 1];
      return;
    }
  states = hyb_sequence_of_steps (fused->rebuild, fused->n_steps, all);
  *final = hyb_lengths_last (fused->rebuild, *final, states, fused->lengths);
}

/* Writes one row.  Returns h in the order of steps; fused->state gets the final states. */
static HybValueId *
write_direction (FusedRnn *fused, guint row)
{
  guint                  n = fused->n_steps;
  HybValueId            *h = g_new (HybValueId, n);
  g_autofree HybValueId *c = g_new (HybValueId, n);
  HybSequence           *x = order_inputs (fused, row);
  HybCellStates          states = { .h = fused->state[0][row],
                                    .c = fused->state[1] ? fused->state[1][row] : HYB_NO_ID };

  for (guint s = 0; s < n; s++)
    {
      HybValueId input = hyb_sequence_step (fused->rebuild, x, s);

      fused->rebuild->step = (gint32) s;
      hyb_write_step (fused->rebuild, &fused->cells[row], s, input, &states);
      h[s] = states.h;
      c[s] = states.c;
    }
  fused->rebuild->step = -1;
  set_final_state (fused, 0, row, h);
  if (fused->state[1])
    set_final_state (fused, 1, row, c);
  return h;
}

/* Adds the dropout between layers. */
static void
add_dropout (FusedRnn *fused)
{
  char rate[G_ASCII_DTOSTR_BUF_SIZE];

  if (fused->dropout <= 0)
    return;
  g_ascii_dtostr (rate, sizeof rate, fused->dropout);
  for (guint t = 0; t < fused->n_steps; t++)
    fused->x[t] =
        hyb_rebuild_unary (fused->rebuild, "Dropout", "dropout", fused->x[t], "p", rate, NULL);
  fused->x_all = hyb_sequence_of_steps (fused->rebuild, fused->n_steps, fused->x);
}

/* Concatenates the outputs of both directions, at one step or, with step -1, at all. */
static HybValueId
join_directions (FusedRnn *fused, guint layer, gint step, const HybValueId *both)
{
  const char *const concat[] = { "dim", step < 0 ? "2" : "1", "num_args", "2", NULL };
  g_autofree char *prefix = g_strdup_printf ("%sbi_l%u", fused->prefix ? fused->prefix : "", layer);
  g_autofree char *name = step < 0 ? g_strdup (prefix) : g_strdup_printf ("%s_t%d", prefix, step);

  return hyb_rebuild_call (fused->rebuild, &(HybRebuildCall){ "Concat", name, 2, both, concat });
}

/* Masks steps behind the lengths, and sets the inputs of the next layer. */
static void
mask_layer (FusedRnn *fused, guint layer, const HybValueId *forward, const HybValueId *backward)
{
  HybRebuild  *rebuild = fused->rebuild;
  guint        n = fused->n_steps;
  HybSequence *all = hyb_sequence_of_steps (rebuild, n, forward);

  if (backward)
    {
      HybSequence *reversed =
          hyb_lengths_reverse (rebuild, hyb_sequence_of_steps (rebuild, n, backward),
                               fused->lengths);
      HybValueId both[] = {
        hyb_sequence_whole (rebuild, all, 0),
        hyb_sequence_whole (rebuild, reversed, 0),
      };

      all = hyb_sequence_of_whole (rebuild, n, join_directions (fused, layer, -1, both), 0);
    }
  fused->masked = fused->x_all = hyb_lengths_mask (rebuild, all, fused->lengths);
  for (guint t = 0; layer + 1 < fused->weights.n_layers && t < n; t++)
    fused->x[t] = hyb_sequence_step (rebuild, fused->masked, t);
}

static void
write_layer (FusedRnn *fused, guint layer)
{
  g_autofree HybValueId *forward = NULL;
  g_autofree HybValueId *backward = NULL;

  if (layer > 0)
    add_dropout (fused);
  forward = write_direction (fused, layer * fused->n_directions);
  if (fused->n_directions == 2)
    backward = write_direction (fused, layer * 2 + 1);
  for (guint t = 0; t < fused->n_steps && fused->lengths == HYB_NO_ID; t++)
    {
      HybValueId both[] = { forward[t], backward ? backward[fused->n_steps - 1 - t] : HYB_NO_ID };

      fused->x[t] = backward ? join_directions (fused, layer, (gint) t, both) : forward[t];
    }
  if (fused->lengths != HYB_NO_ID)
    mask_layer (fused, layer, forward, backward);
  else
    fused->x_all = hyb_sequence_of_steps (fused->rebuild, fused->n_steps, fused->x);
}

static void
place_outputs (FusedRnn *fused)
{
  HybValueId       first = fused->node->first_output;
  HybSequencePlace place = { .kind = HYB_SEQUENCE_WHOLE };

  place.sequence = fused->masked ? fused->masked
                                 : hyb_sequence_of_steps (fused->rebuild, fused->n_steps, fused->x);
  hyb_rebuild_set_place (fused->rebuild, first, place);
  for (guint s = 0; s < 2 && s + 1 < fused->node->n_outputs; s++)
    if (fused->state[s])
      {
        place.sequence = hyb_sequence_of_steps (fused->rebuild, fused->n_rows, fused->state[s]);
        hyb_rebuild_set_place (fused->rebuild, first + 1 + s, place);
      }
}

/* FALSE and an error that names the attribute if the steps would compute something else. */
static gboolean
check_attributes (const FusedRnn *fused, GError **error)
{
  if (!clips_state (fused) || !hyb_node_bool (fused->node, "lstm_state_clip_nan"))
    return TRUE;
  return refuse (fused, error, NULL,
                 "its attribute lstm_state_clip_nan replaces NaN in the cell state, which unrolled "
                 "steps cannot do");
}

static gboolean
write_out (FusedRnn *fused, GError **error)
{
  if (!check_attributes (fused, error) || !find_weights (fused, error) ||
      !hyb_unroll_length (fused->conversion, fused->id, fused->inputs[0], &fused->n_steps, error))
    return FALSE;

  if (hyb_node_bool (fused->node, "use_sequence_length"))
    fused->lengths = hyb_rebuild_value (fused->rebuild, fused->inputs[fused->node->n_inputs - 1]);
  fused->state[0] = make_initial_states (fused, fused->inputs[2]);
  if (fused->weights.mode == HYB_RNN_LSTM)
    fused->state[1] = make_initial_states (fused, fused->inputs[3]);
  fused->x_all = hyb_rebuild_sequence (fused->rebuild, fused->inputs[0], 0, fused->n_steps);
  fused->x = g_new (HybValueId, fused->n_steps);
  for (guint t = 0; t < fused->n_steps; t++)
    fused->x[t] = hyb_sequence_step (fused->rebuild, fused->x_all, t);
  for (guint layer = 0; layer < fused->weights.n_layers; layer++)
    write_layer (fused, layer);
  place_outputs (fused);
  return TRUE;
}

gboolean
hyb_unroll_rnn (HybConversion *conversion, HybNodeId id, GError **error)
{
  const HybNode *node = hyb_graph_get_node (conversion->graph, id);
  gint64         projection = hyb_node_int (node, "projection_size", HYB_NONE);
  gboolean       is_both = hyb_node_bool (node, "bidirectional");
  FusedRnn       fused = {
          .conversion = conversion,
          .rebuild = &conversion->rebuild,
          .id = id,
          .node = node,
          .inputs = hyb_graph_get_inputs (conversion->graph, id),
          .weights = { .mode = (HybRnnMode) hyb_node_int (node, "mode", 0),
                       .n_layers = (guint) hyb_node_int (node, "num_layers", 1),
                       .is_bidirectional = is_both,
                       .hidden = hyb_node_int (node, "state_size", 0),
                       .projection = projection == HYB_NONE ? 0 : projection },
          .n_directions = is_both ? 2 : 1,
          .lengths = HYB_NO_ID,
          .dropout = hyb_node_double (node, "p", 0),
  };
  gboolean is_done;

  if (fused.weights.n_layers > 1000)
    return refuse (&fused, error, NULL,
                   "it has more than 1000 layers, the most that can be unrolled");
  fused.n_rows = fused.weights.n_layers * fused.n_directions;
  fused.cells = g_new0 (HybUnrolledCell, fused.n_rows);
  is_done = write_out (&fused, error);
  g_free (fused.cells);
  g_free (fused.state[0]);
  g_free (fused.state[1]);
  g_free (fused.x);
  g_free (fused.prefix);
  return is_done;
}
