/* batch.c — finds a batch size that is written into a graph, and frees it.
 *
 * Candidates are operators with an attribute `shape` that is a list of constants.  In MXNet's files a 0
 * leaves a dimension open: a Reshape copies it from its input, begin states get it by inference.
 * Start at hyb_batch_find().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/doctor/batch.h"

#include "engine/analysis/infer-types.h"
#include "engine/base/translate.h"
#include "engine/doctor/change.h"
#include "engine/doctor/edit-nodes.h"
#include "engine/graph/roles.h"

#include <string.h>

#define MAX_BATCHES 8      /* constants that are tried */
#define MAX_STEPS   200000 /* nodes that inference visits for one of them */

/* A dimension of a node's attribute that may be the batch. */
typedef struct
{
  HybNodeId id;
  int       axis;
  gint64    size;
  gboolean  is_open; /* in the new graph, another -1 replaces it */
} Constant;

typedef struct
{
  HybModel *model;
  HybGraph *graph;
  GArray   *constants; /* of Constant */
  gint64    batch;     /* that is tried */
  int       axis;      /* of data */
  int       rank;      /* of data whose rank nothing determines */
  gint64    extent;    /* for axes of data that nothing determines; may be HYB_UNKNOWN */
  gboolean  has_rank,
      has_extent;   /* whether some data takes them, so that it is worth to try others */
  HybType *known;   /* the shape of the graph without a batch */
  GArray  *changed; /* of HybNodeId */
} Search;

static gboolean
parse_shape (const HybNode *node, HybInts *ints)
{
  const HybParam *param =
      node->op->flags & HYB_OP_OPAQUE ? NULL : hyb_params_find (node->op->params, "shape");
  const char *text = param ? hyb_node_get_attribute (node, "shape") : NULL;

  if (!text || node->n_inputs > 1 || !hyb_params_parse_ints (text, ints))
    return FALSE;
  return ints->n > 0;
}

/* The axis of begin states that is the batch: where their layout has an N, else the second of
 * (layers, batch, hidden) and the first of (batch, hidden). */
static int
batch_axis (const HybNode *node, int rank)
{
  const char *layout = hyb_node_get_attribute (node, "__layout__");
  const char *at = layout ? strchr (layout, 'N') : NULL;

  return at && at - layout < rank ? (int) (at - layout) : rank == 3 ? 1 : 0;
}

/* Which nodes compute something from data, by node.  (transfer full) */
static gboolean *
find_data_nodes (const Search *search)
{
  gboolean *depends = g_new0 (gboolean, MAX (hyb_graph_n_nodes (search->graph), 1));

  for (HybNodeId id = 0; id < hyb_graph_n_nodes (search->graph); id++)
    {
      const HybNode    *node = hyb_graph_get_node (search->graph, id);
      const HybValueId *inputs = hyb_graph_get_inputs (search->graph, id);

      if (hyb_node_is_variable (node))
        depends[id] = !hyb_model_get_parameter (search->model, node->name) &&
                      hyb_graph_get_role (search->graph, id, FALSE) == HYB_ROLE_DATA;
      for (guint i = 0; i < node->n_inputs && !depends[id]; i++)
        depends[id] = depends[hyb_graph_get_producer (search->graph, inputs[i])];
    }
  return depends;
}

/* TRUE if a size of a Reshape can be a batch: “(1, -1)” takes data of any size, and makes one row of it. */
static gboolean
may_be_batch (const HybInts *ints, int axis)
{
  gboolean has_open = FALSE;

  for (int i = 0; i < ints->n; i++)
    has_open |= ints->value[i] == -1;
  return ints->value[axis] > 1 || !has_open;
}

/* A Reshape of data may have the batch on its first two axes.  Each size is tried with its successor, too. */
static void
collect_constants (Search *search)
{
  g_autofree gboolean *depends = find_data_nodes (search);

  for (HybNodeId id = 0; id < hyb_graph_n_nodes (search->graph); id++)
    {
      const HybNode *node = hyb_graph_get_node (search->graph, id);
      HybInts        ints = { 0 };
      int            first, last;

      if ((node->n_inputs == 0 || depends[id]) && parse_shape (node, &ints))
        {
          first = node->n_inputs == 0 ? batch_axis (node, ints.n) : 0;
          last = node->n_inputs == 0 ? first : MIN (ints.n, 2) - 1;
          for (int axis = first; axis <= last; axis++)
            if (ints.value[axis] > 0 && ints.value[axis] < G_MAXINT64 &&
                (node->n_inputs == 0 || may_be_batch (&ints, axis)))
              {
                Constant constant = { id, axis, ints.value[axis], FALSE };

                g_array_append_val (search->constants, constant);
              }
        }
      g_free (ints.value);
    }
}

static HybType *
new_types (const Search *search, HybGraph *graph)
{
  guint    n_values = hyb_graph_n_values (graph), n;
  HybType *types = g_new (HybType, MAX (n_values, 1));

  for (guint i = 0; i < n_values; i++)
    types[i] = HYB_TYPE_UNKNOWN;
  {
    const HybNodeId *variables = hyb_graph_get_variables (graph, &n);

    for (guint i = 0; i < n; i++)
      {
        const HybNode *node = hyb_graph_get_node (graph, variables[i]);
        HybTensor     *tensor = hyb_model_get_parameter (search->model, node->name);

        if (tensor)
          types[node->first_output].shape = *hyb_tensor_get_shape (tensor);
      }
  }
  return types;
}

/* Sets the batch of all data, and guesses for axes that nothing determines.  Returns how many inputs were set. */
static guint
set_data (Search *search, HybGraph *graph, gint64 batch, HybType *types)
{
  guint            n, n_set = 0;
  const HybNodeId *variables = hyb_graph_get_variables (graph, &n);

  for (guint i = 0; i < n; i++)
    {
      const HybNode *node = hyb_graph_get_node (graph, variables[i]);
      HybShape       shape = search->known[node->first_output].shape;

      if (hyb_model_get_parameter (search->model, node->name) ||
          hyb_graph_get_role (graph, variables[i], FALSE) != HYB_ROLE_DATA)
        continue;
      search->has_rank |= shape.rank == HYB_UNKNOWN;
      if (shape.rank == HYB_UNKNOWN)
        shape = hyb_shape_make (search->rank, NULL);
      if (search->axis >= shape.rank)
        continue;
      /* Columns are left to inference: with a dense layer they follow from its weight. */
      for (int axis = 2; axis < shape.rank; axis++)
        if (shape.dim[axis] == HYB_UNKNOWN)
          {
            search->has_extent = TRUE;
            shape.dim[axis] = search->extent;
          }
      shape.dim[search->axis] = batch;
      types[node->first_output].shape = shape;
      n_set++;
    }
  return n_set;
}

/* Infers everything with data of a batch; NULL if the graph refuses it.  (transfer full) */
static HybType *
infer (Search *search, HybGraph *graph, gint64 batch)
{
  g_autofree HybType *types = new_types (search, graph);

  if (set_data (search, graph, batch, types) == 0 ||
      !hyb_infer_types (graph, types, NULL, FALSE, NULL))
    return NULL;
  return g_steal_pointer (&types);
}

/* Writes the shape with an open batch; NULL if it cannot be left open there. */
static char *
open_axis (const Constant *constant, const HybInts *ints)
{
  GString *text = g_string_new ("(");
  gint64   open = constant->is_open ? -1 : 0;

  for (int i = 0; i < ints->n; i++)
    if (open == -1 && i != constant->axis && ints->value[i] < 0)
      {
        g_string_free (text, TRUE);
        return NULL;
      }
  for (int i = 0; i < ints->n; i++)
    g_string_append_printf (text, "%s%" G_GINT64_FORMAT, i > 0 ? ", " : "",
                            i == constant->axis ? open : ints->value[i]);
  g_string_append (text, ints->n == 1 ? ",)" : ")");
  return g_string_free (text, FALSE);
}

static void
free_node (HybNodeEdit *edit, gpointer data)
{
  Search *search = data;

  if (edit->graph != search->graph)
    return;
  for (guint i = 0; i < search->constants->len; i++)
    {
      const Constant  *constant = &g_array_index (search->constants, Constant, i);
      HybInts          ints = { 0 };
      g_autofree char *text = NULL;

      if (constant->id != edit->id || constant->size != search->batch ||
          !parse_shape (edit->node, &ints))
        continue;
      text = open_axis (constant, &ints);
      g_free (ints.value);
      if (!text)
        continue;
      hyb_changes_add (edit->changes, edit->node->name,
                       _ ("opened the batch in the shape of %s: %s became %s"), HYB_CHANGE_NAME,
                       hyb_node_get_attribute (edit->node, "shape"), text);
      hyb_node_edit_set (edit, "shape", text);
      g_array_append_val (search->changed, constant->id);
      return; /* only the first axis of this size is the batch */
    }
}

/* A Reshape copies the batch where its input has it on the same axis, and computes it elsewhere. */
static void
choose_codes (Search *search, const HybType *types)
{
  for (guint i = 0; i < search->constants->len; i++)
    {
      Constant       *constant = &g_array_index (search->constants, Constant, i);
      const HybNode  *node = hyb_graph_get_node (search->graph, constant->id);
      const HybShape *input;

      if (node->n_inputs == 0)
        continue;
      input = &types[hyb_graph_get_inputs (search->graph, constant->id)[0]].shape;
      constant->is_open =
          constant->axis >= input->rank || input->dim[constant->axis] != constant->size;
    }
}

/* TRUE if the freed graph computes the same types as the frozen one. */
static gboolean
has_same_types (Search *search, HybGraph *freed, const HybType *before)
{
  g_autofree HybType *after = infer (search, freed, search->batch);
  guint               n;
  const HybValueId   *heads = hyb_graph_get_heads (freed, &n);

  for (guint i = 0; after && i < n; i++)
    if (!hyb_shape_equal (&after[heads[i]].shape, &before[heads[i]].shape))
      return FALSE;
  return after != NULL;
}

/* Tests one batch on one axis of data; the result if the graph is frozen to it. */
static HybFrozenBatch *
try_batch (Search *search)
{
  g_autofree HybType *types = infer (search, search->graph, search->batch);
  g_autofree HybType *other = types ? infer (search, search->graph, search->batch + 1) : NULL;
  g_autofree HybType *free = NULL;
  g_autoptr (HybGraph) freed = NULL;
  g_autoptr (GPtrArray) changes = hyb_changes_new ();
  HybFrozenBatch *found;

  if (!types || other)
    return NULL;
  choose_codes (search, types);
  g_array_set_size (search->changed, 0);
  freed = hyb_edit_nodes (search->graph, free_node, search, changes);
  if (changes->len == 0)
    return NULL;
  free = infer (search, freed, search->batch + 1);
  if (!free || !has_same_types (search, freed, types))
    return NULL;

  found = g_new0 (HybFrozenBatch, 1);
  *found = (HybFrozenBatch){ search->batch, g_array_ref (search->changed),
                             g_steal_pointer (&changes), g_steal_pointer (&freed) };
  return found;
}

static gboolean
is_first_of_size (const GArray *constants, guint at)
{
  for (guint i = 0; i < at; i++)
    if (g_array_index (constants, Constant, i).size == g_array_index (constants, Constant, at).size)
      return FALSE;
  return TRUE;
}

/* Tests one batch with data of several ranks and extents, until the graph accepts one of them. */
static HybFrozenBatch *
try_shapes (Search *search)
{
  static const gint64 extents[] = { HYB_UNKNOWN, 224, 32, 28, 8, 5 };
  guint               n_tries = 0;

  search->has_rank = search->has_extent = FALSE;
  for (guint i = 0; i < G_N_ELEMENTS (extents) && (i == 0 || search->has_extent); i++)
    for (search->rank = 2; search->rank <= 4 && (search->rank == 2 || search->has_rank);
         search->rank++)
      for (search->axis = 0; search->axis < 2; search->axis++)
        {
          HybFrozenBatch *found;

          search->extent = extents[i];
          found = (guint64) n_tries++ * hyb_graph_n_nodes (search->graph) < MAX_STEPS
                      ? try_batch (search)
                      : NULL;
          if (found)
            return found;
        }
  return NULL;
}

HybFrozenBatch *
hyb_batch_find (HybModel *model)
{
  Search          search = { .model = model, .graph = hyb_model_get_graph (model) };
  HybFrozenBatch *found = NULL;
  guint           n_sizes = 0;

  /* Where a dimension of 0 is a size, begin states cannot be left open. */
  if (!hyb_graph_has_legacy_shapes (search.graph))
    return NULL;
  search.constants = g_array_new (FALSE, FALSE, sizeof (Constant));
  search.changed = g_array_new (FALSE, FALSE, sizeof (HybNodeId));
  search.known = new_types (&search, search.graph);
  collect_constants (&search);
  if (search.constants->len > 0 && !hyb_infer_types (search.graph, search.known, NULL, FALSE, NULL))
    g_array_set_size (search.constants, 0);
  for (guint i = 0; i < search.constants->len && !found && n_sizes < MAX_BATCHES; i++)
    if (is_first_of_size (search.constants, i))
      {
        n_sizes++;
        search.batch = g_array_index (search.constants, Constant, i).size;
        found = try_shapes (&search);
      }
  g_array_unref (search.constants);
  g_array_unref (search.changed);
  g_free (search.known);
  return found;
}

void
hyb_frozen_batch_free (HybFrozenBatch *frozen)
{
  if (!frozen)
    return;

  g_array_unref (frozen->nodes);
  g_ptr_array_unref (frozen->changes);
  hyb_graph_unref (frozen->freed);
  g_free (frozen);
}
