/* planes.c — images of bytes as planes; see planes.h.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/kernels/integers/planes.h"

#include "engine/base/parallel.h"

#include <string.h>

#ifdef __x86_64__
#include <emmintrin.h>
#endif

#include "engine/kernels/vectorise.h"

/* Bytes of planes that one slice copies. */
#define COPY_GRAIN (1 << 16)
/* Bytes of a vector. */
#define STEP 16

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

/* to[i] = from[2 i].  Nothing behind the last of these bytes is read. */
static void
copy_even (gint64 n, const guint8 *from, guint8 *to)
{
  gint64 i = 0;

#ifdef __x86_64__
  const __m128i low = _mm_set1_epi16 (0xff);

  for (; i + STEP < n; i += STEP)
    {
      __m128i first = _mm_loadu_si128 ((gconstpointer) (from + 2 * i));
      __m128i second = _mm_loadu_si128 ((gconstpointer) (from + 2 * i + STEP));

      _mm_storeu_si128 ((gpointer) (to + i),
                        _mm_packus_epi16 (_mm_and_si128 (first, low), _mm_and_si128 (second, low)));
    }
  if (n > STEP)
    {
      /* The last bytes, some of them once more, as the upper halves of words. */
      const guint8 *last = from + 2 * (n - STEP) - 1;
      __m128i       first = _mm_loadu_si128 ((gconstpointer) last);
      __m128i       second = _mm_loadu_si128 ((gconstpointer) (last + STEP));

      _mm_storeu_si128 ((gpointer) (to + n - STEP),
                        _mm_packus_epi16 (_mm_srli_epi16 (first, 8), _mm_srli_epi16 (second, 8)));
      return;
    }
#endif
  for (; i < n; i++)
    to[i] = from[2 * i];
}

/* The rows of a plane: n elements, `step` apart in rows of the image from number `begin` on, of which those from `before` to
 * `until` lie in the image. */
typedef struct
{
  gint64 begin, step, n, before, until;
  guint8 pad; /* the value of the others */
} Row;

static Row
describe_row (const HybIntegerPlanesCopy *copy, gint64 phase)
{
  const HybConvolve *convolve = copy->convolve;
  gint64             begin = phase - convolve->pad[2], step = convolve->stride[2];
  gint64             n = copy->planes->size[2], size = convolve->image[2];
  gint64             before = begin < 0 ? MIN ((step - 1 - begin) / step, n) : 0;
  gint64 until = begin < size ? CLAMP ((size - begin + step - 1) / step, before, n) : before;

  return (Row){ begin, step, n, before, until, copy->pad };
}

static void
copy_row (const Row *row, const guint8 *from, guint8 *to)
{
  gint64 before = row->before, until = row->until;

  for (gint64 i = 0; i < before; i++)
    to[i] = row->pad;
  if (row->step == 1)
    memcpy (to + before, from + row->begin + before, (gsize) (until - before));
  else if (row->step == 2)
    copy_even (until - before, from + row->begin + 2 * before, to + before);
  else
    for (gint64 i = before; i < until; i++)
      to[i] = from[row->begin + row->step * i];
  for (gint64 i = until; i < row->n; i++)
    to[i] = row->pad;
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
      const guint8 *from = self->image + channel * hyb_volume (convolve->image);
      guint8       *to = self->to + i * planes->plane;
      Row           row = describe_row (self, shift[2]);

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
