/* replace-operator.c — puts another operator in the place of one that the engine does not have.
 *
 * Every operator that could fit is tried on a copy of the graph.  Start at hyb_replace_list().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/doctor/replace-operator.h"

#include "engine/analysis/infer-types.h"
#include "engine/base/translate.h"
#include "engine/doctor/change.h"
#include "engine/doctor/diagnose.h"
#include "engine/doctor/edit-nodes.h"
#include "engine/op/param.h"
#include "engine/op/suggest.h"

#include <string.h>

#define KIND "op_type" /* of Custom: the name of the operator */

/* --- The nodes that are meant --- */

/* The common key of the nodes: the operator's name and, for Custom, its op_type. */
typedef struct
{
  const char *type, *kind; /* kind: (nullable) */
} Meant;

static const char *
get_kind (const HybNode *node)
{
  for (guint i = 0; node->attributes && node->attributes[i]; i += 2)
    if (strcmp (node->attributes[i], KIND) == 0)
      return node->attributes[i + 1];
  return NULL;
}

static gboolean
is_meant (const HybNode *node, const Meant *meant)
{
  return node->op->flags & HYB_OP_OPAQUE && strcmp (node->type, meant->type) == 0 &&
         g_strcmp0 (get_kind (node), meant->kind) == 0;
}

/* A node, and the graph or body that it is in. */
typedef struct
{
  HybGraph *graph;
  HybNodeId id;
} Place;

/* Finds the first opaque node of that name, in the graph or a body.  FALSE: there is none.  name: (nullable) */
static gboolean
find_place (HybGraph *graph, const char *name, Place *place)
{
  for (HybNodeId id = 0; name && id < hyb_graph_n_nodes (graph); id++)
    {
      const HybNode   *node = hyb_graph_get_node (graph, id);
      HybGraph *const *bodies = hyb_graph_get_bodies (graph, id);

      *place = (Place){ graph, id };
      if (node->op->flags & HYB_OP_OPAQUE && strcmp (node->name, name) == 0)
        return TRUE;
      for (guint b = 0; b < node->n_bodies; b++)
        if (find_place (bodies[b], name, place))
          return TRUE;
    }
  return FALSE;
}

static Meant
meant_at (const Place *place)
{
  const HybNode *node = hyb_graph_get_node (place->graph, place->id);

  return (Meant){ node->type, get_kind (node) };
}

static guint
count (HybGraph *graph, const Meant *meant)
{
  guint n = 0;

  for (HybNodeId id = 0; id < hyb_graph_n_nodes (graph); id++)
    {
      const HybNode   *node = hyb_graph_get_node (graph, id);
      HybGraph *const *bodies = hyb_graph_get_bodies (graph, id);

      n += is_meant (node, meant);
      for (guint b = 0; b < node->n_bodies; b++)
        n += count (bodies[b], meant);
    }
  return n;
}

guint
hyb_replace_count (HybGraph *graph, const char *node)
{
  Place place;
  Meant meant;

  if (!find_place (graph, node, &place))
    return 0;
  meant = meant_at (&place);
  return count (graph, &meant);
}

/* --- Replacing --- */

typedef struct
{
  Meant        meant;
  const HybOp *op;
  guint        n_replaced;
} Replacement;

static void
remove_unknown_attributes (HybNodeEdit *edit)
{
  for (guint i = edit->attributes->len; i >= 2; i -= 2)
    {
      const char *key = edit->attributes->pdata[i - 2];

      if (!g_str_has_prefix (key, "__") && !hyb_params_find (edit->op->params, key))
        g_ptr_array_remove_range (edit->attributes, i - 2, 2);
    }
}

/* For HybNodeEditFunc; data: a Replacement. */
static void
replace_node (HybNodeEdit *edit, gpointer data)
{
  Replacement *replacement = data;

  if (!is_meant (edit->node, &replacement->meant))
    return;
  edit->op = replacement->op;
  remove_unknown_attributes (edit);
  replacement->n_replaced++;
  hyb_changes_add (edit->changes, edit->node->name, _ ("replaced the operator %s%s%s of %s by %s"),
                   replacement->meant.type, replacement->meant.kind ? " " : "",
                   replacement->meant.kind ? replacement->meant.kind : "", HYB_CHANGE_NAME,
                   replacement->op->name);
}

/* A copy of the graph with the operator; NULL if a node does not take it.  (transfer full) */
static HybGraph *
replace (HybGraph *graph, const Meant *meant, const HybOp *op, GPtrArray *changes)
{
  Replacement replacement = { .meant = *meant, .op = op };
  g_autoptr (HybGraph) edited = hyb_edit_nodes (graph, replace_node, &replacement, changes);

  if (edited == graph || count (edited, meant) > 0)
    return NULL;
  return g_steal_pointer (&edited);
}

/* --- Which operators fit --- */

/* Whether the graph accepts the shapes of the parameters. */
static gboolean
is_consistent (HybModel *model, HybGraph *graph)
{
  g_autofree HybType *types = hyb_diagnose_new_types (graph);
  guint               n;
  const HybNodeId    *variables = hyb_graph_get_variables (graph, &n);

  for (guint i = 0; i < n; i++)
    {
      const HybNode *node = hyb_graph_get_node (graph, variables[i]);
      HybTensor     *tensor = hyb_model_get_parameter (model, node->name);

      if (tensor)
        types[node->first_output] = *hyb_tensor_get_type (tensor);
    }
  return hyb_infer_types (graph, types, NULL, FALSE, NULL);
}

/* Names that begin with “_” belong to interfaces and gradients and are less readable. */
static gboolean
has_plain_name (const HybOp *op)
{
  return op->flags & HYB_OP_IDENTITY || (op->flags & HYB_OP_POINTWISE && *op->name != '_');
}

/* TRUE if the inputs of a node look like a layer's: data, and then variables whose names end in the names of
 * the operator's inputs, such as “dense0_weight”. */
static gboolean
is_layer (const HybOp *op, const Place *place)
{
  const HybNode    *node = hyb_graph_get_node (place->graph, place->id);
  const HybValueId *inputs = hyb_graph_get_inputs (place->graph, place->id);

  for (guint i = 1; i < node->n_inputs; i++)
    {
      HybNodeId        producer = hyb_graph_get_producer (place->graph, inputs[i]);
      const HybNode   *input = hyb_graph_get_node (place->graph, producer);
      g_autofree char *ending = g_strconcat ("_", op->inputs[i], NULL);

      if (!hyb_node_is_variable (input) || !g_str_has_suffix (input->name, ending))
        return FALSE;
    }
  return node->n_inputs > 1;
}

static gboolean
is_offered (const HybOp *op, const Place *place)
{
  const HybNode *node = hyb_graph_get_node (place->graph, place->id);
  guint          n_inputs = op->inputs ? g_strv_length ((char **) op->inputs) : 0;

  if (node->n_outputs != 1 || op->flags & (HYB_OP_INTERNAL | HYB_OP_OPAQUE | HYB_OP_RANDOM))
    return FALSE;
  /* A layer may lack its last inputs, such as the bias. */
  return (has_plain_name (op) && n_inputs == node->n_inputs) ||
         (*op->name != '_' && n_inputs >= node->n_inputs && is_layer (op, place));
}

gboolean
hyb_replace_is_possible (HybGraph *graph, const char *node)
{
  guint               n_ops;
  const HybOp *const *ops = hyb_op_list (&n_ops);
  Place               place;

  if (!find_place (graph, node, &place))
    return FALSE;
  for (guint i = 0; i < n_ops; i++)
    if (is_offered (ops[i], &place))
      return TRUE;
  return FALSE;
}

/* The number of attributes of a node that an operator would ignore. */
static guint
count_ignored (const HybOp *op, const HybNode *node)
{
  guint n = 0;

  for (guint i = 0; node->attributes && node->attributes[i]; i += 2)
    n += !g_str_has_prefix (node->attributes[i], "__") && strcmp (node->attributes[i], KIND) != 0 &&
         !hyb_params_find (op->params, node->attributes[i]);
  return n;
}

/* For g_ptr_array_sort_with_data; data: the node. */
static int
compare_ops (gconstpointer a, gconstpointer b, gpointer data)
{
  const HybOp   *first = *(const HybOp *const *) a, *second = *(const HybOp *const *) b;
  const HybNode *node = data;
  const int      ranks[] = {
         !hyb_suggest_name (&first->name, 1, node->type) -
             !hyb_suggest_name (&second->name, 1, node->type),
         (int) count_ignored (first, node) - (int) count_ignored (second, node),
         !(first->flags & HYB_OP_IDENTITY) - !(second->flags & HYB_OP_IDENTITY),
  };

  for (guint i = 0; i < G_N_ELEMENTS (ranks); i++)
    if (ranks[i] != 0)
      return ranks[i];
  return strcmp (first->name, second->name);
}

GPtrArray *
hyb_replace_list (HybModel *model, const char *node)
{
  GPtrArray          *list = g_ptr_array_new ();
  HybGraph           *graph = hyb_model_get_graph (model);
  guint               n_ops;
  const HybOp *const *ops = hyb_op_list (&n_ops);
  g_autoptr (GPtrArray) changes = hyb_changes_new ();
  Place place;
  Meant meant;

  if (!find_place (graph, node, &place))
    return list;
  meant = meant_at (&place);
  for (guint i = 0; i < n_ops; i++)
    {
      g_autoptr (HybGraph) edited =
          is_offered (ops[i], &place) ? replace (graph, &meant, ops[i], changes) : NULL;

      g_ptr_array_set_size (changes, 0);
      if (edited && is_consistent (model, edited))
        g_ptr_array_add (list, (gpointer) ops[i]);
    }
  g_ptr_array_sort_with_data (list, compare_ops,
                              (gpointer) hyb_graph_get_node (place.graph, place.id));
  return list;
}

gboolean
hyb_replace_operator (HybModel *model, const char *node, const HybOp *op, GPtrArray *changes)
{
  HybGraph *graph = hyb_model_get_graph (model);
  guint     n_before = changes->len;
  g_autoptr (HybGraph) edited = NULL;
  Place place;
  Meant meant;

  if (find_place (graph, node, &place))
    {
      meant = meant_at (&place);
      edited = replace (graph, &meant, op, changes);
    }
  if (!edited || !is_consistent (model, edited))
    {
      g_ptr_array_set_size (changes, (int) n_before);
      return FALSE;
    }
  hyb_model_set_graph (model, edited);
  return TRUE;
}
