/* image-task.h — the task of image classifiers that are trained without data: tell apart classes
 * of images that are computed from random numbers.
 *
 * A model includes this file and defines how an image of a given class is drawn; its fill function
 * calls image_task_fill().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include <hybridscope/hybrid.h>

typedef struct
{
  gint64 class;
  guint64 seed;        /* for random numbers; the same for all images of a batch */
  guint64 number;      /* of the image in its batch */
  guint64 first_value; /* number of its first value in its batch */
  gint64  n_values;    /* in all channels */
  float  *values;      /* (channel, row, column) */
} Image;

typedef void (*DrawImageFunc) (const Image *image, gint64 n_classes);

/* Draws a class for each image of the batch, writes it as the image's label, and has draw write
 * the values of the image. */
static void
image_task_fill (const HybBatch *batch, gint64 n_classes, DrawImageFunc draw)
{
  gint64 n_images = hyb_tensor_get_size (batch->label);
  float *label = hyb_tensor_get_data (batch->label);
  Image  image = { .seed = hyb_random_mix (batch->seed, batch->step),
                   .n_values = hyb_tensor_get_size (batch->inputs[0]) / n_images,
                   .values = hyb_tensor_get_data (batch->inputs[0]) };

  for (gint64 n = 0; n < n_images; n++)
    {
      image.number = (guint64) n;
      image.class = (gint64) (hyb_random_word (~image.seed, image.number) % (guint64) n_classes);
      label[n] = (float) image.class;
      draw (&image, n_classes);
      image.first_value += (guint64) image.n_values;
      image.values += image.n_values;
    }
}
