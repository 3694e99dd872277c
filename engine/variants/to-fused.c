/* to-fused.c — stacks of chains as one operator each, with packed weights.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/variants/form.h"
#include "engine/variants/rebuild-value.h"
#include "engine/variants/write-groups.h"

#include "engine/base/error.h"
#include "engine/formats/rnn-weights.h"
#include "engine/variants/node-kind.h"

#include <string.h>

typedef struct
{
  HybConversion  *conversion;
  HybRebuild     *rebuild;
  const HybCells *cells;
  const HybGroup *group;
  HybRnnWeights   weights;
  HybDType        dtype;
} Fuser;

static const struct
{
  HybCellKind kind;
  HybRnnMode  mode;
} modes[] = {
  { HYB_CELL_RNN_RELU, HYB_RNN_RELU },
  { HYB_CELL_RNN_TANH, HYB_RNN_TANH },
  { HYB_CELL_LSTM, HYB_RNN_LSTM },
  { HYB_CELL_GRU, HYB_RNN_GRU },
};

static gboolean
find_mode (HybCellKind kind, HybRnnMode *mode)
{
  for (guint i = 0; i < G_N_ELEMENTS (modes); i++)
    if (modes[i].kind == kind)
      {
        *mode = modes[i].mode;
        return TRUE;
      }
  return FALSE;
}

/* --- What cannot be fused --- */

static const char *
name_of (const Fuser *fuser, HybValueId value)
{
  HybGraph *graph = fuser->cells->graph;

  return hyb_graph_get_node (graph, hyb_graph_get_producer (graph, value))->name;
}

static char *
refuse_weight (const Fuser *fuser, HybValueId value, gboolean is_bias)
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
    return g_strdup_printf ("its weight “%s” is no %s", node->name, is_bias ? "vector" : "matrix");
  return NULL;
}

/* How many features a weight multiplies with this term's value. */
static gint64
count_columns (const Fuser *fuser, const HybTerm *term, gboolean is_hidden)
{
  HybTensor *tensor =
      hyb_model_get_parameter (fuser->conversion->from, name_of (fuser, term->weight));
  gint64 all = hyb_tensor_get_shape (tensor)->dim[term->is_transposed ? 0 : 1];

  if (term->columns == HYB_COLUMNS_ALL)
    return all;
  return is_hidden ? fuser->group->hidden : all - fuser->group->hidden;
}

static char *
refuse_weights (const Fuser *fuser)
{
  for (guint row = 0; row < fuser->group->chains->len; row++)
    {
      const HybChain    *chain = hyb_group_chain (fuser->cells, fuser->group, row);
      const HybCellStep *step = hyb_chain_step (fuser->cells, chain, 0);

      for (guint g = 0; g < step->n_gates; g++)
        {
          const HybTerm *terms[] = { &step->gate[g].input, &step->gate[g].hidden };

          for (guint k = 0; k < 2; k++)
            {
              char *reason = refuse_weight (fuser, terms[k]->weight, FALSE);

              if (!reason && terms[k]->bias != HYB_NO_ID)
                reason = refuse_weight (fuser, terms[k]->bias, TRUE);
              if (!reason && count_columns (fuser, terms[k], k == 1) < 1)
                reason = g_strdup ("its weight is too narrow for input and state");
              if (reason)
                return reason;
            }
        }
    }
  return NULL;
}

/* The first node of a body that no cell has says why it is none. */
static char *
describe_body (const HybCells *cells, const HybGroup *group)
{
  guint chain = g_array_index (group->chains, guint, 0);

  for (HybNodeId id = 0; id < hyb_graph_n_nodes (cells->graph); id++)
    {
      const HybNode *node = hyb_graph_get_node (cells->graph, id);

      if (cells->chain_of_node[id] == chain && hyb_node_kind (node) == HYB_KIND_OTHER)
        return g_strdup_printf ("its step computes “%s” (%s), which no fused operator does",
                                node->name,
                                node->type);
    }
  return g_strdup ("its step is not that of any cell that a fused operator computes");
}

static char *
refuse_group (HybConversion *conversion, const HybCells *cells, const HybGroup *group)
{
  Fuser           fuser = { conversion, &conversion->rebuild, cells, group, { 0 }, HYB_F32 };
  const HybShape *shape =
      &conversion->types[hyb_chain_step (cells, hyb_group_chain (cells, group, 0), 0)->x].shape;
  HybRnnMode mode;
  HybValueId leak;

  if (group->kind == HYB_CELL_NONE)
    return describe_body (cells, group);
  if (!find_mode (group->kind, &mode))
    return g_strdup (
        "its reset gate comes before the product, and no fused operator computes that");
  if (shape->rank != HYB_UNKNOWN && shape->rank != 2)
    return g_strdup ("what it reads in a step is no matrix");
  leak = hyb_group_find_missing_output (cells, group, FALSE);
  if (leak != HYB_NO_ID)
    {
      HybNodeId        id = hyb_graph_get_producer (cells->graph, leak);
      g_autofree char *name = hyb_value_describe (cells->graph, leak);

      return g_strdup_printf ("%s of step %u is used outside, and a fused operator does not give "
                              "it",
                              name,
                              cells->step_of_node[id]);
    }
  return refuse_weights (&fuser);
}

/* --- Weights --- */

static HybTensor *
find_parameter (const char *name, gpointer user)
{
  return hyb_model_get_parameter (user, name);
}

/* "lstm_" of "lstm_l0_i2h_weight" and "lstm_i2h_weight". */
static char *
find_prefix (const Fuser *fuser)
{
  const HybCellStep *step =
      hyb_chain_step (fuser->cells, hyb_group_chain (fuser->cells, fuser->group, 0), 0);
  const char *name = name_of (fuser, step->gate[0].input.weight);
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
move_bias (Fuser *fuser, const HybTerm *term, const char *to, gint64 at)
{
  if (term->bias != HYB_NO_ID)
    hyb_parameter_copies_add (fuser->conversion->copies,
                              name_of (fuser, term->bias),
                              term->bias_begin,
                              1,
                              to,
                              at,
                              fuser->weights.hidden);
}

static void
move_weight (Fuser          *fuser,
             const HybTerm  *term,
             const HybShape *shape,
             gint64          columns,
             const char     *to,
             gint64          at)
{
  GArray     *copies = fuser->conversion->copies;
  const char *name = name_of (fuser, term->weight);
  gint64      hidden = fuser->weights.hidden;
  gint64      all = shape->dim[term->is_transposed ? 0 : 1];
  gint64      first = term->columns == HYB_COLUMNS_LAST ? all - columns : 0;

  if (!term->is_transposed && columns == all)
    hyb_parameter_copies_add (copies, name, term->begin * columns, 1, to, at, hidden * columns);
  else
    for (gint64 row = term->begin; row < term->begin + hidden; row++, at += columns)
      hyb_parameter_copies_add (copies,
                                name,
                                term->is_transposed ? first * shape->dim[1] + row
                                                    : row * all + first,
                                term->is_transposed ? shape->dim[1] : 1,
                                to,
                                at,
                                columns);
}

static gboolean
move_rows (Fuser            *fuser,
           const HybRnnPart *part,
           guint             gate,
           const HybTerm    *term,
           const char       *to,
           GError          **error)
{
  gint64          hidden = fuser->weights.hidden, columns;
  gint64          at = part->offset + gate * hidden * MAX (part->columns, 1);
  const char     *name = name_of (fuser, term->weight);
  const HybShape *shape =
      hyb_tensor_get_shape (hyb_model_get_parameter (fuser->conversion->from, name));

  if (part->is_bias)
    {
      move_bias (fuser, term, to, at);
      return TRUE;
    }
  columns = count_columns (fuser, term, part->is_hidden);
  if (columns != part->columns)
    return hyb_error_at (error,
                         HYB_GRAPH_ERROR,
                         HYB_GRAPH_ERROR_TYPES,
                         name,
                         NULL,
                         "the weight multiplies %" G_GINT64_FORMAT
                         " features, but %" G_GINT64_FORMAT " come in",
                         columns,
                         part->columns);
  move_weight (fuser, term, shape, columns, to, at);
  return TRUE;
}

static gboolean
pack (Fuser *fuser, const char *to, GError **error)
{
  g_autoptr (GArray) parts = hyb_rnn_parts (&fuser->weights);
  g_autoptr (HybTensor) packed = NULL;
  gint64  size = hyb_rnn_packed_size (&fuser->weights);
  HybType type = { hyb_shape_1d (size), fuser->dtype };

  for (guint p = 0; p < parts->len; p++)
    {
      const HybRnnPart  *part = &g_array_index (parts, HybRnnPart, p);
      guint              row = part->layer * fuser->group->n_directions + part->direction;
      const HybChain    *chain = hyb_group_chain (fuser->cells, fuser->group, row);
      const HybCellStep *step = hyb_chain_step (fuser->cells, chain, 0);

      for (guint g = 0; g < step->n_gates; g++)
        if (!move_rows (fuser,
                        part,
                        g,
                        part->is_hidden ? &step->gate[g].hidden : &step->gate[g].input,
                        to,
                        error))
          return FALSE;
    }
  packed = hyb_parameter_copies_gather (fuser->conversion->copies,
                                        to,
                                        &type,
                                        find_parameter,
                                        fuser->conversion->from,
                                        error);
  if (packed)
    hyb_model_set_parameter (fuser->conversion->to, to, packed);
  return packed != NULL;
}

static void
describe_weights (Fuser *fuser)
{
  const HybCellStep *step =
      hyb_chain_step (fuser->cells, hyb_group_chain (fuser->cells, fuser->group, 0), 0);
  const HybTerm *term = &step->gate[0].input;
  HybTensor     *tensor =
      hyb_model_get_parameter (fuser->conversion->from, name_of (fuser, term->weight));

  fuser->dtype = hyb_tensor_get_dtype (tensor);
  fuser->weights = (HybRnnWeights){
    .n_layers = fuser->group->n_layers,
    .is_bidirectional = fuser->group->n_directions == 2,
    .hidden = fuser->group->hidden,
    .input = count_columns (fuser, term, FALSE),
  };
  find_mode (fuser->group->kind, &fuser->weights.mode);
}

/* --- States --- */

static HybValueId
state_of (const Fuser *fuser, guint row, guint state)
{
  const HybCellStep *step =
      hyb_chain_step (fuser->cells, hyb_group_chain (fuser->cells, fuser->group, row), 0);

  return state == 0 ? step->h_in : step->c_in;
}

/* One constant for all rows, if they all begin with the same one. */
static gboolean
begin_with_constant (Fuser *fuser, guint state, HybValueId *value)
{
  HybGraph      *graph = fuser->cells->graph;
  guint          n_rows = fuser->group->chains->len;
  const HybNode *first =
      hyb_graph_get_node (graph, hyb_graph_get_producer (graph, state_of (fuser, 0, state)));
  const char *text = hyb_node_get_attribute (first, "shape");
  HybInts     shape = { 0 };
  g_autoptr (GPtrArray) attributes = g_ptr_array_new ();
  g_autofree char *rows = NULL;

  for (guint row = 0; row < n_rows; row++)
    {
      HybNodeId id = hyb_graph_get_producer (graph, state_of (fuser, row, state));

      if (hyb_node_kind (hyb_graph_get_node (graph, id)) != HYB_KIND_CONSTANT ||
          !hyb_nodes_alike (first, hyb_graph_get_node (graph, id)))
        return FALSE;
    }
  if (!text || !hyb_params_parse_ints (text, &shape) || shape.n != 2)
    {
      g_free (shape.value);
      return FALSE;
    }
  rows = g_strdup_printf ("(%u, %" G_GINT64_FORMAT ", %" G_GINT64_FORMAT ")",
                          n_rows,
                          shape.value[0],
                          shape.value[1]);
  g_free (shape.value);
  for (guint i = 0; first->attributes[i]; i += 2)
    {
      const char *key = first->attributes[i];

      g_ptr_array_add (attributes, (gpointer) key);
      g_ptr_array_add (attributes,
                       strcmp (key, "shape") == 0        ? rows
                       : strcmp (key, "__layout__") == 0 ? (gpointer) "LNC"
                                                         : (gpointer) first->attributes[i + 1]);
    }
  g_ptr_array_add (attributes, NULL);
  *value = hyb_rebuild_call (fuser->rebuild,
                             first->op->name,
                             first->name,
                             0,
                             NULL,
                             (const char *const *) attributes->pdata);
  return TRUE;
}

static HybValueId
begin_state (Fuser *fuser, guint state)
{
  guint                  n_rows = fuser->group->chains->len;
  g_autofree HybValueId *rows = g_new (HybValueId, n_rows);
  HybValueId             value;

  if (begin_with_constant (fuser, state, &value))
    return value;
  for (guint row = 0; row < n_rows; row++)
    rows[row] = state_of (fuser, row, state);
  return hyb_sequence_whole (fuser->rebuild, hyb_rebuild_gather (fuser->rebuild, n_rows, rows), 0);
}

/* --- The operator --- */

static HybValueId
write_node (Fuser *fuser, const char *prefix, const HybValueId *inputs)
{
  gboolean          is_lstm = fuser->weights.mode == HYB_RNN_LSTM;
  g_autofree char  *layers = g_strdup_printf ("%u", fuser->weights.n_layers);
  g_autofree char  *hidden = g_strdup_printf ("%" G_GINT64_FORMAT, fuser->weights.hidden);
  g_autofree char  *name = g_strconcat (prefix, "rnn", NULL);
  char              rate[G_ASCII_DTOSTR_BUF_SIZE];
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
                                     NULL };

  return hyb_rebuild_call (fuser->rebuild, "RNN", name, is_lstm ? 4 : 3, inputs, attributes);
}

static void
place_steps (Fuser       *fuser,
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
    hyb_rebuild_set_place (fuser->rebuild,
                           hyb_chain_step (fuser->cells, chain, s)->h,
                           (HybSequencePlace){
                               HYB_SEQUENCE_STEP, 0, is_reversed ? n - 1 - s : s, outputs });
  hyb_rebuild_set_place (fuser->rebuild,
                         last->h,
                         (HybSequencePlace){ HYB_SEQUENCE_STEP, 0, row, states });
  if (memories)
    hyb_rebuild_set_place (fuser->rebuild,
                           last->c,
                           (HybSequencePlace){ HYB_SEQUENCE_STEP, 0, row, memories });
}

static void
place_outputs (Fuser *fuser, HybValueId first)
{
  HybRebuild  *rebuild = fuser->rebuild;
  guint        n_rows = fuser->group->chains->len, n_directions = fuser->group->n_directions;
  gboolean     is_lstm = fuser->weights.mode == HYB_RNN_LSTM;
  gint64       hidden = fuser->weights.hidden;
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
                                 : hyb_sequence_part (rebuild, all, d * hidden, (d + 1) * hidden);

      place_steps (fuser, row, outputs, states, memories);
    }
}

static gboolean
write_group (HybConversion  *conversion,
             const HybCells *cells,
             const HybGroup *group,
             GError        **error)
{
  Fuser                  fuser = { conversion, &conversion->rebuild, cells, group, { 0 }, HYB_F32 };
  g_autofree char       *prefix = find_prefix (&fuser);
  const char            *packed = hyb_rebuild_name (fuser.rebuild, "%sparameters", prefix);
  const HybChain        *chain = hyb_group_chain (cells, group, 0);
  g_autofree HybValueId *x = g_new (HybValueId, group->n_steps);
  HybValueId             inputs[4] = { 0 }, first;

  conversion->rebuild.current = HYB_NO_ID;
  describe_weights (&fuser);
  if (!pack (&fuser, packed, error))
    return FALSE;
  for (guint t = 0; t < group->n_steps; t++)
    x[t] = hyb_chain_step (cells, chain, t)->x;
  inputs[0] =
      hyb_sequence_whole (fuser.rebuild, hyb_rebuild_gather (fuser.rebuild, group->n_steps, x), 0);
  inputs[1] = hyb_rebuild_variable (fuser.rebuild, packed, NULL);
  inputs[2] = begin_state (&fuser, 0);
  if (fuser.weights.mode == HYB_RNN_LSTM)
    inputs[3] = begin_state (&fuser, 1);
  first = write_node (&fuser, prefix, inputs);
  hyb_group_match_nodes (conversion, cells, group, first);
  place_outputs (&fuser, first);
  return TRUE;
}

static gboolean
write_fused (HybConversion *conversion, HybCells *cells, GError **error)
{
  g_autoptr (GPtrArray) groups =
      hyb_groups_find (cells, conversion->options->per_layer ? HYB_GROUP_LAYERS : HYB_GROUP_STACKS);

  return hyb_write_groups (conversion, cells, groups, refuse_group, write_group, error);
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
