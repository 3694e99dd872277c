/* mxnet-symbol-records.c — the records between JSON and graph: nodes and their attributes.
 *
 * The attributes of all nodes lie in one array of strings (key, value, key, value …); a node has a
 * range of it, sorted by key.  A range that grows is moved to the end of the array.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/formats/mxnet-symbol-private.h"

#include <string.h>

SymbolGraph *
hyb_symbol_graph_new (HybJsonRef ref, const char *path)
{
  SymbolGraph *graph = g_new0 (SymbolGraph, 1);

  graph->nodes = g_array_new (FALSE, TRUE, sizeof (SymbolNode));
  graph->entries = g_array_new (FALSE, FALSE, sizeof (SymbolEntry));
  graph->attributes = g_ptr_array_new ();
  graph->heads = g_array_new (FALSE, FALSE, sizeof (SymbolEntry));
  graph->bodies = g_ptr_array_new_with_free_func ((GDestroyNotify) hyb_graph_unref);
  graph->ref = ref;
  graph->path = g_strdup (path);
  return graph;
}

void
hyb_symbol_graph_free (SymbolGraph *graph)
{
  g_array_unref (graph->nodes);
  g_array_unref (graph->entries);
  g_ptr_array_unref (graph->attributes);
  g_array_unref (graph->heads);
  g_ptr_array_unref (graph->bodies);
  g_free (graph->order);
  g_free (graph->path);
  g_free (graph);
}

SymbolNode *
hyb_symbol_node (const SymbolGraph *graph, guint index)
{
  return &g_array_index (graph->nodes, SymbolNode, index);
}

gboolean
hyb_symbol_is_variable (const SymbolNode *node)
{
  return strcmp (node->type, "null") == 0;
}

const char *
hyb_symbol_get_attribute (const SymbolGraph *graph, const SymbolNode *node, const char *key)
{
  /* A graph without attributes has no array. */
  gpointer *pool = graph->attributes->pdata;
  guint     end = node->first_attribute + node->n_attributes;

  for (guint i = node->first_attribute; i < end; i += 2)
    if (strcmp (pool[i], key) == 0)
      return pool[i + 1];
  return NULL;
}

/* The position of key among n strings from first on, which are sorted by key, or the position
 * where it would be inserted. */
static guint
find_pair (const GPtrArray *pool, guint first, guint n, const char *key, gboolean *exists)
{
  guint low = 0, high = n / 2;

  *exists = FALSE;
  while (low < high)
    {
      guint middle = (low + high) / 2;
      int   order = strcmp (pool->pdata[first + 2 * middle], key);

      if (order == 0)
        {
          *exists = TRUE;
          return first + 2 * middle;
        }
      if (order < 0)
        low = middle + 1;
      else
        high = middle;
    }
  return first + 2 * low;
}

void
hyb_symbol_insert_attribute (SymbolGraph *graph, guint first, const char *key, const char *value)
{
  GPtrArray *pool = graph->attributes;
  gboolean   exists;
  guint      at = find_pair (pool, first, pool->len - first, key, &exists);

  if (exists)
    {
      pool->pdata[at + 1] = (gpointer) value;
      return;
    }

  g_ptr_array_insert (pool, (gint) at, (gpointer) value);
  g_ptr_array_insert (pool, (gint) at, (gpointer) key);
}

void
hyb_symbol_copy_attributes (SymbolGraph *graph, SymbolNode *node)
{
  guint first = graph->attributes->len;

  for (guint i = 0; i < node->n_attributes; i++)
    g_ptr_array_add (graph->attributes, graph->attributes->pdata[node->first_attribute + i]);
  node->first_attribute = first;
}

void
hyb_symbol_set_attribute (SymbolGraph *graph, guint index, const char *key, const char *value)
{
  SymbolNode *node = hyb_symbol_node (graph, index);
  gboolean    exists;
  guint at = find_pair (graph->attributes, node->first_attribute, node->n_attributes, key, &exists);

  if (exists)
    {
      graph->attributes->pdata[at + 1] = (gpointer) value;
      return;
    }

  /* Only the last range of the array can grow. */
  hyb_symbol_copy_attributes (graph, node);
  hyb_symbol_insert_attribute (graph, node->first_attribute, key, value);
  node->n_attributes += 2;
}

void
hyb_symbol_remove_attribute (SymbolGraph *graph, guint index, const char *key)
{
  SymbolNode *node = hyb_symbol_node (graph, index);
  gpointer   *pool = graph->attributes->pdata;
  gboolean    exists;
  guint at = find_pair (graph->attributes, node->first_attribute, node->n_attributes, key, &exists);
  guint end = node->first_attribute + node->n_attributes;

  if (!exists)
    return;

  memmove (pool + at, pool + at + 2, (end - at - 2) * sizeof *pool);
  node->n_attributes -= 2;
}
