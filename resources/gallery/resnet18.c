/* resnet18.c — ResNet-18 (version 1), as in Gluon's model zoo.
 *
 * BasicBlock is a pair of convolutions with a shortcut around it.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "image-task.h"

typedef struct
{
  gint64 channels, classes, size, batch;
} Options;

static const HybParam options[] = {
  { HYB_FIELD (Options, channels), HYB_PARAM_INT, "64", 1, 4096,
    .doc = "channels of the first stage" },
  { HYB_FIELD (Options, classes), HYB_PARAM_INT, "1000", 2, 1 << 20, .doc = "outputs" },
  { HYB_FIELD (Options, size), HYB_PARAM_INT, "224", 32, 4096, .doc = "rows and columns" },
  { HYB_FIELD (Options, batch), HYB_PARAM_INT, "1", 1, 4096, .doc = "images in a batch" },
  { 0 },
};

typedef struct
{
  HybBlock  parent;
  HybBlock *body, *around; /* around: the shortcut; NULL if the input is added unchanged */
} BasicBlock;

static HybValue *
basic_block_forward (HybF *F, HybBlock *block, HybValue *x)
{
  BasicBlock *self = (BasicBlock *) block;
  HybValue   *y = hyb_call (F, self->body, x);

  if (self->around)
    x = hyb_call (F, self->around, x);
  return hyb_activation (F, hyb_add (F, x, y), "relu", NULL);
}

static const HybBlockClass basic_block_class = {
  .name = "BasicBlockV1",
  .size = sizeof (BasicBlock),
  .forward = basic_block_forward,
};

static HybBlock *
convolution (gint64 channels, gint64 size, gint64 stride)
{
  return hyb_conv (.channels = channels, .kernel = hyb_shape_2d (size, size),
                   .stride = hyb_shape_2d (stride, stride),
                   .pad = hyb_shape_2d (size / 2, size / 2), .no_bias = TRUE);
}

static HybBlock *
basic_block (gint64 channels, gint64 stride, gboolean changes_shape)
{
  HybBlock   *block = hyb_block_new (&basic_block_class, NULL);
  BasicBlock *self = (BasicBlock *) block;

  hyb_block_enter_scope (block);
  self->body = hyb_append (block, hyb_sequential (""));
  hyb_append (self->body, convolution (channels, 3, stride));
  hyb_append (self->body, hyb_batch_norm (.prefix = NULL));
  hyb_append (self->body, hyb_activation_new ("relu", NULL));
  hyb_append (self->body, convolution (channels, 3, 1));
  hyb_append (self->body, hyb_batch_norm (.prefix = NULL));
  if (changes_shape)
    {
      self->around = hyb_append (block, hyb_sequential (""));
      hyb_append (self->around, convolution (channels, 1, stride));
      hyb_append (self->around, hyb_batch_norm (.prefix = NULL));
    }
  hyb_block_leave_scope (block);
  return block;
}

static HybBlock *
build (gconstpointer data)
{
  const Options *given = data;
  HybBlock      *net = hyb_sequential ("resnetv10_");
  HybShape       two = hyb_shape_2d (2, 2);

  hyb_block_enter_scope (net);
  hyb_append (net, convolution (given->channels, 7, 2));
  hyb_append (net, hyb_batch_norm (.prefix = NULL));
  hyb_append (net, hyb_activation_new ("relu", NULL));
  hyb_append (net, hyb_pool (.type = "max", .size = hyb_shape_2d (3, 3), .stride = two,
                             .pad = hyb_shape_2d (1, 1)));
  for (int stage = 0; stage < 4; stage++)
    {
      g_autofree char *prefix = g_strdup_printf ("stage%d_", stage + 1);
      HybBlock        *part = hyb_append (net, hyb_sequential (prefix));

      hyb_block_enter_scope (part);
      hyb_append (part, basic_block (given->channels << stage, stage > 0 ? 2 : 1, stage > 0));
      hyb_append (part, basic_block (given->channels << stage, 1, FALSE));
      hyb_block_leave_scope (part);
    }
  hyb_append (net, hyb_pool (.type = "avg", .global = TRUE, .rank = 2));
  hyb_append (net, hyb_dense (.units = given->classes));
  hyb_block_leave_scope (net);
  return net;
}

/* The class decides the colour of an image; noise is added. */
static void
draw_colour (const Image *image, gint64 n_classes)
{
  gint64 n_pixels = image->n_values / 3;

  for (gint64 i = 0; i < image->n_values; i++)
    image->values[i] =
        (float) (hyb_random_normal ((guint64) image->class, (guint64) (i / n_pixels)) +
                 0.5 * hyb_random_normal (image->seed, image->first_value + (guint64) i));
}

static void
fill (gconstpointer data, const HybBatch *batch)
{
  image_task_fill (batch, ((const Options *) data)->classes, draw_colour);
}

HYB_MODEL (.name = "resnet18",
           .doc = "Residual network of 18 layers for images",
           .options = options,
           .options_size = sizeof (Options),
           .inputs = "float32(batch, 3, size, size)",
           .build = build,
           .task = { .label = "float32(batch)",
                     .settings = "learning_rate=0.01, momentum=0.9",
                     .steps = 10,
                     .fill = fill });
