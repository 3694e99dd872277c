/* replace-operator.c — puts another operator in the place of one that the engine does not have.
 *
 * Every operator that could fit is tried on a copy of the graph.  Start at hyb_replace_list().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/doctor/replace-operator.h"

#include "engine/analysis/infer-types.h"
#include "engine/doctor/diagnose.h"
#include "engine/doctor/edit-nodes.h"
#include "engine/op/param.h"
#include "engine/op/suggest.h"

#include <string.h>

#define IDENTITY "_copy"

/* --- The nodes that are meant --- */

/* What the nodes have in common: the operator's name and, for Custom, its op_type. */
typedef struct
{
  const char *type, *kind; /* kind: (nullable) */
} Meant;

static const char *
get_kind (const HybNode *node)
{
  for (guint i = 0; node->attributes && node->attributes[i]; i += 2)
    if (strcmp (node->attributes[i], "op_type") == 0)
      return node->attributes[i + 1];
  return NULL;
}

static gboolean
is_meant (const HybNode *node, const Meant *meant)
{
  return node->op->flags & HYB_OP_OPAQUE && strcmp (node->type, meant->type) == 0 &&
         g_strcmp0 (get_kind (node), meant->kind) == 0;
}

/* The first opaque node of that name, in the graph or a body; NULL if there is none. */
static const HybNode *
find_node (HybGraph *graph, const char *name)
{
  for (HybNodeId id = 0; id < hyb_graph_n_nodes (graph); id++)
    {
      const HybNode   *node = hyb_graph_get_node (graph, id);
      HybGraph *const *bodies = hyb_graph_get_bodies (graph, id);
      const HybNode   *inside = NULL;

      if (node->op->flags & HYB_OP_OPAQUE && strcmp (node->name, name) == 0)
        return node;
      for (guint b = 0; b < node->n_bodies && !inside; b++)
        inside = find_node (bodies[b], name);
      if (inside)
        return inside;
    }
  return NULL;
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
  const HybNode *found = node ? find_node (graph, node) : NULL;

  return found ? count (graph, &(Meant){ found->type, get_kind (found) }) : 0;
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
  g_ptr_array_add (edit->changes,
                   g_strdup_printf ("replaced the operator %s%s%s of “%s” by %s",
                                    replacement->meant.type,
                                    replacement->meant.kind ? " " : "",
                                    replacement->meant.kind ? replacement->meant.kind : "",
                                    edit->node->name,
                                    replacement->op->name));
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

/* Names that begin with “_” are those of interfaces and gradients, which say less to a reader. */
static gboolean
has_plain_name (const HybOp *op)
{
  return strcmp (op->name, IDENTITY) == 0 || (op->flags & HYB_OP_POINTWISE && *op->name != '_');
}

static gboolean
is_offered (const HybOp *op, const HybNode *node)
{
  guint n_inputs = op->inputs ? g_strv_length ((char **) op->inputs) : 0;

  return has_plain_name (op) && n_inputs == node->n_inputs && node->n_outputs == 1 &&
         !(op->flags & (HYB_OP_INTERNAL | HYB_OP_OPAQUE | HYB_OP_RANDOM));
}

gboolean
hyb_replace_is_possible (HybGraph *graph, const char *node)
{
  guint               n_ops;
  const HybOp *const *ops = hyb_op_list (&n_ops);
  const HybNode      *found = node ? find_node (graph, node) : NULL;

  for (guint i = 0; found && i < n_ops; i++)
    if (is_offered (ops[i], found))
      return TRUE;
  return FALSE;
}

/* The place of an operator in the list: smaller comes first. */
static guint
rank_of (const HybOp *op, const char *type)
{
  if (hyb_suggest_name (&op->name, 1, type))
    return 0;
  return strcmp (op->name, IDENTITY) == 0 ? 1 : 2;
}

/* For g_ptr_array_sort_with_data; data: the type of the node. */
static int
compare_ops (gconstpointer a, gconstpointer b, gpointer data)
{
  const HybOp *first = *(const HybOp *const *) a, *second = *(const HybOp *const *) b;
  guint        rank = rank_of (first, data), other = rank_of (second, data);

  return rank != other ? (rank < other ? -1 : 1) : strcmp (first->name, second->name);
}

GPtrArray *
hyb_replace_list (HybModel *model, const char *node)
{
  GPtrArray          *list = g_ptr_array_new ();
  HybGraph           *graph = hyb_model_get_graph (model);
  const HybNode      *found = find_node (graph, node);
  guint               n_ops;
  const HybOp *const *ops = hyb_op_list (&n_ops);
  g_autoptr (GPtrArray) changes = g_ptr_array_new_with_free_func (g_free);

  for (guint i = 0; found && i < n_ops; i++)
    {
      Meant meant = { found->type, get_kind (found) };
      g_autoptr (HybGraph) edited =
          is_offered (ops[i], found) ? replace (graph, &meant, ops[i], changes) : NULL;

      g_ptr_array_set_size (changes, 0);
      if (edited && is_consistent (model, edited))
        g_ptr_array_add (list, (gpointer) ops[i]);
    }
  if (found)
    g_ptr_array_sort_with_data (list, compare_ops, (gpointer) found->type);
  return list;
}

gboolean
hyb_replace_operator (HybModel *model, const char *node, const HybOp *op, GPtrArray *changes)
{
  HybGraph      *graph = hyb_model_get_graph (model);
  const HybNode *found = find_node (graph, node);
  guint          n_before = changes->len;
  g_autoptr (HybGraph) edited =
      found ? replace (graph, &(Meant){ found->type, get_kind (found) }, op, changes) : NULL;

  if (!edited || !is_consistent (model, edited))
    {
      g_ptr_array_set_size (changes, (int) n_before);
      return FALSE;
    }
  hyb_model_set_graph (model, edited);
  return TRUE;
}
