/* import-renamed.c — finds the nodes behind names that ONNX Runtime's optimiser gives, and the nodes that it fused.
 *
 * Optimised nodes are called after a node or a value of the file: “conv3_nchwc” returns the value conv3 in another
 * layout, “dense/MatMulAddFusion” begins with the node dense, “Mul_11” is the unnamed node number 11, “_inlfunc_gelu_Erf” is
 * a node of the function gelu.  Start at prof_import_find_renamed().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "profiler/exchange/import-private.h"

#include <string.h>

/* Nodes between the first and the last one of a fusion, at most. */
#define MAX_CHAIN 8

void
prof_import_list_nodes (TraceImport *self, HybGraph *graph)
{
  self->graph = graph;
  self->by_value = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  self->by_node = g_hash_table_new (NULL, NULL);
  self->listed = g_array_new (FALSE, FALSE, sizeof (HybNodeId));
  self->numbered = g_array_new (FALSE, FALSE, sizeof (HybNodeId));
  for (HybNodeId id = 0; id < hyb_graph_n_nodes (graph); id++)
    {
      const HybNode *node = hyb_graph_get_node (graph, id);

      if (hyb_node_is_variable (node))
        continue;
      g_array_append_val (self->listed, id);
      if (g_strcmp0 (node->type, "Constant") != 0) /* an initialiser, before nodes are counted */
        g_array_append_val (self->numbered, id);
      for (guint i = 0; i < node->n_outputs; i++)
        g_hash_table_insert (self->by_value,
                             hyb_graph_dup_value_name (graph, node->first_output + i),
                             GUINT_TO_POINTER (id + 1));
    }
}

/* Cuts the optimiser's suffix that makes a name unique: “_token_12”. */
static void
cut_token (char *name)
{
  char *token = g_strrstr (name, "_token_");

  if (token && token[strlen ("_token_")] &&
      strspn (token + strlen ("_token_"), "0123456789") == strlen (token + strlen ("_token_")))
    *token = '\0';
}

static gboolean
cut_suffix (char *name, const char *suffix)
{
  if (!g_str_has_suffix (name, suffix))
    return FALSE;
  name[strlen (name) - strlen (suffix)] = '\0';
  return TRUE;
}

/* Follows first inputs back from a node to the nearest one with this operator, itself included; without one, returns last. */
static HybNodeId
first_of_chain (const TraceImport *self, HybNodeId last, const char *type)
{
  HybNodeId id = last;

  for (guint i = 0; i < MAX_CHAIN; i++)
    {
      const HybNode *node = hyb_graph_get_node (self->graph, id);

      if (hyb_node_is_variable (node))
        break;
      if (g_strcmp0 (node->type, type) == 0)
        return id;
      if (node->n_inputs == 0)
        break;
      id = hyb_graph_get_producer (self->graph, hyb_graph_get_inputs (self->graph, id)[0]);
    }
  return last;
}

/* An operator without its domain: “FastGelu” of “com.microsoft::FastGelu”. */
static const char *
plain_type (const HybNode *node)
{
  const char *domain_end = node->type ? strstr (node->type, "::") : NULL;

  return domain_end ? domain_end + strlen ("::") : node->type;
}

/* The unnamed node with this number, “Mul_11”, or HYB_NO_ID. */
static HybNodeId
numbered_node (const TraceImport *self, const char *name, const char *type)
{
  guint64   number = 0;
  HybNodeId id;

  if (!type || !g_str_has_prefix (name, type) || name[strlen (type)] != '_' ||
      !g_ascii_string_to_unsigned (name + strlen (type) + 1, 10, 0, G_MAXUINT, &number, NULL) ||
      number >= self->numbered->len)
    return HYB_NO_ID;
  id = g_array_index (self->numbered, HybNodeId, number);
  return g_strcmp0 (plain_type (hyb_graph_get_node (self->graph, id)), type) == 0 ? id : HYB_NO_ID;
}

/* The node of a function that is called “FUNCTION_NODE” where the function is written out: “CALL/NODE” here, of that operator.
 * Calls that are named after their function come first.  HYB_NO_ID if there is none, or several. */
static HybNodeId
inlined_node (const TraceImport *self, const char *name, const char *type)
{
  HybNodeId found = HYB_NO_ID;
  int       best = 0;

  for (guint i = 0; i < self->listed->len; i++)
    {
      HybNodeId      id = g_array_index (self->listed, HybNodeId, i);
      const HybNode *node = hyb_graph_get_node (self->graph, id);
      const char    *slash = strrchr (node->name, '/');
      gsize          before = slash ? strlen (name) - MIN (strlen (slash), strlen (name)) : 0;
      int            rank;

      if (before == 0 || name[before] != '_' || strcmp (name + before + 1, slash + 1) != 0 ||
          g_strcmp0 (plain_type (node), type) != 0)
        continue;
      rank = strncmp (node->name, name, before) == 0 ? 2 : 1;
      if (rank < best)
        continue;
      found = rank > best ? id : HYB_NO_ID;
      best = rank;
    }
  return found;
}

static HybNodeId
find_value (const TraceImport *self, const char *name)
{
  return GPOINTER_TO_UINT (g_hash_table_lookup (self->by_value, name)) - 1;
}

/* The node that returns the value of this name, else the first one that reads the variable of this name, else HYB_NO_ID. */
static HybNodeId
find_cast (const TraceImport *self, const char *name)
{
  HybNodeId        id = find_value (self, name), variable;
  guint            n;
  const HybNodeId *users;

  if (id != HYB_NO_ID || (variable = hyb_graph_find_variable (self->graph, name)) == HYB_NO_ID)
    return id;
  users = hyb_graph_get_users (self->graph,
                               hyb_graph_get_node (self->graph, variable)->first_output, &n);
  return n > 0 ? users[0] : HYB_NO_ID;
}

/* The source of an optimised node, or HYB_NO_ID.  name is changed. */
static HybNodeId
find_node (const TraceImport *self, char *name, const char *type, const char **plain)
{
  static const char cast[] = "InsertedPrecisionFreeCast_", inlined[] = "_inlfunc_";
  HybNodeId         id;

  *plain = NULL;
  cut_token (name);
  cut_suffix (name, "_new_reshape");
  if (cut_suffix (name, "_nchwc") || cut_suffix (name, "_bn_nchwc"))
    {
      id = find_value (self, name);
      return id == HYB_NO_ID ? HYB_NO_ID : first_of_chain (self, id, type);
    }
  if (g_str_has_prefix (name, cast))
    return find_cast (self, name + strlen (cast));
  if (g_str_has_prefix (name, inlined))
    return inlined_node (self, name + strlen (inlined), type);
  id = numbered_node (self, name, type);
  for (char *slash; id == HYB_NO_ID && (slash = strrchr (name, '/'));)
    {
      *slash = '\0';
      if (g_hash_table_contains (self->by_name, name))
        {
          *plain = name;
          break;
        }
    }
  return id;
}

gpointer
prof_import_find_renamed (TraceImport *self, const ProfExecution *execution)
{
  g_autofree char *name = prof_import_dup_node_name (execution);
  const char      *plain;
  gpointer         at;
  HybNodeId        id;

  if (!execution->type || !self->graph)
    return NULL;
  id = find_node (self, name, execution->type, &plain);
  if (id != HYB_NO_ID)
    plain = hyb_graph_get_node (self->graph, id)->name;
  at = id != HYB_NO_ID ? g_hash_table_lookup (self->by_node, GUINT_TO_POINTER (id))
       : plain         ? g_hash_table_lookup (self->by_name, plain)
                       : NULL;
  if (at && *plain && !g_hash_table_contains (self->renamed, execution->name))
    g_hash_table_insert (self->renamed, (gpointer) execution->name, at);
  return at;
}

/* --- Fused nodes --- */

/* The only reader of a node's outputs, if nothing was executed for the node; else HYB_NO_ID. */
static HybNodeId
next_of_chain (const TraceImport *self, HybNodeId id)
{
  HybValueId       value = hyb_graph_get_node (self->graph, id)->first_output;
  guint            n;
  const HybNodeId *users = hyb_graph_get_users (self->graph, value, &n);
  gpointer         at;

  if (n != 1 || hyb_graph_get_node (self->graph, id)->n_outputs != 1)
    return HYB_NO_ID;
  at = g_hash_table_lookup (self->by_name, hyb_graph_get_node (self->graph, users[0])->name);
  return at && !g_hash_table_contains (self->taken, at) ? users[0] : HYB_NO_ID;
}

static char *
dup_chain (const TraceImport *self, gpointer at)
{
  const ExpectedNode *first =
      &g_array_index (self->expected, ExpectedNode, GPOINTER_TO_UINT (at) - 1);
  GString *chain = g_string_new (first->name);

  for (guint k = 0; k < self->listed->len; k++)
    {
      HybNodeId id = g_array_index (self->listed, HybNodeId, k);

      if (strcmp (hyb_graph_get_node (self->graph, id)->name, first->name) != 0)
        continue;
      for (guint i = 0; i < MAX_CHAIN && (id = next_of_chain (self, id)) != HYB_NO_ID; i++)
        g_string_append_printf (chain, " + %s", hyb_graph_get_node (self->graph, id)->name);
      break;
    }
  return g_string_free (chain, FALSE);
}

static int
compare_fusions (gconstpointer a, gconstpointer b)
{
  return strcmp (((const ProfFusion *) a)->name, ((const ProfFusion *) b)->name);
}

void
prof_import_list_fusions (TraceImport *self)
{
  GHashTableIter iter;
  gpointer       name, at;

  g_hash_table_iter_init (&iter, self->renamed);
  while (g_hash_table_iter_next (&iter, &name, &at))
    {
      const ExpectedNode *first =
          &g_array_index (self->expected, ExpectedNode, GPOINTER_TO_UINT (at) - 1);
      g_autofree char *chain = dup_chain (self, at);
      g_autofree char *theirs = g_strdup (name);
      ProfFusion       fusion;

      cut_suffix (theirs, "_kernel_time");
      fusion.name = prof_import_name (self->import, theirs);
      fusion.first = prof_import_name (self->import, first->name);
      fusion.nodes = prof_import_name (self->import, chain);
      g_array_append_val (self->import->fusions, fusion);
    }
  g_array_sort (self->import->fusions, compare_fusions);
}
