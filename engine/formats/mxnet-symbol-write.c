/* mxnet-symbol-write.c — writes a graph as JSON with the layout of MXNet 1.9.1's writer.
 *
 * An object with one pair is on one line, a larger one on several.  Lists of numbers are broken
 * into lines if they have more than ten elements, lists of objects always.  Start at
 * hyb_symbol_print().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/formats/mxnet-symbol.h"

#include <string.h>

#define LONG_LIST 10

typedef struct
{
  HybGraph  *graph;
  GString   *text;
  guint      indent; /* of the current object, in spaces */
  HybNodeId *order;  /* nodes in the order in which they are written */
  guint      n_ordered;
  guint32   *place;    /* by node id: position in order; HYB_NO_ID if it is not written */
  guint32   *versions; /* by node id: how often a variable has been mutated so far */
} SymbolWriter;

static void write_graph (HybGraph *graph, GString *text, guint indent, gboolean is_top);

static void
start_line (SymbolWriter *writer, guint indent)
{
  g_string_append_c (writer->text, '\n');
  for (guint i = 0; i < indent; i++)
    g_string_append_c (writer->text, ' ');
}

/* MXNet's reader understands no other escapes. */
static void
write_string (SymbolWriter *writer, const char *string)
{
  static const char escaped[] = "\r\n\\\t\"", letters[] = "rn\\t\"";

  g_string_append_c (writer->text, '"');
  for (const char *c = string; *c; c++)
    {
      const char *found = strchr (escaped, *c);

      if (found)
        g_string_append_printf (writer->text, "\\%c", letters[found - escaped]);
      else
        g_string_append_c (writer->text, *c);
    }
  g_string_append_c (writer->text, '"');
}

static void
write_key (SymbolWriter *writer, const char *key, gboolean is_first)
{
  if (!is_first)
    g_string_append (writer->text, ", ");
  start_line (writer, writer->indent + 2);
  write_string (writer, key);
  g_string_append (writer->text, ": ");
}

static void
write_separator (SymbolWriter *writer, guint i, gboolean is_long)
{
  if (i > 0)
    g_string_append (writer->text, ", ");
  if (is_long)
    start_line (writer, writer->indent + 4);
}

static void
open_list (SymbolWriter *writer)
{
  g_string_append_c (writer->text, '[');
}

static void
close_list (SymbolWriter *writer, gboolean is_long)
{
  if (is_long)
    start_line (writer, writer->indent + 2);
  g_string_append_c (writer->text, ']');
}

/* Orders start and the nodes it depends on: depth-first, inputs in order. */
static void
order_from (SymbolWriter *writer, HybNodeId start, GArray *path, guint32 *next)
{
  g_array_append_val (path, start);
  writer->place[start] = 0;

  while (path->len > 0)
    {
      HybNodeId      id = g_array_index (path, HybNodeId, path->len - 1);
      const HybNode *node = hyb_graph_get_node (writer->graph, id);
      HybNodeId      input;

      if (next[id] == node->n_inputs)
        {
          writer->place[id] = writer->n_ordered;
          writer->order[writer->n_ordered++] = id;
          g_array_set_size (path, path->len - 1);
          continue;
        }

      input = hyb_graph_get_producer (writer->graph,
                                      hyb_graph_get_inputs (writer->graph, id)[next[id]++]);
      if (writer->place[input] == HYB_NO_ID)
        {
          writer->place[input] = 0;
          g_array_append_val (path, input);
        }
    }
}

static void
order_nodes (SymbolWriter *writer)
{
  guint             n_nodes = hyb_graph_n_nodes (writer->graph), n_heads;
  const HybValueId *heads = hyb_graph_get_heads (writer->graph, &n_heads);
  g_autoptr (GArray) path = g_array_new (FALSE, FALSE, sizeof (HybNodeId));
  g_autofree guint32 *next = g_new0 (guint32, n_nodes);

  for (guint i = 0; i < n_nodes; i++)
    writer->place[i] = HYB_NO_ID;
  for (guint i = 0; i < n_heads; i++)
    {
      HybNodeId start = hyb_graph_get_producer (writer->graph, heads[i]);

      if (writer->place[start] == HYB_NO_ID)
        order_from (writer, start, path, next);
    }
}

static void
write_entry (SymbolWriter *writer, HybValueId value)
{
  HybNodeId producer = hyb_graph_get_producer (writer->graph, value);

  g_string_append_printf (writer->text, "[%u, %u, %u]", writer->place[producer],
                          hyb_graph_get_output_index (writer->graph, value),
                          writer->versions[producer]);
}

/* TRUE if the node, or one in its bodies, writes to the variable that is its input. */
static gboolean
is_mutated (const SymbolWriter *writer, const HybNode *node, guint input, HybNodeId producer)
{
  const HybNode *source = hyb_graph_get_node (writer->graph, producer);

  if (!hyb_node_is_variable (source))
    return FALSE;
  if (hyb_op_writes_input (node->op, input))
    return TRUE;

  return node->n_bodies > 0 && hyb_graph_is_auxiliary (writer->graph, producer);
}

/* Counts the node's own writes before its entries are written, because they name the version after
 * them. */
static void
count_versions (SymbolWriter *writer, HybNodeId id)
{
  const HybNode    *node = hyb_graph_get_node (writer->graph, id);
  const HybValueId *inputs = hyb_graph_get_inputs (writer->graph, id);

  for (guint i = 0; i < node->n_inputs; i++)
    {
      HybNodeId producer = hyb_graph_get_producer (writer->graph, inputs[i]);

      if (is_mutated (writer, node, i, producer))
        writer->versions[producer]++;
    }
}

static void
write_entries (SymbolWriter *writer, const HybValueId *values, guint n)
{
  gboolean is_long = n > LONG_LIST;

  open_list (writer);
  for (guint i = 0; i < n; i++)
    {
      write_separator (writer, i, is_long);
      write_entry (writer, values[i]);
    }
  close_list (writer, is_long);
}

static void
write_attributes (SymbolWriter *writer, const char *const *attributes)
{
  guint n = 0;

  while (attributes[n])
    n += 2;

  g_string_append_c (writer->text, '{');
  for (guint i = 0; i < n; i += 2)
    {
      write_separator (writer, i, n > 2);
      write_string (writer, attributes[i]);
      g_string_append (writer->text, ": ");
      write_string (writer, attributes[i + 1]);
    }
  if (n > 2)
    start_line (writer, writer->indent + 2);
  g_string_append_c (writer->text, '}');
}

static void
write_bodies (SymbolWriter *writer, HybNodeId id, guint n_bodies)
{
  HybGraph *const *bodies = hyb_graph_get_bodies (writer->graph, id);

  write_key (writer, "subgraphs", FALSE);
  open_list (writer);
  for (guint i = 0; i < n_bodies; i++)
    {
      write_separator (writer, i, TRUE);
      write_graph (bodies[i], writer->text, writer->indent + 4, FALSE);
    }
  close_list (writer, TRUE);
}

static void
write_node (SymbolWriter *writer, HybNodeId id)
{
  const HybNode *node = hyb_graph_get_node (writer->graph, id);
  gboolean       keeps_type = (node->op->flags & (HYB_OP_OPAQUE | HYB_OP_PLUGIN)) != 0;

  count_versions (writer, id);
  g_string_append_c (writer->text, '{');
  write_key (writer, "op", TRUE);
  write_string (writer, keeps_type ? node->type : node->op->name);
  write_key (writer, "name", FALSE);
  write_string (writer, node->name);
  if (node->attributes && node->attributes[0])
    {
      write_key (writer, "attrs", FALSE);
      write_attributes (writer, node->attributes);
    }
  write_key (writer, "inputs", FALSE);
  write_entries (writer, hyb_graph_get_inputs (writer->graph, id), node->n_inputs);
  if (node->n_bodies > 0)
    write_bodies (writer, id, node->n_bodies);
  start_line (writer, writer->indent);
  g_string_append_c (writer->text, '}');
}

static void
write_nodes (SymbolWriter *writer)
{
  guint indent = writer->indent;

  write_key (writer, "nodes", TRUE);
  open_list (writer);
  for (guint i = 0; i < writer->n_ordered; i++)
    {
      write_separator (writer, i, TRUE);
      writer->indent += 4;
      write_node (writer, writer->order[i]);
      writer->indent = indent;
    }
  close_list (writer, TRUE);
}

static void
write_numbers (SymbolWriter *writer, const char *key, const GArray *numbers)
{
  gboolean is_long = numbers->len > LONG_LIST;

  write_key (writer, key, FALSE);
  open_list (writer);
  for (guint i = 0; i < numbers->len; i++)
    {
      write_separator (writer, i, is_long);
      g_string_append_printf (writer->text, "%u", g_array_index (numbers, guint, i));
    }
  close_list (writer, is_long);
}

/* The number of outputs that node_row_ptr counts. */
static guint
count_outputs (const HybNode *node)
{
  /* Loops and branches have a hidden output that MXNet's do not have: the number of steps, or the
   * branch taken. */
  if (node->n_bodies > 0 && !(node->op->flags & HYB_OP_OPAQUE))
    return hyb_op_n_visible (node->op, node->params, node->n_outputs);

  if (node->op->n_stored)
    return node->op->n_stored (node->params);
  return node->n_outputs;
}

static void
write_lists (SymbolWriter *writer)
{
  g_autoptr (GArray) variables = g_array_new (FALSE, FALSE, sizeof (guint));
  g_autoptr (GArray) rows = g_array_new (FALSE, FALSE, sizeof (guint));
  guint n_values = 0;

  g_array_append_val (rows, n_values);
  for (guint i = 0; i < writer->n_ordered; i++)
    {
      const HybNode *node = hyb_graph_get_node (writer->graph, writer->order[i]);

      if (hyb_node_is_variable (node))
        g_array_append_val (variables, i);
      n_values += count_outputs (node);
      g_array_append_val (rows, n_values);
    }

  write_numbers (writer, "arg_nodes", variables);
  write_numbers (writer, "node_row_ptr", rows);
}

static void
write_graph_attributes (SymbolWriter *writer)
{
  gboolean is_np = !hyb_graph_has_legacy_shapes (writer->graph);

  write_key (writer, "attrs", FALSE);
  g_string_append_c (writer->text, '{');
  if (is_np)
    {
      start_line (writer, writer->indent + 4);
      g_string_append (writer->text, "\"is_np_shape\": [\"int\", 1], ");
      start_line (writer, writer->indent + 4);
    }
  g_string_append (writer->text, "\"mxnet_version\": [\"int\", 10901]");
  if (is_np)
    start_line (writer, writer->indent + 2);
  g_string_append_c (writer->text, '}');
}

static void
write_graph (HybGraph *graph, GString *text, guint indent, gboolean is_top)
{
  guint             n_nodes = hyb_graph_n_nodes (graph), n_heads;
  const HybValueId *heads = hyb_graph_get_heads (graph, &n_heads);
  SymbolWriter      writer = {
         .graph = graph,
         .text = text,
         .indent = indent,
         .order = g_new (HybNodeId, n_nodes),
         .place = g_new (guint32, n_nodes),
         .versions = g_new0 (guint32, n_nodes),
  };

  order_nodes (&writer);
  g_string_append_c (text, '{');
  write_nodes (&writer);
  write_lists (&writer);
  write_key (&writer, "heads", FALSE);
  write_entries (&writer, heads, n_heads);
  if (is_top)
    write_graph_attributes (&writer);
  start_line (&writer, indent);
  g_string_append_c (text, '}');

  g_free (writer.order);
  g_free (writer.place);
  g_free (writer.versions);
}

char *
hyb_symbol_print (HybGraph *graph, gsize *length)
{
  GString *text = g_string_new (NULL);

  write_graph (graph, text, 0, TRUE);
  *length = text->len;
  return g_string_free (text, FALSE);
}
