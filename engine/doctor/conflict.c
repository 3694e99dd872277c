/* conflict.c — finds the fewest shapes that contradict each other, and follows each to where they meet.
 *
 * Inference is repeated with fewer and fewer facts; facts are only added where a conflict needs them.
 * Start at hyb_conflict_find() and hyb_conflict_describe().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/doctor/conflict.h"

#include "engine/analysis/infer-types.h"
#include "engine/base/translate.h"

#include <string.h>

#define MAX_FACTS 4 /* of a conflict; real ones have two */
#define MAX_CHAIN 4 /* steps that are named */

static HybType *
new_types (HybGraph *graph)
{
  guint    n = hyb_graph_n_values (graph);
  HybType *types = g_new (HybType, MAX (n, 1));

  for (guint i = 0; i < n; i++)
    types[i] = HYB_TYPE_UNKNOWN;
  return types;
}

static HybValueId
value_of (HybGraph *graph, HybNodeId variable)
{
  return hyb_graph_get_node (graph, variable)->first_output;
}

/* --- The fewest facts --- */

typedef struct
{
  HybGraph      *graph;
  const HybType *facts;
  GArray        *all;  /* of HybNodeId: variables with a fact */
  GArray        *core; /* of HybNodeId: the needed ones */
} Search;

/* TRUE if the graph refuses the core and the first n of all facts. */
static gboolean
is_refused (const Search *search, guint n, GError **error)
{
  g_autofree HybType *types = new_types (search->graph);

  for (guint i = 0; i < search->core->len + n; i++)
    {
      HybNodeId  id = i < n ? g_array_index (search->all, HybNodeId, i)
                            : g_array_index (search->core, HybNodeId, i - n);
      HybValueId value = value_of (search->graph, id);

      types[value].shape = search->facts[value].shape;
    }
  return !hyb_infer_types (search->graph, types, NULL, FALSE, error);
}

/* Adds the last fact that the conflict needs, and drops the facts behind it. */
static void
add_needed (Search *search)
{
  guint     low = 0, high = search->all->len;
  HybNodeId needed;

  while (low + 1 < high)
    {
      guint middle = (low + high) / 2;

      if (is_refused (search, middle, NULL))
        high = middle;
      else
        low = middle;
    }
  needed = g_array_index (search->all, HybNodeId, high - 1);
  g_array_append_val (search->core, needed);
  g_array_set_size (search->all, high - 1);
}

/* The first node whose rule refuses the core. */
static HybNodeId
find_node (const Search *search)
{
  g_autofree HybType *types = new_types (search->graph);

  for (guint i = 0; i < search->core->len; i++)
    {
      HybValueId value = value_of (search->graph, g_array_index (search->core, HybNodeId, i));

      types[value].shape = search->facts[value].shape;
    }
  if (hyb_infer_types (search->graph, types, NULL, FALSE, NULL))
    return HYB_NO_ID;
  for (HybNodeId id = 0; id < hyb_graph_n_nodes (search->graph); id++)
    {
      const HybNode      *node = hyb_graph_get_node (search->graph, id);
      g_autofree HybType *room = g_new (HybType, node->n_inputs + node->n_outputs);
      HybCall             call;

      if (hyb_node_is_variable (node))
        continue;
      hyb_call_init (&call, search->graph, id, types, room);
      if (!hyb_call_infer (&call, NULL))
        return id;
    }
  return HYB_NO_ID;
}

HybConflict *
hyb_conflict_find (HybGraph *graph, const HybType *facts)
{
  guint            n;
  const HybNodeId *variables = hyb_graph_get_variables (graph, &n);
  Search           search = { graph, facts, g_array_new (FALSE, FALSE, sizeof (HybNodeId)), NULL };
  HybConflict     *conflict = NULL;
  g_autoptr (GError) error = NULL;

  search.core = g_array_new (FALSE, FALSE, sizeof (HybNodeId));
  for (guint i = 0; i < n; i++)
    if (facts[value_of (graph, variables[i])].shape.rank != HYB_UNKNOWN)
      g_array_append_val (search.all, variables[i]);

  if (is_refused (&search, search.all->len, NULL))
    {
      while (search.core->len < MAX_FACTS && search.all->len > 0 && !is_refused (&search, 0, NULL))
        add_needed (&search);
      conflict = g_new0 (HybConflict, 1);
      conflict->node = find_node (&search);
      conflict->facts = g_array_ref (search.core);
      is_refused (&search, 0, &error);
      conflict->what = g_strdup (error ? error->message : _ ("the shapes contradict each other"));
    }
  g_array_unref (search.all);
  g_array_unref (search.core);
  return conflict;
}

void
hyb_conflict_free (HybConflict *conflict)
{
  if (!conflict)
    return;

  g_array_unref (conflict->facts);
  g_free (conflict->what);
  g_free (conflict);
}

HybShape
hyb_conflict_expect (const HybConflict *conflict, HybGraph *graph, const HybType *facts, guint fact)
{
  g_autofree HybType *types = new_types (graph);

  for (guint i = 0; i < conflict->facts->len; i++)
    {
      HybValueId value = value_of (graph, g_array_index (conflict->facts, HybNodeId, i));

      if (i != fact)
        types[value].shape = facts[value].shape;
    }
  if (!hyb_infer_types (graph, types, NULL, FALSE, NULL))
    return HYB_SHAPE_UNKNOWN;
  return types[value_of (graph, g_array_index (conflict->facts, HybNodeId, fact))].shape;
}

/* --- From a fact to where it meets the other --- */

typedef struct
{
  HybGraph  *graph;
  HybNodeId  node;   /* where the facts meet */
  HybValueId from;   /* the value of the variable */
  HybType   *before; /* by value: without the fact */
  HybType   *after;  /* by value: with the fact */
  guint32   *parent; /* by value: the value from which it was reached; HYB_NO_ID: not reached */
} Trace;

/* TRUE if the fact restricts the value. */
static gboolean
is_told (const Trace *trace, HybValueId value)
{
  return !hyb_shape_equal (&trace->before[value].shape, &trace->after[value].shape);
}

/* Adds the operands of a node that the fact restricts and that are not reached yet. */
static void
reach (Trace *trace, HybNodeId id, HybValueId from, GArray *queue)
{
  const HybNode    *node = hyb_graph_get_node (trace->graph, id);
  const HybValueId *inputs = hyb_graph_get_inputs (trace->graph, id);

  for (guint i = 0; i < node->n_inputs + node->n_outputs; i++)
    {
      HybValueId value = i < node->n_outputs ? node->first_output + i : inputs[i - node->n_outputs];

      if (trace->parent[value] != HYB_NO_ID || value == trace->from || !is_told (trace, value))
        continue;
      trace->parent[value] = from;
      g_array_append_val (queue, value);
    }
}

static gboolean
is_operand (const Trace *trace, HybValueId value)
{
  const HybNode    *node = hyb_graph_get_node (trace->graph, trace->node);
  const HybValueId *inputs = hyb_graph_get_inputs (trace->graph, trace->node);

  for (guint i = 0; i < node->n_inputs; i++)
    if (inputs[i] == value)
      return TRUE;
  return value >= node->first_output && value < node->first_output + node->n_outputs;
}

/* The first operand reached at the node where the facts meet; the variable itself if it is an operand, or if no operand is
 * reached. */
static HybValueId
find_meeting (Trace *trace)
{
  g_autoptr (GArray) queue = g_array_new (FALSE, FALSE, sizeof (HybValueId));

  g_array_append_val (queue, trace->from);
  for (guint at = 0; at < queue->len; at++)
    {
      HybValueId       value = g_array_index (queue, HybValueId, at);
      guint            n;
      const HybNodeId *users = hyb_graph_get_users (trace->graph, value, &n);

      if (is_operand (trace, value))
        return value;
      reach (trace, hyb_graph_get_producer (trace->graph, value), value, queue);
      for (guint i = 0; i < n; i++)
        reach (trace, users[i], value, queue);
    }
  return trace->from;
}

static void
append_step (GString *text, const Trace *trace, HybValueId value)
{
  const HybNode *node =
      hyb_graph_get_node (trace->graph, hyb_graph_get_producer (trace->graph, value));
  g_autofree char *shape = hyb_shape_to_string (&trace->after[value].shape);

  g_string_append_printf (text, ", so “%s” is %s", node->name, shape);
}

/* “, so “conv0” is (1, 64, ?, ?), so …”, with the middle left out of long chains. */
static void
append_chain (GString *text, Trace *trace)
{
  g_autoptr (GArray) chain = g_array_new (FALSE, FALSE, sizeof (HybValueId));
  guint n;

  for (HybValueId value = find_meeting (trace); value != trace->from; value = trace->parent[value])
    g_array_append_val (chain, value);
  n = chain->len;
  for (guint i = 0; i < n; i++)
    {
      if (n > MAX_CHAIN && i == MAX_CHAIN / 2)
        {
          g_string_append_printf (text, _ (", and after %u more nodes"), n - MAX_CHAIN);
          i += n - MAX_CHAIN;
        }
      append_step (text, trace, g_array_index (chain, HybValueId, n - 1 - i));
    }
}

static void
trace_fact (GString *text, HybGraph *graph, HybNodeId node, HybValueId from, const HybType *facts)
{
  guint               n_values = hyb_graph_n_values (graph);
  g_autofree HybType *before = new_types (graph), *after = new_types (graph);
  g_autofree guint32 *parent = g_new (guint32, MAX (n_values, 1));
  Trace               trace = { graph, node, from, before, after, parent };

  after[from].shape = facts[from].shape;
  memset (parent, 0xff, n_values * sizeof *parent);
  if (node != HYB_NO_ID && hyb_infer_types (graph, before, NULL, FALSE, NULL) &&
      hyb_infer_types (graph, after, NULL, FALSE, NULL))
    append_chain (text, &trace);
}

/* TRUE if the attributes of a node alone restrict its first output. */
static gboolean
is_told_by_attributes (HybGraph *graph, HybNodeId id, const HybType *unknown)
{
  const HybNode      *node = hyb_graph_get_node (graph, id);
  g_autofree HybType *room = g_new (HybType, node->n_inputs + node->n_outputs);
  HybCall             call;

  hyb_call_init (&call, graph, id, unknown, room);
  if (!hyb_call_infer (&call, NULL) || call.output[0].shape.rank == HYB_UNKNOWN)
    return FALSE;
  for (int i = 0; i < call.output[0].shape.rank; i++)
    if (call.output[0].shape.dim[i] != HYB_UNKNOWN)
      return TRUE;
  return FALSE;
}

/* Follows a value back to the node whose attributes determine its shape, or to a variable.
 * *steps: nodes between them. */
static HybNodeId
find_origin (HybGraph *graph, HybValueId value, const HybType *unknown, guint *steps)
{
  HybNodeId id = hyb_graph_get_producer (graph, value);

  for (*steps = 0; *steps < hyb_graph_n_nodes (graph); ++*steps)
    {
      const HybNode *node = hyb_graph_get_node (graph, id);

      if (node->n_inputs == 0 || is_told_by_attributes (graph, id, unknown))
        return id;
      id = hyb_graph_get_producer (graph, hyb_graph_get_inputs (graph, id)[0]);
    }
  return id;
}

/* The attributes of a node as “key=value, key=value”.  (transfer full) */
static char *
list_attributes (const HybNode *node)
{
  GString *text = g_string_new (NULL);

  for (guint i = 0; node->attributes && node->attributes[i]; i += 2)
    if (!g_str_has_prefix (node->attributes[i], "__") ||
        strcmp (node->attributes[i], "__shape__") == 0)
      g_string_append_printf (text, "%s%s=%s", text->len > 0 ? ", " : "", node->attributes[i],
                              node->attributes[i + 1]);
  return g_string_free (text, FALSE);
}

/* A graph that contradicts itself: names the nodes whose attributes determine the operands. */
static void
append_origins (GString *text, HybGraph *graph, HybNodeId id)
{
  const HybNode      *node = hyb_graph_get_node (graph, id);
  const HybValueId   *inputs = hyb_graph_get_inputs (graph, id);
  g_autofree HybType *unknown = new_types (graph);
  guint               n_told = 0;

  for (guint i = 0; i < MIN (node->n_inputs, MAX_FACTS); i++)
    {
      guint          steps;
      const HybNode *origin =
          hyb_graph_get_node (graph, find_origin (graph, inputs[i], unknown, &steps));
      g_autofree char *attributes = list_attributes (origin);
      g_autofree char *operand = hyb_node_dup_input_name (node, i);

      if (*attributes)
        g_string_append_printf (text, _ ("%s %s comes from “%s” (%s)"), n_told++ > 0 ? ";" : ".",
                                operand, origin->name, attributes);
    }
}

static void
append_facts (GString                *text,
              const HybConflict      *conflict,
              HybGraph               *graph,
              const HybConflictFacts *facts)
{
  for (guint i = 0; i < conflict->facts->len; i++)
    {
      HybNodeId        id = g_array_index (conflict->facts, HybNodeId, i);
      HybValueId       from = value_of (graph, id);
      g_autofree char *shape = hyb_shape_to_string (&facts->types[from].shape);

      g_string_append_printf (text, "%s “%s” is %s %s", i == 0 ? _ (". These facts collide:") : ";",
                              hyb_graph_get_node (graph, id)->name, shape,
                              facts->source (id, facts->data));
      trace_fact (text, graph, conflict->node, from, facts->types);
    }
  if (conflict->facts->len == 1)
    {
      HybShape         expected = hyb_conflict_expect (conflict, graph, facts->types, 0);
      g_autofree char *shape = hyb_shape_to_string (&expected);

      g_string_append_printf (text, _ ("; the attributes of the graph need %s"), shape);
    }
}

char *
hyb_conflict_describe (const HybConflict *conflict, HybGraph *graph, const HybConflictFacts *facts)
{
  GString *text = g_string_new (conflict->what);

  if (conflict->facts->len > 0)
    append_facts (text, conflict, graph, facts);
  else if (conflict->node != HYB_NO_ID)
    append_origins (text, graph, conflict->node);
  return g_string_free (text, FALSE);
}
