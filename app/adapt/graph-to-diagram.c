/* graph-to-diagram.c — a graph as the boxes and arrows of a diagram.
 *
 * Every node becomes a box.  A loop or branch becomes a frame with its bodies inside.  Inputs of a
 * body are ports of the frame, except for parameters, which are drawn beside their readers. Start
 * at scope_graph_to_diagram() and add_level().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/adapt/graph-to-diagram.h"

#include "app/adapt/body-roles.h"
#include "app/adapt/body-types.h"
#include "app/adapt/cell-hints.h"
#include "app/adapt/labels.h"
#include "app/adapt/rnn-cells.h"
#include "engine/graph/roles.h"
#include "engine/lower/infer-lowered.h"
#include "viz/fold/fold.h"

/* Bodies nested deeper than this are drawn as operators, since a file may nest them without limit. */
#define MAX_DEPTH 32
/* More outputs than this share one box. */
#define MAX_OUTPUT_BOXES 12

typedef struct
{
  VizDiagramBuilder *builder;
  HybModel          *model;
  GArray            *places;
  GHashTable        *ids;        /* box id → how often it was used */
  GHashTable        *body_types; /* HybGraph → HybType * (nullable), by value */
  const HybLowered  *lowered;    /* of a graph of another format; else NULL */
} Adapter;

/* Where a value comes from: a box, and its port or output number. */
typedef struct
{
  guint32 box, port, output;
} Source;

/* A graph that is being added inside a box. */
typedef struct
{
  HybGraph      *graph;
  const HybType *types; /* by value id; NULL: unknown */
  const char    *path;  /* "" or "foreach0/" */
  guint32        parent;
  guint          depth;
  Source        *sources;      /* by value id */
  guint8        *is_parameter; /* by node: variables that are parameters */
  const guint8  *is_known;     /* by node: known while planning; may be NULL */
  gboolean       is_dead;      /* in a branch that never runs */
} Level;

/* Adds a place, whose index becomes VizBox.user.  Its box is set later. */
static guint32
add_place (Adapter *adapter, HybGraph *graph, HybNodeId node)
{
  ScopePlace place = { graph, node, VIZ_ROOT };

  g_array_append_val (adapter->places, place);
  return adapter->places->len - 1;
}

/* Makes an id from a name, which may be empty or occur twice.  (transfer full) */
static char *
unique_id (Adapter *adapter, const char *path, const char *name)
{
  g_autofree char *id = g_strconcat (path, name[0] != '\0' ? name : "unnamed", NULL);
  guint            n_used = GPOINTER_TO_UINT (g_hash_table_lookup (adapter->ids, id));
  char            *result = n_used > 0 ? g_strdup_printf ("%s#%u", id, n_used) : g_strdup (id);

  g_hash_table_insert (adapter->ids, g_steal_pointer (&id), GUINT_TO_POINTER (n_used + 1));
  return result;
}

static const HybType *
type_of (const Level *level, HybValueId value)
{
  return level->types ? &level->types[value] : NULL;
}

/* Adds an arrow from a value to its reader.  head: with the reader's box, port and kind. */
static void
add_arrow (Adapter *adapter, const Level *level, HybValueId value, VizArrowInfo head)
{
  const Source    *source = &level->sources[value];
  const HybType   *type = type_of (level, value);
  g_autofree char *label = scope_label_type (type);

  head.tail = source->box;
  head.tail_port = source->port;
  head.output = source->output;
  head.label = label;
  head.bytes = type && hyb_type_is_known (type) ? hyb_type_bytes (type) : 0;
  viz_diagram_builder_add_arrow (adapter->builder, &head);
}

/* The modules around a node, if the file lists them. */
static const char *
scope_of (const HybNode *node)
{
  HybOrigin origin = { 0 };

  if (node->op->origin)
    node->op->origin (node->params, &origin);
  return origin.scope;
}

/* Adds the box of a node and sets the sources of its outputs. */
static guint32
add_box (Adapter     *adapter,
         const Level *level,
         HybNodeId    node_id,
         VizBoxKind   kind,
         const char  *title)
{
  const HybNode   *node = hyb_graph_get_node (level->graph, node_id);
  gboolean         is_variable = hyb_node_is_variable (node);
  gboolean         is_opaque = (node->op->flags & HYB_OP_OPAQUE) != 0;
  g_autofree char *id = unique_id (adapter, level->path, node->name);
  g_autofree char *shape =
      node->n_outputs > 0 ? scope_label_type (type_of (level, node->first_output)) : NULL;
  g_auto (GStrv) attributes = is_variable ? NULL : scope_label_attributes (node);
  guint32    user = add_place (adapter, level->graph, node_id);
  VizBoxInfo info = { .id = id,
                      .title = title,
                      .subtitle = is_variable ? NULL : node->name,
                      .scope = scope_of (node),
                      .shape = shape,
                      .attributes = (const char *const *) attributes,
                      .kind = kind,
                      .category =
                          is_opaque ? VIZ_CATEGORY_OTHER : (VizCategory) (node->op->category + 1),
                      .flags = (is_opaque ? VIZ_BOX_UNKNOWN : 0) |
                               (level->is_dead ? VIZ_BOX_FADED : 0) |
                               (level->is_known && level->is_known[node_id] ? VIZ_BOX_PREPARED : 0),
                      .parent = level->parent,
                      .user = user };
  guint32    box = viz_diagram_builder_add_box (adapter->builder, &info);

  g_array_index (adapter->places, ScopePlace, user).box = box;
  for (guint i = 0; i < node->n_outputs; i++)
    level->sources[node->first_output + i] = (Source){ box, VIZ_NO_PORT, i };
  return box;
}

static void add_level (Adapter *adapter, Level *level);

/* --- Bodies --- */

/* The frame of a loop or branch. */
typedef struct
{
  guint32  frame;
  guint32 *in;   /* port by input of the node; VIZ_NO_PORT: no port */
  guint32 *out;  /* by output */
  guint32 *body; /* box by body; the frame itself if there is only one body */
} Frame;

static VizPortKind
port_kind (HybPortKind kind)
{
  static const VizPortKind kinds[] = {
    [HYB_PORT_VALUE] = VIZ_PORT_VALUE,
    [HYB_PORT_DATA] = VIZ_PORT_DATA,
    [HYB_PORT_STATE] = VIZ_PORT_STATE,
    [HYB_PORT_CAPTURED] = VIZ_PORT_CAPTURED,
  };

  return kinds[kind];
}

/* TRUE if the input is a parameter, which is drawn beside its readers and needs no port. */
static gboolean
is_outer_parameter (const Level *level, HybNodeId node_id, guint input)
{
  HybNodeId producer =
      hyb_graph_get_producer (level->graph, hyb_graph_get_inputs (level->graph, node_id)[input]);

  return level->is_parameter[producer];
}

/* Adds a port for every input that a body reads, in the order of the inputs. */
static void
add_in_ports (Adapter *adapter, const Level *level, HybNodeId node_id, Frame *frame)
{
  const HybNode     *node = hyb_graph_get_node (level->graph, node_id);
  HybGraph *const   *bodies = hyb_graph_get_bodies (level->graph, node_id);
  const HybValueId  *inputs = hyb_graph_get_inputs (level->graph, node_id);
  g_autofree guint8 *kinds = g_new0 (guint8, MAX (node->n_inputs, 1));

  for (guint b = 0; b < node->n_bodies; b++)
    {
      guint n;

      hyb_graph_get_variables (bodies[b], &n);
      for (guint v = 0; v < n; v++)
        {
          guint input = node->op->body_variable (node->params, node->n_inputs, b, v);

          if (input < node->n_inputs)
            kinds[input] = 1 + (guint8) node->op->body_port (node->params, node->n_inputs, b, v);
        }
    }
  for (guint i = 0; i < node->n_inputs; i++)
    {
      g_autofree char *name = NULL;

      /* The node itself reads the condition of a branch or the limit of a loop. */
      if ((kinds[i] == 0 && !(node->op->flags & HYB_OP_FOREIGN)) ||
          is_outer_parameter (level, node_id, i))
        continue;
      name = kinds[i] == 0 ? hyb_node_dup_input_name (node, i)
                           : hyb_graph_dup_value_name (level->graph, inputs[i]);
      kinds[i] = kinds[i] == 0 ? 1 + HYB_PORT_VALUE : kinds[i];
      frame->in[i] = viz_diagram_builder_add_port (adapter->builder, frame->frame,
                                                   port_kind ((HybPortKind) (kinds[i] - 1)),
                                                   VIZ_SIDE_IN, name);
      add_arrow (adapter, level, inputs[i],
                 (VizArrowInfo){ .head = frame->frame,
                                 .head_port = frame->in[i],
                                 .kind = kinds[i] - 1 == HYB_PORT_CAPTURED ? VIZ_ARROW_CAPTURED
                                                                           : VIZ_ARROW_NORMAL });
    }
}

/* The input port that a head feeds in the next step; VIZ_NO_PORT if it is not a state. */
static guint32
next_port (const HybNode *node, const Frame *frame, guint body, guint head)
{
  guint variable = node->op->body_next (node->params, body, head);
  guint input = variable != G_MAXUINT
                    ? node->op->body_variable (node->params, node->n_inputs, body, variable)
                    : G_MAXUINT;

  return input < node->n_inputs ? frame->in[input] : VIZ_NO_PORT;
}

/* The output port of the frame, added on first use. */
static guint32
out_port (Adapter *adapter, const HybNode *node, Frame *frame, guint output, gboolean is_state)
{
  g_autofree char *name = NULL;

  if (frame->out[output] != VIZ_NO_PORT)
    return frame->out[output];
  name = node->op->value_name ? g_strdup (node->op->value_name (node->params, output))
                              : hyb_op_dup_output_name (node->op, output, node->n_outputs);
  return frame->out[output] =
             viz_diagram_builder_add_port (adapter->builder, frame->frame,
                                           is_state ? VIZ_PORT_STATE : VIZ_PORT_DATA, VIZ_SIDE_OUT,
                                           name);
}

/* Connects the heads of a body with output ports of the frame, and heads of states with the
 * input ports of the next step. */
static void
connect_heads (Adapter *adapter, const HybNode *node, Frame *frame, guint body, const Level *inner)
{
  guint             n_heads;
  const HybValueId *heads = hyb_graph_get_heads (inner->graph, &n_heads);

  for (guint h = 0; h < n_heads; h++)
    {
      guint   output = node->op->body_result (node->params, body, h);
      guint32 next = next_port (node, frame, body, h), port;

      /* A condition is read in the next step and is not an output. */
      if (output >= node->n_outputs && next != VIZ_NO_PORT)
        add_arrow (adapter, inner, heads[h],
                   (VizArrowInfo){
                       .head = frame->frame, .head_port = next, .kind = VIZ_ARROW_FEEDBACK });
      if (output >= node->n_outputs)
        continue;
      port = out_port (adapter, node, frame, output, next != VIZ_NO_PORT);
      add_arrow (adapter, inner, heads[h],
                 (VizArrowInfo){ .head = frame->frame,
                                 .head_port = port,
                                 .kind =
                                     next != VIZ_NO_PORT ? VIZ_ARROW_STATE : VIZ_ARROW_NORMAL });
      if (next != VIZ_NO_PORT)
        viz_diagram_builder_add_arrow (adapter->builder,
                                       &(VizArrowInfo){ .tail = frame->frame,
                                                        .tail_port = port,
                                                        .head = frame->frame,
                                                        .head_port = next,
                                                        .kind = VIZ_ARROW_FEEDBACK });
    }
}

/* Draws an arrow to the condition's box if it returns one of its variables unchanged. */
static void
connect_condition (Adapter *adapter, const Frame *frame, guint index, const Level *inner)
{
  guint             n_heads;
  const HybValueId *heads = hyb_graph_get_heads (inner->graph, &n_heads);

  for (guint h = 0; h < n_heads; h++)
    if (hyb_node_is_variable (
            hyb_graph_get_node (inner->graph, hyb_graph_get_producer (inner->graph, heads[h]))))
      add_arrow (adapter, inner, heads[h], (VizArrowInfo){ .head = frame->body[index] });
}

/* Maps the body's variables to ports of the frame, and adds boxes for parameters. is_parameter:
 * (out) by node of inner's graph. */
static void
add_body_variables (Adapter       *adapter,
                    const HybNode *node,
                    const Frame   *frame,
                    guint          body,
                    Level         *inner)
{
  const HybNodeId *variables;
  guint            n;

  variables = hyb_graph_get_variables (inner->graph, &n);
  for (guint v = 0; v < n; v++)
    {
      const HybNode *variable = hyb_graph_get_node (inner->graph, variables[v]);
      guint          input = node->op->body_variable (node->params, node->n_inputs, body, v);

      if (input < node->n_inputs && frame->in[input] != VIZ_NO_PORT)
        inner->sources[variable->first_output] = (Source){ frame->frame, frame->in[input], 0 };
      else
        {
          inner->is_parameter[variables[v]] = TRUE;
          if (!scope_is_read_in_bodies_only (inner->graph, variable->first_output))
            add_box (adapter, inner, variables[v], VIZ_BOX_WEIGHT, variable->name);
        }
    }
}

static void
add_body (Adapter *adapter, const Level *level, HybNodeId node_id, Frame *frame, guint index)
{
  const HybNode     *node = hyb_graph_get_node (level->graph, node_id);
  HybGraph          *body = hyb_graph_get_bodies (level->graph, node_id)[index];
  g_autofree Source *sources = g_new0 (Source, MAX (hyb_graph_n_values (body), 1));
  g_autofree guint8 *is_parameter = g_new0 (guint8, MAX (hyb_graph_n_nodes (body), 1));
  g_autofree char   *path = g_strdup_printf ("%s%s/", level->path, node->name);
  g_autofree char   *id = NULL;
  gboolean           is_dead =
      level->is_dead ||
      (adapter->lowered && hyb_lowered_is_dead (adapter->lowered, level->graph, node_id, index));
  const HybType *types = g_hash_table_lookup (adapter->body_types, body);
  Level          inner = { .graph = body,
                           .types = types,
                           .path = path,
                           .parent = frame->frame,
                           .depth = level->depth + 1,
                           .is_dead = is_dead,
                           .sources = sources,
                           .is_parameter = is_parameter };

  /* A single body fills the frame of its node; several get a frame each. */
  if (node->n_bodies > 1)
    {
      g_autofree char *title =
          g_strconcat (node->op->body_names[index],
                       is_dead && !level->is_dead ? " (never runs)" : "", NULL);

      id = unique_id (adapter, path, node->op->body_names[index]);
      inner.parent =
          viz_diagram_builder_add_box (adapter->builder,
                                       &(VizBoxInfo){ .id = id,
                                                      .title = title,
                                                      .kind = VIZ_BOX_FRAME,
                                                      .flags = VIZ_BOX_OPEN |
                                                               (is_dead ? VIZ_BOX_FADED : 0),
                                                      .category = VIZ_CATEGORY_CONTROL,
                                                      .parent = frame->frame,
                                                      .user = VIZ_NO_USER });
    }
  frame->body[index] = inner.parent;
  add_body_variables (adapter, node, frame, index, &inner);
  add_level (adapter, &inner);
  if (scope_body_is_condition (node, body, index))
    connect_condition (adapter, frame, index, &inner);
  else
    connect_heads (adapter, node, frame, index, &inner);
}

/* Draws the decisions of a condition: the first other body runs if it is true, the second if it is
 * false. */
static void
add_decisions (Adapter *adapter, const Level *level, HybNodeId node_id, const Frame *frame)
{
  static const char *const answers[] = { "true", "false" };
  const HybNode           *node = hyb_graph_get_node (level->graph, node_id);
  HybGraph *const         *bodies = hyb_graph_get_bodies (level->graph, node_id);

  for (guint condition = 0; condition < node->n_bodies; condition++)
    for (guint b = 0, n_answers = 0; scope_body_is_condition (node, bodies[condition], condition) &&
                                     b < node->n_bodies && n_answers < 2;
         b++)
      if (b != condition)
        viz_diagram_builder_add_arrow (adapter->builder,
                                       &(VizArrowInfo){ .tail = frame->body[condition],
                                                        .head = frame->body[b],
                                                        .kind = VIZ_ARROW_CONTROL,
                                                        .label = answers[n_answers++] });
}

static void
add_frame (Adapter *adapter, const Level *level, HybNodeId node_id)
{
  const HybNode      *node = hyb_graph_get_node (level->graph, node_id);
  g_autofree char    *title = scope_label_frame (level->graph, node_id, level->types);
  g_autofree guint32 *in = g_new0 (guint32, MAX (node->n_inputs, 1));
  g_autofree guint32 *out = g_new0 (guint32, MAX (node->n_outputs, 1));
  g_autofree guint32 *body = g_new0 (guint32, node->n_bodies);
  Frame               frame = { .in = in, .out = out, .body = body };

  frame.frame = add_box (adapter, level, node_id, VIZ_BOX_FRAME, title);
  add_in_ports (adapter, level, node_id, &frame);
  for (guint b = 0; b < node->n_bodies; b++)
    add_body (adapter, level, node_id, &frame, b);
  add_decisions (adapter, level, node_id, &frame);
  for (guint i = 0; i < node->n_outputs; i++)
    if (out[i] != VIZ_NO_PORT)
      level->sources[node->first_output + i] = (Source){ frame.frame, out[i], i };
}

/* --- A graph --- */

static void
add_operator (Adapter *adapter, const Level *level, HybNodeId node_id)
{
  const HybNode            *node = hyb_graph_get_node (level->graph, node_id);
  const HybValueId         *inputs = hyb_graph_get_inputs (level->graph, node_id);
  guint32                   box = add_box (adapter, level, node_id, VIZ_BOX_OPERATOR, node->type);
  g_autofree ScopeRnnPorts *ports =
      scope_add_rnn_cells (adapter->builder, box, level->graph, node_id, level->types);

  for (guint i = 0; i < node->n_inputs; i++)
    add_arrow (adapter, level, inputs[i],
               (VizArrowInfo){ .head = box,
                               .head_port = ports && i < G_N_ELEMENTS (ports->in) ? ports->in[i]
                                                                                  : VIZ_NO_PORT });
  for (guint i = 0; ports && i < MIN (node->n_outputs, G_N_ELEMENTS (ports->out)); i++)
    level->sources[node->first_output + i].port = ports->out[i];
}

static void
add_level (Adapter *adapter, Level *level)
{
  for (HybNodeId id = 0; id < hyb_graph_n_nodes (level->graph); id++)
    {
      const HybNode *node = hyb_graph_get_node (level->graph, id);

      if (hyb_node_is_variable (node))
        continue;
      if (node->op->flags & HYB_OP_LITERAL)
        add_box (adapter, level, id, VIZ_BOX_WEIGHT, node->name);
      else if (node->n_bodies > 0 && node->op->body_port && level->depth < MAX_DEPTH)
        add_frame (adapter, level, id);
      else
        add_operator (adapter, level, id);
    }
}

static void
add_top_variables (Adapter *adapter, Level *level, guint8 *is_parameter)
{
  const HybNodeId *variables;
  guint            n;

  variables = hyb_graph_get_variables (level->graph, &n);
  for (guint i = 0; i < n; i++)
    {
      const HybNode *node = hyb_graph_get_node (level->graph, variables[i]);
      gboolean has_array = adapter->model && hyb_model_get_parameter (adapter->model, node->name);

      is_parameter[variables[i]] =
          hyb_graph_get_role (level->graph, variables[i], has_array) == HYB_ROLE_PARAMETER;
      if (!is_parameter[variables[i]] ||
          (!scope_is_read_in_bodies_only (level->graph, node->first_output) &&
           !scope_is_unread_array (level->graph, variables[i])))
        add_box (adapter, level, variables[i],
                 is_parameter[variables[i]] ? VIZ_BOX_WEIGHT : VIZ_BOX_INPUT, node->name);
    }
}

static guint32
add_output (Adapter *adapter, const char *title)
{
  g_autofree char *name = g_strconcat ("output: ", title, NULL);
  g_autofree char *id = unique_id (adapter, "", name);

  return viz_diagram_builder_add_box (adapter->builder,
                                      &(VizBoxInfo){ .id = id,
                                                     .title = title,
                                                     .kind = VIZ_BOX_OUTPUT,
                                                     .category = VIZ_CATEGORY_DATA,
                                                     .parent = VIZ_ROOT,
                                                     .user = VIZ_NO_USER });
}

/* Adds one box per output; many outputs, such as one per time step, share a box. */
static void
add_heads (Adapter *adapter, const Level *level)
{
  guint             n_heads;
  const HybValueId *heads = hyb_graph_get_heads (level->graph, &n_heads);
  g_auto (GStrv) names = hyb_graph_dup_output_names (level->graph);
  g_autofree char *shared_title = g_strdup_printf ("%u outputs", n_heads);
  guint32          box = n_heads > MAX_OUTPUT_BOXES ? add_output (adapter, shared_title) : VIZ_ROOT;

  for (guint h = 0; h < n_heads; h++)
    {
      if (n_heads <= MAX_OUTPUT_BOXES)
        box = add_output (adapter, names[h]);
      add_arrow (adapter, level, heads[h], (VizArrowInfo){ .head = box });
    }
}

/* Folds with the cells of the model's graph as hints. */
static void
fold (const Adapter *adapter, HybGraph *graph, const HybType *types, VizFoldWhat what)
{
  g_autofree guint32 *box_of = g_new0 (guint32, MAX (hyb_graph_n_nodes (graph), 1));
  VizFoldHints       *hints = NULL;

  for (guint i = 0; i < adapter->places->len; i++)
    {
      const ScopePlace *place = &g_array_index (adapter->places, ScopePlace, i);

      if (place->graph == graph)
        box_of[place->node] = place->box;
    }
  if (what & VIZ_FOLD_REPEATS)
    hints = scope_find_cell_hints (graph, types, box_of);
  viz_fold (adapter->builder, what, hints);
  scope_cell_hints_free (hints);
}

VizDiagram *
scope_graph_to_diagram (const ScopeDiagramOptions *options, GArray **places)
{
  HybGraph *graph = hyb_model_get_graph (options->model);
  g_autoptr (GHashTable) ids = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_autofree Source *sources = g_new0 (Source, MAX (hyb_graph_n_values (graph), 1));
  g_autofree guint8 *is_parameter = g_new0 (guint8, MAX (hyb_graph_n_nodes (graph), 1));
  g_autofree char   *title = scope_label_model (options->model);
  g_autoptr (HybLowered) lowered = hyb_graph_get_dialect (graph) && options->types
                                       ? hyb_lowered_new (graph, options->types)
                                       : NULL;
  g_autofree guint8 *is_known = lowered ? hyb_lowered_find_known (lowered, graph) : NULL;
  g_autoptr (GHashTable) body_types = scope_body_types_from (graph, options->types, lowered);
  Adapter     adapter = { .builder = viz_diagram_builder_new (title),
                          .model = options->model,
                          .body_types = body_types,
                          .lowered = lowered,
                          .places = g_array_new (FALSE, FALSE, sizeof (ScopePlace)),
                          .ids = ids };
  Level       level = { .graph = graph,
                        .types = options->types,
                        .path = "",
                        .parent = VIZ_ROOT,
                        .sources = sources,
                        .is_parameter = is_parameter };
  VizFoldWhat folds = 0;

  level.is_known = is_known;
  add_top_variables (&adapter, &level, is_parameter);
  add_level (&adapter, &level);
  add_heads (&adapter, &level);

  folds |= options->keep_weights ? 0 : VIZ_FOLD_WEIGHTS;
  folds |= options->keep_scopes ? 0 : VIZ_FOLD_SCOPES;
  folds |= options->keep_repeats ? 0 : VIZ_FOLD_REPEATS;
  fold (&adapter, graph, options->types, folds);
  if (places)
    *places = adapter.places;
  else
    g_array_unref (adapter.places);
  return viz_diagram_builder_freeze (adapter.builder);
}
