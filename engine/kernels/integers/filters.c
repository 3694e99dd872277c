/* filters.c — packed filters of convolutions of 8-bit integers; see filters.h.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/kernels/integers/filters.h"

#include "engine/kernels/integers/planes.h"
#include "engine/kernels/integers/product-private.h"

#include <string.h>

#define ALIGNMENT 64

gint64
hyb_integer_filter_depth (const HybConvolve *convolve)
{
  return convolve->image_channels / convolve->groups * hyb_volume (convolve->kernel);
}

gint64
hyb_integer_filter_groups (const HybIntegerFilters *filters)
{
  gint64 group = filters->kernels->group;

  return (hyb_integer_filter_depth (&filters->convolve) + group - 1) / group;
}

static gsize
take (gsize *size, gsize bytes)
{
  gsize at = *size;

  *size += (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  return at;
}

HybIntegerFilterParts
hyb_integer_filter_parts (const HybIntegerFilters *filters)
{
  HybIntegerFilterParts parts = { 0 };
  gsize                 n = (gsize) filters->convolve.map_channels,
        n_groups = (gsize) hyb_integer_filter_groups (filters);
  gsize words = take (&parts.size, (n + 1) * (gsize) hyb_integer_word_stride ((gint64) n_groups));
  gsize sums = take (&parts.size, n * sizeof (gint32));
  gsize zeros = take (&parts.size, n * sizeof (gint32));
  gsize offsets = take (&parts.size, n_groups * (gsize) filters->kernels->group * sizeof (gint64));
  char *memory = filters->memory;

  if (!memory)
    return parts;
  parts.words = (guint8 *) memory + words;
  parts.sums = (gint32 *) (gpointer) (memory + sums);
  parts.zeros = (gint32 *) (gpointer) (memory + zeros);
  parts.offsets = (gint64 *) (gpointer) (memory + offsets);
  return parts;
}

HybIntegerFilters
hyb_integer_filters (const HybConvolve *convolve, HybDType dtype)
{
  return (HybIntegerFilters){ hyb_integer_kernels (), *convolve, dtype, NULL };
}

gboolean
hyb_integer_filters_use (HybIntegerFilters *filters, guint index)
{
  const HybIntegerKernels *kernels = hyb_integer_kernels_with (index);

  if (kernels)
    filters->kernels = kernels;
  return kernels != NULL;
}

gsize
hyb_integer_filters_size (const HybIntegerFilters *filters)
{
  HybIntegerFilters empty = *filters;

  empty.memory = NULL;
  return hyb_integer_filter_parts (&empty).size;
}

void
hyb_integer_filters_pack (const HybIntegerFilters *filters,
                          gconstpointer            w,
                          const gint32            *zero,
                          gint64                   zero_stride)
{
  const HybConvolve    *convolve = &filters->convolve;
  HybIntegerFilterParts parts = hyb_integer_filter_parts (filters);
  HybIntegerPlanes      planes = hyb_integer_planes_find (convolve);
  gint64 depth = hyb_integer_filter_depth (convolve), taps = hyb_volume (convolve->kernel);
  gint64 n_groups = hyb_integer_filter_groups (filters), group = filters->kernels->group;
  gint64 stride = hyb_integer_word_stride (n_groups);
  guint8 flip = hyb_integer_flip (filters->dtype, HYB_I8);
  gint32 offset = hyb_integer_offset (filters->dtype, HYB_I8);

  for (gint64 f = 0; f < convolve->map_channels; f++)
    {
      const guint8 *from = (const guint8 *) w + f * depth;
      guint8       *words = parts.words + f * stride;
      gint32        own = zero[f * zero_stride] + offset;
      guint32       sum = 0;

      memset (words, 0, (gsize) n_groups * 4);
      for (gint64 l = 0; l < depth; l++)
        {
          gint8  value = (gint8) (from[l] ^ flip);
          gint16 difference = (gint16) (value - own);

          /* Words of four bytes have a sign here, and those of 16 bits no zero point. */
          if (group == 4)
            words[l] = (guint8) value;
          else
            memcpy (words + 2 * l, &difference, sizeof difference);
          sum += (guint32) difference;
        }
      parts.sums[f] = (gint32) sum;
      parts.zeros[f] = group == 4 ? own : 0;
    }
  memset (parts.words + convolve->map_channels * stride, 0, (gsize) n_groups * 4);
  memset (parts.words + convolve->map_channels * stride, 1, (gsize) (group == 4 ? depth : 0));
  for (gint64 l = 0; l < n_groups * group; l++)
    parts.offsets[l] =
        l < depth ? hyb_integer_planes_tap (convolve, &planes, l / taps, l % taps) : 0;
}
