/* repeats.c — following shared weights from use to use.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/variants/repeats.h"

/* How many uses of the weight stand before each node, itself included, at most. */
static guint32 *
count_uses (HybGraph *graph, const guint8 *is_use)
{
  guint    n_nodes = hyb_graph_n_nodes (graph);
  guint32 *uses = g_new0 (guint32, MAX (n_nodes, 1));

  for (HybNodeId id = 0; id < n_nodes; id++)
    {
      const HybValueId *inputs = hyb_graph_get_inputs (graph, id);

      for (guint i = 0; i < hyb_graph_get_node (graph, id)->n_inputs; i++)
        uses[id] = MAX (uses[id], uses[hyb_graph_get_producer (graph, inputs[i])]);
      uses[id] += is_use[id];
    }
  return uses;
}

/* Nodes on a way from the first use to the second, that one excluded. */
static guint
count_step (HybGraph *graph, const guint32 *uses, HybNodeId first, HybNodeId second)
{
  g_autofree guint8 *is_before = g_new0 (guint8, second + 1);
  guint              n = 0;

  is_before[second] = TRUE;
  for (HybNodeId id = second + 1; id-- > first;)
    {
      const HybValueId *inputs = hyb_graph_get_inputs (graph, id);

      if (!is_before[id])
        continue;
      n += id != second && uses[id] == 1;
      for (guint i = 0; i < hyb_graph_get_node (graph, id)->n_inputs; i++)
        is_before[hyb_graph_get_producer (graph, inputs[i])] = TRUE;
    }
  return n;
}

static gboolean
is_same_work (const HybNode *a, const HybNode *b)
{
  return a->op == b->op && a->n_inputs == b->n_inputs && a->n_bodies == 0;
}

/* TRUE if all users of the value do the same with it, one after the other. */
static gboolean
find_repeat (HybGraph     *graph,
             HybValueId    weight,
             const guint8 *taken,
             HybRepeat    *repeat,
             guint32     **uses)
{
  guint              n_users;
  const HybNodeId   *users = hyb_graph_get_users (graph, weight, &n_users);
  g_autofree guint8 *is_use = NULL;
  HybNodeId          second = HYB_NO_ID;

  for (guint i = 0; i < n_users; i++)
    if (taken[users[i]] || hyb_graph_get_inputs (graph, users[i])[0] == weight ||
        !is_same_work (hyb_graph_get_node (graph, users[0]), hyb_graph_get_node (graph, users[i])))
      return FALSE;
  if (n_users < 2)
    return FALSE;

  is_use = g_new0 (guint8, hyb_graph_n_nodes (graph));
  for (guint i = 0; i < n_users; i++)
    is_use[users[i]] = TRUE;
  *uses = count_uses (graph, is_use);
  *repeat = (HybRepeat){ HYB_NO_ID, HYB_NO_ID, n_users, 0 };
  for (guint i = 0; i < n_users; i++)
    {
      if ((*uses)[users[i]] == 1)
        repeat->first = users[i];
      if ((*uses)[users[i]] == 2)
        second = users[i];
      if ((*uses)[users[i]] == n_users)
        repeat->last = users[i];
    }
  if (repeat->last == HYB_NO_ID)
    {
      g_clear_pointer (uses, g_free);
      return FALSE;
    }
  repeat->n_nodes = n_users * count_step (graph, *uses, repeat->first, second);
  return TRUE;
}

/* Another weight of the same steps: each leads to the other. */
static gboolean
is_known (const GArray    *repeats,
          const GPtrArray *all_uses,
          const HybRepeat *repeat,
          const guint32   *uses)
{
  for (guint i = 0; i < repeats->len; i++)
    {
      const HybRepeat *other = &g_array_index (repeats, HybRepeat, i);
      const guint32   *other_uses = all_uses->pdata[i];

      if (other->n_steps == repeat->n_steps && other_uses[repeat->last] > 0 &&
          uses[other->last] > 0)
        return TRUE;
    }
  return FALSE;
}

GArray *
hyb_repeats_find (HybGraph *graph, const guint8 *taken)
{
  GArray *repeats = g_array_new (FALSE, FALSE, sizeof (HybRepeat));
  g_autoptr (GPtrArray) all_uses = g_ptr_array_new_with_free_func (g_free);
  guint            n;
  const HybNodeId *variables = hyb_graph_get_variables (graph, &n);

  for (guint i = 0; i < n; i++)
    {
      HybRepeat repeat;
      guint32  *uses = NULL;

      if (!find_repeat (graph,
                        hyb_graph_get_node (graph, variables[i])->first_output,
                        taken,
                        &repeat,
                        &uses))
        continue;
      if (is_known (repeats, all_uses, &repeat, uses))
        {
          g_free (uses);
          continue;
        }
      g_array_append_val (repeats, repeat);
      g_ptr_array_add (all_uses, uses);
    }
  return repeats;
}
