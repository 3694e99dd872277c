/* tape-rows.c — computes the sum of several gradients of one weight as one product.
 *
 * hyb_tape_rows_find() marks the nodes whose results are only added up, all of one operator that
 * sums over rows (HybOp.row_sum_inputs) and with the same other operands.  hyb_tape_rows_call()
 * concatenates their rows and calls the operator once.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/autograd/tape-rows.h"

#include "engine/imperative/imperative.h"

/* Whether two nodes are the same call except for the operands whose rows are summed over. */
static gboolean
is_alike (HybGraph *graph, HybNodeId a, HybNodeId b)
{
  const HybNode    *x = hyb_graph_get_node (graph, a), *y = hyb_graph_get_node (graph, b);
  const HybValueId *of_x = hyb_graph_get_inputs (graph, a);
  const HybValueId *of_y = hyb_graph_get_inputs (graph, b);

  if (x->op != y->op || x->n_inputs != y->n_inputs ||
      (x->op->params && !hyb_params_equal (x->op->params, x->params, y->params)))
    return FALSE;
  for (guint k = 0; k < x->n_inputs; k++)
    if (!(x->op->row_sum_inputs >> k & 1) && of_x[k] != of_y[k])
      return FALSE;
  return TRUE;
}

/* A tree of sums: many gradients are added by several sums, each the first term of the next. */
typedef struct
{
  GArray *members; /* of HybNodeId: the gradients that are added */
  GArray *sums;    /* of HybNodeId: the sums, the outermost first */
} SumTree;

/* Collects the tree below the sum `root`.  Returns FALSE if it contains anything but gradients that
 * are alike, or a node before `first`, or (if readers is given) a value with other readers. */
static gboolean
collect_tree (HybGraph      *graph,
              HybNodeId      root,
              HybNodeId      first,
              const guint32 *readers,
              SumTree       *tree)
{
  g_array_append_val (tree->sums, root);
  for (guint s = 0; s < tree->sums->len; s++)
    {
      HybNodeId         sum = g_array_index (tree->sums, HybNodeId, s);
      const HybValueId *inputs = hyb_graph_get_inputs (graph, sum);

      for (guint i = 0; i < hyb_graph_get_node (graph, sum)->n_inputs; i++)
        {
          HybNodeId      id = hyb_graph_get_producer (graph, inputs[i]);
          const HybNode *node = hyb_graph_get_node (graph, id);

          if (id < first || (readers && readers[inputs[i]] != 1))
            return FALSE;
          if (node->op->flags & HYB_OP_SUM)
            g_array_append_val (tree->sums, id);
          else if (node->op->row_sum_inputs != 0 && node->n_outputs == 1 &&
                   (tree->members->len == 0 ||
                    is_alike (graph, g_array_index (tree->members, HybNodeId, 0), id)))
            g_array_append_val (tree->members, id);
          else
            return FALSE;
        }
    }
  return TRUE;
}

guint8 *
hyb_tape_rows_find (HybGraph *graph, HybNodeId first, const guint32 *readers)
{
  guint8 *is_merged = g_new0 (guint8, MAX (hyb_graph_n_nodes (graph), 1));
  g_autoptr (GArray) members = g_array_new (FALSE, FALSE, sizeof (HybNodeId));
  g_autoptr (GArray) sums = g_array_new (FALSE, FALSE, sizeof (HybNodeId));
  SumTree tree = { members, sums };

  for (HybNodeId id = hyb_graph_n_nodes (graph); id-- > first;)
    {
      if (is_merged[id] || !(hyb_graph_get_node (graph, id)->op->flags & HYB_OP_SUM))
        continue;
      g_array_set_size (members, 0);
      g_array_set_size (sums, 0);
      if (!collect_tree (graph, id, first, readers, &tree))
        continue;
      for (guint i = 0; i < members->len; i++)
        is_merged[g_array_index (members, HybNodeId, i)] = TRUE;
      for (guint i = 1; i < sums->len; i++)
        is_merged[g_array_index (sums, HybNodeId, i)] = TRUE;
    }
  return is_merged;
}

/* The gradients that one sum adds, with the tensors that they read. */
typedef struct
{
  HybGraph         *graph;
  HybTensor *const *tensors; /* by value */
  const HybRun     *run;
  const HybNodeId  *members;
  guint             n;
} Rows;

static HybTensor *
get_operand (const Rows *rows, guint member, guint k)
{
  return rows->tensors[hyb_graph_get_inputs (rows->graph, rows->members[member])[k]];
}

/* Whether operand k of all members can be concatenated along the rows. */
static gboolean
can_concatenate_rows (const Rows *rows, guint k)
{
  const HybTensor *first = get_operand (rows, 0, k);
  const HybShape  *shape = hyb_tensor_get_shape (first);

  for (guint i = 0; i < rows->n; i++)
    {
      const HybTensor *operand = get_operand (rows, i, k);
      HybShape         other = *hyb_tensor_get_shape (operand);

      if (other.rank != shape->rank || other.rank < 1 ||
          hyb_tensor_get_dtype (operand) != hyb_tensor_get_dtype (first))
        return FALSE;
      other.dim[0] = shape->dim[0];
      if (!hyb_shape_equal (&other, shape))
        return FALSE;
    }
  return TRUE;
}

/* Calls an operator with one operand for each member.  axis_attribute is the name of an
 * attribute that is set to 0, or NULL.  (transfer full) */
static HybTensor *
call_variadic (const Rows       *rows,
               const char       *name,
               const char       *axis_attribute,
               HybTensor *const *operands,
               GError          **error)
{
  const HybOp     *op = hyb_op_find (name);
  g_autofree char *count = g_strdup_printf ("%u", rows->n);
  const char      *attributes[] = { "num_args", count, axis_attribute, "0", NULL };
  gpointer         params = hyb_params_parse (op->params, op->params_size, attributes, NULL, error);
  HybTensor       *result = NULL;

  if (!params)
    return NULL;
  if (!hyb_imperative_call (&(HybImperativeCall){ .op = op,
                                                  .params = params,
                                                  .n_inputs = rows->n,
                                                  .inputs = operands,
                                                  .outputs = &result },
                            rows->run, error))
    result = NULL;
  hyb_params_unref (params);
  return result;
}

/* Concatenates operand k of all members along the rows.  (transfer full) */
static HybTensor *
collect_rows (const Rows *rows, guint k, GError **error)
{
  g_autofree HybTensor **parts = g_new (HybTensor *, rows->n);

  for (guint i = 0; i < rows->n; i++)
    parts[i] = get_operand (rows, i, k);
  return call_variadic (rows, "Concat", "dim", parts, error);
}

/* Calls the operator once with the rows of all members.  (transfer full) */
static HybTensor *
call_once (const Rows *rows, GError **error)
{
  const HybNode *first = hyb_graph_get_node (rows->graph, rows->members[0]);
  g_autoptr (GPtrArray) inputs = g_ptr_array_new_with_free_func ((GDestroyNotify) hyb_tensor_unref);
  HybTensor *result = NULL;

  for (guint k = 0; k < first->n_inputs; k++)
    {
      HybTensor *input = first->op->row_sum_inputs >> k & 1
                             ? collect_rows (rows, k, error)
                             : hyb_tensor_ref (get_operand (rows, 0, k));

      if (!input)
        return NULL;
      g_ptr_array_add (inputs, input);
    }
  return hyb_imperative_call (&(HybImperativeCall){ .op = first->op,
                                                    .params = first->params,
                                                    .n_inputs = first->n_inputs,
                                                    .inputs = (HybTensor *const *) inputs->pdata,
                                                    .outputs = &result },
                              rows->run, error)
             ? result
             : NULL;
}

/* Calls the operator for each member and adds the results, for operands of different shapes,
 * which only an operator that flattens them accepts.  (transfer full) */
static HybTensor *
call_each (const Rows *rows, GError **error)
{
  const HybNode *first = hyb_graph_get_node (rows->graph, rows->members[0]);
  g_autoptr (GPtrArray) terms = g_ptr_array_new_with_free_func ((GDestroyNotify) hyb_tensor_unref);
  g_autofree HybTensor **inputs = g_new (HybTensor *, first->n_inputs);

  for (guint i = 0; i < rows->n; i++)
    {
      HybTensor *term = NULL;

      for (guint k = 0; k < first->n_inputs; k++)
        inputs[k] = get_operand (rows, i, k);
      if (!hyb_imperative_call (&(HybImperativeCall){ .op = first->op,
                                                      .params = first->params,
                                                      .n_inputs = first->n_inputs,
                                                      .inputs = inputs,
                                                      .outputs = &term },
                                rows->run, error))
        return NULL;
      g_ptr_array_add (terms, term);
    }
  return call_variadic (rows, "add_n", NULL, (HybTensor *const *) terms->pdata, error);
}

HybTensor *
hyb_tape_rows_call (HybGraph         *graph,
                    HybNodeId         sum,
                    HybTensor *const *tensors,
                    const HybRun     *run,
                    GError          **error)
{
  g_autoptr (GArray) members = g_array_new (FALSE, FALSE, sizeof (HybNodeId));
  g_autoptr (GArray) sums = g_array_new (FALSE, FALSE, sizeof (HybNodeId));
  SumTree        tree = { members, sums };
  gboolean       is_found = collect_tree (graph, sum, 0, NULL, &tree);
  Rows           rows = { graph, tensors, run, (gconstpointer) members->data, members->len };
  const HybNode *first;
  gboolean       can_concatenate = TRUE;

  g_return_val_if_fail (is_found && members->len > 0, NULL);
  first = hyb_graph_get_node (graph, rows.members[0]);
  for (guint k = 0; k < first->n_inputs; k++)
    if (first->op->row_sum_inputs >> k & 1 && !can_concatenate_rows (&rows, k))
      can_concatenate = FALSE;
  return can_concatenate ? call_once (&rows, error) : call_each (&rows, error);
}
