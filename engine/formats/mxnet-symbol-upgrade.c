/* mxnet-symbol-upgrade.c — changes records of files from older versions of MXNet in the way that
 * MXNet 1.9.1 does when it loads them.
 *
 * Each change applies to files below a certain version: hyb_symbol_upgrade().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/formats/mxnet-symbol-private.h"

#include <string.h>

/* MXNet's “hidden keys”: attributes for the optimizer and the placement of nodes.  Old files mix
 * them with the attributes of operators; newer ones write them as __lr_mult__. */
static const char *const hidden_keys[] = {
  "ctx_group", "lr_mult", "wd_mult", "force_mirroring", "mirror_stage", NULL,
};

/* Attributes that old versions wrote, and that have another meaning in later versions. */
static const struct
{
  gint64      below;
  const char *op, *key, *value; /* removed if the attribute has this value */
} dropped[] = {
  { 905, "argmax", "axis", "-1" },
  { 905, "argmin", "axis", "-1" },
};

/* Initialisers of variables that feed operators; MXNet writes them to files since 0.9.4. */
static const struct
{
  const char *op;
  guint       input;
  const char *initializer;
} initializers[] = {
  { "BatchNorm", 3, "[\"zero\", {}]" },
  { "BatchNorm", 4, "[\"one\", {}]" },
  { "LeakyReLU", 1, "[\"Constant\", {\"value\": 0.25}]" },
};

static const char *
find_hidden_key (const char *key)
{
  for (guint i = 0; hidden_keys[i]; i++)
    if (g_str_has_prefix (key, hidden_keys[i]) || g_str_has_suffix (key, hidden_keys[i]))
      return hidden_keys[i];
  return NULL;
}

gboolean
hyb_symbol_is_hidden_key (const char *key)
{
  return find_hidden_key (key) != NULL;
}

/* "__lr_mult__" for "lr_mult".  The string lives as long as the reader. */
static const char *
add_underscores (SymbolReader *reader, const char *hidden)
{
  g_autofree char *key = g_strdup_printf ("__%s__", hidden);

  return g_string_chunk_insert_const (reader->strings, key);
}

/* The variable that feeds the input of this name; HYB_NO_ID if none does. */
static guint
find_feeding_variable (const SymbolGraph *graph, const SymbolNode *node, const char *input)
{
  for (guint i = 0; node->op && i < MIN (node->n_entries, 64); i++)
    {
      g_autofree char   *name = hyb_op_dup_input_name (node->op, i, node->n_entries);
      const SymbolEntry *entry =
          &g_array_index (graph->entries, SymbolEntry, node->first_entry + i);

      if (strcmp (name, input) == 0)
        return hyb_symbol_is_variable (hyb_symbol_node (graph, entry->node)) ? entry->node
                                                                             : HYB_NO_ID;
    }

  return HYB_NO_ID;
}

/* Moves "lr_mult" to "__lr_mult__" of the same node, and "weight_lr_mult" to "__lr_mult__" of the
 * variable that is the node's weight.  On a variable the latter key is not changed. */
static void
move_hidden_key (SymbolReader *reader, SymbolGraph *graph, guint index, const char *key)
{
  SymbolNode      *node = hyb_symbol_node (graph, index);
  const char      *hidden = find_hidden_key (key);
  const char      *value = hyb_symbol_get_attribute (graph, node, key);
  g_autofree char *input = NULL;
  guint            variable;

  if (strcmp (key, hidden) == 0)
    {
      hyb_symbol_remove_attribute (graph, index, key);
      hyb_symbol_set_attribute (graph, index, add_underscores (reader, hidden), value);
      return;
    }

  if (hyb_symbol_is_variable (node) || !g_str_has_suffix (key, hidden) ||
      strlen (key) < strlen (hidden) + 2)
    return;

  input = g_strndup (key, strlen (key) - strlen (hidden) - 1);
  variable = find_feeding_variable (graph, node, input);
  if (variable == HYB_NO_ID)
    return;

  hyb_symbol_remove_attribute (graph, index, key);
  hyb_symbol_set_attribute (graph, variable, add_underscores (reader, hidden), value);
}

static void
move_hidden_keys (SymbolReader *reader, SymbolGraph *graph)
{
  for (guint n = 0; n < graph->nodes->len; n++)
    {
      const SymbolNode *node = hyb_symbol_node (graph, n);
      g_autoptr (GPtrArray) keys = NULL;

      for (guint i = 0; i < node->n_attributes; i += 2)
        {
          const char *key = g_ptr_array_index (graph->attributes, node->first_attribute + i);

          if (!find_hidden_key (key))
            continue;
          if (!keys)
            keys = g_ptr_array_new ();
          g_ptr_array_add (keys, (gpointer) key);
        }

      for (guint i = 0; keys && i < keys->len; i++)
        move_hidden_key (reader, graph, n, g_ptr_array_index (keys, i));
    }
}

/* The attributes of a node without hidden keys, for hyb_params_parse().  (transfer container) */
static const char **
dup_attributes (const SymbolGraph *graph, const SymbolNode *node)
{
  const char **list = g_new0 (const char *, node->n_attributes + 1);
  guint        n = 0;

  for (guint i = 0; i < node->n_attributes; i += 2)
    {
      gpointer *pair = graph->attributes->pdata + node->first_attribute + i;

      if (!find_hidden_key (pair[0]))
        {
          list[n++] = pair[0];
          list[n++] = pair[1];
        }
    }

  return list;
}

/* The number of inputs of the operator with the node's attributes; the node's own number if they
 * cannot be parsed. */
static guint
count_inputs (const SymbolGraph *graph, const SymbolNode *node)
{
  g_autofree const char **attributes = dup_attributes (graph, node);
  gpointer                params =
      hyb_params_parse (node->op->params, node->op->params_size, attributes, NULL, NULL);
  guint n_inputs = node->n_entries, n_outputs;

  if (params || !node->op->params)
    hyb_op_arity (node->op, params, &n_inputs, &n_outputs);
  hyb_params_unref (params);
  return n_inputs;
}

/* Before version 0.9 auxiliary states were not nodes: adds variables for inputs that are missing.
 * They are appended to the records; sorting moves them before the nodes that use them. */
static void
add_missing_inputs (SymbolReader *reader, SymbolGraph *graph, guint index)
{
  SymbolNode *node = hyb_symbol_node (graph, index);
  guint n_inputs = node->op && !hyb_symbol_is_variable (node) ? count_inputs (graph, node) : 0;
  guint first = graph->entries->len;

  if (n_inputs <= node->n_entries || n_inputs > 64)
    return;

  for (guint i = 0; i < n_inputs; i++)
    {
      SymbolEntry entry = { graph->nodes->len, 0 };

      if (i < node->n_entries)
        entry = g_array_index (graph->entries, SymbolEntry, node->first_entry + i);
      else
        {
          g_autofree char *input = hyb_op_dup_input_name (node->op, i, n_inputs);
          g_autofree char *name = g_strdup_printf ("%s_%s", node->name, input);
          SymbolNode       variable = {
                  .type = "null",
                  .op = hyb_op_find ("null"),
                  .name = g_string_chunk_insert (reader->strings, name),
                  .line = node->line,
                  .first_attribute = node->first_attribute,
                  .n_attributes = node->n_attributes,
                  .n_used = 1,
          };

          hyb_symbol_copy_attributes (graph, &variable);
          g_array_append_val (graph->nodes, variable);
          node = hyb_symbol_node (graph, index);
        }
      g_array_append_val (graph->entries, entry);
    }

  node->first_entry = first;
  node->n_entries = n_inputs;
}

static void
set_initializers (SymbolGraph *graph, guint index)
{
  for (guint i = 0; i < G_N_ELEMENTS (initializers); i++)
    {
      const SymbolNode  *node = hyb_symbol_node (graph, index);
      const SymbolEntry *entry;
      const SymbolNode  *variable;

      if (strcmp (node->type, initializers[i].op) != 0 || node->n_entries <= initializers[i].input)
        continue;
      entry =
          &g_array_index (graph->entries, SymbolEntry, node->first_entry + initializers[i].input);
      variable = hyb_symbol_node (graph, entry->node);
      if (hyb_symbol_is_variable (variable) &&
          !hyb_symbol_get_attribute (graph, variable, "__init__"))
        hyb_symbol_set_attribute (graph, entry->node, "__init__", initializers[i].initializer);
    }
}

static void
drop_attributes (SymbolReader *reader, SymbolGraph *graph, guint index)
{
  for (guint i = 0; i < G_N_ELEMENTS (dropped); i++)
    {
      const SymbolNode *node = hyb_symbol_node (graph, index);
      const char       *value;

      if (reader->version >= dropped[i].below || strcmp (node->type, dropped[i].op) != 0)
        continue;
      value = hyb_symbol_get_attribute (graph, node, dropped[i].key);
      if (g_strcmp0 (value, dropped[i].value) == 0)
        hyb_symbol_remove_attribute (graph, index, dropped[i].key);
    }
}

void
hyb_symbol_upgrade (SymbolReader *reader, SymbolGraph *graph)
{
  guint n_nodes = graph->nodes->len;

  if (reader->version < HYB_SYMBOL_VERSION)
    move_hidden_keys (reader, graph);
  if (reader->version < 900)
    for (guint n = 0; n < n_nodes; n++)
      add_missing_inputs (reader, graph, n);
  if (reader->version < 904)
    for (guint n = 0; n < n_nodes; n++)
      set_initializers (graph, n);
  if (reader->version < 905)
    for (guint n = 0; n < n_nodes; n++)
      drop_attributes (reader, graph, n);
}
