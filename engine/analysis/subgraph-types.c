/* subgraph-types.c — the types inside a body of a loop or condition.
 *
 * Start with hyb_subgraph_infer(), which infers variables and heads of a body from each other; the
 * owner's inference rule calls it.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/analysis/subgraph-types.h"

#include "engine/analysis/infer-memo.h"
#include "engine/analysis/infer-types.h"
#include "engine/base/error.h"
#include "engine/op/rules.h"

guint
hyb_subgraph_n_variables (const HybGraph *body)
{
  guint n;

  hyb_graph_get_variables (body, &n);
  return n;
}

guint
hyb_subgraph_n_heads (const HybGraph *body)
{
  guint n;

  hyb_graph_get_heads (body, &n);
  return n;
}

gboolean
hyb_subgraph_check (const HybGraph *body,
                    guint           n_variables,
                    guint           n_heads,
                    const char     *name,
                    GError        **error)
{
  guint has_variables = hyb_subgraph_n_variables (body);
  guint has_heads = hyb_subgraph_n_heads (body);

  if (has_variables == n_variables && has_heads == n_heads)
    return TRUE;
  return hyb_error_at (error, HYB_GRAPH_ERROR, HYB_GRAPH_ERROR_STRUCTURE, NULL, NULL,
                       "its %s has %u variables and %u outputs, but the attributes of the node "
                       "require %u and %u",
                       name, has_variables, has_heads, n_variables, n_heads);
}

static HybValueId
variable_value (const HybGraph *body, guint index)
{
  guint            n;
  const HybNodeId *variables = hyb_graph_get_variables (body, &n);

  return hyb_graph_get_node (body, variables[index])->first_output;
}

static gboolean
learn_type (HybType *type, const HybType *known, GError **error)
{
  return hyb_shape_assign (&type->shape, &known->shape, error) &&
         hyb_dtype_assign (&type->dtype, known->dtype, error);
}

static gboolean
infer_body (HybGraph *body, const HybSubgraphTypes *known, GError **error)
{
  HybType            *variables = known->variables, *heads = known->heads;
  guint               n_values = hyb_graph_n_values (body);
  guint               n_variables = hyb_subgraph_n_variables (body);
  guint               n_heads;
  const HybValueId   *head_values = hyb_graph_get_heads (body, &n_heads);
  g_autofree HybType *types = g_new (HybType, MAX (n_values, 1));

  for (guint i = 0; i < n_values; i++)
    types[i] = HYB_TYPE_UNKNOWN;
  for (guint i = 0; i < n_variables; i++)
    types[variable_value (body, i)] = variables[i];
  for (guint i = 0; i < n_heads; i++)
    if (!learn_type (&types[head_values[i]], &heads[i], error))
      return FALSE;

  if (!hyb_infer_known_types (body, types, known->training, error))
    return FALSE;

  for (guint i = 0; i < n_variables; i++)
    variables[i] = types[variable_value (body, i)];
  for (guint i = 0; i < n_heads; i++)
    heads[i] = types[head_values[i]];
  for (guint i = 0; known->complete && i < n_values; i++)
    *known->complete = (i == 0 || *known->complete) && hyb_type_is_known (&types[i]);
  return TRUE;
}

/* --- Remembering --- */

/* Only the dimensions that count: the others of a shape are not set. */
static void
append_type (GByteArray *key, const HybType *type)
{
  gint32 head[] = { type->dtype, type->shape.rank };

  g_byte_array_append (key, (const guint8 *) head, sizeof head);
  if (type->shape.rank > 0)
    g_byte_array_append (key, (const guint8 *) type->shape.dim,
                         (guint) ((gsize) type->shape.rank * sizeof type->shape.dim[0]));
}

/* The body and everything that is known about its types. */
static GBytes *
new_key (HybGraph *body, const HybSubgraphTypes *types)
{
  GByteArray *key = g_byte_array_new ();
  guint8      modes[] = { types->training != FALSE, types->complete != NULL };

  g_byte_array_append (key, (const guint8 *) &body, sizeof body);
  g_byte_array_append (key, modes, sizeof modes);
  for (guint i = 0; i < hyb_subgraph_n_variables (body); i++)
    append_type (key, &types->variables[i]);
  for (guint i = 0; i < hyb_subgraph_n_heads (body); i++)
    append_type (key, &types->heads[i]);
  return g_byte_array_free_to_bytes (key);
}

/* The inferred types of a body. */
typedef struct
{
  gboolean complete;
  HybType  types[]; /* of the variables, then of the heads */
} Answer;

static void
use_answer (const Answer *answer, HybGraph *body, const HybSubgraphTypes *types)
{
  guint n_variables = hyb_subgraph_n_variables (body);

  for (guint i = 0; i < n_variables; i++)
    types->variables[i] = answer->types[i];
  for (guint i = 0; i < hyb_subgraph_n_heads (body); i++)
    types->heads[i] = answer->types[n_variables + i];
  if (types->complete)
    *types->complete = answer->complete;
}

static Answer *
new_answer (HybGraph *body, const HybSubgraphTypes *types)
{
  guint   n_variables = hyb_subgraph_n_variables (body);
  guint   n_heads = hyb_subgraph_n_heads (body);
  Answer *answer = g_malloc (sizeof *answer + (gsize) (n_variables + n_heads) * sizeof (HybType));

  answer->complete = types->complete && *types->complete;
  for (guint i = 0; i < n_variables; i++)
    answer->types[i] = types->variables[i];
  for (guint i = 0; i < n_heads; i++)
    answer->types[n_variables + i] = types->heads[i];
  return answer;
}

gboolean
hyb_subgraph_infer (HybGraph *body, const HybSubgraphTypes *types, GError **error)
{
  g_autoptr (GBytes) key = NULL;
  const Answer *answer;

  if (!hyb_infer_memo_is_active ())
    return infer_body (body, types, error);

  key = new_key (body, types);
  answer = hyb_infer_memo_find (key);
  if (answer)
    {
      use_answer (answer, body, types);
      return TRUE;
    }
  if (!infer_body (body, types, error))
    return FALSE;
  hyb_infer_memo_store (key, new_answer (body, types));
  return TRUE;
}

/* --- Costs and types of values --- */

static void
add_node_cost (HybGraph *body, HybNodeId id, const HybType *types, double times, HybCost *total)
{
  const HybNode      *node = hyb_graph_get_node (body, id);
  g_autofree HybType *room = g_new (HybType, MAX (node->n_inputs + node->n_outputs, 1));
  HybCost             cost;
  HybCall             call;

  if (hyb_node_is_variable (node))
    return;
  hyb_call_init (&call, body, id, types, room);
  for (guint i = 0; i < node->n_inputs + node->n_outputs; i++)
    if (!hyb_type_is_known (&room[i]))
      return;

  hyb_rule_cost (&call, &cost);
  total->flops += times * cost.flops;
  total->bytes_read += times * cost.bytes_read;
  total->bytes_written += times * cost.bytes_written;
}

HybType *
hyb_subgraph_value_types (HybGraph      *body,
                          const HybType *variables,
                          gboolean       training,
                          GError       **error)
{
  guint               n_values = hyb_graph_n_values (body);
  g_autofree HybType *types = g_new (HybType, MAX (n_values, 1));

  for (guint i = 0; i < n_values; i++)
    types[i] = HYB_TYPE_UNKNOWN;
  for (guint i = 0; i < hyb_subgraph_n_variables (body); i++)
    types[variable_value (body, i)] = variables[i];
  return hyb_infer_types (body, types, NULL, training, error) ? g_steal_pointer (&types) : NULL;
}

void
hyb_subgraph_add_cost (HybGraph      *body,
                       const HybType *variables,
                       gboolean       training,
                       double         times,
                       HybCost       *cost)
{
  g_autofree HybType *types = hyb_subgraph_value_types (body, variables, training, NULL);

  for (HybNodeId id = 0; types && id < hyb_graph_n_nodes (body); id++)
    add_node_cost (body, id, types, times, cost);
}

HybType *
hyb_subgraph_gradient_types (HybGraph      *body,
                             const HybType *forward_variables,
                             guint          n_heads,
                             gboolean       training,
                             GError       **error)
{
  guint               n_variables = hyb_subgraph_n_variables (body);
  guint               n_all_heads = hyb_subgraph_n_heads (body);
  guint               n_forward = n_variables - n_heads;
  HybType            *variables = g_new (HybType, MAX (n_variables, 1));
  g_autofree HybType *heads = g_new (HybType, MAX (n_all_heads, 1));

  for (guint v = 0; v < n_variables; v++)
    variables[v] = v < n_forward ? forward_variables[v] : HYB_TYPE_UNKNOWN;
  for (guint h = 0; h < n_all_heads; h++)
    heads[h] = HYB_TYPE_UNKNOWN;
  if (!hyb_subgraph_infer (body,
                           &(HybSubgraphTypes){
                               .variables = variables, .heads = heads, .training = training },
                           error))
    {
      g_free (variables);
      return NULL;
    }
  for (guint h = 0; h < n_heads; h++)
    variables[n_forward + h] = heads[h];
  return variables;
}

HybShape
hyb_loop_row_shape (const HybShape *shape, gboolean legacy)
{
  if (shape->rank == HYB_UNKNOWN || shape->rank == 0)
    return HYB_SHAPE_UNKNOWN;
  if (shape->rank == 1 && legacy)
    return hyb_shape_1d (1);
  return hyb_shape_make (shape->rank - 1, shape->dim + 1);
}

gboolean
hyb_types_are_known (const HybType *types, guint n)
{
  for (guint i = 0; i < n; i++)
    if (!hyb_type_is_known (&types[i]))
      return FALSE;
  return TRUE;
}
