/* lenet.c — LeNet: two convolutions and two dense layers for small images.
 *
 * The task that it is trained on without data is to tell the direction of stripes.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "image-task.h"

#include <math.h>

typedef struct
{
  gint64 channels, classes, batch;
} Options;

static const HybParam options[] = {
  { HYB_FIELD (Options, channels), HYB_PARAM_INT, "20", 1, 4096,
    .doc = "of the first convolution; the second has 2½ times as many" },
  { HYB_FIELD (Options, classes), HYB_PARAM_INT, "10", 2, 65536, .doc = "outputs" },
  { HYB_FIELD (Options, batch), HYB_PARAM_INT, "32", 1, 65536, .doc = "images in a batch" },
  { 0 },
};

static HybBlock *
build (gconstpointer data)
{
  const Options *given = data;
  HybBlock      *net = hyb_sequential (NULL);
  HybShape       kernel = hyb_shape_2d (5, 5), half = hyb_shape_2d (2, 2);

  hyb_block_enter_scope (net);
  hyb_append (net, hyb_conv (.channels = given->channels, .kernel = kernel, .activation = "tanh"));
  hyb_append (net, hyb_pool (.type = "max", .size = half, .stride = half));
  hyb_append (net, hyb_conv (.channels = given->channels * 5 / 2, .kernel = kernel,
                             .activation = "tanh"));
  hyb_append (net, hyb_pool (.type = "max", .size = half, .stride = half));
  hyb_append (net, hyb_dense (.units = 500, .activation = "tanh"));
  hyb_append (net, hyb_dense (.units = given->classes));
  hyb_block_leave_scope (net);
  return net;
}

/* Stripes in noise: the class is their direction. */
static void
draw_stripes (const Image *image, gint64 n_classes)
{
  double angle = G_PI * (double) image->class / (double) n_classes;
  double phase = 2 * G_PI * hyb_random_uniform (image->seed + 1, image->number);

  for (int i = 0; i < 28 * 28; i++)
    image->values[i] =
        (float) (0.5 * sin ((i % 28) * cos (angle) + (i / 28) * sin (angle) + phase) +
                 0.2 * hyb_random_normal (image->seed, image->first_value + (guint64) i));
}

static void
fill (gconstpointer data, const HybBatch *batch)
{
  image_task_fill (batch, ((const Options *) data)->classes, draw_stripes);
}

HYB_MODEL (.name = "lenet",
           .doc = "Convolutions and dense layers for images of 28 × 28 (MNIST's idx files fit)",
           .options = options,
           .options_size = sizeof (Options),
           .inputs = "float32(batch, 1, 28, 28)",
           .build = build,
           .task = { .label = "float32(batch)",
                     .settings = "learning_rate=0.05, momentum=0.9",
                     .steps = 60,
                     .fill = fill });
