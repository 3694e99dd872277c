/* scenes.c — the diagrams of scenes.h.
 *
 * Modelled on the graphs that Gluon and the MXNet tutorials produce; reference/ holds their pictures.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/viz/scenes.h"

#define OP(parent_, title_, category_, shape_) \
  (&(VizBoxInfo){ .parent = parent_, .title = title_, .category = category_, .shape = shape_ })

/* Adds a box with that name; info, usually OP (…), gives the other members. */
static guint32
box (VizDiagramBuilder *b, const char *name, const VizBoxInfo *info)
{
  VizBoxInfo named = *info;

  named.id = named.subtitle = name;
  named.user = viz_diagram_builder_n_boxes (b);
  return viz_diagram_builder_add_box (b, &named);
}

/* Adds a box that is not an operator. */
static guint32
special (VizDiagramBuilder *b, guint32 parent, VizBoxKind kind, const char *name, const char *shape)
{
  return viz_diagram_builder_add_box (b, &(VizBoxInfo){ .id = name,
                                                        .title = name,
                                                        .shape = shape,
                                                        .kind = kind,
                                                        .category = VIZ_CATEGORY_DATA,
                                                        .parent = parent,
                                                        .user = viz_diagram_builder_n_boxes (b) });
}

static void
join (VizDiagramBuilder *b, guint32 tail, guint32 head, const char *label, guint64 bytes)
{
  viz_diagram_builder_add_arrow (b,
                                 &(VizArrowInfo){
                                     .tail = tail, .head = head, .label = label, .bytes = bytes });
}

/* Adds a weight and an arrow from it to head. */
static void
add_weight (VizDiagramBuilder *b, guint32 head, const char *name, const char *shape)
{
  join (b, special (b, viz_diagram_builder_box (b, head)->parent, VIZ_BOX_WEIGHT, name, shape),
        head, shape, 0);
}

static VizDiagram *
make_mlp (void)
{
  VizDiagramBuilder *b = viz_diagram_builder_new ("mlp");
  guint32            data = special (b, VIZ_ROOT, VIZ_BOX_INPUT, "data", "32×784 f32");
  guint32            fc1, relu, fc2, out;

  fc1 =
      viz_diagram_builder_add_box (b, &(VizBoxInfo){ .id = "fc1",
                                                     .title = "FullyConnected",
                                                     .subtitle = "fc1",
                                                     .shape = "32×128 f32",
                                                     .attributes =
                                                         (const char *[]){ "num_hidden 128", NULL },
                                                     .category = VIZ_CATEGORY_LINEAR });
  relu = box (b, "relu1", OP (VIZ_ROOT, "Activation", VIZ_CATEGORY_ELEMENTWISE, "32×128 f32"));
  fc2 = box (b, "fc2", OP (VIZ_ROOT, "FullyConnected", VIZ_CATEGORY_LINEAR, "32×10 f32"));
  out = box (b, "softmax", OP (VIZ_ROOT, "SoftmaxOutput", VIZ_CATEGORY_LOSS, "32×10 f32"));
  join (b, data, fc1, "32×784 f32", 100352);
  add_weight (b, fc1, "fc1_weight", "128×784");
  add_weight (b, fc1, "fc1_bias", "128");
  join (b, fc1, relu, "32×128 f32", 16384);
  join (b, relu, fc2, "32×128 f32", 16384);
  add_weight (b, fc2, "fc2_weight", "10×128");
  add_weight (b, fc2, "fc2_bias", "10");
  join (b, fc2, out, "32×10 f32", 1280);
  join (b, special (b, VIZ_ROOT, VIZ_BOX_INPUT, "softmax_label", "32"), out, "32 f32", 128);
  return viz_diagram_builder_freeze (b);
}

static VizDiagram *
make_residual (void)
{
  VizDiagramBuilder *b = viz_diagram_builder_new ("residual");
  guint32            at = special (b, VIZ_ROOT, VIZ_BOX_INPUT, "data", "1×64×56×56 f32");

  for (guint i = 0; i < 2; i++)
    {
      char    name[4][32];
      guint32 conv1, bn, conv2, add;

      for (guint k = 0; k < 4; k++)
        g_snprintf (name[k], sizeof name[k], "stage1_unit%u_%s", i,
                    (const char *[]){ "conv1", "bn1", "conv2", "plus" }[k]);
      conv1 = box (b, name[0],
                   OP (VIZ_ROOT, "Convolution", VIZ_CATEGORY_CONVOLUTION, "1×64×56×56 f32"));
      bn = box (b, name[1],
                OP (VIZ_ROOT, "BatchNorm", VIZ_CATEGORY_NORMALISATION, "1×64×56×56 f32"));
      conv2 = box (b, name[2],
                   OP (VIZ_ROOT, "Convolution", VIZ_CATEGORY_CONVOLUTION, "1×64×56×56 f32"));
      add = box (b, name[3],
                 OP (VIZ_ROOT, "elemwise_add", VIZ_CATEGORY_ELEMENTWISE, "1×64×56×56 f32"));
      join (b, at, conv1, "1×64×56×56 f32", 802816);
      join (b, conv1, bn, "1×64×56×56 f32", 802816);
      join (b, bn, conv2, "1×64×56×56 f32", 802816);
      join (b, conv2, add, "1×64×56×56 f32", 802816);
      join (b, at, add, NULL, 802816);
      at = add;
    }
  return viz_diagram_builder_freeze (b);
}

/* foreach over 35 slices with an RNN cell inside: data, one state, two captured weights. */
static VizDiagram *
make_foreach (void)
{
  VizDiagramBuilder *b = viz_diagram_builder_new ("foreach");
  guint32            data = special (b, VIZ_ROOT, VIZ_BOX_INPUT, "data", "35×32×512 f32");
  guint32            state = special (b, VIZ_ROOT, VIZ_BOX_INPUT, "h0", "32×512 f32");
  guint32            weight = special (b, VIZ_ROOT, VIZ_BOX_INPUT, "h2h_weight", "512×512 f32");
  guint32            loop = viz_diagram_builder_add_box (b, &(VizBoxInfo){ .id = "foreach0",
                                                                           .title = "foreach × 35",
                                                                           .subtitle = "foreach0",
                                                                           .kind = VIZ_BOX_FRAME,
                                                                           .category = VIZ_CATEGORY_CONTROL,
                                                                           .flags = VIZ_BOX_OPEN });
  guint32 in_data = viz_diagram_builder_add_port (b, loop, VIZ_PORT_DATA, VIZ_SIDE_IN, "data");
  guint32 in_state = viz_diagram_builder_add_port (b, loop, VIZ_PORT_STATE, VIZ_SIDE_IN, "h");
  guint32 in_weight =
      viz_diagram_builder_add_port (b, loop, VIZ_PORT_CAPTURED, VIZ_SIDE_IN, "h2h_weight");
  guint32 out_y = viz_diagram_builder_add_port (b, loop, VIZ_PORT_DATA, VIZ_SIDE_OUT, "out0");
  guint32 out_h = viz_diagram_builder_add_port (b, loop, VIZ_PORT_STATE, VIZ_SIDE_OUT, "h");
  guint32 i2h = box (b, "rnn0_i2h", OP (loop, "FullyConnected", VIZ_CATEGORY_LINEAR, "32×512 f32"));
  guint32 h2h = box (b, "rnn0_h2h", OP (loop, "FullyConnected", VIZ_CATEGORY_LINEAR, "32×512 f32"));
  guint32 add =
      box (b, "rnn0_plus", OP (loop, "elemwise_add", VIZ_CATEGORY_ELEMENTWISE, "32×512 f32"));
  guint32 tanh =
      box (b, "rnn0_out", OP (loop, "Activation", VIZ_CATEGORY_ELEMENTWISE, "32×512 f32"));
  guint32 dec =
      box (b, "decoder", OP (VIZ_ROOT, "FullyConnected", VIZ_CATEGORY_LINEAR, "35×32×1000 f32"));

#define ARROW(...) viz_diagram_builder_add_arrow (b, &(VizArrowInfo){ __VA_ARGS__ })
  ARROW (.tail = data, .head = loop, .head_port = in_data, .label = "35×32×512 f32");
  ARROW (.tail = state, .head = loop, .head_port = in_state, .kind = VIZ_ARROW_STATE);
  ARROW (.tail = weight, .head = loop, .head_port = in_weight, .kind = VIZ_ARROW_CAPTURED);
  ARROW (.tail = loop, .tail_port = in_data, .head = i2h, .label = "32×512");
  ARROW (.tail = loop, .tail_port = in_state, .head = h2h, .kind = VIZ_ARROW_STATE);
  ARROW (.tail = loop, .tail_port = in_weight, .head = h2h, .kind = VIZ_ARROW_CAPTURED);
  ARROW (.tail = i2h, .head = add, .label = "32×512 f32");
  ARROW (.tail = h2h, .head = add, .label = "32×512 f32");
  ARROW (.tail = add, .head = tanh);
  ARROW (.tail = tanh, .head = loop, .head_port = out_y);
  ARROW (.tail = tanh, .head = loop, .head_port = out_h, .kind = VIZ_ARROW_STATE);
  ARROW (.tail = loop, .tail_port = out_h, .head = loop, .head_port = in_state,
         .kind = VIZ_ARROW_FEEDBACK);
  ARROW (.tail = loop, .tail_port = out_y, .head = dec, .label = "35×32×512 f32");
#undef ARROW
  return viz_diagram_builder_freeze (b);
}

#define ARROW(...) viz_diagram_builder_add_arrow (b, &(VizArrowInfo){ __VA_ARGS__ })

static guint32
frame (VizDiagramBuilder *b, guint32 parent, const char *title, const char *name)
{
  return viz_diagram_builder_add_box (b, &(VizBoxInfo){ .id = name,
                                                        .title = title,
                                                        .kind = VIZ_BOX_FRAME,
                                                        .category = VIZ_CATEGORY_CONTROL,
                                                        .flags = VIZ_BOX_OPEN,
                                                        .parent = parent,
                                                        .user = VIZ_NO_USER });
}

/* cond: the predicate, and below it both branches side by side. */
static VizDiagram *
make_cond (void)
{
  VizDiagramBuilder *b = viz_diagram_builder_new ("cond");
  guint32            x = special (b, VIZ_ROOT, VIZ_BOX_INPUT, "x", "4 f32");
  guint32            y = special (b, VIZ_ROOT, VIZ_BOX_INPUT, "y", "4 f32");
  guint32            cond = frame (b, VIZ_ROOT, "cond", "cond0");
  guint32 in_x = viz_diagram_builder_add_port (b, cond, VIZ_PORT_VALUE, VIZ_SIDE_IN, "x");
  guint32 in_y = viz_diagram_builder_add_port (b, cond, VIZ_PORT_VALUE, VIZ_SIDE_IN, "y");
  guint32 out = viz_diagram_builder_add_port (b, cond, VIZ_PORT_VALUE, VIZ_SIDE_OUT, "out0");
  guint32 predicate = frame (b, cond, "predicate", "cond0_pred");
  guint32 side[2] = { frame (b, cond, "then", "cond0_then"),
                      frame (b, cond, "else", "cond0_else") };
  guint32 sum = box (b, "cond0_pred_sum", OP (predicate, "sum", VIZ_CATEGORY_REDUCTION, "1 f32"));
  guint32 less =
      box (b, "cond0_pred_less", OP (predicate, "_lesser_scalar", VIZ_CATEGORY_ELEMENTWISE, "1"));
  guint32 use = box (b, "relu0", OP (VIZ_ROOT, "relu", VIZ_CATEGORY_ELEMENTWISE, "4 f32"));

  ARROW (.tail = x, .head = cond, .head_port = in_x, .label = "4 f32");
  ARROW (.tail = y, .head = cond, .head_port = in_y, .label = "4 f32");
  ARROW (.tail = cond, .tail_port = in_x, .head = sum);
  ARROW (.tail = sum, .head = less);
  for (guint i = 0; i < 2; i++)
    {
      char    name[2][32];
      guint32 first, second;

      g_snprintf (name[0], sizeof name[0], "cond0_%u_op", i);
      g_snprintf (name[1], sizeof name[1], "cond0_%u_mul", i);
      first = box (b, name[0],
                   OP (side[i], i ? "elemwise_sub" : "elemwise_add", VIZ_CATEGORY_ELEMENTWISE,
                       "4 f32"));
      ARROW (.tail = less, .head = side[i], .kind = VIZ_ARROW_CONTROL,
             .label = i ? "false" : "true");
      ARROW (.tail = cond, .tail_port = in_x, .head = first);
      ARROW (.tail = cond, .tail_port = in_y, .head = first);
      second = i ? first
                 : box (b, name[1], OP (side[i], "_mul_scalar", VIZ_CATEGORY_ELEMENTWISE, "4 f32"));
      if (!i)
        ARROW (.tail = first, .head = second);
      ARROW (.tail = second, .head = cond, .head_port = out);
    }
  ARROW (.tail = cond, .tail_port = out, .head = use, .label = "4 f32");
  return viz_diagram_builder_freeze (b);
}

/* while_loop with its condition, and a foreach inside its body. */
static VizDiagram *
make_nested (void)
{
  VizDiagramBuilder *b = viz_diagram_builder_new ("nested");
  guint32            i0 = special (b, VIZ_ROOT, VIZ_BOX_INPUT, "i", "1 f32");
  guint32            s0 = special (b, VIZ_ROOT, VIZ_BOX_INPUT, "s", "5×4 f32");
  guint32            loop = frame (b, VIZ_ROOT, "while_loop ≤ 10", "while0");
  guint32 in_i = viz_diagram_builder_add_port (b, loop, VIZ_PORT_STATE, VIZ_SIDE_IN, "i");
  guint32 in_s = viz_diagram_builder_add_port (b, loop, VIZ_PORT_STATE, VIZ_SIDE_IN, "s");
  guint32 out_i = viz_diagram_builder_add_port (b, loop, VIZ_PORT_STATE, VIZ_SIDE_OUT, "i");
  guint32 out_s = viz_diagram_builder_add_port (b, loop, VIZ_PORT_STATE, VIZ_SIDE_OUT, "s");
  guint32 test = frame (b, loop, "condition", "while0_cond");
  guint32 body = frame (b, loop, "body", "while0_body");
  guint32 less = box (b, "while0_less", OP (test, "_lesser_scalar", VIZ_CATEGORY_ELEMENTWISE, "1"));
  guint32 plus = box (b, "while0_plus", OP (body, "_plus_scalar", VIZ_CATEGORY_ELEMENTWISE, "1"));
  guint32 inner = frame (b, body, "foreach × 5", "foreach1");
  guint32 in_x = viz_diagram_builder_add_port (b, inner, VIZ_PORT_DATA, VIZ_SIDE_IN, "x");
  guint32 in_h = viz_diagram_builder_add_port (b, inner, VIZ_PORT_STATE, VIZ_SIDE_IN, "h");
  guint32 out_y = viz_diagram_builder_add_port (b, inner, VIZ_PORT_DATA, VIZ_SIDE_OUT, "y");
  guint32 out_h = viz_diagram_builder_add_port (b, inner, VIZ_PORT_STATE, VIZ_SIDE_OUT, "h");
  guint32 add =
      box (b, "foreach1_plus", OP (inner, "elemwise_add", VIZ_CATEGORY_ELEMENTWISE, "4 f32"));
  guint32 zeros = box (b, "zeros0", OP (body, "zeros", VIZ_CATEGORY_DATA, "4 f32"));
  guint32 end = special (b, VIZ_ROOT, VIZ_BOX_OUTPUT, "output", "5×4 f32");

  ARROW (.tail = i0, .head = loop, .head_port = in_i, .kind = VIZ_ARROW_STATE);
  ARROW (.tail = s0, .head = loop, .head_port = in_s, .kind = VIZ_ARROW_STATE);
  ARROW (.tail = loop, .tail_port = in_i, .head = less);
  ARROW (.tail = loop, .tail_port = in_i, .head = plus, .kind = VIZ_ARROW_STATE);
  ARROW (.tail = less, .head = body, .kind = VIZ_ARROW_CONTROL, .label = "true");
  ARROW (.tail = loop, .tail_port = in_s, .head = inner, .head_port = in_x,
         .kind = VIZ_ARROW_STATE);
  ARROW (.tail = zeros, .head = inner, .head_port = in_h);
  ARROW (.tail = inner, .tail_port = in_x, .head = add);
  ARROW (.tail = inner, .tail_port = in_h, .head = add, .kind = VIZ_ARROW_STATE);
  ARROW (.tail = add, .head = inner, .head_port = out_y);
  ARROW (.tail = add, .head = inner, .head_port = out_h, .kind = VIZ_ARROW_STATE);
  ARROW (.tail = inner, .tail_port = out_h, .head = inner, .head_port = in_h,
         .kind = VIZ_ARROW_FEEDBACK);
  ARROW (.tail = plus, .head = loop, .head_port = out_i, .kind = VIZ_ARROW_STATE);
  ARROW (.tail = inner, .tail_port = out_y, .head = loop, .head_port = out_s,
         .kind = VIZ_ARROW_STATE);
  ARROW (.tail = loop, .tail_port = out_i, .head = loop, .head_port = in_i,
         .kind = VIZ_ARROW_FEEDBACK);
  ARROW (.tail = loop, .tail_port = out_s, .head = loop, .head_port = in_s,
         .kind = VIZ_ARROW_FEEDBACK);
  ARROW (.tail = loop, .tail_port = out_s, .head = end, .label = "5×4 f32");
  return viz_diagram_builder_freeze (b);
}

/* An edge over more rows than are drawn (VIZ_LONG_EDGE), and a node with several long edges. */
static VizDiagram *
make_long (void)
{
  VizDiagramBuilder *b = viz_diagram_builder_new ("long");
  guint32 first = box (b, "embed", OP (VIZ_ROOT, "Embedding", VIZ_CATEGORY_LINEAR, NULL)),
          at = first;

  for (guint i = 0; i < 50; i++)
    {
      char    name[16];
      guint32 next;

      g_snprintf (name, sizeof name, "op%u", i);
      next = box (b, name, OP (VIZ_ROOT, "tanh", VIZ_CATEGORY_ELEMENTWISE, NULL));
      ARROW (.tail = at, .head = next);
      if (i > 10 && i % 13 == 0)
        ARROW (.tail = first, .head = next);
      at = next;
    }
  ARROW (.tail = first, .head = at, .label = "4 f32");
  return viz_diagram_builder_freeze (b);
}

#undef ARROW

const Scene scenes[] = {

  { "mlp", make_mlp },   { "residual", make_residual }, { "foreach", make_foreach },
  { "cond", make_cond }, { "nested", make_nested },     { "long", make_long },
};
const guint n_scenes = G_N_ELEMENTS (scenes);

static const char *const lstm_names[] = { "i2h", "h2h",  "plus", "slice", "i",    "f",  "c",
                                          "o",   "mulf", "muli", "state", "tanh", "out" };
static const char *const lstm_ops[] = {
  "FullyConnected", "FullyConnected", "elemwise_add", "SliceChannel", "Activation",
  "Activation",     "Activation",     "Activation",   "elemwise_mul", "elemwise_mul",
  "elemwise_add",   "Activation",     "elemwise_mul",
};
/* Arrows inside a cell: tail, head. */
static const guint8 lstm_pairs[][2] = { { 0, 2 },  { 1, 2 },  { 2, 3 },   { 3, 4 },  { 3, 5 },
                                        { 3, 6 },  { 3, 7 },  { 5, 8 },   { 4, 9 },  { 6, 9 },
                                        { 8, 10 }, { 9, 10 }, { 10, 11 }, { 7, 12 }, { 11, 12 } };

/* Adds the 13 operators of one cell and the arrows between them. */
static void
add_lstm_cell (VizDiagramBuilder *b, guint layer, guint step, guint32 at[13])
{
  char name[64];

  for (guint k = 0; k < 13; k++)
    {
      g_snprintf (name, sizeof name, "lstm_l%u_t%u_%s", layer, step, lstm_names[k]);
      at[k] = box (b, name,
                   OP (VIZ_ROOT, lstm_ops[k],
                       k < 2    ? VIZ_CATEGORY_LINEAR
                       : k == 3 ? VIZ_CATEGORY_MOVEMENT
                                : VIZ_CATEGORY_ELEMENTWISE,
                       k < 4 ? "32×2048 f32" : "32×512 f32"));
    }
  for (guint p = 0; p < G_N_ELEMENTS (lstm_pairs); p++)
    viz_diagram_builder_add_arrow (b, &(VizArrowInfo){ .tail = at[lstm_pairs[p][0]],
                                                       .head = at[lstm_pairs[p][1]],
                                                       .label = "32×512 f32",
                                                       .output = lstm_pairs[p][0] == 3
                                                                     ? lstm_pairs[p][1] - 4
                                                                     : 0 });
}

VizDiagramBuilder *
scene_lstm (guint n_steps, guint n_layers)
{
  VizDiagramBuilder *b = viz_diagram_builder_new ("lstm");
  guint32            data = special (b, VIZ_ROOT, VIZ_BOX_INPUT, "data", "32×T×512 f32");
  guint32 slice = box (b, "slice0", OP (VIZ_ROOT, "SliceChannel", VIZ_CATEGORY_MOVEMENT, NULL)),
          concat;
  guint32 *inputs = g_new (guint32, n_steps);
  guint32  weights[2];
  char     name[64];

  join (b, data, slice, "32×T×512 f32", 0);
  for (guint l = 0; l < n_layers; l++)
    {
      guint32 h = 0, c = 0;

      for (guint w = 0; w < 2; w++)
        {
          g_snprintf (name, sizeof name, "lstm_l%u_%s_weight", l, w ? "h2h" : "i2h");
          weights[w] = special (b, VIZ_ROOT, VIZ_BOX_WEIGHT, name, "2048×512");
        }
      for (guint t = 0; t < n_steps; t++)
        {
          guint32 at[13];

          add_lstm_cell (b, l, t, at);
          join (b, weights[0], at[0], NULL, 0);
          join (b, weights[1], at[1], NULL, 0);
          if (l == 0)
            viz_diagram_builder_add_arrow (b, &(VizArrowInfo){ .tail = slice,
                                                               .head = at[0],
                                                               .label = "32×512 f32",
                                                               .output = t });
          else
            join (b, inputs[t], at[0], "32×512 f32", 65536);
          if (t > 0)
            {
              viz_diagram_builder_add_arrow (b, &(VizArrowInfo){ .tail = h,
                                                                 .head = at[1],
                                                                 .kind = VIZ_ARROW_STATE,
                                                                 .label = "32×512 f32" });
              viz_diagram_builder_add_arrow (b, &(VizArrowInfo){ .tail = c,
                                                                 .head = at[8],
                                                                 .kind = VIZ_ARROW_STATE,
                                                                 .label = "32×512 f32" });
            }
          inputs[t] = h = at[12];
          c = at[10];
        }
    }
  concat = box (b, "concat0", OP (VIZ_ROOT, "Concat", VIZ_CATEGORY_MOVEMENT, "32×T×512 f32"));
  for (guint t = 0; t < n_steps; t++)
    join (b, inputs[t], concat, "32×512 f32", 65536);
  join (b, concat, special (b, VIZ_ROOT, VIZ_BOX_OUTPUT, "output", NULL), NULL, 0);
  g_free (inputs);
  return b;
}

VizDiagramBuilder *
scene_transformer (guint n_blocks)
{
  VizDiagramBuilder *b = viz_diagram_builder_new ("transformer");
  guint32            at = special (b, VIZ_ROOT, VIZ_BOX_INPUT, "data", "128×512 f32");
  char               name[64];

  for (guint i = 0; i < n_blocks; i++)
    {
      guint32 start = at;

      for (guint k = 0; k < 40; k++)
        {
          guint32 next;

          g_snprintf (name, sizeof name, "block%u_op%u", i, k);
          next =
              box (b, name,
                   OP (VIZ_ROOT, k % 4 == 0 ? "FullyConnected" : "op",
                       k % 4 == 0 ? VIZ_CATEGORY_LINEAR : VIZ_CATEGORY_ELEMENTWISE, "128×512 f32"));
          join (b, at, next, "128×512 f32", 262144);
          if (k % 10 == 9)
            {
              join (b, start, next, NULL, 262144);
              start = next;
            }
          at = next;
        }
    }
  join (b, at, special (b, VIZ_ROOT, VIZ_BOX_OUTPUT, "output", NULL), NULL, 0);
  return b;
}

VizDiagramBuilder *
scene_random (guint32 seed, guint n_nodes, guint n_edges)
{
  VizDiagramBuilder *b = viz_diagram_builder_new ("random");
  GRand             *random = g_rand_new_with_seed (seed);
  guint32           *boxes = g_new (guint32, n_nodes);
  char               name[32];

  for (guint i = 0; i < n_nodes; i++)
    {
      g_snprintf (name, sizeof name, "node%u", i);
      boxes[i] = box (b, name, OP (VIZ_ROOT, "op", i % VIZ_N_CATEGORIES, NULL));
    }
  for (guint i = 0; i < n_edges; i++)
    {
      /* Mostly to a near node, as in networks. */
      guint tail = (guint) g_rand_int_range (random, 0, (gint32) n_nodes - 1);
      guint reach = i % 5 == 0 ? n_nodes : 8;
      guint head =
          tail + 1 + (guint) g_rand_int_range (random, 0, (gint32) MIN (reach, n_nodes - 1 - tail));

      join (b, boxes[tail], boxes[head], NULL, 0);
    }
  for (guint i = 1; i < n_nodes; i++)
    if (i % 3 == 0)
      join (b, boxes[i - 1 - i % 2], boxes[i], NULL, 0);
  g_free (boxes);
  g_rand_free (random);
  return b;
}

void
scene_add_boxes (VizDiagramBuilder *builder, guint n, guint32 *boxes)
{
  for (guint i = 0; i < n; i++)
    {
      g_autofree char *name = g_strdup_printf ("box%u", i);

      boxes[i] = viz_diagram_builder_add_box (builder, &(VizBoxInfo){ .id = name, .title = name });
    }
}
