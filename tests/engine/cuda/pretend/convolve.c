/* convolve.c — passes of convolutions of the pretend cuDNN: plain loops that add up in double precision.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/engine/cuda/pretend/convolve.h"

#include "tests/engine/cuda/pretend/cublas.h"
#include "tests/engine/cuda/pretend/cudnn-private.h"
#include "tests/engine/cuda/pretend/element.h"

/* The three arrays as doubles; that of the result holds sums. */
typedef struct
{
  double *image, *map, *weight;
} Arrays;

static gsize
cells (const int size[3])
{
  return (gsize) size[0] * (gsize) size[1] * (gsize) size[2];
}

static gsize
n_image (const Convolve *c)
{
  return (gsize) c->batch * (gsize) c->channels * cells (c->image);
}

static gsize
n_map (const Convolve *c)
{
  return (gsize) c->batch * (gsize) c->filters * cells (c->map);
}

static gsize
n_weight (const Convolve *c)
{
  return (gsize) c->filters * (gsize) (c->channels / c->groups) * cells (c->kernel);
}

/* --- Sums --- */

/* A row of windows, the same tap of each. */
static void
add_row (const Convolve *c, const Arrays *at, int tap)
{
  double sum = 0, weight = *at->weight;

  for (int o = 0; o < c->map[2]; o++)
    {
      int i = o * c->stride[2] + tap * c->dilate[2] - c->pad[2];

      if (i < 0 || i >= c->image[2])
        continue;
      if (c->pass == CONVOLVE_MAP)
        at->map[o] += at->image[i] * weight;
      else if (c->pass == CONVOLVE_IMAGE)
        at->image[i] += at->map[o] * weight;
      else
        sum += at->image[i] * at->map[o];
    }
  if (c->pass == CONVOLVE_WEIGHT)
    *at->weight += sum;
}

/* One channel of the image, one of the map, and one tap of the kernel. */
static void
add_plane (const Convolve *c, const Arrays *planes, const int tap[3])
{
  for (int o0 = 0; o0 < c->map[0]; o0++)
    for (int o1 = 0; o1 < c->map[1]; o1++)
      {
        int    i0 = o0 * c->stride[0] + tap[0] * c->dilate[0] - c->pad[0];
        int    i1 = o1 * c->stride[1] + tap[1] * c->dilate[1] - c->pad[1];
        Arrays rows = *planes;

        if (i0 < 0 || i0 >= c->image[0] || i1 < 0 || i1 >= c->image[1])
          continue;
        rows.image += ((gsize) i0 * (gsize) c->image[1] + (gsize) i1) * (gsize) c->image[2];
        rows.map += ((gsize) o0 * (gsize) c->map[1] + (gsize) o1) * (gsize) c->map[2];
        add_row (c, &rows, tap[2]);
      }
}

static void
add_taps (const Convolve *c, const Arrays *planes)
{
  Arrays at = *planes;
  int    tap[3];

  for (tap[0] = 0; tap[0] < c->kernel[0]; tap[0]++)
    for (tap[1] = 0; tap[1] < c->kernel[1]; tap[1]++)
      for (tap[2] = 0; tap[2] < c->kernel[2]; tap[2]++, at.weight++)
        add_plane (c, &at, tap);
}

static void
add_all (const Convolve *c, const Arrays *arrays)
{
  gsize depth = (gsize) (c->channels / c->groups), width = (gsize) (c->filters / c->groups);

  for (gsize n = 0; n < (gsize) c->batch; n++)
    for (gsize k = 0; k < (gsize) c->filters; k++)
      for (gsize d = 0; d < depth; d++)
        {
          gsize  channel = k / width * depth + d;
          Arrays planes = {
            arrays->image + (n * (gsize) c->channels + channel) * cells (c->image),
            arrays->map + (n * (gsize) c->filters + k) * cells (c->map),
            arrays->weight + (k * depth + d) * cells (c->kernel),
          };

          add_taps (c, &planes);
        }
}

/* --- Device memory --- */

/* n elements as doubles; NULL and an error if they cannot be read. */
static double *
read_array (const Convolve *c, guint64 at, gsize n, GError **error)
{
  gsize         bytes = element_bytes (c->type);
  const guint8 *data = element_reach (at, n * bytes, FALSE, error);
  double       *values = data ? g_new (double, n) : NULL;

  for (gsize i = 0; values && i < n; i++)
    {
      values[i] = element_get (data + i * bytes, c->type);
      if (c->coarse)
        values[i] = element_to_tf32 (values[i]);
    }
  return values;
}

/* The share that is lost or won where threads add in any order. */
static double
drift (const Convolve *c)
{
  return 1 + (c->scatters ? g_rand_double_range (pretend.rand, -1e-6, 1e-6) : 0) +
         (pretend.wrong == PRETEND_WRONG_PRODUCTS ? 1e-3 : 0);
}

static gboolean
write_array (const Convolve *c, guint64 at, gsize n, const double *sums, GError **error)
{
  gsize              bytes = element_bytes (c->type);
  gboolean           keeps = c->beta < 0 || c->beta > 0;
  g_autofree double *old = keeps ? read_array (c, at, n, error) : g_new0 (double, n);
  guint8            *data = old ? element_reach (at, n * bytes, TRUE, error) : NULL;

  for (gsize i = 0; data && i < n; i++)
    element_put (data + i * bytes, c->type, c->alpha * sums[i] * drift (c) + c->beta * old[i]);
  return data != NULL;
}

/* The operand that is computed begins as zeros. */
static double *
begin_array (const Convolve *c, ConvolvePass pass, guint64 at, gsize n, GError **error)
{
  return c->pass == pass ? g_new0 (double, n) : read_array (c, at, n, error);
}

gboolean
convolve_run (gpointer data, GError **error)
{
  const Convolve    *c = data;
  g_autofree double *image = begin_array (c, CONVOLVE_IMAGE, c->image_at, n_image (c), error);
  g_autofree double *map =
      image ? begin_array (c, CONVOLVE_MAP, c->map_at, n_map (c), error) : NULL;
  g_autofree double *weight =
      map ? begin_array (c, CONVOLVE_WEIGHT, c->weight_at, n_weight (c), error) : NULL;

  if (!weight || !cudnn_use (c->work_at, c->work_bytes, error))
    return FALSE;
  add_all (c, &(Arrays){ image, map, weight });
  return c->pass == CONVOLVE_IMAGE ? write_array (c, c->image_at, n_image (c), image, error)
         : c->pass == CONVOLVE_MAP ? write_array (c, c->map_at, n_map (c), map, error)
                                   : write_array (c, c->weight_at, n_weight (c), weight, error);
}
