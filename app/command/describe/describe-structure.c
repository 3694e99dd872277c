/* describe-structure.c — lists cells, loops, branches and repeated blocks as text and as JSON.
 *
 * Start at collect().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/command/describe/describe-structure.h"

#include "app/adapt/graph-to-diagram.h"
#include "engine/base/one-line.h"
#include "engine/variants/structure.h"

#include <stdio.h>
#include <string.h>

#define MAX_BLOCK_NODES 20000 /* of models in which repeated blocks are looked for */

/* A row: a structure that conversions handle, or consecutive equal blocks. */
typedef struct
{
  HybStructure entry;    /* of blocks: nodes, and node, the first one */
  guint        n_blocks; /* 0: no blocks */
  guint        period;   /* nodes of each block that are not parameters */
} Row;

/* The group of a drawing that holds equal blocks: its parts are named after it (viz/fold). */
static gboolean
holds_blocks (const VizDiagram *diagram, guint32 box)
{
  const VizBox    *group = viz_diagram_box (diagram, box);
  const VizBox    *first;
  g_autofree char *expected = NULL;

  if (!group->id || !g_str_has_prefix (group->id, "repeats:") || group->n_children == 0)
    return FALSE;
  first = viz_diagram_box (diagram, viz_diagram_child (diagram, box, 0));
  expected = g_strconcat (group->id, ":0", NULL);
  return g_strcmp0 (first->id, expected) == 0;
}

/* The first box of a node below this one, or VIZ_ROOT. */
static guint32
find_first_node (const VizDiagram *diagram, guint32 box)
{
  const VizBox *group = viz_diagram_box (diagram, box);

  if (group->user != VIZ_NO_USER)
    return box;
  for (guint32 i = 0; i < group->n_children; i++)
    {
      guint32 found = find_first_node (diagram, viz_diagram_child (diagram, box, i));

      if (found != VIZ_ROOT)
        return found;
    }
  return VIZ_ROOT;
}

static void
add_blocks (const VizDiagram *diagram,
            const GArray     *places,
            guint32           box,
            HybGraph         *graph,
            GArray           *rows)
{
  const VizBox     *group = viz_diagram_box (diagram, box);
  const VizBox     *first;
  guint32           node = find_first_node (diagram, box);
  const ScopePlace *place;
  Row               row = { .n_blocks = group->n_children };

  if (node == VIZ_ROOT)
    return;
  place = &g_array_index (places, ScopePlace, viz_diagram_box (diagram, node)->user);
  if (place->graph != graph)
    return; /* in a body, whose nodes have ids of their own */
  first = viz_diagram_box (diagram, viz_diagram_child (diagram, box, 0));
  row.period = first->n_children;
  row.entry.nodes = row.n_blocks * row.period;
  row.entry.node = place->node;
  g_array_append_val (rows, row);
}

static gint
compare_rows (gconstpointer a, gconstpointer b)
{
  const Row *first = a, *second = b;

  return first->entry.node < second->entry.node ? -1 : first->entry.node > second->entry.node;
}

static void
clear_row (gpointer data)
{
  g_free (((Row *) data)->entry.cell);
}

/* All rows in the order of nodes.  GArray of Row; (transfer full) */
static GArray *
collect (HybModel *model, const HybType *types)
{
  HybGraph *graph = hyb_model_get_graph (model);
  g_autoptr (GArray) found = hyb_structure_find (graph, types);
  g_autoptr (GArray) places = NULL;
  g_autoptr (VizDiagram) diagram = NULL;
  GArray *rows = g_array_new (FALSE, FALSE, sizeof (Row));

  g_array_set_clear_func (rows, clear_row);
  for (guint i = 0; i < found->len; i++)
    {
      Row row = { .entry = g_array_index (found, HybStructure, i) };

      row.entry.cell = g_strdup (row.entry.cell);
      g_array_append_val (rows, row);
    }
  if (hyb_graph_n_nodes (graph) > MAX_BLOCK_NODES)
    return rows;
  diagram = scope_graph_to_diagram (&(ScopeDiagramOptions){ .model = model,
                                                            .types = types,
                                                            .keep_scopes = TRUE },
                                    &places);
  for (guint32 box = 0; box < viz_diagram_n_boxes (diagram); box++)
    if (holds_blocks (diagram, box))
      add_blocks (diagram, places, box, graph, rows);
  g_array_sort (rows, compare_rows);
  return rows;
}

/* Writes null for 0, which means unknown. */
static void
describe_number (ScopeJson *json, const char *key, gint64 value)
{
  if (value > 0)
    scope_json_int (json, key, value);
  else
    scope_json_null (json, key);
}

static const char *
kind_name (const Row *row)
{
  return row->n_blocks > 0 ? "blocks" : hyb_structure_kind_name (row->entry.kind);
}

void
scope_describe_structure (ScopeJson *json, HybModel *model, const HybType *types)
{
  HybGraph *graph = hyb_model_get_graph (model);
  g_autoptr (GArray) rows = collect (model, types);

  scope_json_begin_list (json, "structure");
  for (guint i = 0; i < rows->len; i++)
    {
      const Row *row = &g_array_index (rows, Row, i);

      scope_json_begin_object (json, NULL);
      scope_json_string (json, "kind", kind_name (row));
      scope_json_string (json, "node", hyb_graph_get_node (graph, row->entry.node)->name);
      scope_json_string (json, "cell", row->entry.cell);
      scope_json_string (json, "direction", row->entry.direction);
      describe_number (json, "layers", row->entry.layers);
      describe_number (json, "hidden", row->entry.hidden);
      describe_number (json, "steps", row->entry.steps);
      if (row->n_blocks > 0)
        {
          scope_json_int (json, "blocks", row->n_blocks);
          scope_json_int (json, "period", row->period);
        }
      scope_json_int (json, "nodes", row->entry.nodes);
      scope_json_end (json);
    }
  scope_json_end (json);
}

static void
add_part (GString *text, gint64 number, const char *unit)
{
  if (number <= 0)
    return;
  if (text->len > 0)
    g_string_append (text, ", ");
  g_string_append_printf (text, "%" G_GINT64_FORMAT " %s", number, unit);
}

/* "lstm, 2 layers, 200 units, 35 steps, both directions".  (transfer full) */
static char *
describe_row (const Row *row)
{
  const HybStructure *entry = &row->entry;
  GString            *text = g_string_new (entry->cell);

  if (row->n_blocks > 0)
    {
      add_part (text, row->n_blocks, "equal blocks");
      add_part (text, row->period, row->period == 1 ? "node each" : "nodes each");
    }
  add_part (text, entry->layers, entry->layers == 1 ? "layer" : "layers");
  add_part (text, entry->hidden, "units");
  add_part (text, entry->steps, entry->steps == 1 ? "step" : "steps");
  if (entry->direction && strcmp (entry->direction, "forward") != 0)
    g_string_append_printf (text, "%s%s", text->len > 0 ? ", " : "",
                            strcmp (entry->direction, "both") == 0 ? "both directions"
                                                                   : entry->direction);
  return g_string_free (text, FALSE);
}

void
scope_print_structure (HybModel *model, const HybType *types)
{
  HybGraph *graph = hyb_model_get_graph (model);
  g_autoptr (GArray) rows = collect (model, types);

  if (rows->len > 0)
    printf ("structure:\n");
  for (guint i = 0; i < rows->len; i++)
    {
      const Row       *row = &g_array_index (rows, Row, i);
      g_autofree char *text = describe_row (row);

      printf ("  %-7s %-40s %5u nodes, %s\n", kind_name (row), text, row->entry.nodes,
              hyb_one_line (hyb_graph_get_node (graph, row->entry.node)->name));
    }
}
