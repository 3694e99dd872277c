/* exports-zoo.c — export tests: networks of Gluon's model zoo, built from layers.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/block/layers.h"
#include "tests/engine/block/export-check.h"

static HybValue *
chain (HybF *F, Model *model, HybValue *x)
{
  for (guint i = 0; i < hyb_block_n_children (&model->parent); i++)
    x = hyb_call (F, hyb_block_get_child (&model->parent, i), x);
  return x;
}

/* The zoo keeps features and output apart, without a scope of their own. */
static HybBlock *
add_features (Model *model)
{
  return hyb_append (&model->parent, hyb_sequential (""));
}

static HybBlock *
relu (void)
{
  return hyb_activation_new ("relu", NULL);
}

static HybBlock *
max_pool (gint64 extent, gint64 stride, gint64 pad, gboolean ceil_mode)
{
  return hyb_pool (.type = "max", .size = hyb_shape_2d (extent, extent),
                   .stride = hyb_shape_2d (stride, stride), .pad = hyb_shape_2d (pad, pad),
                   .ceil_mode = ceil_mode);
}

/* --- SqueezeNet --- */

static HybBlock *
fire_conv (gint64 channels, gint64 extent)
{
  HybBlock *block = hyb_sequential ("");

  hyb_append (block, hyb_conv (.channels = channels, .kernel = hyb_shape_2d (extent, extent),
                               .pad = hyb_shape_2d (extent / 2, extent / 2)));
  hyb_append (block, relu ());
  return block;
}

static HybBlock *
fire (gint64 squeezed, gint64 expanded)
{
  HybBlock *block = hyb_sequential ("");
  HybBlock *paths;

  hyb_append (block, fire_conv (squeezed, 1));
  paths = hyb_append (block, hyb_concurrent (1, ""));
  hyb_append (paths, fire_conv (expanded, 1));
  hyb_append (paths, fire_conv (expanded, 3));
  return block;
}

static void
squeezenet_parts (Model *model)
{
  static const gint64 fires[][3] = {
    { 16, 64, 0 },  { 16, 64, 0 },  { 32, 128, 1 }, { 32, 128, 0 },
    { 48, 192, 0 }, { 48, 192, 0 }, { 64, 256, 1 }, { 64, 256, 0 }
  };
  HybBlock *features = add_features (model), *output;

  hyb_append (features, hyb_conv (.channels = 96, .kernel = hyb_shape_2d (7, 7),
                                  .stride = hyb_shape_2d (2, 2)));
  hyb_append (features, relu ());
  hyb_append (features, max_pool (3, 2, 0, TRUE));
  for (guint i = 0; i < G_N_ELEMENTS (fires); i++)
    {
      hyb_append (features, fire (fires[i][0], fires[i][1]));
      if (fires[i][2])
        hyb_append (features, max_pool (3, 2, 0, TRUE));
    }
  hyb_append (features, hyb_dropout_new (0.5, NULL));
  output = add_features (model);
  hyb_append (output, hyb_conv (.channels = 1000, .kernel = hyb_shape_2d (1, 1)));
  hyb_append (output, relu ());
  hyb_append (output, hyb_pool (.type = "avg", .size = hyb_shape_2d (13, 13)));
  hyb_append (output, hyb_flatten_new (NULL));
}

/* --- MobileNet --- */

static void
add_conv (HybBlock *to, gint64 channels, gint64 extent, gint64 stride, gint64 groups)
{
  hyb_append (to, hyb_conv (.channels = channels, .kernel = hyb_shape_2d (extent, extent),
                            .stride = hyb_shape_2d (stride, stride),
                            .pad = hyb_shape_2d (extent / 2, extent / 2), .groups = groups,
                            .no_bias = TRUE));
  hyb_append (to, hyb_batch_norm (.epsilon = 1e-5));
  hyb_append (to, relu ());
}

typedef struct
{
  gint64 quarter; /* of the channels */
  gint64 classes;
} MobileNet;

static void
mobilenet_parts (Model *model)
{
  static const gint64 widths[] = { 32, 64, 128, 128, 256, 256, 512, 512, 512, 512, 512, 512, 1024 };
  static const gint64 strides[] = { 1, 2, 1, 2, 1, 2, 1, 1, 1, 1, 1, 2, 1 };
  const MobileNet    *net = model->row->data;
  HybBlock           *features = add_features (model);

  add_conv (features, 32 * net->quarter / 4, 3, 2, 1);
  for (guint i = 0; i < G_N_ELEMENTS (widths); i++)
    {
      gint64 in = widths[i] * net->quarter / 4;
      gint64 out = widths[MIN (i + 1, G_N_ELEMENTS (widths) - 1)] * net->quarter / 4;

      add_conv (features, in, 3, strides[i], in);
      add_conv (features, out, 1, 1, 1);
    }
  hyb_append (features, hyb_pool (.type = "avg", .global = TRUE, .rank = 2));
  hyb_append (features, hyb_flatten_new (NULL));
  hyb_append (&model->parent, hyb_dense (.units = net->classes));
}
static const MobileNet quarter_width = { 1, 5 }, full_width = { 4, 1000 };

/* --- ResNet-18 --- */

typedef struct
{
  HybBlock  parent;
  HybBlock *body, *shortcut; /* NULL: the input itself */
} Unit;

static HybValue *
unit_forward (HybF *F, HybBlock *block, HybValue *x)
{
  Unit     *self = (Unit *) block;
  HybValue *y = hyb_call (F, self->body, x);

  if (self->shortcut)
    x = hyb_call (F, self->shortcut, x);
  return hyb_activation (F, hyb_add (F, x, y), "relu", NULL);
}

static const HybBlockClass unit_class = {
  .name = "BasicBlock",
  .size = sizeof (Unit),
  .forward = unit_forward,
};

static HybBlock *
unit_conv (gint64 channels, gint64 extent, gint64 stride, gint64 in_channels)
{
  return hyb_conv (.channels = channels, .kernel = hyb_shape_2d (extent, extent),
                   .stride = hyb_shape_2d (stride, stride),
                   .pad = hyb_shape_2d (extent / 2, extent / 2), .in_channels = in_channels,
                   .no_bias = TRUE);
}

static HybBlock *
unit_new (gint64 channels, gint64 stride, gint64 in_channels)
{
  HybBlock *block = hyb_block_new (&unit_class, "");
  Unit     *self = (Unit *) block;

  self->body = hyb_append (block, hyb_sequential (""));
  hyb_append (self->body, unit_conv (channels, 3, stride, in_channels));
  hyb_append (self->body, hyb_batch_norm (.epsilon = 1e-5));
  hyb_append (self->body, relu ());
  hyb_append (self->body, unit_conv (channels, 3, 1, channels));
  hyb_append (self->body, hyb_batch_norm (.epsilon = 1e-5));
  if (channels == in_channels)
    return block;
  self->shortcut = hyb_append (block, hyb_sequential (""));
  hyb_append (self->shortcut, unit_conv (channels, 1, stride, in_channels));
  hyb_append (self->shortcut, hyb_batch_norm (.epsilon = 1e-5));
  return block;
}

static void
resnet_parts (Model *model)
{
  static const gint64 channels[] = { 64, 64, 128, 256, 512 };
  HybBlock           *features = add_features (model);

  hyb_append (features, unit_conv (64, 7, 2, 0));
  hyb_append (features, hyb_batch_norm (.epsilon = 1e-5));
  hyb_append (features, relu ());
  hyb_append (features, max_pool (3, 2, 1, FALSE));
  for (guint i = 1; i < G_N_ELEMENTS (channels); i++)
    {
      g_autofree char *prefix = g_strdup_printf ("stage%u_", i);
      HybBlock        *stage = hyb_append (features, hyb_sequential (prefix));

      hyb_block_enter_scope (stage);
      hyb_append (stage, unit_new (channels[i], i == 1 ? 1 : 2, channels[i - 1]));
      hyb_append (stage, unit_new (channels[i], 1, channels[i]));
      hyb_block_leave_scope (stage);
    }
  hyb_append (features, hyb_pool (.type = "avg", .global = TRUE, .rank = 2));
  hyb_append (&model->parent, hyb_dense (.units = 1000, .in_units = 512));
}

/* --- Inception v3 --- */

/* One convolution of a branch: channels, extents, stride, padding. */
typedef struct
{
  gint64 channels, height, width, stride, pad_height, pad_width;
} Step;

static HybBlock *
basic_conv (const Step *step)
{
  HybBlock *block = hyb_sequential ("");

  hyb_append (block,
              hyb_conv (.channels = step->channels,
                        .kernel = hyb_shape_2d (step->height, step->width),
                        .stride = hyb_shape_2d (step->stride, step->stride),
                        .pad = hyb_shape_2d (step->pad_height, step->pad_width), .no_bias = TRUE));
  hyb_append (block, hyb_batch_norm (.epsilon = 0.001));
  hyb_append (block, relu ());
  return block;
}

/* Steps up to one without channels, after a pool of this type (NULL: none). */
static HybBlock *
branch (const char *pool, const Step *steps)
{
  HybBlock *block = hyb_sequential ("");

  if (g_strcmp0 (pool, "avg") == 0)
    hyb_append (block, hyb_pool (.type = "avg", .size = hyb_shape_2d (3, 3),
                                 .stride = hyb_shape_2d (1, 1), .pad = hyb_shape_2d (1, 1)));
  else if (pool)
    hyb_append (block, max_pool (3, 2, 0, FALSE));
  for (; steps->channels > 0; steps++)
    hyb_append (block, basic_conv (steps));
  return block;
}

/* clang-format off: a step a line reads as the table it is */
#define SQUARE(channels, extent)                        \
  {                                                     \
    channels, extent, extent, 1, extent / 2, extent / 2 \
  }
#define HALVING(channels)   \
  {                         \
    channels, 3, 3, 2, 0, 0 \
  }
#define ACROSS(channels, extent)          \
  {                                       \
    channels, 1, extent, 1, 0, extent / 2 \
  }
#define DOWN(channels, extent)            \
  {                                       \
    channels, extent, 1, 1, extent / 2, 0 \
  }
#define BRANCH(to, pool, ...) \
  hyb_append ((to), branch ((pool), (const Step[]){ __VA_ARGS__, { 0, 0, 0, 0, 0, 0 } }))
/* clang-format on */

static HybBlock *
inception_a (gint64 pooled, const char *prefix)
{
  HybBlock *block = hyb_concurrent (1, prefix);

  hyb_block_enter_scope (block);
  BRANCH (block, NULL, SQUARE (64, 1));
  BRANCH (block, NULL, SQUARE (48, 1), SQUARE (64, 5));
  BRANCH (block, NULL, SQUARE (64, 1), SQUARE (96, 3), SQUARE (96, 3));
  BRANCH (block, "avg", SQUARE (pooled, 1));
  hyb_block_leave_scope (block);
  return block;
}

static HybBlock *
inception_b (const char *prefix)
{
  HybBlock *block = hyb_concurrent (1, prefix);

  hyb_block_enter_scope (block);
  BRANCH (block, NULL, HALVING (384));
  BRANCH (block, NULL, SQUARE (64, 1), SQUARE (96, 3), HALVING (96));
  hyb_append (block, branch ("max", &(const Step){ 0 }));
  hyb_block_leave_scope (block);
  return block;
}

static HybBlock *
inception_c (gint64 n, const char *prefix)
{
  HybBlock *block = hyb_concurrent (1, prefix);

  hyb_block_enter_scope (block);
  BRANCH (block, NULL, SQUARE (192, 1));
  BRANCH (block, NULL, SQUARE (n, 1), ACROSS (n, 7), DOWN (192, 7));
  BRANCH (block, NULL, SQUARE (n, 1), DOWN (n, 7), ACROSS (n, 7), DOWN (n, 7), ACROSS (192, 7));
  BRANCH (block, "avg", SQUARE (192, 1));
  hyb_block_leave_scope (block);
  return block;
}

static HybBlock *
inception_d (const char *prefix)
{
  HybBlock *block = hyb_concurrent (1, prefix);

  hyb_block_enter_scope (block);
  BRANCH (block, NULL, SQUARE (192, 1), HALVING (320));
  BRANCH (block, NULL, SQUARE (192, 1), ACROSS (192, 7), DOWN (192, 7), HALVING (192));
  hyb_append (block, branch ("max", &(const Step){ 0 }));
  hyb_block_leave_scope (block);
  return block;
}

static void
add_cross (HybBlock *to)
{
  HybBlock *cross = hyb_append (to, hyb_concurrent (1, ""));

  BRANCH (cross, NULL, ACROSS (384, 3));
  BRANCH (cross, NULL, DOWN (384, 3));
}

static HybBlock *
inception_e (const char *prefix)
{
  HybBlock *block = hyb_concurrent (1, prefix);
  HybBlock *part;

  hyb_block_enter_scope (block);
  BRANCH (block, NULL, SQUARE (320, 1));
  part = hyb_append (block, hyb_sequential (""));
  BRANCH (part, NULL, SQUARE (384, 1));
  add_cross (part);
  part = hyb_append (block, hyb_sequential (""));
  BRANCH (part, NULL, SQUARE (448, 1), SQUARE (384, 3));
  add_cross (part);
  BRANCH (block, "avg", SQUARE (192, 1));
  hyb_block_leave_scope (block);
  return block;
}

static void
inception_parts (Model *model)
{
  static const Step first[] = { HALVING (32), { 32, 3, 3, 1, 0, 0 }, SQUARE (64, 3), { 0 } };
  static const Step second[] = { SQUARE (80, 1), { 192, 3, 3, 1, 0, 0 }, { 0 } };
  HybBlock         *features = add_features (model);

  for (const Step *step = first; step->channels > 0; step++)
    hyb_append (features, basic_conv (step));
  hyb_append (features, max_pool (3, 2, 0, FALSE));
  for (const Step *step = second; step->channels > 0; step++)
    hyb_append (features, basic_conv (step));
  hyb_append (features, max_pool (3, 2, 0, FALSE));
  hyb_append (features, inception_a (32, "A1_"));
  hyb_append (features, inception_a (64, "A2_"));
  hyb_append (features, inception_a (64, "A3_"));
  hyb_append (features, inception_b ("B_"));
  hyb_append (features, inception_c (128, "C1_"));
  hyb_append (features, inception_c (160, "C2_"));
  hyb_append (features, inception_c (160, "C3_"));
  hyb_append (features, inception_c (192, "C4_"));
  hyb_append (features, inception_d ("D_"));
  hyb_append (features, inception_e ("E1_"));
  hyb_append (features, inception_e ("E2_"));
  hyb_append (features, hyb_pool (.type = "avg", .size = hyb_shape_2d (8, 8)));
  hyb_append (features, hyb_dropout_new (0.5, NULL));
  hyb_append (&model->parent, hyb_dense (.units = 1000));
}

static const ModelRow rows[] = {
  { "zoo-inceptionv3", "Inception3", "0", chain, inception_parts },
  { "zoo-mobilenet0.25", "MobileNet", "0", chain, mobilenet_parts, &quarter_width },
  { "zoo-mobilenet1.0", "MobileNet", "0", chain, mobilenet_parts, &full_width },
  { "zoo-resnet18_v1", "ResNetV1", "0", chain, resnet_parts },
  { "zoo-squeezenet1.0", "SqueezeNet", "0", chain, squeezenet_parts },
};

void
exports_add_zoo (void)
{
  export_check_add_models (rows, G_N_ELEMENTS (rows));
}
