/* order.c — sorts the nodes of a graph whose file does not.
 *
 * A node comes after every node whose output it or one of its bodies reads.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/onnx/reader.h"

/* The nodes that each node reads from, one list after the other. */
typedef struct
{
  GHashTable *producers; /* name → index + 1 */
  GArray     *edges;     /* of guint */
  guint      *first;     /* by node, n + 1 entries */
} Edges;

static void add_node_names (Edges *edges, const HybOnnxNode *node, guint depth);

static void
add_name (Edges *edges, const char *name)
{
  guint producer = GPOINTER_TO_UINT (g_hash_table_lookup (edges->producers, name));

  if (producer > 0)
    {
      producer--;
      g_array_append_val (edges->edges, producer);
    }
}

static void
hide (Edges *edges, GPtrArray *hidden, const char *name)
{
  gpointer producer;

  if (!g_hash_table_steal_extended (edges->producers, name, NULL, &producer))
    return;
  g_ptr_array_add (hidden, (gpointer) name);
  g_ptr_array_add (hidden, producer);
}

/* A value that a body defines itself hides an outer one of the same name. */
static void
add_body_names (Edges *edges, const HybOnnxGraph *graph, guint depth)
{
  g_autoptr (GPtrArray) hidden = g_ptr_array_new ();

  for (guint i = 0; i < graph->n_inputs; i++)
    hide (edges, hidden, graph->inputs[i].name);
  for (guint i = 0; i < graph->n_initializers; i++)
    hide (edges, hidden, graph->initializers[i].name);
  for (guint i = 0; i < graph->n_nodes; i++)
    for (guint o = 0; o < graph->nodes[i].n_outputs; o++)
      hide (edges, hidden, graph->nodes[i].outputs[o]);
  for (guint i = 0; i < graph->n_nodes; i++)
    add_node_names (edges, &graph->nodes[i], depth);
  for (guint i = 0; i < graph->n_outputs; i++)
    add_name (edges, graph->outputs[i].name);
  for (guint i = 0; i < hidden->len; i += 2)
    g_hash_table_insert (edges->producers, hidden->pdata[i], hidden->pdata[i + 1]);
}

static void
add_node_names (Edges *edges, const HybOnnxNode *node, guint depth)
{
  for (guint i = 0; i < node->n_inputs; i++)
    add_name (edges, node->inputs[i]);
  for (guint a = 0; depth < 32 && a < node->n_attributes; a++)
    {
      const HybOnnxAttribute *attribute = &node->attributes[a];
      guint                   n = attribute->kind == HYB_ONNX_ATTRIBUTE_GRAPH    ? 1
                                  : attribute->kind == HYB_ONNX_ATTRIBUTE_GRAPHS ? attribute->n
                                                                                 : 0;

      for (guint g = 0; g < n; g++)
        add_body_names (edges, attribute->graphs[g], depth + 1);
    }
}

static void
find_edges (Edges *edges, const HybOnnxNode *nodes, guint n_nodes)
{
  edges->producers = g_hash_table_new (g_str_hash, g_str_equal);
  edges->edges = g_array_new (FALSE, FALSE, sizeof (guint));
  edges->first = g_new (guint, (gsize) n_nodes + 1);
  /* Of several nodes that produce a name the last counts, as in other runtimes. */
  for (guint i = 0; i < n_nodes; i++)
    for (guint o = 0; o < nodes[i].n_outputs; o++)
      if (nodes[i].outputs[o][0] != '\0')
        g_hash_table_insert (edges->producers, (gpointer) nodes[i].outputs[o],
                             GUINT_TO_POINTER (i + 1));
  for (guint i = 0; i < n_nodes; i++)
    {
      edges->first[i] = edges->edges->len;
      add_node_names (edges, &nodes[i], 0);
    }
  edges->first[n_nodes] = edges->edges->len;
}

static gboolean
is_in_order (const Edges *edges, guint n_nodes)
{
  for (guint i = 0; i < n_nodes; i++)
    for (guint e = edges->first[i]; e < edges->first[i + 1]; e++)
      if (g_array_index (edges->edges, guint, e) >= i)
        return FALSE;
  return TRUE;
}

/* Depth first, in the file's order.  FALSE: there is a cycle. */
static gboolean
sort_nodes (const Edges *edges, guint n_nodes, guint *order)
{
  g_autofree guint8 *state = g_new0 (guint8, MAX (n_nodes, 1)); /* 1: on the stack, 2: done */
  g_autofree guint  *next = g_memdup2 (edges->first, sizeof (guint) * ((gsize) n_nodes + 1));
  g_autoptr (GArray) stack = g_array_new (FALSE, FALSE, sizeof (guint));
  guint n = 0;

  for (guint start = 0; start < n_nodes; start++)
    {
      if (state[start] != 0)
        continue;
      g_array_append_val (stack, start);
      state[start] = 1;
      while (stack->len > 0)
        {
          guint top = g_array_index (stack, guint, stack->len - 1), reads;

          if (next[top] == edges->first[top + 1])
            {
              state[top] = 2;
              order[n++] = top;
              g_array_set_size (stack, stack->len - 1);
              continue;
            }
          reads = g_array_index (edges->edges, guint, next[top]++);
          if (state[reads] == 1)
            return FALSE;
          if (state[reads] == 0)
            {
              state[reads] = 1;
              g_array_append_val (stack, reads);
            }
        }
    }
  return TRUE;
}

guint *
hyb_onnx_order_nodes (const HybOnnxNode *nodes,
                      guint              n_nodes,
                      gboolean          *is_sorted,
                      gboolean          *has_cycle)
{
  guint *order = g_new (guint, MAX (n_nodes, 1));
  Edges  edges;

  find_edges (&edges, nodes, n_nodes);
  *is_sorted = is_in_order (&edges, n_nodes);
  *has_cycle = !*is_sorted && !sort_nodes (&edges, n_nodes, order);
  for (guint i = 0; (*is_sorted || *has_cycle) && i < n_nodes; i++)
    order[i] = i;
  g_hash_table_unref (edges.producers);
  g_array_unref (edges.edges);
  g_free (edges.first);
  return order;
}
