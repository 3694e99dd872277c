/* rnn-cells.c — the inside of a fused RNN: one frame (a loop over time) per layer and direction.
 *
 * A cell is drawn by a recipe: rows of boxes, each with the rows that it reads.  Start at
 * scope_add_rnn_cells().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/adapt/rnn-cells.h"

#include "engine/formats/rnn-weights.h"
#include "engine/ops/recurrent/rnn-rules.h"

#define MAX_CELLS      64 /* operators with more layers are not drawn from inside */
#define MAX_OPEN_CELLS 4  /* with more cells their frames are closed at first */

/* Operands of a row of a recipe: the cell's inputs and states, or an earlier row, ROW (n). */
enum
{
  READ_NOTHING,
  READ_X,
  READ_H,
  READ_C,
  N_SOURCES,
};
#define ROW(n) (N_SOURCES + (n))

/* A row: one box of a cell. */
typedef struct
{
  const char *title, *name;
  VizCategory category;
  guint8      reads[3];
} Step;

typedef struct
{
  const Step *steps;
  guint       n_steps;
  guint8      hidden, cell; /* rows that compute the next states; 0: the cell has no such state */
} Recipe;

static const Step relu_steps[] = {
  { "FullyConnected", "i2h", VIZ_CATEGORY_LINEAR, { READ_X } },
  { "FullyConnected", "h2h", VIZ_CATEGORY_LINEAR, { READ_H } },
  { "+", "sum", VIZ_CATEGORY_ELEMENTWISE, { ROW (0), ROW (1) } },
  { "relu", "new state", VIZ_CATEGORY_ELEMENTWISE, { ROW (2) } },
};

static const Step tanh_steps[] = {
  { "FullyConnected", "i2h", VIZ_CATEGORY_LINEAR, { READ_X } },
  { "FullyConnected", "h2h", VIZ_CATEGORY_LINEAR, { READ_H } },
  { "+", "sum", VIZ_CATEGORY_ELEMENTWISE, { ROW (0), ROW (1) } },
  { "tanh", "new state", VIZ_CATEGORY_ELEMENTWISE, { ROW (2) } },
};

static const Step lstm_steps[] = {
  { "FullyConnected", "i2h, four gates", VIZ_CATEGORY_LINEAR, { READ_X } },
  { "FullyConnected", "h2h, four gates", VIZ_CATEGORY_LINEAR, { READ_H } },
  { "+", "gates", VIZ_CATEGORY_ELEMENTWISE, { ROW (0), ROW (1) } },
  { "sigmoid", "forget gate", VIZ_CATEGORY_ELEMENTWISE, { ROW (2) } },
  { "sigmoid", "input gate", VIZ_CATEGORY_ELEMENTWISE, { ROW (2) } },
  { "tanh", "candidate", VIZ_CATEGORY_ELEMENTWISE, { ROW (2) } },
  { "sigmoid", "output gate", VIZ_CATEGORY_ELEMENTWISE, { ROW (2) } },
  { "×", "kept", VIZ_CATEGORY_ELEMENTWISE, { READ_C, ROW (3) } },
  { "×", "added", VIZ_CATEGORY_ELEMENTWISE, { ROW (4), ROW (5) } },
  { "+", "new cell", VIZ_CATEGORY_ELEMENTWISE, { ROW (7), ROW (8) } },
  { "tanh", "squashed", VIZ_CATEGORY_ELEMENTWISE, { ROW (9) } },
  { "×", "new state", VIZ_CATEGORY_ELEMENTWISE, { ROW (10), ROW (6) } },
};

static const Step gru_steps[] = {
  { "FullyConnected", "i2h, three gates", VIZ_CATEGORY_LINEAR, { READ_X } },
  { "FullyConnected", "h2h, three gates", VIZ_CATEGORY_LINEAR, { READ_H } },
  { "sigmoid", "reset gate", VIZ_CATEGORY_ELEMENTWISE, { ROW (0), ROW (1) } },
  { "sigmoid", "update gate", VIZ_CATEGORY_ELEMENTWISE, { ROW (0), ROW (1) } },
  { "×", "reset state", VIZ_CATEGORY_ELEMENTWISE, { ROW (2), ROW (1) } },
  { "tanh", "candidate", VIZ_CATEGORY_ELEMENTWISE, { ROW (0), ROW (4) } },
  { "mix", "new state", VIZ_CATEGORY_ELEMENTWISE, { ROW (5), ROW (3), READ_H } },
};

static const Recipe recipes[HYB_RNN_N_MODES] = {
  [HYB_RNN_RELU] = { relu_steps, G_N_ELEMENTS (relu_steps), ROW (3), 0 },
  [HYB_RNN_TANH] = { tanh_steps, G_N_ELEMENTS (tanh_steps), ROW (3), 0 },
  [HYB_RNN_LSTM] = { lstm_steps, G_N_ELEMENTS (lstm_steps), ROW (11), ROW (9) },
  [HYB_RNN_GRU] = { gru_steps, G_N_ELEMENTS (gru_steps), ROW (6), 0 },
};

typedef struct
{
  VizDiagramBuilder *builder;
  guint32            box;
  const char        *id;
  const RnnParams   *params;
  const Recipe      *recipe;
  gint64             n_steps; /* -1: unknown */
  ScopeRnnPorts      ports;
} Cells;

/* One end of an arrow.  box: VIZ_ROOT if there is none. */
typedef struct
{
  guint32 box, port;
} Place;

static void
connect (Cells *cells, Place tail, Place head, VizArrowKind kind)
{
  if (tail.box == VIZ_ROOT)
    return;
  viz_diagram_builder_add_arrow (cells->builder, &(VizArrowInfo){ .tail = tail.box,
                                                                  .tail_port = tail.port,
                                                                  .head = head.box,
                                                                  .head_port = head.port,
                                                                  .kind = kind });
}

/* Adds a virtual box.  info: without flags and user; its id is made unique by the operator's. */
static guint32
add_inside (Cells *cells, const VizBoxInfo *info)
{
  g_autofree char *id = g_strconcat (cells->id, "/", info->id, NULL);
  VizBoxInfo       box = *info;

  box.id = id;
  box.flags = VIZ_BOX_INSIDE;
  box.user = VIZ_NO_USER;
  return viz_diagram_builder_add_box (cells->builder, &box);
}

/* Adds an operator's box and returns it as the end of an arrow. */
static Place
add_operator (Cells *cells, guint32 parent, const char *id, const Step *step)
{
  return (Place){ add_inside (cells, &(VizBoxInfo){ .id = id,
                                                    .title = step->title,
                                                    .subtitle = step->name,
                                                    .kind = VIZ_BOX_OPERATOR,
                                                    .category = step->category,
                                                    .parent = parent }),
                  VIZ_NO_PORT };
}

static guint32
add_port (Cells *cells, guint32 box, VizPortKind kind, VizSide side, const char *label)
{
  return viz_diagram_builder_add_port (cells->builder, box, kind, side, label);
}

/* Adds the frame of one cell: a loop over time. */
static guint32
add_frame (Cells *cells, gint64 layer, gboolean is_backward)
{
  static const char *const directions[] = { "forward", "backward in time" };
  const char              *mode = hyb_rnn_mode_name ((HybRnnMode) cells->params->mode);
  g_autofree char *id = g_strdup_printf ("%s%" G_GINT64_FORMAT, is_backward ? "r" : "l", layer);
  g_autofree char *name =
      cells->params->bidirectional
          ? g_strdup_printf ("layer %" G_GINT64_FORMAT ", %s", layer, directions[is_backward])
          : g_strdup_printf ("layer %" G_GINT64_FORMAT, layer);
  g_autofree char *title = cells->n_steps >= 0
                               ? g_strdup_printf ("%s × %" G_GINT64_FORMAT, mode, cells->n_steps)
                               : g_strdup (mode);

  guint32 frame = add_inside (cells, &(VizBoxInfo){ .id = id,
                                                    .title = title,
                                                    .subtitle = name,
                                                    .kind = VIZ_BOX_FRAME,
                                                    .category = VIZ_CATEGORY_RECURRENT,
                                                    .parent = cells->box });

  if (cells->params->num_layers * (cells->params->bidirectional ? 2 : 1) <= MAX_OPEN_CELLS)
    viz_diagram_builder_add_flags (cells->builder, frame, VIZ_BOX_OPEN);
  return frame;
}

static void
add_steps (Cells *cells, guint32 frame, const char *frame_id, Place *places)
{
  for (guint i = 0; i < cells->recipe->n_steps; i++)
    {
      const Step      *step = &cells->recipe->steps[i];
      g_autofree char *id = g_strdup_printf ("%s/%u", frame_id, i);

      places[ROW (i)] = add_operator (cells, frame, id, step);
      for (guint r = 0; r < G_N_ELEMENTS (step->reads); r++)
        if (step->reads[r] != READ_NOTHING)
          connect (cells, places[step->reads[r]], places[ROW (i)], VIZ_ARROW_NORMAL);
    }
}

/* Connects a state: from the row that computes it to a port of the frame, from there back to the
 * state's input port for the next step, and to the operator's output. */
static void
add_state (Cells *cells, Place in, Place from, guint output)
{
  guint32 frame = in.box;
  guint32 out = add_port (cells, frame, VIZ_PORT_STATE, VIZ_SIDE_OUT, output == 1 ? "h" : "c");

  connect (cells, from, (Place){ frame, out }, VIZ_ARROW_STATE);
  connect (cells, (Place){ frame, out }, in, VIZ_ARROW_FEEDBACK);
  if (cells->ports.out[output] != VIZ_NO_PORT)
    connect (cells, (Place){ frame, out }, (Place){ cells->box, cells->ports.out[output] },
             VIZ_ARROW_STATE);
}

/* Adds the cell of one layer and direction.  Returns the port with its sequence of outputs. */
static Place
add_cell (Cells *cells, gint64 layer, gboolean is_backward, Place x)
{
  const Recipe    *recipe = cells->recipe;
  Place            places[ROW (16)] = { 0 };
  guint32          frame = add_frame (cells, layer, is_backward);
  g_autofree char *id = g_strdup_printf ("%s%" G_GINT64_FORMAT, is_backward ? "r" : "l", layer);
  guint32          in[N_SOURCES] = { 0 };
  Place            hidden, out;

  in[READ_X] = add_port (cells, frame, VIZ_PORT_DATA, VIZ_SIDE_IN, "x");
  in[READ_H] = add_port (cells, frame, VIZ_PORT_STATE, VIZ_SIDE_IN, "h");
  if (recipe->cell != 0)
    in[READ_C] = add_port (cells, frame, VIZ_PORT_STATE, VIZ_SIDE_IN, "c");
  for (guint i = READ_X; i < N_SOURCES; i++)
    places[i] = (Place){ frame, in[i] };
  connect (cells, x, places[READ_X], VIZ_ARROW_NORMAL);
  connect (cells, (Place){ cells->box, cells->ports.in[2] }, places[READ_H], VIZ_ARROW_STATE);
  if (recipe->cell != 0 && cells->ports.in[3] != VIZ_NO_PORT)
    connect (cells, (Place){ cells->box, cells->ports.in[3] }, places[READ_C], VIZ_ARROW_STATE);

  add_steps (cells, frame, id, places);
  hidden = places[recipe->hidden];
  if (cells->params->projection_size > 0)
    {
      g_autofree char *projection = g_strconcat (id, "/h2r", NULL);
      Place            projected = add_operator (cells, frame, projection,
                                                 &(Step){ "FullyConnected",
                                                          "h2r, projection",
                                                          VIZ_CATEGORY_LINEAR,
                                                          { READ_NOTHING } });

      connect (cells, hidden, projected, VIZ_ARROW_NORMAL);
      hidden = projected;
    }
  out = (Place){ frame, add_port (cells, frame, VIZ_PORT_DATA, VIZ_SIDE_OUT, "output") };
  connect (cells, hidden, out, VIZ_ARROW_NORMAL);
  add_state (cells, places[READ_H], hidden, 1);
  if (recipe->cell != 0)
    add_state (cells, places[READ_C], places[recipe->cell], 2);
  return out;
}

/* Adds a layer in one or both directions, and the concatenation and dropout that follow it. */
static Place
add_layer (Cells *cells, gint64 layer, Place x)
{
  Place out = add_cell (cells, layer, FALSE, x);

  if (cells->params->bidirectional)
    {
      g_autofree char *id = g_strdup_printf ("concat%" G_GINT64_FORMAT, layer);
      Place            backward = add_cell (cells, layer, TRUE, x);
      Place            joined =
          add_operator (cells, cells->box, id,
                        &(Step){
                            "Concat", "both directions", VIZ_CATEGORY_MOVEMENT, { READ_NOTHING } });

      connect (cells, out, joined, VIZ_ARROW_NORMAL);
      connect (cells, backward, joined, VIZ_ARROW_NORMAL);
      out = joined;
    }
  if (cells->params->p > 0 && layer + 1 < cells->params->num_layers)
    {
      g_autofree char *id = g_strdup_printf ("dropout%" G_GINT64_FORMAT, layer);
      Place            dropout = add_operator (cells, cells->box, id,
                                               &(Step){ "Dropout",
                                                        "between layers",
                                                        VIZ_CATEGORY_ELEMENTWISE,
                                                        { READ_NOTHING } });

      connect (cells, out, dropout, VIZ_ARROW_NORMAL);
      out = dropout;
    }
  return out;
}

static void
add_ports (Cells *cells)
{
  RnnOperands operands = hyb_rnn_operands (cells->params);

  cells->ports.in[0] = add_port (cells, cells->box, VIZ_PORT_DATA, VIZ_SIDE_IN, "data");
  cells->ports.in[2] = add_port (cells, cells->box, VIZ_PORT_STATE, VIZ_SIDE_IN, "state");
  if (operands.cell == 3)
    cells->ports.in[3] = add_port (cells, cells->box, VIZ_PORT_STATE, VIZ_SIDE_IN, "state_cell");
  cells->ports.out[0] = add_port (cells, cells->box, VIZ_PORT_DATA, VIZ_SIDE_OUT, "output");
  if (operands.state_out == 1)
    cells->ports.out[1] = add_port (cells, cells->box, VIZ_PORT_STATE, VIZ_SIDE_OUT, "state");
  if (operands.cell_out == 2)
    cells->ports.out[2] = add_port (cells, cells->box, VIZ_PORT_STATE, VIZ_SIDE_OUT, "state_cell");
}

ScopeRnnPorts *
scope_add_rnn_cells (VizDiagramBuilder *builder,
                     guint32            box,
                     HybGraph          *graph,
                     HybNodeId          node_id,
                     const HybType     *types)
{
  const HybNode *node = hyb_graph_get_node (graph, node_id);
  const HybType *data =
      types && node->n_inputs > 0 ? &types[hyb_graph_get_inputs (graph, node_id)[0]] : NULL;
  const RnnParams *params = node->params;
  Cells            cells = { .builder = builder, .box = box, .params = params, .n_steps = -1 };
  Place            x;

  /* The gradient operators have the same attributes; only the forward operator has a recording. */
  if (node->op->params != hyb_rnn_params || !params || !node->op->recording)
    return NULL;
  if (params->num_layers < 1 || params->num_layers > MAX_CELLS || params->mode < 0 ||
      params->mode >= HYB_RNN_N_MODES)
    return NULL;
  if (data && data->shape.rank > 0)
    cells.n_steps = data->shape.dim[0];
  cells.recipe = &recipes[params->mode];
  cells.id = viz_diagram_builder_box (builder, box)->id;
  add_ports (&cells);
  x = (Place){ box, cells.ports.in[0] };
  for (gint64 layer = 0; layer < params->num_layers; layer++)
    x = add_layer (&cells, layer, x);
  connect (&cells, x, (Place){ box, cells.ports.out[0] }, VIZ_ARROW_NORMAL);
  return g_memdup2 (&cells.ports, sizeof cells.ports);
}
