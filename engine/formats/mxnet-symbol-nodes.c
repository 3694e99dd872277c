/* mxnet-symbol-nodes.c — reads the JSON of a graph into records, whatever version of MXNet wrote it.
 *
 * Versions differ in the key of the attributes ("attrs", "attr", "param") and in the length of
 * entries.  Start at hyb_symbol_read_nodes().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/formats/mxnet-symbol-private.h"

#include <string.h>

/* No operator has more outputs than this; a higher number means that the file is damaged. */
#define MAX_OUTPUT 100000
/* No node has more attributes than this; further ones in a damaged file are ignored. */
#define MAX_ATTRIBUTES 2048

/* An entry is [node, output] or [node, output, version]; the version is not used. */
static gboolean
read_entry (const HybJson *json, HybJsonRef ref, SymbolEntry *entry)
{
  HybJsonIter iter = hyb_json_iter (json, ref);
  HybJsonRef  item;
  gint64      numbers[3];
  guint       n = 0;

  if (hyb_json_get_kind (json, ref) != HYB_JSON_ARRAY)
    return FALSE;

  for (; hyb_json_iter_next (&iter, NULL, &item); n++)
    if (n == 3 || !hyb_json_get_int (json, item, &numbers[n]) || numbers[n] < 0)
      return FALSE;
  if (n < 2 || numbers[0] >= HYB_NO_ID || numbers[1] > MAX_OUTPUT)
    return FALSE;

  *entry = (SymbolEntry){ (guint32) numbers[0], (guint32) numbers[1] };
  return TRUE;
}

static gboolean
read_entries (SymbolReader *reader, SymbolGraph *graph, HybJsonRef ref, gboolean are_heads)
{
  GArray     *to = are_heads ? graph->heads : graph->entries;
  HybJsonIter iter = hyb_json_iter (reader->json, ref);
  HybJsonRef  item;
  SymbolEntry entry;

  if (hyb_json_get_kind (reader->json, ref) != HYB_JSON_ARRAY)
    return hyb_symbol_refuse (reader,
                              &(SymbolIssue){ are_heads ? "bad-head" : "bad-node",
                                              SYMBOL_AT_REF (graph, ref), NULL },
                              "“%s” should be a list but is %s", are_heads ? "heads" : "inputs",
                              hyb_json_kind_name (hyb_json_get_kind (reader->json, ref)));

  while (hyb_json_iter_next (&iter, NULL, &item))
    {
      if (!read_entry (reader->json, item, &entry))
        return hyb_symbol_refuse (reader,
                                  &(SymbolIssue){
                                      are_heads ? "bad-head" : "bad-edge",
                                      SYMBOL_AT_REF (graph, item),
                                      "An entry is [node, output] or [node, output, version]" },
                                  "this is not a reference to a node’s output");
      g_array_append_val (to, entry);
    }

  return TRUE;
}

static void
read_attributes (SymbolReader *reader, SymbolGraph *graph, SymbolNode *node, HybJsonRef ref)
{
  HybJsonIter iter = hyb_json_iter (reader->json, ref);
  HybJsonRef  value;
  const char *key;

  if (hyb_json_get_kind (reader->json, ref) != HYB_JSON_OBJECT)
    {
      hyb_symbol_report (reader,
                         &(SymbolIssue){ "bad-attribute", SYMBOL_AT_REF (graph, ref), NULL,
                                         HYB_SEVERITY_ERROR },
                         "the attributes of “%s” should be an object but are %s", node->name,
                         hyb_json_kind_name (hyb_json_get_kind (reader->json, ref)));
      return;
    }

  while (hyb_json_iter_next (&iter, &key, &value) &&
         graph->attributes->len - node->first_attribute < MAX_ATTRIBUTES)
    {
      const char *text = hyb_json_get_string (reader->json, value);

      if (text)
        hyb_symbol_insert_attribute (graph, node->first_attribute, key, text);
      else
        hyb_symbol_report (reader,
                           &(SymbolIssue){ "bad-attribute", SYMBOL_AT_REF (graph, value),
                                           "Put the value in double quotes", HYB_SEVERITY_ERROR },
                           "node “%s”: attribute “%s” should be a string but is %s", node->name,
                           key, hyb_json_kind_name (hyb_json_get_kind (reader->json, value)));
    }
}

typedef struct
{
  HybJsonRef op, name, inputs, subgraphs;
  HybJsonRef attributes[3]; /* if a key occurs in several, the last counts */
} NodeKeys;

/* Keys of nodes that are ignored. */
static gboolean
is_harmless_key (const char *key)
{
  static const char *const keys[] = { "backward_source_id", "control_deps", NULL };

  return g_strv_contains (keys, key);
}

/* Finds the values of a node by their keys; reports unknown keys. */
static void
collect_keys (SymbolReader *reader, SymbolGraph *graph, HybJsonRef ref, NodeKeys *keys)
{
  const struct
  {
    const char *key;
    HybJsonRef *ref;
  } known[] = {
    { "op", &keys->op },
    { "name", &keys->name },
    { "inputs", &keys->inputs },
    { "subgraphs", &keys->subgraphs },
    { "param", &keys->attributes[0] },
    { "attr", &keys->attributes[1] },
    { "attrs", &keys->attributes[2] },
  };
  HybJsonIter iter = hyb_json_iter (reader->json, ref);
  HybJsonRef  value;
  const char *key;

  for (guint i = 0; i < G_N_ELEMENTS (known); i++)
    *known[i].ref = HYB_JSON_NONE;

  while (hyb_json_iter_next (&iter, &key, &value))
    {
      guint i = 0;

      while (i < G_N_ELEMENTS (known) && strcmp (known[i].key, key) != 0)
        i++;
      if (i < G_N_ELEMENTS (known))
        *known[i].ref = value;
      else if (!is_harmless_key (key))
        hyb_symbol_report (reader,
                           &(SymbolIssue){ "unknown-key", SYMBOL_AT_REF (graph, value),
                                           "Remove the key to load the file in MXNet",
                                           HYB_SEVERITY_WARNING },
                           "the key “%s” of a node is unknown and ignored", key);
    }
}

static gboolean
read_bodies (SymbolReader *reader, SymbolGraph *graph, SymbolNode *node, HybJsonRef ref)
{
  HybJsonIter iter = hyb_json_iter (reader->json, ref);
  HybJsonRef  item;

  node->first_body = graph->bodies->len;
  while (hyb_json_iter_next (&iter, NULL, &item))
    {
      g_autofree char *path = g_strdup_printf ("%s.nodes[%u].subgraphs[%u]", graph->path,
                                               graph->nodes->len, node->n_bodies);
      HybGraph        *body = reader->read_body (reader, item, path);

      if (!body)
        {
          /* Only the innermost subgraph is named: they may be nested deeply. */
          if (reader->error && !g_str_has_prefix ((*reader->error)->message, "in subgraph"))
            g_prefix_error (reader->error, "in subgraph %u of “%s”: ", node->n_bodies, node->name);
          return FALSE;
        }
      g_ptr_array_add (graph->bodies, body);
      node->n_bodies++;
    }

  return TRUE;
}

static const HybOp *
find_registered (const char *name)
{
  return name ? hyb_op_find_registered (name) : NULL;
}

static gboolean
read_node (SymbolReader *reader, SymbolGraph *graph, HybJsonRef ref)
{
  HybJson   *json = reader->json;
  SymbolNode node = { .first_attribute = graph->attributes->len };
  NodeKeys   keys;
  gboolean   names_plugin;

  if (hyb_json_get_kind (json, ref) != HYB_JSON_OBJECT)
    return hyb_symbol_refuse (reader,
                              &(SymbolIssue){ "bad-node", SYMBOL_AT_REF (graph, ref), NULL },
                              "a node should be an object but is %s",
                              hyb_json_kind_name (hyb_json_get_kind (json, ref)));

  collect_keys (reader, graph, ref, &keys);
  node.line = hyb_json_get_line (json, ref);
  node.type = keys.op == HYB_JSON_NONE ? NULL : hyb_json_get_string (json, keys.op);
  node.name = keys.name == HYB_JSON_NONE ? NULL : hyb_json_get_string (json, keys.name);
  if (!node.type || keys.inputs == HYB_JSON_NONE)
    return hyb_symbol_refuse (reader,
                              &(SymbolIssue){ "bad-node", SYMBOL_AT_REF (graph, ref),
                                              "Every node has “op”, “name” and “inputs”" },
                              "node %u (“%s”) has no “%s”", graph->nodes->len,
                              node.name ? node.name : "", node.type ? "inputs" : "op");
  if (!node.name)
    {
      node.name = "";
      hyb_symbol_report (reader,
                         &(SymbolIssue){ "nameless-node", SYMBOL_AT_REF (graph, ref), NULL,
                                         HYB_SEVERITY_WARNING },
                         "node %u (%s) has no name", graph->nodes->len, node.type);
    }

  node.op = hyb_op_find (node.type);
  names_plugin = node.op && node.op->flags & HYB_OP_NAMES_PLUGIN;
  /* Files must not name operators that only passes write. */
  if (node.op && node.op->flags & HYB_OP_INTERNAL)
    node.op = NULL;
  for (guint i = 0; i < G_N_ELEMENTS (keys.attributes); i++)
    if (keys.attributes[i] != HYB_JSON_NONE)
      read_attributes (reader, graph, &node, keys.attributes[i]);
  node.n_attributes = graph->attributes->len - node.first_attribute;
  /* A Custom node names its operator in the attribute op_type, which has just been read. */
  if (names_plugin)
    node.op = find_registered (hyb_symbol_get_attribute (graph, &node, "op_type"));

  node.first_entry = graph->entries->len;
  if (!read_entries (reader, graph, keys.inputs, FALSE))
    return FALSE;
  node.n_entries = graph->entries->len - node.first_entry;
  if (keys.subgraphs != HYB_JSON_NONE && !read_bodies (reader, graph, &node, keys.subgraphs))
    return FALSE;

  g_array_append_val (graph->nodes, node);
  return TRUE;
}

/* Fails if an input or a head refers to a node that does not exist; sets n_used of all nodes. */
static gboolean
check_references (SymbolReader *reader, SymbolGraph *graph)
{
  for (guint n = 0; n < graph->nodes->len; n++)
    {
      const SymbolNode *node = hyb_symbol_node (graph, n);

      if (hyb_symbol_is_variable (node) && node->n_entries > 0)
        return hyb_symbol_refuse (reader,
                                  &(SymbolIssue){ "bad-node", SYMBOL_AT_NODE (graph, n), NULL },
                                  "a variable has no inputs, but this one has %u", node->n_entries);
      for (guint i = 0; i < node->n_entries; i++)
        {
          const SymbolEntry *entry =
              &g_array_index (graph->entries, SymbolEntry, node->first_entry + i);
          SymbolNode *target;

          if (entry->node >= graph->nodes->len)
            return hyb_symbol_refuse (reader,
                                      &(SymbolIssue){ "bad-edge", SYMBOL_AT_NODE (graph, n),
                                                      "The file lacks nodes: export it again" },
                                      "input %u is node %u, but the graph has %u nodes", i,
                                      entry->node, graph->nodes->len);
          target = hyb_symbol_node (graph, entry->node);
          target->n_used = MAX (target->n_used, entry->output + 1);
        }
    }

  for (guint i = 0; i < graph->heads->len; i++)
    {
      const SymbolEntry *head = &g_array_index (graph->heads, SymbolEntry, i);
      SymbolNode        *target;

      if (head->node >= graph->nodes->len)
        return hyb_symbol_refuse (reader,
                                  &(SymbolIssue){ "bad-head", SYMBOL_AT_REF (graph, graph->ref),
                                                  "The file lacks nodes: export it again" },
                                  "output %u is node %u, but the graph has %u nodes", i, head->node,
                                  graph->nodes->len);
      target = hyb_symbol_node (graph, head->node);
      target->n_used = MAX (target->n_used, head->output + 1);
    }

  return TRUE;
}

/* Reports unknown keys of the graph, and missing arg_nodes, which only MXNet needs. */
static void
check_keys (SymbolReader *reader, SymbolGraph *graph)
{
  static const char *const known[] = {
    "nodes", "arg_nodes", "heads", "node_row_ptr", "attrs", NULL
  };
  HybJsonIter iter = hyb_json_iter (reader->json, graph->ref);
  HybJsonRef  value;
  const char *key;

  while (hyb_json_iter_next (&iter, &key, &value))
    if (!g_strv_contains (known, key))
      hyb_symbol_report (reader,
                         &(SymbolIssue){ "unknown-key", SYMBOL_AT_REF (graph, value),
                                         "Remove the key to load the file in MXNet",
                                         HYB_SEVERITY_WARNING },
                         "the key “%s” of a graph is unknown and ignored", key);

  if (hyb_json_find (reader->json, graph->ref, "arg_nodes") == HYB_JSON_NONE)
    hyb_symbol_report (reader,
                       &(SymbolIssue){
                           "missing-key", SYMBOL_AT_REF (graph, graph->ref),
                           "MXNet will not load the file; save it again to add the list",
                           HYB_SEVERITY_WARNING },
                       "the graph has no “arg_nodes”");
}

gboolean
hyb_symbol_read_nodes (SymbolReader *reader, SymbolGraph *graph)
{
  HybJson    *json = reader->json;
  HybJsonRef  nodes = hyb_json_find (json, graph->ref, "nodes");
  HybJsonRef  heads = hyb_json_find (json, graph->ref, "heads");
  HybJsonIter iter;
  HybJsonRef  item;

  if (nodes == HYB_JSON_NONE || hyb_json_get_kind (json, nodes) != HYB_JSON_ARRAY)
    return hyb_symbol_refuse (reader,
                              &(SymbolIssue){ "not-a-model", SYMBOL_AT_REF (graph, graph->ref),
                                              "Give the *-symbol.json that export() wrote" },
                              "this JSON is not an MXNet graph: it has no list “nodes”");
  if (heads == HYB_JSON_NONE)
    return hyb_symbol_refuse (reader,
                              &(SymbolIssue){
                                  "bad-head", SYMBOL_AT_REF (graph, graph->ref),
                                  "Add the list of outputs, such as \"heads\": [[5, 0, 0]]" },
                              "the graph has no “heads”, the list of its outputs");

  check_keys (reader, graph);
  iter = hyb_json_iter (json, nodes);
  while (hyb_json_iter_next (&iter, NULL, &item))
    if (!read_node (reader, graph, item))
      return FALSE;

  return read_entries (reader, graph, heads, TRUE) && check_references (reader, graph);
}
