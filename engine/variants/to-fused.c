/* to-fused.c — writes stacks of chains as one fused RNN operator each, with packed weights.
 *
 * A row is one direction of one layer: layer × n_directions + direction.  Start reading at
 * write_group(); check_group() lists what a fused operator cannot express.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/variants/copied-weights.h"
#include "engine/variants/form.h"
#include "engine/variants/fused/fuser.h"
#include "engine/variants/rebuild-value.h"
#include "engine/variants/steps/lengths.h"
#include "engine/variants/write-groups.h"

#include "engine/formats/rnn-weights.h"
#include "engine/variants/node-kind.h"

#include <string.h>

/* --- Reasons against fusing --- */

/* Why a weight or bias cannot be packed; NULL if it can. */
static char *
check_weight (const HybFuser *fuser, HybValueId value, gboolean is_bias)
{
  HybGraph       *graph = fuser->cells->graph;
  HybNodeId       id = hyb_graph_get_producer (graph, value);
  const HybNode  *node = hyb_graph_get_node (graph, id);
  HybTensor      *tensor;
  const HybShape *shape;
  gboolean        is_row;

  if (!hyb_node_is_variable (node))
    return g_strdup_printf ("its weight “%s” is computed", node->name);
  tensor = hyb_model_get_parameter (fuser->conversion->from, node->name);
  if (!tensor)
    return g_strdup_printf (
        "its weight “%s” has no values to be packed; give the file of parameters", node->name);
  shape = hyb_tensor_get_shape (tensor);
  is_row = is_bias && shape->rank == 2 && shape->dim[0] == 1;
  if (shape->rank != (is_bias ? 1 : 2) && !is_row)
    return g_strdup_printf ("its weight “%s” is not a %s", node->name,
                            is_bias ? "vector" : "matrix");
  return NULL;
}

/* Why the weights of the group cannot be packed; NULL if they can. */
static char *
check_weights (const HybFuser *fuser)
{
  for (guint row = 0; row < fuser->group->chains->len; row++)
    {
      const HybChain    *chain = hyb_group_chain (fuser->cells, fuser->group, row);
      const HybCellStep *step = hyb_chain_step (fuser->cells, chain, 0);
      char              *projected =
          step->projection.rows > 0 ? check_weight (fuser, step->projection.weight, FALSE) : NULL;

      if (projected)
        return projected;

      for (guint g = 0; g < step->n_gates; g++)
        {
          const HybTerm *terms[] = { &step->gate[g].input, &step->gate[g].hidden };

          for (guint k = 0; k < 2; k++)
            {
              char *reason = check_weight (fuser, terms[k]->weight, FALSE);

              if (!reason && terms[k]->bias != HYB_NO_ID)
                reason = check_weight (fuser, terms[k]->bias, TRUE);
              if (!reason && hyb_fuser_count_columns (fuser, terms[k], k == 1) < 1)
                reason = g_strdup ("its weight is too narrow for input and state");
              if (reason)
                return reason;
            }
        }
    }
  return NULL;
}

static gboolean
is_in_no_cell (HybNodeKind kind)
{
  return kind == HYB_KIND_OTHER || kind == HYB_KIND_WHERE || kind == HYB_KIND_CAST ||
         kind == HYB_KIND_LESS;
}

/* Why a body cannot be fused: the first node that is in no cell. */
static char *
describe_body (const HybCells *cells, const HybGroup *group)
{
  guint chain = g_array_index (group->chains, guint, 0);

  for (HybNodeId id = 0; id < hyb_graph_n_nodes (cells->graph); id++)
    {
      const HybNode *node = hyb_graph_get_node (cells->graph, id);

      if (cells->chain_of_node[id] == chain && is_in_no_cell (hyb_node_kind (node)))
        return g_strdup_printf ("its step computes “%s” (%s), which no fused operator does",
                                node->name, node->type);
    }
  return g_strdup ("no cell that a fused operator computes has such a step");
}

/* Whether the sequences end early, so that all states that are read are outputs of an operator with lengths. */
static gboolean
has_lengths (HybFuser *fuser)
{
  return fuser->group->chains->len == 1 &&
         hyb_chain_find_lengths (fuser->cells, fuser->conversion->from, fuser->conversion->types,
                                 hyb_group_chain (fuser->cells, fuser->group, 0), &fuser->lengths);
}

static char *
check_group (HybConversion *conversion, const HybCells *cells, const HybGroup *group)
{
  HybFuser        fuser = { conversion, &conversion->rebuild, cells, group };
  const HybShape *shape =
      &conversion->types[hyb_chain_step (cells, hyb_group_chain (cells, group, 0), 0)->x].shape;
  HybRnnMode mode;
  HybValueId leak;

  if (group->kind == HYB_CELL_NONE)
    return describe_body (cells, group);
  if (!hyb_cell_kind_get_rnn_mode (group->kind, &mode))
    return g_strdup (
        "its reset gate comes before the product (linear_before_reset is 0 in ONNX), and MXNet's "
        "fused operator, from which layers are written, resets after it");
  if (shape->rank != HYB_UNKNOWN && shape->rank != 2)
    return g_strdup ("its input in one step is not a matrix");
  leak = hyb_group_find_missing_output (cells, group, has_lengths (&fuser));
  hyb_chain_lengths_clear (&fuser.lengths);
  /* For the memory of a cell there is a better way out than for other values, so it gets its own
   * message. */
  if (leak != HYB_NO_ID)
    {
      HybNodeId        id = hyb_graph_get_producer (cells->graph, leak);
      g_autofree char *name = hyb_value_describe (cells->graph, leak);

      if (leak == hyb_chain_step (cells, cells->chains->pdata[cells->chain_of_node[id]],
                                  cells->step_of_node[id])
                      ->c)
        return g_strdup_printf ("%s, the memory of step %u, is used outside, and a fused operator "
                                "gives the memory of the last step alone; loops give all",
                                name, cells->step_of_node[id]);
      return g_strdup_printf ("%s of step %u is used outside, and a fused operator does not give "
                              "it",
                              name, cells->step_of_node[id]);
    }
  return check_weights (&fuser);
}

/* --- Weights --- */

/* The prefix for the names of the operator: "lstm_" from "lstm_l0_i2h_weight" or "lstm_i2h_weight".
 * (transfer full) */
static char *
find_prefix (const HybFuser *fuser)
{
  const HybCellStep *step =
      hyb_chain_step (fuser->cells, hyb_group_chain (fuser->cells, fuser->group, 0), 0);
  const char *name = hyb_fuser_name_of (fuser, step->gate[0].input.weight);
  const char *ends[] = { "l0_i2h", "i2h" };

  for (guint i = 0; i < G_N_ELEMENTS (ends); i++)
    {
      const char *end = g_strrstr (name, ends[i]);

      if (end)
        return g_strndup (name, (gsize) (end - name));
    }
  return g_strconcat (hyb_cell_kind_name (fuser->group->kind), "_", NULL);
}

static void
describe_weights (HybFuser *fuser)
{
  const HybCellStep *step =
      hyb_chain_step (fuser->cells, hyb_group_chain (fuser->cells, fuser->group, 0), 0);
  const HybTerm *term = &step->gate[0].input;
  HybTensor     *tensor =
      hyb_model_get_parameter (fuser->conversion->from, hyb_fuser_name_of (fuser, term->weight));

  fuser->dtype = hyb_tensor_get_dtype (tensor);
  fuser->weights = (HybRnnWeights){
    .n_layers = fuser->group->n_layers,
    .is_bidirectional = fuser->group->n_directions == 2,
    .hidden = fuser->group->hidden,
    .projection = fuser->group->projection,
    .input = hyb_fuser_count_columns (fuser, term, FALSE),
  };
  hyb_cell_kind_get_rnn_mode (fuser->group->kind, &fuser->weights.mode);
}

/* --- States --- */

/* The old value that a state of one row begins with. */
static HybValueId
initial_state_of (const HybFuser *fuser, guint row, guint state)
{
  const HybCellStep *step =
      hyb_chain_step (fuser->cells, hyb_group_chain (fuser->cells, fuser->group, row), 0);

  return state == 0 ? step->h_in : step->c_in;
}

/* Makes one constant for all rows, if all of them begin with equal constants. */
static gboolean
make_constant_state (HybFuser *fuser, guint state, HybValueId *value)
{
  HybGraph      *graph = fuser->cells->graph;
  guint          n_rows = fuser->group->chains->len;
  const HybNode *first =
      hyb_graph_get_node (graph,
                          hyb_graph_get_producer (graph, initial_state_of (fuser, 0, state)));
  const char *text = hyb_node_get_attribute (first, "shape");
  HybInts     shape = { 0 };
  g_autoptr (GPtrArray) attributes = g_ptr_array_new ();
  g_autofree char *rows = NULL;

  for (guint row = 0; row < n_rows; row++)
    {
      HybNodeId id = hyb_graph_get_producer (graph, initial_state_of (fuser, row, state));

      if (hyb_node_kind (hyb_graph_get_node (graph, id)) != HYB_KIND_CONSTANT ||
          !hyb_nodes_alike (first, hyb_graph_get_node (graph, id)))
        return FALSE;
    }
  if (!text || !hyb_params_parse_ints (text, &shape) || shape.n != 2)
    {
      g_free (shape.value);
      return FALSE;
    }
  /* The state of a cell is (batch, hidden), the state of RNN (rows, batch, hidden), a row for each layer and
   * direction. */
  rows = g_strdup_printf ("(%u, %" G_GINT64_FORMAT ", %" G_GINT64_FORMAT ")", n_rows,
                          shape.value[0], shape.value[1]);
  g_free (shape.value);
  for (guint i = 0; first->attributes[i]; i += 2)
    {
      const char *key = first->attributes[i];

      g_ptr_array_add (attributes, (gpointer) key);
      g_ptr_array_add (attributes, strcmp (key, "shape") == 0 ? rows
                                   : strcmp (key, "__layout__") == 0
                                       ? (gpointer) "LNC"
                                       : (gpointer) first->attributes[i + 1]);
    }
  g_ptr_array_add (attributes, NULL);
  *value =
      hyb_rebuild_call (fuser->rebuild,
                        &(HybRebuildCall){ .op = first->op->name,
                                           .name = first->name,
                                           .attributes = (const char *const *) attributes->pdata });
  return TRUE;
}

/* Joins the rows if all of them begin with variables.  MXNet infers the shapes of the inputs of
 * expand_dims and Concat, which simple_bind needs, but not those of stack. */
static gboolean
join_variable_states (HybFuser *fuser, guint state, HybValueId *value)
{
  HybGraph              *graph = fuser->cells->graph;
  guint                  n_rows = fuser->group->chains->len;
  g_autofree HybValueId *rows = g_new (HybValueId, n_rows);
  g_autofree char       *count = g_strdup_printf ("%u", n_rows);
  const char *const      attributes[] = { "dim", "0", "num_args", count, NULL };

  for (guint row = 0; row < n_rows; row++)
    {
      HybNodeId id = hyb_graph_get_producer (graph, initial_state_of (fuser, row, state));

      if (!hyb_node_is_variable (hyb_graph_get_node (graph, id)))
        return FALSE;
    }
  for (guint row = 0; row < n_rows; row++)
    rows[row] =
        hyb_rebuild_unary (fuser->rebuild, "expand_dims", "begin_row",
                           hyb_rebuild_value (fuser->rebuild, initial_state_of (fuser, row, state)),
                           "axis", "0", NULL);
  *value = n_rows == 1
               ? rows[0]
               : hyb_rebuild_call (fuser->rebuild, &(HybRebuildCall){ "Concat", "begin_rows",
                                                                      n_rows, rows, attributes });
  return TRUE;
}

/* The initial state of all rows, of shape (rows, batch, units). */
static HybValueId
make_initial_state (HybFuser *fuser, guint state)
{
  guint                  n_rows = fuser->group->chains->len;
  g_autofree HybValueId *rows = g_new (HybValueId, n_rows);
  HybValueId             value;

  if (make_constant_state (fuser, state, &value) || join_variable_states (fuser, state, &value))
    return value;
  for (guint row = 0; row < n_rows; row++)
    rows[row] = initial_state_of (fuser, row, state);
  return hyb_sequence_whole (fuser->rebuild, hyb_rebuild_gather (fuser->rebuild, n_rows, rows), 0);
}

/* --- The operator --- */

static HybValueId
write_node (HybFuser *fuser, const char *prefix, const HybValueId *inputs)
{
  gboolean         is_lstm = fuser->weights.mode == HYB_RNN_LSTM;
  g_autofree char *layers = g_strdup_printf ("%u", fuser->weights.n_layers);
  g_autofree char *hidden = g_strdup_printf ("%" G_GINT64_FORMAT, fuser->weights.hidden);
  g_autofree char *name = g_strconcat (prefix, "rnn", NULL);
  char             rate[G_ASCII_DTOSTR_BUF_SIZE];
  g_autofree char *projection = g_strdup_printf ("%" G_GINT64_FORMAT, fuser->weights.projection);
  gboolean         is_projected = fuser->weights.projection > 0;
  gboolean         has_lengths = fuser->lengths.lengths != HYB_NO_ID;
  /* projection_size and use_sequence_length are left out where they do nothing, so the list ends early. */
  const char *const attributes[] = { "bidirectional",
                                     fuser->weights.is_bidirectional ? "True" : "False",
                                     "mode",
                                     hyb_rnn_mode_name (fuser->weights.mode),
                                     "num_layers",
                                     layers,
                                     "p",
                                     g_ascii_dtostr (rate, sizeof rate, fuser->group->dropout),
                                     "state_outputs",
                                     "True",
                                     "state_size",
                                     hidden,
                                     is_projected  ? "projection_size"
                                     : has_lengths ? "use_sequence_length"
                                                   : NULL,
                                     is_projected ? projection : "True",
                                     is_projected && has_lengths ? "use_sequence_length" : NULL,
                                     "True",
                                     NULL };

  return hyb_rebuild_call (fuser->rebuild,
                           &(HybRebuildCall){ "RNN", name,
                                              (is_lstm ? 4 : 3) + (has_lengths ? 1 : 0), inputs,
                                              attributes });
}

/* Adds a finding for a projection, which MXNet differentiates on GPUs only. */
static void
report_projection (HybFuser *fuser, const char *prefix)
{
  hyb_model_add_finding (fuser->conversion->to,
                         hyb_finding_new ("projection-on-gpu", HYB_SEVERITY_WARNING,
                                          "“%srnn” projects its states, and MXNet trains such an "
                                          "RNN operator on GPUs only; on the CPU it runs forward. "
                                          "Write another form to train it there.",
                                          prefix));
}

/* Gives the states of one row their places in the outputs of the operator.  outputs is NULL below
 * the top layer. */
static void
place_steps (HybFuser    *fuser,
             guint        row,
             HybSequence *outputs,
             HybSequence *states,
             HybSequence *memories)
{
  const HybChain    *chain = hyb_group_chain (fuser->cells, fuser->group, row);
  guint              n = chain->n_steps;
  gboolean           is_reversed = row % fuser->group->n_directions == 1;
  const HybCellStep *last = hyb_chain_step (fuser->cells, chain, n - 1);

  for (guint s = 0; outputs && s < n; s++)
    hyb_rebuild_set_place (fuser->rebuild, hyb_chain_step (fuser->cells, chain, s)->h,
                           (HybSequencePlace){ HYB_SEQUENCE_STEP, 0, is_reversed ? n - 1 - s : s,
                                               outputs });
  hyb_rebuild_set_place (fuser->rebuild, last->h,
                         (HybSequencePlace){ HYB_SEQUENCE_STEP, 0, row, states });
  if (memories)
    hyb_rebuild_set_place (fuser->rebuild, last->c,
                           (HybSequencePlace){ HYB_SEQUENCE_STEP, 0, row, memories });
}

static void
place_outputs (HybFuser *fuser, HybValueId first)
{
  HybRebuild  *rebuild = fuser->rebuild;
  guint        n_rows = fuser->group->chains->len, n_directions = fuser->group->n_directions;
  gboolean     is_lstm = fuser->weights.mode == HYB_RNN_LSTM;
  gint64       size = hyb_group_state_size (fuser->group);
  HybSequence *all = hyb_sequence_of_whole (rebuild, fuser->group->n_steps, first, 0);
  HybSequence *states = hyb_sequence_of_whole (rebuild, n_rows, first + 1, 0);
  HybSequence *memories = is_lstm ? hyb_sequence_of_whole (rebuild, n_rows, first + 2, 0) : NULL;

  for (guint row = 0; row < n_rows; row++)
    {
      gboolean     is_top = row / n_directions == fuser->group->n_layers - 1;
      gint64       d = row % n_directions;
      HybSequence *outputs = !is_top ? NULL
                             : n_directions == 1
                                 ? all
                                 : hyb_sequence_part (rebuild, all, d * size, (d + 1) * size);

      place_steps (fuser, row, outputs, states, memories);
    }
}

static gboolean
write_group (HybConversion  *conversion,
             const HybCells *cells,
             const HybGroup *group,
             GError        **error)
{
  HybFuser               fuser = { conversion, &conversion->rebuild, cells, group };
  g_autofree char       *prefix = find_prefix (&fuser);
  const char            *packed = hyb_rebuild_name (fuser.rebuild, "%sparameters", prefix);
  const HybChain        *chain = hyb_group_chain (cells, group, 0);
  g_autofree HybValueId *x = g_new (HybValueId, group->n_steps);
  HybValueId             inputs[5] = { 0 }, first;
  gboolean               is_lstm;

  conversion->rebuild.current = HYB_NO_ID;
  fuser.lengths.lengths = HYB_NO_ID;
  describe_weights (&fuser);
  is_lstm = fuser.weights.mode == HYB_RNN_LSTM;
  if (!hyb_fuser_pack (&fuser, packed, error))
    return FALSE;
  hyb_report_packed_weights (conversion, cells, group, packed);
  for (guint t = 0; t < group->n_steps; t++)
    x[t] = hyb_chain_step (cells, chain, t)->x;
  inputs[0] =
      hyb_sequence_whole (fuser.rebuild, hyb_rebuild_gather (fuser.rebuild, group->n_steps, x), 0);
  inputs[1] = hyb_rebuild_variable (fuser.rebuild, packed, NULL);
  inputs[2] = make_initial_state (&fuser, 0);
  if (is_lstm)
    inputs[3] = make_initial_state (&fuser, 1);
  if (has_lengths (&fuser))
    inputs[is_lstm ? 4 : 3] = hyb_lengths_value (fuser.rebuild, fuser.lengths.lengths);
  if (fuser.weights.projection > 0)
    report_projection (&fuser, prefix);
  first = write_node (&fuser, prefix, inputs);
  hyb_group_match_nodes (conversion, cells, group, first);
  if (fuser.lengths.lengths != HYB_NO_ID)
    hyb_lengths_place (fuser.rebuild, &fuser.lengths, group->n_steps, first);
  else
    place_outputs (&fuser, first);
  hyb_chain_lengths_clear (&fuser.lengths);
  return TRUE;
}

static gboolean
write_fused (HybConversion *conversion, HybCells *cells, GError **error)
{
  static const HybGroupWriter writer = { check_group, write_group };
  g_autoptr (GPtrArray) groups =
      hyb_groups_find (cells, conversion->options->per_layer ? HYB_GROUP_LAYERS : HYB_GROUP_STACKS);

  return hyb_write_groups (conversion, cells, groups, &writer, error);
}

static gboolean
is_fused (const HybNode *node)
{
  return hyb_node_kind (node) == HYB_KIND_RNN;
}

const HybFormClass hyb_form_fused = {
  .form = HYB_FORM_FUSED,
  .name = "fused",
  .doc = "Whole layers are one operator",
  .is_node = is_fused,
  .write = write_fused,
};
