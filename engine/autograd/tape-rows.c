/* tape-rows.c — which sums of gradients are one product, and that product.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/autograd/tape-rows.h"

#include "engine/imperative/imperative.h"

/* Whether two members differ in their rows alone. */
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

/* What a sum adds up in the end (many gradients are added up in several sums, one the first
 * term of the next), as nodes in *members, and the sums between in *sums; FALSE:
 * something else than such gradients is among it. */
static gboolean
gather (HybGraph      *graph,
        HybNodeId      root,
        HybNodeId      first,
        const guint32 *readers,
        GArray        *members,
        GArray        *sums)
{
  g_array_append_val (sums, root);
  for (guint s = 0; s < sums->len; s++)
    {
      HybNodeId         sum = g_array_index (sums, HybNodeId, s);
      const HybValueId *inputs = hyb_graph_get_inputs (graph, sum);

      for (guint i = 0; i < hyb_graph_get_node (graph, sum)->n_inputs; i++)
        {
          HybNodeId      id = hyb_graph_get_producer (graph, inputs[i]);
          const HybNode *node = hyb_graph_get_node (graph, id);

          if (id < first || (readers && readers[inputs[i]] != 1))
            return FALSE;
          if (node->op->flags & HYB_OP_SUM)
            g_array_append_val (sums, id);
          else if (node->op->row_sum_inputs != 0 && node->n_outputs == 1 &&
                   (members->len == 0 ||
                    is_alike (graph, g_array_index (members, HybNodeId, 0), id)))
            g_array_append_val (members, id);
          else
            return FALSE;
        }
    }
  return TRUE;
}

guint8 *
hyb_tape_rows_find (HybGraph *graph, HybNodeId first, const guint32 *readers)
{
  guint8 *is_left_out = g_new0 (guint8, MAX (hyb_graph_n_nodes (graph), 1));
  g_autoptr (GArray) members = g_array_new (FALSE, FALSE, sizeof (HybNodeId));
  g_autoptr (GArray) sums = g_array_new (FALSE, FALSE, sizeof (HybNodeId));

  for (HybNodeId id = hyb_graph_n_nodes (graph); id-- > first;)
    {
      if (is_left_out[id] || !(hyb_graph_get_node (graph, id)->op->flags & HYB_OP_SUM))
        continue;
      g_array_set_size (members, 0);
      g_array_set_size (sums, 0);
      if (!gather (graph, id, first, readers, members, sums))
        continue;
      for (guint i = 0; i < members->len; i++)
        is_left_out[g_array_index (members, HybNodeId, i)] = TRUE;
      for (guint i = 1; i < sums->len; i++)
        is_left_out[g_array_index (sums, HybNodeId, i)] = TRUE;
    }
  return is_left_out;
}

/* The members of one sum, with what they read. */
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

/* Whether the rows of operand k of all members go below each other. */
static gboolean
has_like_rows (const Rows *rows, guint k)
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

/* An operator of any number of operands, over so many tensors. */
static HybTensor *
call_over (const char       *name,
           const char       *attribute,
           const char       *value,
           guint             n,
           HybTensor *const *operands,
           const HybRun     *run,
           GError          **error)
{
  const HybOp     *op = hyb_op_find (name);
  g_autofree char *count = g_strdup_printf ("%u", n);
  const char      *attributes[] = { "num_args", count, attribute, value, NULL };
  gpointer         params = hyb_params_parse (op->params, op->params_size, attributes, NULL, error);
  HybTensor       *result = NULL;

  if (!params)
    return NULL;
  if (!hyb_imperative_call (op, params, NULL, n, operands, &result, run, error))
    result = NULL;
  hyb_params_unref (params);
  return result;
}

/* (transfer full) */
static HybTensor *
collect_rows (const Rows *rows, guint k, GError **error)
{
  g_autofree HybTensor **parts = g_new (HybTensor *, rows->n);

  for (guint i = 0; i < rows->n; i++)
    parts[i] = get_operand (rows, i, k);
  return call_over ("Concat", "dim", "0", rows->n, parts, rows->run, error);
}

/* (transfer full) */
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
  return hyb_imperative_call (first->op,
                              first->params,
                              NULL,
                              first->n_inputs,
                              (HybTensor *const *) inputs->pdata,
                              &result,
                              rows->run,
                              error)
             ? result
             : NULL;
}

/* Rows of different kinds, which a product that flattens them takes: one call each. */
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
      if (!hyb_imperative_call (first->op,
                                first->params,
                                NULL,
                                first->n_inputs,
                                inputs,
                                &term,
                                rows->run,
                                error))
        return NULL;
      g_ptr_array_add (terms, term);
    }
  return call_over ("add_n",
                    NULL,
                    NULL,
                    rows->n,
                    (HybTensor *const *) terms->pdata,
                    rows->run,
                    error);
}

gboolean
hyb_tape_rows_call (HybGraph         *graph,
                    HybNodeId         sum,
                    HybTensor *const *tensors,
                    const HybRun     *run,
                    HybTensor       **output,
                    GError          **error)
{
  g_autoptr (GArray) members = g_array_new (FALSE, FALSE, sizeof (HybNodeId));
  g_autoptr (GArray) sums = g_array_new (FALSE, FALSE, sizeof (HybNodeId));
  gboolean       is_found = gather (graph, sum, 0, NULL, members, sums);
  Rows           rows = { graph, tensors, run, (const HybNodeId *) members->data, members->len };
  const HybNode *first;
  gboolean       is_one = TRUE;

  g_return_val_if_fail (is_found && members->len > 0, FALSE);
  first = hyb_graph_get_node (graph, rows.members[0]);
  for (guint k = 0; k < first->n_inputs; k++)
    if (first->op->row_sum_inputs >> k & 1 && !has_like_rows (&rows, k))
      is_one = FALSE;
  *output = is_one ? call_once (&rows, error) : call_each (&rows, error);
  return *output != NULL;
}
