/* planes.c — images of bytes as planes; see planes.h.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/kernels/integers/planes.h"

#include "engine/base/parallel.h"
#include "engine/kernels/integers/copy-bytes.h"

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
  __m128i       first, second;

  for (; i + STEP < n; i += STEP)
    {
      first = _mm_loadu_si128 ((gconstpointer) (from + 2 * i));
      second = _mm_loadu_si128 ((gconstpointer) (from + 2 * i + STEP));
      _mm_storeu_si128 ((gpointer) (to + i),
                        _mm_packus_epi16 (_mm_and_si128 (first, low), _mm_and_si128 (second, low)));
    }
  /* The last bytes, some of them once more, as the upper halves of words. */
  if (n > STEP)
    {
      const guint8 *last = from + 2 * (n - STEP) - 1;

      first = _mm_loadu_si128 ((gconstpointer) last);
      second = _mm_loadu_si128 ((gconstpointer) (last + STEP));
      _mm_storeu_si128 ((gpointer) (to + n - STEP),
                        _mm_packus_epi16 (_mm_srli_epi16 (first, 8), _mm_srli_epi16 (second, 8)));
      return;
    }
  if (n > STEP / 2)
    {
      first = _mm_and_si128 (_mm_loadu_si128 ((gconstpointer) from), low);
      second = _mm_loadu_si128 ((gconstpointer) (from + 2 * (n - STEP / 2) - 1));
      first = _mm_packus_epi16 (first, _mm_srli_epi16 (second, 8));
      _mm_storel_epi64 ((gpointer) to, first);
      _mm_storel_epi64 ((gpointer) (to + n - STEP / 2), _mm_unpackhi_epi64 (first, first));
      return;
    }
#endif
  for (; i < n; i++)
    to[i] = from[2 * i];
}

/* The n elements of a plane along one axis: they are `step` apart in the image, from number `begin` on; those from `before` to
 * `until` lie in the image. */
typedef struct
{
  gint64 begin, step, n, before, until;
} Span;

static Span
find_span (const HybIntegerPlanesCopy *copy, int axis, gint64 phase)
{
  const HybConvolve *convolve = copy->convolve;
  gint64             begin = phase - convolve->pad[axis], step = convolve->stride[axis];
  gint64             n = copy->planes->size[axis], size = convolve->image[axis];
  gint64             before = begin < 0 ? MIN ((step - 1 - begin) / step, n) : 0;
  gint64 until = begin < size ? CLAMP ((size - begin + step - 1) / step, before, n) : before;

  return (Span){ begin, step, n, before, until };
}

/* Copies the elements of a row that lie in the image. */
static void
copy_row (const Span *span, const guint8 *from, guint8 *to)
{
  gint64 before = span->before, n = span->until - before;

  from += span->begin + span->step * before;
  to += before;
  if (span->step == 1)
    hyb_integer_copy (n, from, to);
  else if (span->step == 2)
    copy_even (n, from, to);
  else
    for (gint64 i = 0; i < n; i++)
      to[i] = from[span->step * i];
}

/* Copies a plane of a channel, with padding first everywhere. */
static void
copy_plane (const HybIntegerPlanesCopy *self, const Span span[3], const guint8 *from, guint8 *to)
{
  const HybConvolve *convolve = self->convolve;
  gint64             inside = 1;

  for (int i = 0; i < 3; i++)
    inside *= span[i].until - span[i].before;
  if (inside < self->planes->plane)
    memset (to, self->pad, (gsize) self->planes->plane);
  if (inside == 0)
    return;
  for (gint64 z = span[0].before; z < span[0].until; z++)
    for (gint64 y = span[1].before; y < span[1].until; y++)
      {
        gint64 at_z = span[0].begin + span[0].step * z, at_y = span[1].begin + span[1].step * y;

        copy_row (&span[2], from + (at_z * convolve->image[1] + at_y) * convolve->image[2],
                  to + (z * span[1].n + y) * span[2].n);
      }
}

/* Planes are numbered by channel and by remainder along each axis. */
static void
copy_planes (gint64 begin, gint64 end, gpointer data)
{
  const HybIntegerPlanesCopy *self = data;
  const HybIntegerPlanes     *planes = self->planes;

  for (gint64 phase = 0; phase < planes->n_phases; phase++)
    {
      Span   span[3];
      gint64 rest = phase;

      for (int i = 2; i >= 0; i--)
        {
          span[i] = find_span (self, i, rest % planes->phases[i]);
          rest /= planes->phases[i];
        }
      for (gint64 channel = begin; channel < end; channel++)
        copy_plane (self, span, self->image + channel * hyb_volume (self->convolve->image),
                    self->to + (channel * planes->n_phases + phase) * planes->plane);
    }
}

void
hyb_integer_planes_copy (const HybIntegerPlanesCopy *copy)
{
  gint64 bytes = copy->planes->n_phases * copy->planes->plane;

  hyb_parallel_for (copy->convolve->image_channels, MAX (1, COPY_GRAIN / MAX (1, bytes)),
                    copy_planes, (gpointer) copy);
}
