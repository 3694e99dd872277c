/* structure.c — lists cells, loops and branches of a graph.
 *
 * Unrolled cells come from recognise.h, fused operators and control operators are read off their
 * nodes.  Start reading at hyb_structure_find().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/variants/structure.h"

#include "engine/analysis/infer-types.h"
#include "engine/graph/count-nodes.h"
#include "engine/lower/infer-lowered.h"
#include "engine/variants/group.h"
#include "engine/variants/lowered/trimmed.h"
#include "engine/variants/node-kind.h"
#include "engine/variants/rebuild-node.h"
#include "engine/variants/recognise.h"

#include <string.h>

typedef struct
{
  HybGraph      *graph;
  const HybType *types;
  GArray        *list; /* of HybStructure */
} StructureFinder;

static void
clear_structure (gpointer data)
{
  g_free (((HybStructure *) data)->cell);
}

const char *
hyb_structure_kind_name (HybStructureKind kind)
{
  static const char *const names[] = { "cell", "loop", "branch" };

  return names[kind];
}

/* --- Unrolled cells --- */

static guint
count_group (const HybCells *cells, const HybGroup *group, const guint *n_of_chain)
{
  guint n = 0;

  for (guint c = 0; c < group->chains->len; c++)
    n += n_of_chain[g_array_index (group->chains, guint, c)];
  return n;
}

/* The node of the graph that a node of the rebuilt graph comes from.  matches NULL: the graph was
 * not rebuilt. */
static HybNodeId
find_origin (const GArray *matches, HybNodeId id)
{
  for (guint i = 0; matches && i < matches->len; i++)
    if (g_array_index (matches, HybMatch, i).b == id)
      return g_array_index (matches, HybMatch, i).a;
  return id;
}

/* The node that makes the first state h; for a body the first node that was found. */
static HybNodeId
first_node (const HybCells *cells, const HybGroup *group)
{
  const HybChain *chain = hyb_group_chain (cells, group, 0);

  if (chain->nodes)
    return ((const HybNodeId *) chain->nodes->pdata[0])[0];
  return hyb_graph_get_producer (cells->graph, hyb_chain_step (cells, chain, 0)->h);
}

static void
add_groups (StructureFinder *finder,
            HybCells        *cells,
            const GArray    *matches,
            const guint     *n_of_chain)
{
  g_autoptr (GPtrArray) groups = hyb_groups_find (cells, HYB_GROUP_STACKS);

  for (guint g = 0; g < groups->len; g++)
    {
      const HybGroup  *group = groups->pdata[g];
      g_autofree char *broken = NULL;
      HybStructure     entry = {
            .kind = group->kind == HYB_CELL_NONE ? HYB_STRUCTURE_LOOP : HYB_STRUCTURE_CELL,
            .direction = group->n_directions == 2 ? "both"
                         : group->is_backward     ? "backward"
                                                  : "forward",
            .layers = group->n_layers,
            .hidden = group->hidden,
            .steps = group->n_steps,
            .nodes = count_group (cells, group, n_of_chain),
      };

      for (guint c = 0; !broken && c < group->chains->len; c++)
        broken = hyb_chain_dup_break (cells, g_array_index (group->chains, guint, c));
      if (broken)
        continue;
      entry.cell = g_strdup (hyb_cell_kind_name (group->kind));
      entry.node = find_origin (matches, first_node (cells, group));
      g_array_append_val (finder->list, entry);
    }
}

/* The chain of each node of the graph, also where cells were found in a rebuilt graph. */
static guint32 *
find_chains (const StructureFinder *finder, const HybCells *cells, const GArray *matches)
{
  guint    n = hyb_graph_n_nodes (finder->graph);
  guint32 *chain_of_node = g_new (guint32, MAX (n, 1));

  for (HybNodeId id = 0; id < n; id++)
    chain_of_node[id] = matches ? HYB_NO_ID : cells->chain_of_node[id];
  for (guint i = 0; matches && i < matches->len; i++)
    {
      const HybMatch *match = &g_array_index (matches, HybMatch, i);

      if (cells->chain_of_node[match->b] != HYB_NO_ID)
        chain_of_node[match->a] = cells->chain_of_node[match->b];
    }
  return chain_of_node;
}

static void
add_cells (StructureFinder *finder, HybCells *cells, const GArray *matches)
{
  g_autofree guint   *n_of_chain = g_new0 (guint, MAX (cells->chains->len, 1));
  g_autofree guint32 *chain_of_node = find_chains (finder, cells, matches);

  for (HybNodeId id = 0; id < hyb_graph_n_nodes (finder->graph); id++)
    if (chain_of_node[id] != HYB_NO_ID)
      n_of_chain[chain_of_node[id]]++;
  add_groups (finder, cells, matches, n_of_chain);
}

/* Types of a rebuilt graph, inferred from the types of its variables. */
static HybType *
carry_types (const StructureFinder *finder, HybGraph *graph)
{
  HybType         *types = g_new (HybType, MAX (hyb_graph_n_values (graph), 1));
  guint            n;
  const HybNodeId *variables = hyb_graph_get_variables (graph, &n);

  for (guint i = 0; i < hyb_graph_n_values (graph); i++)
    types[i] = HYB_TYPE_UNKNOWN;
  for (guint i = 0; i < n; i++)
    {
      const HybNode *node = hyb_graph_get_node (graph, variables[i]);
      HybNodeId      old = hyb_graph_find_variable (finder->graph, node->name);

      if (old != HYB_NO_ID)
        types[node->first_output] =
            finder->types[hyb_graph_get_node (finder->graph, old)->first_output];
    }
  hyb_infer_types (graph, types, NULL, FALSE, NULL);
  return types;
}

/* Looks for cells after products over all steps were rebuilt step by step.  FALSE if there are no
 * such products, or no cells then. */
static gboolean
add_cells_with_split_products (StructureFinder *finder)
{
  g_auto (HybRebuild) rebuild = { 0 };
  g_autoptr (HybGraph) graph = NULL;
  g_autoptr (HybCells) cells = NULL;
  g_autofree HybType *types = NULL;

  hyb_rebuild_init (&rebuild, finder->graph);
  if (!hyb_rebuild_find_split_products (&rebuild, finder->types))
    return FALSE;
  for (HybNodeId id = 0; id < hyb_graph_n_nodes (finder->graph); id++)
    hyb_rebuild_node (&rebuild, id);
  graph = hyb_rebuild_finish (&rebuild, NULL);
  if (!graph)
    return FALSE;
  types = carry_types (finder, graph);
  cells = hyb_cells_find (graph, types, NULL);
  if (cells->chains->len == 0)
    return FALSE;
  add_cells (finder, cells, rebuild.matches);
  return TRUE;
}

static void
add_unrolled (StructureFinder *finder)
{
  g_autoptr (HybCells) cells = NULL;

  if (add_cells_with_split_products (finder))
    return;
  cells = hyb_cells_find (finder->graph, finder->types, NULL);
  add_cells (finder, cells, NULL);
}

/* --- Fused operators, loops and branches --- */

static void
add_fused (StructureFinder *finder, HybNodeId id, const HybNode *node)
{
  HybCellKind     kind = hyb_cell_kind_from_rnn_mode ((HybRnnMode) hyb_node_int (node, "mode", 0),
                                                      hyb_node_int (node, "projection_size", 0) > 0);
  const HybShape *data = &finder->types[hyb_graph_get_inputs (finder->graph, id)[0]].shape;
  HybStructure    entry = {
       .kind = HYB_STRUCTURE_CELL,
       .cell = g_strdup (hyb_cell_kind_name (kind)),
       .direction = hyb_node_bool (node, "bidirectional") ? "both" : "forward",
       .layers = (guint) hyb_node_int (node, "num_layers", 0),
       .hidden = hyb_node_int (node, "state_size", 0),
       .steps = data->rank > 0 ? MAX (data->dim[0], 0) : 0,
       .nodes = 1,
       .node = id,
  };

  g_array_append_val (finder->list, entry);
}

/* By value of body: nonzero for the variables that are states of the loop. */
static guint8 *
find_state_variables (const HybNode *node, HybGraph *body)
{
  const char *const names[] = { "in_state_locs", "func_var_locs" };
  guint8           *is_state = g_new0 (guint8, MAX (hyb_graph_n_values (body), 1));
  guint             n;
  const HybNodeId  *variables = hyb_graph_get_variables (body, &n);

  for (guint k = 0; k < G_N_ELEMENTS (names); k++)
    {
      const HybInts *places = hyb_node_ints (node, names[k]);

      for (int i = 0; places && i < places->n; i++)
        if (places->value[i] >= 0 && places->value[i] < n)
          is_state[hyb_graph_get_node (body, variables[places->value[i]])->first_output] = TRUE;
    }
  return is_state;
}

/* Types of the body's values, known for variables that are weights of the outer graph. */
static HybType *
find_body_types (StructureFinder *finder, HybNodeId id, HybGraph *body, guint index)
{
  const HybNode    *node = hyb_graph_get_node (finder->graph, id);
  const HybValueId *inputs = hyb_graph_get_inputs (finder->graph, id);
  HybType          *types = g_new (HybType, MAX (hyb_graph_n_values (body), 1));
  guint             n;
  const HybNodeId  *variables = hyb_graph_get_variables (body, &n);

  for (guint i = 0; i < hyb_graph_n_values (body); i++)
    types[i] = HYB_TYPE_UNKNOWN;
  for (guint v = 0; v < n; v++)
    {
      guint input = node->op->body_variable (node->params, node->n_inputs, index, v);

      if (input < node->n_inputs && hyb_value_is_variable (finder->graph, inputs[input]))
        types[hyb_graph_get_node (body, variables[v])->first_output] = finder->types[inputs[input]];
    }
  return types;
}

/* Fills entry with the cells in a loop's body. */
static void
describe_body (StructureFinder *finder,
               HybNodeId        id,
               HybGraph        *body,
               guint            index,
               HybStructure    *entry)
{
  g_autofree guint8 *is_state = find_state_variables (hyb_graph_get_node (finder->graph, id), body);
  g_autofree HybType *types = find_body_types (finder, id, body, index);
  g_autoptr (HybCells) cells = hyb_cells_find (body, types, is_state);
  g_autoptr (GString) names = g_string_new (NULL);
  HybCellKind before = HYB_CELL_NONE;

  for (guint c = 0; c < cells->chains->len; c++)
    {
      const HybChain *chain = cells->chains->pdata[c];

      if (chain->kind != before)
        g_string_append_printf (names, "%s%s", names->len > 0 ? "+" : "",
                                hyb_cell_kind_name (chain->kind));
      before = chain->kind;
      entry->hidden = chain->hidden;
    }
  if (cells->chains->len == 0)
    return;
  entry->cell = g_strdup (names->str);
  entry->layers = cells->chains->len;
}

static void
add_control (StructureFinder *finder, HybNodeId id, const HybNode *node)
{
  HybGraph *const  *bodies = hyb_graph_get_bodies (finder->graph, id);
  const HybValueId *inputs = hyb_graph_get_inputs (finder->graph, id);
  HybStructure entry = { .kind = node->n_bodies == 3 ? HYB_STRUCTURE_BRANCH : HYB_STRUCTURE_LOOP,
                         .node = id };

  for (guint b = 0; b < node->n_bodies; b++)
    entry.nodes += hyb_graph_count_nodes (bodies[b]);
  if (hyb_node_kind (node) == HYB_KIND_WHILE)
    entry.steps = hyb_node_int (node, "max_iterations", 0);
  else if (hyb_node_kind (node) == HYB_KIND_FOREACH && node->n_inputs > 0 &&
           finder->types[inputs[0]].shape.rank > 0)
    entry.steps = MAX (finder->types[inputs[0]].shape.dim[0], 0);
  if (entry.kind == HYB_STRUCTURE_LOOP)
    describe_body (finder, id, bodies[node->n_bodies - 1], node->n_bodies - 1, &entry);
  g_array_append_val (finder->list, entry);
}

static int
compare_nodes (gconstpointer a, gconstpointer b)
{
  HybNodeId x = ((const HybStructure *) a)->node, y = ((const HybStructure *) b)->node;

  return x < y ? -1 : x > y;
}

static GArray *
find_in_own (HybGraph *graph, const HybType *types)
{
  StructureFinder finder = { graph, types, g_array_new (FALSE, TRUE, sizeof (HybStructure)) };

  g_array_set_clear_func (finder.list, clear_structure);
  add_unrolled (&finder);
  for (HybNodeId id = 0; id < hyb_graph_n_nodes (graph); id++)
    {
      const HybNode *node = hyb_graph_get_node (graph, id);

      if (hyb_node_kind (node) == HYB_KIND_RNN)
        add_fused (&finder, id, node);
      else if (node->n_bodies > 0 && node->op->category == HYB_CATEGORY_CONTROL)
        add_control (&finder, id, node);
    }
  g_array_sort (finder.list, compare_nodes);
  return finder.list;
}

/* --- Graphs of other formats --- */

/* TRUE if a variable of a body gets another value in every step. */
static gboolean
repeats_bodies (const HybGraph *graph, HybNodeId id)
{
  const HybNode *node = hyb_graph_get_node (graph, id);

  for (guint b = 0; b < node->n_bodies && node->op->body_port; b++)
    {
      guint n;

      hyb_graph_get_variables (hyb_graph_get_bodies (graph, id)[b], &n);
      for (guint v = 0; v < n; v++)
        {
          HybPortKind port = node->op->body_port (node->params, node->n_inputs, b, v);

          if (port == HYB_PORT_STATE || port == HYB_PORT_DATA)
            return TRUE;
        }
    }
  return FALSE;
}

/* Whether a node is in the list already: a loop whose body is a cell. */
static gboolean
is_listed (const GArray *list, guint n, HybNodeId node)
{
  for (guint i = 0; i < n; i++)
    if (g_array_index (list, HybStructure, i).node == node)
      return TRUE;
  return FALSE;
}

/* Loops and branches are nodes of the file; cells are found in the lowered form of the others. */
static GArray *
find_in_foreign (HybGraph *graph, const HybType *types)
{
  g_autoptr (HybLowered) lowered = hyb_lowered_new (graph, types);
  g_auto (HybTrimmed) trimmed = { 0 };
  GArray *list;
  guint   n_own;

  hyb_lowered_trim (&trimmed, lowered);
  list = find_in_own (trimmed.graph, trimmed.types);
  n_own = list->len;

  for (guint i = 0; i < list->len; i++)
    {
      HybStructure *entry = &g_array_index (list, HybStructure, i);

      entry->node = hyb_graph_get_node (trimmed.graph, entry->node)->origin;
      /* Of an open dimension the lowered graph has a size that was tried. */
      if (!hyb_type_is_known (&types[hyb_graph_get_node (graph, entry->node)->first_output]))
        entry->steps = 0;
    }
  for (HybNodeId id = 0; id < hyb_graph_n_nodes (graph); id++)
    {
      const HybNode *node = hyb_graph_get_node (graph, id);
      HybStructure   entry = { .kind = repeats_bodies (graph, id) ? HYB_STRUCTURE_LOOP
                                                                  : HYB_STRUCTURE_BRANCH,
                               .node = id };

      for (guint b = 0; b < node->n_bodies; b++)
        entry.nodes += hyb_graph_count_nodes (hyb_graph_get_bodies (graph, id)[b]);
      if (node->n_bodies > 0 && !is_listed (list, n_own, id))
        g_array_append_val (list, entry);
    }
  g_array_sort (list, compare_nodes);
  return list;
}

GArray *
hyb_structure_find (HybGraph *graph, const HybType *types)
{
  return hyb_graph_get_dialect (graph) ? find_in_foreign (graph, types)
                                       : find_in_own (graph, types);
}
