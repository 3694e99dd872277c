/* guess-images.c — the shape of images that a network reads: NCHW or NHWC, one or three spatial axes.
 *
 * Sizes that are usual for the kind of network are tried first.  Start at hyb_guess_image().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/analysis/guess-images.h"

#include "engine/analysis/guess-networks.h"
#include "engine/base/translate.h"

#define N_CLASSES  10 /* collections of digits and of small images have this many */
#define FEW_LAYERS 4  /* convolutions of a network for digits */

static const gint64 image_sizes[] = { 224, 299, 256, 300, 320, 416, 512, 128, 112, 96,  64,
                                      48,  32,  28,  384, 448, 480, 608, 640, 800, 1024 };
static const gint64 small_sizes[] = { 32, 28, 224, 299, 256, 64, 48, 96, 112, 128 };
static const gint64 digit_sizes[] = { 28, 32, 224, 299, 256, 64, 48, 96, 112, 128 };

static const HybGuessSizes of_images = { image_sizes, G_N_ELEMENTS (image_sizes), 1024,
                                         N_ ("images") };
static const HybGuessSizes of_small_images = { small_sizes, G_N_ELEMENTS (small_sizes), 512,
                                               N_ ("small images") };
static const HybGuessSizes of_digits = { digit_sizes, G_N_ELEMENTS (digit_sizes), 512,
                                         N_ ("images of digits") };

gboolean
hyb_guess_has_ten_classes (const HybGuess *guess)
{
  guint             n;
  const HybValueId *heads = hyb_graph_get_heads (guess->graph, &n);

  for (guint i = 0; i < n; i++)
    {
      const HybShape *shape = &guess->types[heads[i]].shape;

      if (shape->rank > 0 && shape->dim[shape->rank - 1] == N_CLASSES)
        return TRUE;
    }
  return FALSE;
}

/* A network with ten classes and few layers, such as LeNet. */
static gboolean
is_for_digits (const HybGuess *guess)
{
  guint n_layers = 0;

  for (HybNodeId id = 0; id < hyb_graph_n_nodes (guess->graph); id++)
    n_layers += hyb_graph_get_node (guess->graph, id)->op->category == HYB_CATEGORY_CONVOLUTION;
  return n_layers <= FEW_LAYERS && hyb_guess_has_ten_classes (guess);
}

/* The size that is usual for this kind of network, if its height and width are open. */
static gboolean
take_usual_size (HybGuess *guess, HybShape *shape, guint axes)
{
  const HybGuessNetwork *network = hyb_guess_find_network (guess->graph, guess->types);
  HybShape               full = *shape, other = hyb_guess_with_size (shape, axes, 224);
  guint                  n_axes = 0;

  for (int axis = 0; network && axis < full.rank; axis++)
    if (axes & 1u << axis)
      full.dim[axis] = n_axes++ == 0 ? network->height : network->width;
  if (n_axes != 2 || !hyb_guess_try (guess, &full))
    return FALSE;
  *shape = full;
  hyb_guess_add_reason (guess, "%s%s", _ (network->reason),
                        hyb_guess_try (guess, &other) ? _ (" and others fit, too") : "");
  return TRUE;
}

gboolean
hyb_guess_image (HybGuess *guess, HybShape *shape)
{
  HybShape known = *shape;
  int      channel =
      known.rank > 3 && known.dim[known.rank - 1] != HYB_UNKNOWN && known.dim[1] == HYB_UNKNOWN
               ? known.rank - 1
               : 1;
  gboolean     is_open = known.dim[channel] == HYB_UNKNOWN;
  const gint64 channels[] = { 3, 1 };

  for (guint i = 0; i < (is_open ? G_N_ELEMENTS (channels) : 1); i++)
    {
      const HybGuessSizes *sizes = &of_images;
      guint                axes = 0;

      *shape = known;
      g_string_truncate (guess->reason, 0);
      if (shape->dim[0] == HYB_UNKNOWN)
        {
          shape->dim[0] = hyb_guess_batch (guess);
          hyb_guess_add_batch_reason (guess);
        }
      if (is_open)
        {
          shape->dim[channel] = is_for_digits (guess) ? channels[1 - i] : channels[i];
          hyb_guess_add_reason (guess, shape->dim[channel] == 1
                                           ? _ ("1 channel as in grey images")
                                           : _ ("3 channels as in colour images"));
        }
      for (int axis = 1; axis < shape->rank; axis++)
        if (shape->dim[axis] == HYB_UNKNOWN)
          axes |= 1u << axis;
      if (hyb_guess_has_ten_classes (guess))
        sizes = shape->dim[channel] == 1 ? &of_digits : &of_small_images;
      if (hyb_guess_take_named_size (guess, shape, axes, sizes) ||
          take_usual_size (guess, shape, axes) || hyb_guess_find_size (guess, shape, axes, sizes))
        return TRUE;
    }
  return FALSE;
}
