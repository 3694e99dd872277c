/* plan-places.c — decides which values share memory, and where that memory is.
 *
 * Values that share memory form a class: views of each other, and results computed in place.  A
 * class is placed in a variable, a constant, memory that the caller binds for a head, or an
 * interval of the plan's block.  Start with hyb_plan_find_places() at the end.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/analysis/infer-types.h"
#include "engine/exec/plan-memory.h"
#include "engine/exec/plan-private.h"
#include "engine/graph/reach.h"

#include <string.h>

#define FOR_GOOD G_MAXUINT32

typedef struct
{
  HybPlaceKind kind;
  guint32      index; /* of the variable, constant, head or interval */
  guint32      begin, end;
  gsize        bytes;
} Class;

typedef struct
{
  HybPlan      *plan;
  HybFacts     *facts;
  const guint8 *needed;
  const guint8 *written;  /* by node: its outputs change during a run, so nothing may view them */
  guint32      *last_use; /* by value: position of the last reader; FOR_GOOD for a head */
  guint32      *class_of; /* by value, HYB_NO_ID: none */
  gsize        *offset;   /* by value: offset within its class */
  GArray       *classes;
  HybType      *storage; /* types of the operands of one node */
  gboolean      shares;  /* share-views is enabled: parts of values are not copied */
} Search;

static Class *
class_at (Search *search, HybValueId value)
{
  return &g_array_index (search->classes, Class, search->class_of[value]);
}

static gsize
bytes_of (const Search *search, HybValueId value)
{
  return hyb_type_bytes (&search->plan->types[value]);
}

static void
join (Search *search, HybValueId value, guint32 class, gsize offset)
{
  Class *joined = &g_array_index (search->classes, Class, class);

  search->class_of[value] = class;
  search->offset[value] = offset;
  joined->end = MAX (joined->end, search->last_use[value]);
}

static void
found_class (Search *search, HybValueId value, HybPlaceKind kind, guint32 index, guint32 position)
{
  Class class = { .kind = kind,
                  .index = index,
                  .begin = position,
                  .end = position,
                  .bytes = bytes_of (search, value) };

  g_array_append_val (search->classes, class);
  join (search, value, search->classes->len - 1, 0);
}

/* A position is a node id: ids are in the order of the steps, and gaps do not matter. */
static void
find_last_uses (Search *search)
{
  HybGraph         *graph = search->plan->graph;
  guint             n_heads;
  const HybValueId *heads = hyb_graph_get_heads (graph, &n_heads);

  for (HybNodeId id = 0; id < hyb_graph_n_nodes (graph); id++)
    {
      const HybValueId *inputs = hyb_graph_get_inputs (graph, id);
      const HybNode    *node = hyb_graph_get_node (graph, id);

      for (guint i = 0; i < node->n_outputs; i++)
        search->last_use[node->first_output + i] = id;
      for (guint i = 0; search->needed[id] && i < node->n_inputs; i++)
        search->last_use[inputs[i]] = id;
    }
  for (guint i = 0; i < n_heads; i++)
    search->last_use[heads[i]] = FOR_GOOD;
}

static void
place_variables (Search *search)
{
  HybGraph        *graph = search->plan->graph;
  guint            n;
  const HybNodeId *variables = hyb_graph_get_variables (graph, &n);

  for (guint i = 0; i < n; i++)
    {
      HybValueId value = hyb_graph_get_node (graph, variables[i])->first_output;

      if (search->needed[variables[i]] && search->class_of[value] == HYB_NO_ID)
        found_class (search, value, HYB_PLACE_VARIABLE, i, 0);
    }
}

static void
place_constant (Search *search, HybValueId value)
{
  HybTensor *constant = search->facts->constants[value];
  GPtrArray *constants = search->plan->constants;

  if (!constant || search->class_of[value] != HYB_NO_ID)
    return;
  found_class (search, value, HYB_PLACE_CONSTANT, constants->len, 0);
  g_ptr_array_add (constants, hyb_tensor_ref (constant));
}

/* Keeps the constants that a step or a head reads; their folded operands are dropped. */
static void
place_constants (Search *search)
{
  HybGraph         *graph = search->plan->graph;
  guint             n_heads;
  const HybValueId *heads = hyb_graph_get_heads (graph, &n_heads);

  for (HybNodeId id = 0; id < hyb_graph_n_nodes (graph); id++)
    {
      const HybValueId *inputs = hyb_graph_get_inputs (graph, id);

      for (guint i = 0; search->needed[id] && i < hyb_graph_get_node (graph, id)->n_inputs; i++)
        place_constant (search, inputs[i]);
    }
  for (guint i = 0; i < n_heads; i++)
    place_constant (search, heads[i]);
}

/* TRUE if every output is a part of an input that no node writes. */
static gboolean
place_as_views (Search *search, HybNodeId id)
{
  HybGraph         *graph = search->plan->graph;
  const HybNode    *node = hyb_graph_get_node (graph, id);
  const HybValueId *inputs = hyb_graph_get_inputs (graph, id);
  HybCall           call;

  if (!search->shares || !node->op->view || search->written[id])
    return FALSE;

  hyb_call_init (&call, graph, id, search->plan->types, search->storage);
  call.training = search->plan->training;
  for (int turn = 0; turn < 2; turn++) /* first turn: check all outputs; second: join */
    for (guint i = 0; i < node->n_outputs; i++)
      {
        HybValueId output = node->first_output + i;
        guint      input = 0;
        gsize      offset = 0;

        if (!node->op->view (&call, i, &input, &offset))
          return FALSE;
        g_return_val_if_fail (input < node->n_inputs, FALSE);
        g_return_val_if_fail (offset + bytes_of (search, output) <=
                                  bytes_of (search, inputs[input]),
                              FALSE);

        if (search->written[hyb_graph_get_producer (graph, inputs[input])])
          return FALSE;
        if (turn == 1)
          join (search, output, search->class_of[inputs[input]],
                search->offset[inputs[input]] + offset);
      }
  return TRUE;
}

/* Computes output 0 in place of input 0, if the class of the input has its last use here and no
 * other operand of this node is in it. */
static gboolean
place_in_place (Search *search, HybNodeId id)
{
  const HybNode    *node = hyb_graph_get_node (search->plan->graph, id);
  const HybValueId *inputs = hyb_graph_get_inputs (search->plan->graph, id);
  HybValueId        output = node->first_output;
  const Class *class;

  if (!(node->op->flags & HYB_OP_IN_PLACE) || node->n_inputs == 0)
    return FALSE;

  class = class_at (search, inputs[0]);
  if (class->kind != HYB_PLACE_BLOCK || class->end > id ||
      search->plan->types[output].dtype != search->plan->types[inputs[0]].dtype ||
      bytes_of (search, output) != bytes_of (search, inputs[0]))
    return FALSE;
  for (guint i = 1; i < node->n_inputs; i++)
    if (search->class_of[inputs[i]] == search->class_of[inputs[0]])
      return FALSE;

  join (search, output, search->class_of[inputs[0]], search->offset[inputs[0]]);
  return TRUE;
}

static void
place_outputs (Search *search, HybNodeId id)
{
  const HybNode *node = hyb_graph_get_node (search->plan->graph, id);
  guint          first = place_in_place (search, id) ? 1 : 0;

  for (guint i = first; i < node->n_outputs; i++)
    found_class (search, node->first_output + i, HYB_PLACE_BLOCK, 0, id);
}

/* Places a class that is as large as a head in it where the caller binds that head.  The first
 * head of a class gets this; others are copied after the run. */
static void
place_heads (Search *search)
{
  guint             n_heads;
  const HybValueId *heads = hyb_graph_get_heads (search->plan->graph, &n_heads);

  for (guint i = 0; i < n_heads; i++)
    {
      Class *class = class_at (search, heads[i]);

      if (class->kind == HYB_PLACE_BLOCK && search->offset[heads[i]] == 0 &&
          bytes_of (search, heads[i]) == class->bytes)
        {
          class->kind = HYB_PLACE_HEAD;
          class->index = i;
        }
    }
}

static GArray *
collect_intervals (Search *search)
{
  GArray *intervals = g_array_new (FALSE, FALSE, sizeof (HybInterval));

  for (guint i = 0; i < search->classes->len; i++)
    {
      Class *class = &g_array_index (search->classes, Class, i);
      HybInterval interval = { .begin = class->begin, .end = class->end, .bytes = class->bytes };

      if (class->kind != HYB_PLACE_BLOCK)
        continue;
      class->index = intervals->len;
      g_array_append_val (intervals, interval);
    }
  return intervals;
}

static void
write_places (Search *search)
{
  for (guint v = 0; v < hyb_graph_n_values (search->plan->graph); v++)
    {
      HybPlace *place = &search->plan->places[v];

      *place = (HybPlace){ .kind = HYB_PLACE_NONE };
      if (search->class_of[v] == HYB_NO_ID)
        continue;
      place->kind = class_at (search, v)->kind;
      place->index = class_at (search, v)->index;
      place->offset = search->offset[v];
    }
}

/* TRUE unless the pass share-views is left out by name.  Views are used without the optimising
 * passes, too. */
static gboolean
views_are_enabled (const HybPlanOptions *options)
{
  return !options->without || !g_strv_contains (options->without, "share-views");
}

GArray *
hyb_plan_find_places (HybPlan *plan, HybFacts *facts, const guint8 *needed, GArray *step_nodes)
{
  guint               n_values = MAX (hyb_graph_n_values (plan->graph), 1);
  g_autofree guint32 *last_use = g_new0 (guint32, n_values);
  g_autofree guint32 *class_of = g_new (guint32, n_values);
  g_autofree gsize   *offset = g_new0 (gsize, n_values);
  g_autofree guint8  *written = hyb_graph_find_written (plan->graph, plan->training);
  g_autofree HybType *storage = NULL;
  g_autoptr (GArray) classes = g_array_new (FALSE, FALSE, sizeof (Class));
  guint   most = 1;
  GArray *intervals;
  Search  search = { plan,     facts,  needed,  written, last_use,
                     class_of, offset, classes, NULL,    views_are_enabled (plan->options) };

  for (HybNodeId id = 0; id < hyb_graph_n_nodes (plan->graph); id++)
    {
      const HybNode *node = hyb_graph_get_node (plan->graph, id);

      most = MAX (most, node->n_inputs + node->n_outputs);
    }
  search.storage = storage = g_new (HybType, most);
  memset (class_of, 0xff, n_values * sizeof class_of[0]); /* HYB_NO_ID */

  find_last_uses (&search);
  place_constants (&search);
  place_variables (&search);
  for (HybNodeId id = 0; id < hyb_graph_n_nodes (plan->graph); id++)
    {
      if (!needed[id] || hyb_node_is_variable (hyb_graph_get_node (plan->graph, id)) ||
          place_as_views (&search, id))
        continue;
      place_outputs (&search, id);
      g_array_append_val (step_nodes, id);
    }
  if (plan->binds_outputs)
    place_heads (&search);

  intervals = collect_intervals (&search);
  write_places (&search);
  return intervals;
}
