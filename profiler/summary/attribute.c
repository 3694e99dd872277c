/* attribute.c — adds rows for all nodes of a model, and maps the nodes that ran to them.
 *
 * Nodes of graphs that ran are matched by the origin that passes record, then by name and operator
 * type.  Start reading at prof_attribution_new() and find_row().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "profiler/summary/attribute.h"

#include "engine/exec/plan-sources.h"
#include "profiler/summary/node-rows.h"

#include <string.h>

/* A graph whose nodes have rows: one of the model's, or one that a pass or autograd made. */
typedef struct
{
  HybGraph   *graph;     /* borrowed; NULL: not of the model */
  guint32     index;     /* of the graph in the capture */
  guint32     first_row; /* row of node 0 */
  GHashTable *by_name;   /* name → id + 1; NULL until it is needed */
  GHashTable *
      by_origin; /* the same by origin; these are not ids in a graph that was traced or converted */
  GHashTable *added; /* "name\ntype\nid" of a node that the graph does not have → row + 1 */
} Source;

struct _ProfAttribution
{
  ProfBuilder *builder;
  GPtrArray   *sources;  /* of Source; the first is the model itself */
  GHashTable  *by_graph; /* HybGraph * → Source * */
  guint        n_slots;
  Source     **slot_source; /* by slot */
  guint32    **rows;        /* row by slot and node */
  guint       *n_rows;      /* by slot: nodes */
  guint32     *graph;       /* by slot: index of the graph in the capture */
  guint32     *planned;     /* row by node of the subject's plan; NULL without a static plan */
  guint        n_planned;
};

static void
source_free (gpointer data)
{
  Source *source = data;

  g_clear_pointer (&source->by_name, g_hash_table_unref);
  g_clear_pointer (&source->by_origin, g_hash_table_unref);
  g_hash_table_unref (source->added);
  g_free (source);
}

/* --- The model --- */

static void
add_edges (ProfBuilder *builder, const Source *source)
{
  g_autoptr (GArray) rows = g_array_new (FALSE, FALSE, sizeof (guint32));

  for (HybNodeId id = 0; id < hyb_graph_n_nodes (source->graph); id++)
    {
      const HybValueId *inputs = hyb_graph_get_inputs (source->graph, id);

      g_array_set_size (rows, 0);
      for (guint i = 0; i < hyb_graph_get_node (source->graph, id)->n_inputs; i++)
        {
          guint32 row = source->first_row + hyb_graph_get_producer (source->graph, inputs[i]);

          g_array_append_val (rows, row);
        }
      prof_builder_set_edges (builder, source->first_row + id, (gconstpointer) rows->data,
                              rows->len);
    }
}

/* Adds a graph to the capture.  graph: borrowed; NULL if the model does not have it. */
static Source *
new_source (ProfAttribution *attribution,
            HybGraph        *graph,
            const char      *name,
            guint32          parent,
            guint            body)
{
  Source *source = g_new0 (Source, 1);

  source->graph = graph;
  source->index = prof_builder_add_graph (attribution->builder, name, parent, body);
  source->first_row = prof_builder_n_nodes (attribution->builder);
  source->added = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_ptr_array_add (attribution->sources, source);
  if (graph)
    g_hash_table_insert (attribution->by_graph, graph, source);
  return source;
}

/* Adds rows for the nodes of a source, and sources for their bodies.  types: by value; NULL: not
 * known. */
static void
add_rows (ProfAttribution *attribution, Source *source, const HybType *types)
{
  HybGraph *graph = source->graph;
  guint     n_nodes = hyb_graph_n_nodes (graph);

  for (HybNodeId id = 0; id < n_nodes; id++)
    {
      ProfNode row = prof_describe_node (attribution->builder, graph, id, types);

      row.graph = source->index;
      prof_builder_add_node (attribution->builder, &row);
    }
  add_edges (attribution->builder, source);

  for (HybNodeId id = 0; id < n_nodes; id++)
    {
      const HybNode   *node = hyb_graph_get_node (graph, id);
      HybGraph *const *bodies = hyb_graph_get_bodies (graph, id);

      for (guint b = 0; b < node->n_bodies; b++)
        if (!g_hash_table_contains (attribution->by_graph, bodies[b]))
          add_rows (attribution,
                    new_source (attribution, bodies[b], node->name, source->first_row + id, b),
                    NULL);
    }
}

/* --- Finding a node's row --- */

static gboolean
is_same_node (const Source *source, HybNodeId id, const HybNode *node)
{
  const HybNode *known;

  if (!source->graph || id >= hyb_graph_n_nodes (source->graph))
    return FALSE;
  known = hyb_graph_get_node (source->graph, id);
  /* A pass may keep the name and change the operator.  Such a node has a row of its own, with
   * this one as its origin. */
  return strcmp (known->name, node->name) == 0 && strcmp (known->type, node->type) == 0;
}

/* The node of this name; HYB_NO_ID if the model has none. */
static HybNodeId
find_by_name (Source *source, const char *name)
{
  if (!source->graph || !*name)
    return HYB_NO_ID;
  if (!source->by_name)
    {
      source->by_name = g_hash_table_new (g_str_hash, g_str_equal);
      for (HybNodeId id = hyb_graph_n_nodes (source->graph); id-- > 0;)
        g_hash_table_insert (source->by_name,
                             (gpointer) hyb_graph_get_node (source->graph, id)->name,
                             GUINT_TO_POINTER (id + 1));
    }
  return GPOINTER_TO_UINT (g_hash_table_lookup (source->by_name, name)) - 1;
}

/* The first node with this origin; HYB_NO_ID if the model has none. */
static HybNodeId
find_by_origin (Source *source, guint32 origin)
{
  if (!source->graph || origin == HYB_NO_ID)
    return HYB_NO_ID;
  if (!source->by_origin)
    {
      source->by_origin = g_hash_table_new (NULL, NULL);
      for (HybNodeId id = hyb_graph_n_nodes (source->graph); id-- > 0;)
        g_hash_table_insert (source->by_origin,
                             GUINT_TO_POINTER (hyb_graph_get_node (source->graph, id)->origin),
                             GUINT_TO_POINTER (id + 1));
    }
  return GPOINTER_TO_UINT (g_hash_table_lookup (source->by_origin, GUINT_TO_POINTER (origin))) - 1;
}

/* Lists the nodes that a pass has fused into one node as its body, each with the row that it comes
 * from as its origin.  They have no times of their own. */
static void
add_members (ProfAttribution *attribution,
             Source          *source,
             HybGraph        *graph,
             HybNodeId        id,
             guint32          row)
{
  const HybNode *node = hyb_graph_get_node (graph, id);

  for (guint b = 0; b < node->n_bodies; b++)
    {
      HybGraph *body = hyb_graph_get_bodies (graph, id)[b];
      Source    members = *new_source (attribution, NULL, node->name, row, b);

      members.graph = body;
      for (HybNodeId i = 0; i < hyb_graph_n_nodes (body); i++)
        {
          HybNodeId origin = find_by_origin (source, hyb_graph_get_node (body, i)->origin);
          ProfNode  member = prof_describe_node (attribution->builder, body, i, NULL);

          member.graph = members.index;
          member.id = PROF_NONE;
          member.flags |= PROF_NODE_ADDED;
          if (!hyb_node_is_variable (hyb_graph_get_node (body, i)) && origin != HYB_NO_ID)
            member.origin = source->first_row + origin;
          prof_builder_add_node (attribution->builder, &member);
        }
      add_edges (attribution->builder, &members);
    }
}

/* The row of a node that the model does not have, added when it is seen first. */
static guint32
add_row (ProfAttribution *attribution,
         Source          *source,
         HybGraph        *graph,
         HybNodeId        id,
         guint32          origin)
{
  const HybNode *node = hyb_graph_get_node (graph, id);
  char          *key = g_strdup_printf ("%s\n%s\n%u", node->name, node->type, id);
  gpointer       known = g_hash_table_lookup (source->added, key);
  ProfNode       row;
  guint32        index;

  if (known)
    {
      g_free (key);
      return GPOINTER_TO_UINT (known) - 1;
    }
  row = prof_describe_node (attribution->builder, graph, id, NULL);
  row.graph = source->index;
  row.id = PROF_NONE;
  row.origin = origin;
  row.flags |= PROF_NODE_ADDED;
  index = prof_builder_add_node (attribution->builder, &row);
  g_hash_table_insert (source->added, key, GUINT_TO_POINTER (index + 1));
  if (node->op->category != HYB_CATEGORY_CONTROL)
    add_members (attribution, source, graph, id, index);
  return index;
}

/* The row of the node of the model that a node is, by its name; PROF_NONE if the model has none.  from: the
 * node of the model with its origin, which is tried first. */
static guint32
find_same_node (Source *source, HybGraph *graph, HybNodeId id, HybNodeId from)
{
  const HybNode *node = hyb_graph_get_node (graph, id);
  HybNodeId      named;

  if (graph == source->graph)
    return source->first_row + id;
  if (is_same_node (source, from, node))
    return source->first_row + from;
  named = find_by_name (source, node->name);
  return named != HYB_NO_ID && is_same_node (source, named, node) ? source->first_row + named
                                                                  : PROF_NONE;
}

/* The row of a node of a graph that ran: the row of the same node of the model, or an added row. */
static guint32
find_row (ProfAttribution *attribution, Source *source, HybGraph *graph, HybNodeId id)
{
  HybNodeId from = find_by_origin (source, hyb_graph_get_node (graph, id)->origin);
  guint32   row = find_same_node (source, graph, id, from);

  return row != PROF_NONE ? row
                          : add_row (attribution, source, graph, id,
                                     from != HYB_NO_ID ? source->first_row + from : PROF_NONE);
}

/* --- The origins of nodes --- */

/* The row of the node of the model that a node of a graph before its passes is, or else was made from by
 * autograd; PROF_NONE if the model has none. */
static guint32
find_model_row (Source *source, HybGraph *graph, HybNodeId id, ProfRole *role)
{
  HybNodeId from = find_by_origin (source, hyb_graph_get_node (graph, id)->origin);
  guint32   row = find_same_node (source, graph, id, from);

  *role = row != PROF_NONE ? PROF_COMPUTES : PROF_DIFFERENTIATES;
  if (row != PROF_NONE)
    return row;
  return from != HYB_NO_ID ? source->first_row + from : PROF_NONE;
}

/* The row of the node of the model that a source is. */
static guint32
find_source_row (const ProfAttribution *attribution,
                 Source                *source,
                 HybGraph              *given,
                 const HybSource       *of,
                 ProfRole              *role)
{
  guint32          row = find_model_row (source, given, of->node, role);
  HybNodeId        loop = row - source->first_row;
  const Source    *inside;
  HybGraph *const *bodies;

  if (of->inner == HYB_NO_ID || row == PROF_NONE)
    return row;
  if (hyb_graph_get_node (source->graph, loop)->n_bodies == 0)
    return PROF_NONE;
  bodies = hyb_graph_get_bodies (source->graph, loop);
  inside = g_hash_table_lookup (attribution->by_graph, bodies[0]);
  return inside && of->inner < hyb_graph_n_nodes (bodies[0]) ? inside->first_row + of->inner
                                                             : PROF_NONE;
}

/* Stores the sources of the nodes of a plan, unless a node is its only source.  rows: by node. */
static void
add_origins (const ProfAttribution *attribution,
             Source                *source,
             const HybPlan         *plan,
             const guint32         *rows)
{
  for (HybNodeId id = 0; id < hyb_graph_n_nodes (hyb_plan_get_graph (plan)); id++)
    {
      guint            n;
      const HybSource *sources = hyb_plan_get_sources (plan, id, &n);

      for (guint i = 0; i < n && rows[id] != PROF_NONE; i++)
        {
          ProfRole role;
          guint32  of =
              find_source_row (attribution, source, hyb_plan_get_given (plan), &sources[i], &role);
          ProfOrigin origin = { rows[id], of, MAX ((guint) role, (guint) sources[i].is_helper), 0 };

          if (of != PROF_NONE && (n > 1 || of != rows[id]))
            prof_builder_add_origin (attribution->builder, &origin);
        }
    }
}

/* Stores how the steps of a plan are computed.  rows: by node. */
static void
add_kernels (const ProfAttribution *attribution, const HybPlan *plan, const guint32 *rows)
{
  for (guint step = 0; step < hyb_plan_n_steps (plan); step++)
    {
      HybNodeId   node;
      const char *kernel = hyb_plan_get_step_note (plan, step, &node);

      if (kernel && rows[node] != PROF_NONE)
        prof_builder_set_kernel (attribution->builder, rows[node], kernel);
    }
}

/* Sets shape and cost from the types of the graph that ran, which are the most complete. */
static void
complete_row (ProfAttribution *attribution,
              guint32          index,
              HybGraph        *graph,
              HybNodeId        id,
              const HybType   *types)
{
  ProfNode         known, *row;
  g_autofree char *inputs = NULL;

  if (!types)
    return;
  inputs = prof_list_inputs (graph, id, types);
  prof_builder_set_inputs (attribution->builder, index, inputs);
  known = prof_describe_node (attribution->builder, graph, id, types);
  row = prof_builder_get_node (attribution->builder, index);
  row->shape = known.shape;
  row->flops = known.flops;
  row->bytes_read = known.bytes_read;
  row->bytes_written = known.bytes_written;
}

/* Rows by node of a graph that ran; PROF_NONE for variables.  (transfer full) */
static guint32 *
attribute_graph (ProfAttribution *attribution,
                 Source          *source,
                 HybGraph        *graph,
                 const HybType   *types)
{
  guint    n = hyb_graph_n_nodes (graph);
  guint32 *rows = g_new (guint32, MAX (n, 1));

  for (HybNodeId id = 0; id < n; id++)
    {
      rows[id] = PROF_NONE;
      if (hyb_node_is_variable (hyb_graph_get_node (graph, id)))
        continue;
      rows[id] = find_row (attribution, source, graph, id);
      complete_row (attribution, rows[id], graph, id, types);
    }
  return rows;
}

/* --- Graphs that ran --- */

/* The source of that body of the model which a pass has replaced; NULL if it is not of the model. */
static Source *
find_replaced_body (const ProfAttribution *attribution,
                    const Source          *around,
                    guint32                row,
                    guint                  body)
{
  HybNodeId id = row - (around ? around->first_row : 0);

  if (row == PROF_NONE || !around || !around->graph || row < around->first_row ||
      id >= hyb_graph_n_nodes (around->graph) ||
      body >= hyb_graph_get_node (around->graph, id)->n_bodies)
    return NULL;
  return g_hash_table_lookup (attribution->by_graph,
                              hyb_graph_get_bodies (around->graph, id)[body]);
}

/* The source of a slot: the main graph, a body of the model, or else a new source. */
static Source *
find_source (ProfAttribution *attribution, const ProfRecorder *recorder, const ProfSlot *slot)
{
  const ProfSlot  *parent;
  HybGraph *const *bodies;
  const HybNode   *node;
  guint32          row;
  Source          *source;
  HybGraph        *body = NULL;

  if (slot->parent == PROF_NO_SLOT)
    return attribution->sources->pdata[0];

  parent = prof_recorder_get_slot (recorder, slot->parent);
  node = hyb_graph_get_node (parent->graph, slot->parent_node);
  bodies = hyb_graph_get_bodies (parent->graph, slot->parent_node);
  if (slot->body < node->n_bodies)
    body = bodies[slot->body];
  source = body ? g_hash_table_lookup (attribution->by_graph, body) : NULL;
  if (source)
    return source;

  row = attribution->rows[slot->parent] ? attribution->rows[slot->parent][slot->parent_node]
                                        : PROF_NONE;
  source =
      find_replaced_body (attribution, attribution->slot_source[slot->parent], row, slot->body);
  if (!source)
    source = new_source (attribution, NULL, node->name, row, slot->body);
  if (body)
    g_hash_table_insert (attribution->by_graph, body, source);
  return source;
}

/* The work of a node whose bodies ran is counted in rows of their own. */
static void
mark_divided (const ProfAttribution *attribution, const ProfSlot *slot)
{
  guint32 row = slot->parent == PROF_NO_SLOT
                    ? PROF_NONE
                    : prof_attribution_get_row (attribution, slot->parent, slot->parent_node);

  if (row != PROF_NONE)
    prof_builder_get_node (attribution->builder, row)->flags |= PROF_NODE_DIVIDED;
}

static void
attribute_slots (ProfAttribution    *attribution,
                 const ProfSubject  *subject,
                 const ProfRecorder *recorder)
{
  attribution->n_slots = prof_recorder_n_slots (recorder);
  attribution->rows = g_new0 (guint32 *, MAX (attribution->n_slots, 1));
  attribution->slot_source = g_new0 (Source *, MAX (attribution->n_slots, 1));
  attribution->n_rows = g_new0 (guint, MAX (attribution->n_slots, 1));
  attribution->graph = g_new0 (guint32, MAX (attribution->n_slots, 1));

  /* A node begins before its bodies do, so parents come first. */
  for (guint i = 0; i < attribution->n_slots; i++)
    {
      const ProfSlot *slot = prof_recorder_get_slot (recorder, i);
      Source         *source = find_source (attribution, recorder, slot);
      const HybType  *types = slot->plan ? hyb_plan_get_types (slot->plan)
                              : slot->graph == prof_subject_get_executed (subject)
                                  ? prof_subject_get_types (subject)
                                  : NULL;

      attribution->slot_source[i] = source;
      attribution->rows[i] = attribute_graph (attribution, source, slot->graph, types);
      if (slot->plan)
        {
          add_origins (attribution, source, slot->plan, attribution->rows[i]);
          add_kernels (attribution, slot->plan, attribution->rows[i]);
        }
      mark_divided (attribution, slot);
      attribution->n_rows[i] = hyb_graph_n_nodes (slot->graph);
      attribution->graph[i] = source->index;
    }
}

ProfAttribution *
prof_attribution_new_model (ProfBuilder *builder, HybGraph *graph, const HybType *types)
{
  ProfAttribution *attribution = g_new0 (ProfAttribution, 1);

  attribution->builder = builder;
  attribution->sources = g_ptr_array_new_with_free_func (source_free);
  attribution->by_graph = g_hash_table_new (NULL, NULL);
  add_rows (attribution, new_source (attribution, graph, "", PROF_NONE, PROF_NONE), types);
  return attribution;
}

ProfAttribution *
prof_attribution_new (ProfBuilder        *builder,
                      const ProfSubject  *subject,
                      const ProfRecorder *recorder)
{
  HybGraph        *graph = prof_subject_get_graph (subject);
  const HybPlan   *plan = hyb_executor_get_plan (prof_subject_get_executor (subject));
  gboolean         is_executed = graph == prof_subject_get_executed (subject);
  ProfAttribution *attribution =
      prof_attribution_new_model (builder, graph,
                                  is_executed ? prof_subject_get_types (subject) : NULL);

  if (recorder)
    attribute_slots (attribution, subject, recorder);
  if (plan && !hyb_plan_is_dynamic (plan))
    {
      attribution->planned = attribute_graph (attribution, attribution->sources->pdata[0],
                                              hyb_plan_get_graph (plan), hyb_plan_get_types (plan));
      attribution->n_planned = hyb_graph_n_nodes (hyb_plan_get_graph (plan));
      add_origins (attribution, attribution->sources->pdata[0], plan, attribution->planned);
      add_kernels (attribution, plan, attribution->planned);
    }
  return attribution;
}

void
prof_attribution_free (ProfAttribution *attribution)
{
  if (!attribution)
    return;
  for (guint i = 0; i < attribution->n_slots; i++)
    g_free (attribution->rows[i]);
  g_free (attribution->rows);
  g_free (attribution->slot_source);
  g_free (attribution->n_rows);
  g_free (attribution->graph);
  g_free (attribution->planned);
  g_hash_table_unref (attribution->by_graph);
  g_ptr_array_unref (attribution->sources);
  g_free (attribution);
}

guint32
prof_attribution_get_row (const ProfAttribution *attribution, guint slot, HybNodeId node)
{
  if (slot >= attribution->n_slots || node >= attribution->n_rows[slot])
    return PROF_NONE;
  return attribution->rows[slot][node];
}

guint32
prof_attribution_get_graph (const ProfAttribution *attribution, guint slot)
{
  return slot < attribution->n_slots ? attribution->graph[slot] : 0;
}

guint32
prof_attribution_get_planned_row (const ProfAttribution *attribution, HybNodeId node)
{
  return node < attribution->n_planned ? attribution->planned[node] : PROF_NONE;
}

guint32
prof_attribution_get_model_row (const ProfAttribution *attribution, HybGraph *graph, HybNodeId node)
{
  const Source *source = g_hash_table_lookup (attribution->by_graph, graph);

  return source ? source->first_row + node : PROF_NONE;
}
