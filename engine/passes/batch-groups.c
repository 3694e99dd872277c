/* batch-groups.c — finds products that can be computed together.
 *
 * Two kinds: products with the same weight that do not depend on each other, and products that are
 * only read by one sum.  Each group costs one walk over the graph.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/passes/batch-groups.h"

#include <string.h>

/* A product of more rows than this is efficient without batching. */
#define MAX_ROWS 128
/* Limit of groups, because each costs one walk over the graph. */
#define MAX_GROUPS 512

void
hyb_batch_group_free (gpointer data)
{
  BatchGroup *group = data;

  g_array_unref (group->members);
  g_array_unref (group->partial);
  g_array_unref (group->rest);
  g_free (group);
}

BatchGroup *
hyb_batch_group_at (const Batching *batching, HybNodeId id)
{
  guint32 index = batching->group_of[id];

  return index == HYB_NO_ID ? NULL : batching->groups->pdata[index];
}

/* --- Which products go together --- */

static gboolean
is_candidate (const Batching *batching, HybNodeId id)
{
  const HybNode    *node = hyb_graph_get_node (batching->graph, id);
  const HybValueId *inputs = hyb_graph_get_inputs (batching->graph, id);
  guint32           rows = batch_row_inputs (node);

  if (rows == 0 || node->n_outputs != 1 || node->n_inputs > 32 || node->n_bodies > 0)
    return FALSE;
  for (guint i = 0; i < node->n_inputs; i++)
    {
      const HybType *type = batch_type_of_input (batching, id, i);

      if (!hyb_type_is_known (type) || hyb_shape_size (&type->shape) == 0 ||
          batching->written[hyb_graph_get_producer (batching->graph, inputs[i])])
        return FALSE;
      if (rows >> i & 1 && (type->shape.rank < 1 || type->shape.dim[0] > MAX_ROWS))
        return FALSE;
    }
  return TRUE;
}

/* TRUE if two products differ only in the contents of their rows. */
static gboolean
goes_with (const Batching *batching, HybNodeId a, HybNodeId b)
{
  const HybNode    *x = hyb_graph_get_node (batching->graph, a);
  const HybNode    *y = hyb_graph_get_node (batching->graph, b);
  const HybValueId *x_inputs = hyb_graph_get_inputs (batching->graph, a);
  const HybValueId *y_inputs = hyb_graph_get_inputs (batching->graph, b);
  const HybType    *x_type = &batching->facts->types[x->first_output];
  const HybType    *y_type = &batching->facts->types[y->first_output];

  if (x->op != y->op || x->n_inputs != y->n_inputs ||
      !hyb_params_equal (x->op->params, x->params, y->params) || x_type->dtype != y_type->dtype ||
      !hyb_shape_equal (&x_type->shape, &y_type->shape))
    return FALSE;
  for (guint i = 0; i < x->n_inputs; i++)
    if (batch_row_inputs (x) >> i & 1)
      {
        x_type = batch_type_of_input (batching, a, i);
        y_type = batch_type_of_input (batching, b, i);
        if (x_type->dtype != y_type->dtype || !hyb_shape_equal (&x_type->shape, &y_type->shape))
          return FALSE;
      }
    else if (x_inputs[i] != y_inputs[i] && x->op->row_sum_inputs == 0)
      return FALSE; /* the other inputs of a sum only provide its shape */
  return TRUE;
}

/* TRUE if a member depends on the result of another one, each other group counted as a single
 * node.  Such members cannot be computed together. */
static gboolean
depend_on_each_other (const Batching *batching, const BatchGroup *group)
{
  g_autofree guint8 *seen = g_new0 (guint8, hyb_graph_n_nodes (batching->graph));
  g_autofree guint8 *is_member = g_new0 (guint8, hyb_graph_n_nodes (batching->graph));
  g_autoptr (GArray) queue = g_array_new (FALSE, FALSE, sizeof (HybNodeId));

  for (guint i = 0; i < group->members->len; i++)
    is_member[batch_member (group, i)] = TRUE;
  g_array_append_vals (queue, group->members->data, group->members->len);
  /* Everything that follows the members, through values and through groups.  A path back to a
   * member would be a cycle once the members are one node. */
  while (queue->len > 0)
    {
      HybNodeId      id = g_array_index (queue, HybNodeId, queue->len - 1);
      const HybNode *node = hyb_graph_get_node (batching->graph, id);

      g_array_set_size (queue, queue->len - 1);
      for (guint o = 0; o < node->n_outputs; o++)
        {
          guint            n;
          const HybNodeId *users =
              hyb_graph_get_users (batching->graph, node->first_output + o, &n);

          for (guint u = 0; u < n; u++)
            {
              const BatchGroup *other = hyb_batch_group_at (batching, users[u]);

              if (is_member[users[u]])
                return TRUE;
              if (seen[users[u]])
                continue;
              seen[users[u]] = TRUE;
              g_array_append_val (queue, users[u]);
              /* A group that is computed at once needs the inputs of all members, so the members beside
               * this one follow, too. */
              for (guint i = 0; other && other->sum == HYB_NO_ID && i < other->members->len; i++)
                if (!seen[batch_member (other, i)])
                  {
                    HybNodeId beside = batch_member (other, i);

                    if (is_member[beside])
                      return TRUE;
                    seen[beside] = TRUE;
                    g_array_append_val (queue, beside);
                  }
            }
        }
    }
  return FALSE;
}

static void
keep_group (Batching *batching, BatchGroup *group)
{
  guint32 index = batching->groups->len;

  for (guint i = 0; i < group->members->len; i++)
    batching->group_of[batch_member (group, i)] = index;
  for (guint i = 0; i < group->partial->len; i++)
    batching->group_of[g_array_index (group->partial, HybNodeId, i)] = index;
  if (group->sum != HYB_NO_ID)
    batching->group_of[group->sum] = index;
  g_ptr_array_add (batching->groups, group);
}

static BatchGroup *
group_new (HybNodeId sum)
{
  BatchGroup *group = g_new0 (BatchGroup, 1);

  group->members = g_array_new (FALSE, FALSE, sizeof (HybNodeId));
  group->partial = g_array_new (FALSE, FALSE, sizeof (HybNodeId));
  group->rest = g_array_new (FALSE, FALSE, sizeof (HybValueId));
  group->sum = sum;
  return group;
}

static guint
product_hash (const Batching *batching, HybNodeId id)
{
  const HybNode    *node = hyb_graph_get_node (batching->graph, id);
  const HybValueId *inputs = hyb_graph_get_inputs (batching->graph, id);
  guint             hash = g_direct_hash (node->op);

  for (guint i = 0; i < node->n_inputs; i++)
    if (!(batch_row_inputs (node) >> i & 1))
      hash = hash * 31 + inputs[i];
  return hash;
}

static void
find_parallel_products (Batching *batching)
{
  guint n_nodes = hyb_graph_n_nodes (batching->graph);
  g_autoptr (GHashTable) open = g_hash_table_new (NULL, NULL);
  g_autoptr (GPtrArray) found = g_ptr_array_new ();

  for (HybNodeId id = 0; id < n_nodes; id++)
    {
      gpointer    key;
      BatchGroup *group;

      if (hyb_graph_get_node (batching->graph, id)->op->rowwise_inputs == 0 ||
          !is_candidate (batching, id))
        continue;
      key = GUINT_TO_POINTER (product_hash (batching, id));
      group = g_hash_table_lookup (open, key);
      /* The hash finds a candidate, and goes_with() excludes collisions; a product that differs
       * begins a new group. */
      if (!group || !goes_with (batching, batch_member (group, 0), id))
        {
          group = group_new (HYB_NO_ID);
          g_hash_table_insert (open, key, group);
          g_ptr_array_add (found, group);
        }
      g_array_append_val (group->members, id);
    }

  for (guint i = 0; i < found->len; i++)
    {
      BatchGroup *group = found->pdata[i];

      if (group->members->len > 1 && batching->groups->len < MAX_GROUPS &&
          !depend_on_each_other (batching, group))
        keep_group (batching, group);
      else
        hyb_batch_group_free (group);
    }
}

static gboolean
is_sum (const Batching *batching, HybNodeId id)
{
  const HybNode *node = hyb_graph_get_node (batching->graph, id);

  return (node->op->flags & HYB_OP_SUM) != 0 && node->n_inputs >= 2 &&
         batching->group_of[id] == HYB_NO_ID;
}

/* TRUE if the sum is the only reader. */
static gboolean
is_private (const Batching *batching, HybValueId value)
{
  guint n_users;

  hyb_graph_get_users (batching->graph, value, &n_users);
  return n_users == 1 && !batching->is_head[value];
}

static gboolean
is_addend (const Batching *batching, const BatchGroup *group, HybNodeId id)
{
  return hyb_graph_get_node (batching->graph, id)->op->row_sum_inputs != 0 &&
         is_candidate (batching, id) && batching->group_of[id] == HYB_NO_ID &&
         (group->members->len == 0 || goes_with (batching, batch_member (group, 0), id));
}

/* Collects the leaves of nested sums, from left to right. */
static void
collect_addends (const Batching *batching, BatchGroup *group)
{
  g_autoptr (GArray) stack = g_array_new (FALSE, FALSE, sizeof (HybValueId));
  HybNodeId id = group->sum;

  for (;;)
    {
      const HybValueId *inputs = hyb_graph_get_inputs (batching->graph, id);

      /* Pushed in reverse, so that the first input is taken first. */
      for (guint i = hyb_graph_get_node (batching->graph, id)->n_inputs; i-- > 0;)
        g_array_append_val (stack, inputs[i]);
      for (;;)
        {
          HybValueId value;

          if (stack->len == 0)
            return;
          value = g_array_index (stack, HybValueId, stack->len - 1);
          g_array_set_size (stack, stack->len - 1);
          id = hyb_graph_get_producer (batching->graph, value);
          /* A sum with other readers is needed itself and stays whole: it counts as an addend of
           * the rest. */
          if (is_private (batching, value) && is_sum (batching, id))
            break;
          if (is_private (batching, value) && is_addend (batching, group, id))
            g_array_append_val (group->members, id);
          else
            g_array_append_val (group->rest, value);
        }
      g_array_append_val (group->partial, id);
    }
}

/* Starts at the last sum, so that whole trees are found before parts of them. */
static void
find_sums_of_products (Batching *batching)
{
  for (HybNodeId id = hyb_graph_n_nodes (batching->graph); id-- > 0;)
    {
      BatchGroup *group;

      if (!is_sum (batching, id))
        continue;
      group = group_new (id);
      collect_addends (batching, group);
      if (group->members->len > 1 && batching->groups->len < MAX_GROUPS)
        keep_group (batching, group);
      else
        hyb_batch_group_free (group);
    }
}

void
hyb_batch_find_groups (Batching *batching)
{
  find_parallel_products (batching);
  find_sums_of_products (batching);
}
