/* trimmed.c — removes the parts of a lowered graph that its outputs do not need.
 *
 * A state of a loop is needed if a later node reads its last value, or if a row or a needed state is computed from it.  Start at
 * hyb_lowered_trim().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/variants/lowered/trimmed.h"

#include "engine/analysis/rewrite.h"
#include "engine/graph/reach.h"
#include "engine/variants/node-kind.h"

/* A loop over rows whose states are trimmed. */
typedef struct
{
  HybRewrite       *rewrite;
  HybNodeId         id;
  const HybNode    *node;
  HybGraph         *body;
  guint             n_rows, n_states, n_variables;
  const HybNodeId  *variables;
  const HybValueId *heads;
  const HybInts    *places;    /* by state: its variable */
  guint8           *is_live;   /* by head: rows, then states */
  guint8           *is_needed; /* by node of body */
  guint8           *is_kept;   /* by variable */
} Loop;

/* The heads that are computed: rows and live states.  (transfer full), of HybValueId */
static GArray *
list_heads (const Loop *loop)
{
  GArray *heads = g_array_new (FALSE, FALSE, sizeof (HybValueId));

  for (guint h = 0; h < loop->n_rows + loop->n_states; h++)
    if (loop->is_live[h])
      g_array_append_val (heads, loop->heads[h]);
  return heads;
}

/* Marks the states that the live heads need at later steps, and the nodes that all of these need. */
static void
find_live (Loop *loop)
{
  g_autofree HybNodeId *variables = g_new (HybNodeId, MAX (loop->n_states, 1));
  HybSteps              steps = { loop->n_states, loop->n_rows, variables };

  for (guint s = 0; s < loop->n_states; s++)
    variables[s] = loop->variables[loop->places->value[s]];
  loop->is_needed = hyb_graph_find_needed_later (loop->body, &steps, loop->is_live);
}

static guint
input_of (const Loop *loop, guint variable)
{
  return loop->node->op->body_variable (loop->node->params, loop->node->n_inputs, 0, variable);
}

/* Marks the variables that stay.  Arrays of rows say how many steps there are. */
static void
find_kept (Loop *loop)
{
  const HybNode *node = loop->node;

  for (guint v = 0; v < loop->n_variables; v++)
    loop->is_kept[v] = loop->is_needed[loop->variables[v]] ||
                       node->op->body_port (node->params, node->n_inputs, 0, v) == HYB_PORT_DATA;
  for (guint s = 0; s < loop->n_states; s++)
    loop->is_kept[loop->places->value[s]] = loop->is_live[loop->n_rows + s];
}

/* The trimmed body.  place: by old variable the new one.  (transfer full) */
static HybGraph *
trim_body (const Loop *loop, guint *place)
{
  HybBuilder            *builder = hyb_builder_new ();
  g_autofree HybValueId *map = g_new (HybValueId, MAX (hyb_graph_n_values (loop->body), 1));
  g_autoptr (GArray) heads = list_heads (loop);
  guint n = 0;

  hyb_builder_set_legacy_shapes (builder, hyb_graph_has_legacy_shapes (loop->body));
  /* A loop names its variables by position, so place records where each kept one has moved to. */
  for (guint v = 0; v < loop->n_variables; v++)
    if (loop->is_kept[v])
      {
        place[v] = n++;
        map[hyb_graph_get_node (loop->body, loop->variables[v])->first_output] =
            hyb_builder_copy (builder, loop->body, loop->variables[v], NULL);
      }
  for (HybNodeId id = 0; id < hyb_graph_n_nodes (loop->body); id++)
    {
      const HybNode         *node = hyb_graph_get_node (loop->body, id);
      g_autofree HybValueId *inputs = g_new (HybValueId, MAX (node->n_inputs, 1));
      HybValueId             first;

      if (hyb_node_is_variable (node) || !loop->is_needed[id])
        continue;
      for (guint i = 0; i < node->n_inputs; i++)
        inputs[i] = map[hyb_graph_get_inputs (loop->body, id)[i]];
      first = hyb_builder_copy (builder, loop->body, id, inputs);
      for (guint o = 0; o < node->n_outputs; o++)
        map[node->first_output + o] = first + o;
    }
  for (guint i = 0; i < heads->len; i++)
    hyb_builder_add_head (builder, map[g_array_index (heads, HybValueId, i)]);
  return hyb_builder_freeze (builder);
}

/* The variables of one kind as an attribute, “(1, 2)”; appends the values that feed them to inputs.
 * (transfer full) */
static char *
wire (const Loop *loop, HybPortKind kind, const guint *place, GArray *inputs)
{
  GString *text = g_string_new ("(");
  guint    n = kind == HYB_PORT_STATE ? loop->n_states : loop->n_variables;

  for (guint i = 0; i < n; i++)
    {
      guint v = kind == HYB_PORT_STATE ? (guint) loop->places->value[i] : i;

      if (loop->node->op->body_port (loop->node->params, loop->node->n_inputs, 0, v) != kind ||
          !loop->is_kept[v])
        continue;
      g_array_append_val (inputs,
                          g_array_index (loop->rewrite->map, HybValueId,
                                         hyb_graph_get_inputs (loop->rewrite->from,
                                                               loop->id)[input_of (loop, v)]));
      g_string_append_printf (text, "%u, ", place[v]);
    }
  g_string_append_c (text, ')');
  return g_string_free (text, FALSE);
}

static void
write_loop (Loop *loop)
{
  g_autofree guint *place = g_new0 (guint, MAX (loop->n_variables, 1));
  g_autoptr (HybGraph) body = trim_body (loop, place);
  g_autoptr (GArray) inputs = g_array_new (FALSE, FALSE, sizeof (HybValueId));
  g_autofree char *data = wire (loop, HYB_PORT_DATA, place, inputs);
  g_autofree char *states = wire (loop, HYB_PORT_STATE, place, inputs);
  g_autofree char *captured = wire (loop, HYB_PORT_CAPTURED, place, inputs);
  g_autofree char *n_args = g_strdup_printf ("%u", inputs->len + 1);
  g_autofree char *n_rows = g_strdup_printf ("%u", loop->n_rows);
  g_autoptr (GArray) heads = list_heads (loop);
  g_autofree char  *n_outputs = g_strdup_printf ("%u", heads->len);
  const char *const attributes[] = {
    "in_data_locs", data,   "in_state_locs", states,    "remain_locs", captured, "num_args", n_args,
    "num_out_data", n_rows, "num_outputs",   n_outputs, NULL
  };
  HybValueId *map = &g_array_index (loop->rewrite->map, HybValueId, loop->node->first_output);
  HybValueId  value =
      hyb_builder_call (loop->rewrite->builder, loop->node->op->name,
                        &(HybNodeSpec){ .name = loop->node->name,
                                        .n_inputs = inputs->len,
                                        .inputs = (const HybValueId *) (gpointer) inputs->data,
                                        .n_bodies = 1,
                                        .bodies = &body,
                                        .attributes = attributes,
                                        .key = loop->node->key,
                                        .origin_plus_one = loop->node->origin + 1,
                                        .line = loop->node->line },
                        NULL);

  /* Outputs without a reader are gone; the others keep their order.  The number of steps, the last one, is hidden. */
  for (guint o = 0; o < loop->n_rows + loop->n_states; o++)
    if (loop->is_live[o])
      map[o] = value++;
}

/* One flag by value: a node that the outputs need reads it, or it is an output.  (transfer full) */
static guint8 *
find_read (HybGraph *graph, const guint8 *is_needed)
{
  guint             n_heads;
  const HybValueId *heads = hyb_graph_get_heads (graph, &n_heads);
  guint8           *is_read = g_new0 (guint8, MAX (hyb_graph_n_values (graph), 1));

  for (guint i = 0; i < n_heads; i++)
    is_read[heads[i]] = TRUE;
  for (HybNodeId id = 0; id < hyb_graph_n_nodes (graph); id++)
    for (guint i = 0; is_needed[id] && i < hyb_graph_get_node (graph, id)->n_inputs; i++)
      is_read[hyb_graph_get_inputs (graph, id)[i]] = TRUE;
  return is_read;
}

/* Writes a loop over rows with the states that are needed.  is_read: by value of the whole graph.  FALSE: it is not such a
 * loop, or all states are needed. */
static gboolean
trim_loop (HybRewrite *rewrite, HybNodeId id, const guint8 *is_read)
{
  Loop loop = { .rewrite = rewrite, .id = id, .node = hyb_graph_get_node (rewrite->from, id) };
  g_autofree guint8 *is_live = NULL, *is_needed = NULL, *is_kept = NULL;
  guint              n_live = 0, n_heads;

  if (hyb_node_kind (loop.node) != HYB_KIND_FOREACH)
    return FALSE;
  loop.body = hyb_graph_get_bodies (rewrite->from, id)[0];
  loop.heads = hyb_graph_get_heads (loop.body, &n_heads);
  loop.variables = hyb_graph_get_variables (loop.body, &loop.n_variables);
  loop.places = hyb_node_ints (loop.node, "in_state_locs");
  loop.n_rows = (guint) hyb_node_int (loop.node, "num_out_data", 0);
  loop.n_states = loop.places ? (guint) loop.places->n : 0;
  loop.is_live = is_live = g_new0 (guint8, MAX (n_heads, 1));
  for (guint h = 0; h < loop.n_rows + loop.n_states; h++)
    is_live[h] = h < loop.n_rows || is_read[loop.node->first_output + h];
  find_live (&loop);
  is_needed = loop.is_needed;
  for (guint s = 0; s < loop.n_states; s++)
    n_live += is_live[loop.n_rows + s];
  if (n_live == loop.n_states || n_live + loop.n_rows == 0)
    return FALSE;
  loop.is_kept = is_kept = g_new0 (guint8, MAX (loop.n_variables, 1));
  find_kept (&loop);
  write_loop (&loop);
  return TRUE;
}

void
hyb_lowered_trim (HybTrimmed *trimmed, const HybLowered *lowered)
{
  g_autoptr (GArray) map = g_array_new (FALSE, FALSE, sizeof (HybValueId));
  g_autofree guint8 *is_needed = hyb_graph_find_needed (lowered->graph, NULL);
  g_autofree guint8 *is_read = find_read (lowered->graph, is_needed);
  HybRewrite         rewrite;

  hyb_rewrite_init (&rewrite, lowered->graph, map);
  for (HybNodeId id = 0; id < hyb_graph_n_nodes (lowered->graph); id++)
    if ((hyb_node_is_variable (hyb_graph_get_node (lowered->graph, id)) || is_needed[id]) &&
        !trim_loop (&rewrite, id, is_read))
      hyb_rewrite_copy (&rewrite, id);
  trimmed->graph = hyb_rewrite_finish (&rewrite, NULL);
  trimmed->types = g_new0 (HybType, MAX (hyb_graph_n_values (trimmed->graph), 1));
  for (HybValueId value = 0; value < map->len; value++)
    if (g_array_index (map, HybValueId, value) != HYB_NO_ID)
      trimmed->types[g_array_index (map, HybValueId, value)] = lowered->types[value];
  trimmed->map = g_array_new (FALSE, FALSE, sizeof (HybValueId));
  for (guint i = 0; i < lowered->map->len; i++)
    {
      HybValueId at = g_array_index (lowered->map, HybValueId, i);

      if (at != HYB_NO_ID)
        at = g_array_index (map, HybValueId, at);
      g_array_append_val (trimmed->map, at);
    }
}

void
hyb_trimmed_clear (HybTrimmed *trimmed)
{
  g_clear_pointer (&trimmed->graph, hyb_graph_unref);
  g_clear_pointer (&trimmed->types, g_free);
  g_clear_pointer (&trimmed->map, g_array_unref);
}
