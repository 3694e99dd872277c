/* planes.c — images of bytes as planes; see planes.h.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/kernels/integers/planes.h"

#include "engine/base/parallel.h"

#include <string.h>

#include "engine/kernels/vectorise.h"

/* Bytes of planes that one slice copies. */
#define COPY_GRAIN (1 << 16)

/* a × b; G_MAXINT64 if that overflows. */
static gint64
multiply (gint64 a, gint64 b)
{
  gint64 result;

  return __builtin_mul_overflow (a, b, &result) ? G_MAXINT64 : result;
}

HybIntegerPlanes
hyb_integer_planes_find (const HybConvolve *convolve)
{
  HybIntegerPlanes planes = { .n_phases = 1, .plane = 1, .is_image = TRUE };

  for (int i = 0; i < 3; i++)
    {
      gint64 span = (convolve->kernel[i] - 1) * convolve->dilate[i];

      planes.size[i] = convolve->map[i] + span / convolve->stride[i];
      planes.phases[i] = MIN (convolve->stride[i], span + 1);
      planes.n_phases = multiply (planes.n_phases, planes.phases[i]);
      planes.plane = multiply (planes.plane, planes.size[i]);
      planes.is_image &=
          convolve->stride[i] == 1 && convolve->pad[i] == 0 && planes.size[i] == convolve->image[i];
    }
  if (planes.plane < G_MAXINT64)
    planes.n_positions =
        ((convolve->map[0] - 1) * planes.size[1] + convolve->map[1] - 1) * planes.size[2] +
        convolve->map[2];
  return planes;
}

gint64
hyb_integer_planes_size (const HybConvolve *convolve, const HybIntegerPlanes *planes)
{
  return planes->is_image
             ? 0
             : multiply (multiply (convolve->image_channels, planes->n_phases), planes->plane);
}

gint64
hyb_integer_planes_tap (const HybConvolve      *convolve,
                        const HybIntegerPlanes *planes,
                        gint64                  channel,
                        gint64                  tap)
{
  gint64 phase = 0, offset = 0;
  gint64 at[3] = { tap / convolve->kernel[2] / convolve->kernel[1],
                   tap / convolve->kernel[2] % convolve->kernel[1], tap % convolve->kernel[2] };

  for (int i = 0; i < 3; i++)
    {
      gint64 distance = at[i] * convolve->dilate[i];

      phase = phase * planes->phases[i] + distance % convolve->stride[i];
      offset = offset * planes->size[i] + distance / convolve->stride[i];
    }
  return (channel * planes->n_phases + phase) * planes->plane + offset;
}

/* One row of a plane: n elements, `step` apart in a row of `size` elements from number `begin` on. */
typedef struct
{
  gint64 begin, step, size, n;
  guint8 pad; /* what lies outside of the row */
} Row;

static void
copy_row (const Row *row, const guint8 *from, guint8 *to)
{
  gint64 begin = row->begin, stride = row->step, size = row->size, n = row->n;
  gint64 before = CLAMP ((-begin + stride - 1) / stride, 0, n);
  gint64 until = begin >= size ? before : CLAMP ((size - begin + stride - 1) / stride, before, n);

  if (begin > 0)
    before = 0;
  until = MAX (until, before);
  memset (to, row->pad, (gsize) before);
  if (stride == 1)
    memcpy (to + before, from + begin + before, (gsize) (until - before));
  else if (stride == 2)
    for (gint64 i = before; i < until; i++)
      to[i] = from[begin + 2 * i];
  else
    for (gint64 i = before; i < until; i++)
      to[i] = from[begin + stride * i];
  memset (to + until, row->pad, (gsize) (n - until));
}

/* Planes are numbered by channel and by remainder along each axis. */
static void
copy_planes (gint64 begin, gint64 end, gpointer data)
{
  const HybIntegerPlanesCopy *self = data;
  const HybConvolve          *convolve = self->convolve;
  const HybIntegerPlanes     *planes = self->planes;

  for (gint64 i = begin; i < end; i++)
    {
      gint64        channel = i / planes->n_phases, phase = i % planes->n_phases;
      gint64        shift[3] = { phase / planes->phases[2] / planes->phases[1],
                                 phase / planes->phases[2] % planes->phases[1],
                                 phase % planes->phases[2] };
      const guint8 *from =
          self->image + channel * convolve->image[0] * convolve->image[1] * convolve->image[2];
      guint8 *to = self->to + i * planes->plane;
      Row     row = { .begin = shift[2] - convolve->pad[2],
                      .step = convolve->stride[2],
                      .size = convolve->image[2],
                      .n = planes->size[2],
                      .pad = self->pad };

      for (gint64 z = 0; z < planes->size[0]; z++)
        for (gint64 y = 0; y < planes->size[1]; y++, to += planes->size[2])
          {
            gint64 at_z = z * convolve->stride[0] + shift[0] - convolve->pad[0];
            gint64 at_y = y * convolve->stride[1] + shift[1] - convolve->pad[1];

            if (at_z < 0 || at_z >= convolve->image[0] || at_y < 0 || at_y >= convolve->image[1])
              memset (to, self->pad, (gsize) planes->size[2]);
            else
              copy_row (&row, from + (at_z * convolve->image[1] + at_y) * convolve->image[2], to);
          }
    }
}

void
hyb_integer_planes_copy (const HybIntegerPlanesCopy *copy)
{
  hyb_parallel_for (copy->convolve->image_channels * copy->planes->n_phases,
                    MAX (1, COPY_GRAIN / MAX (1, copy->planes->plane)), copy_planes,
                    (gpointer) copy);
}
