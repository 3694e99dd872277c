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
  return (hyb_integer_filter_depth (&filters->convolve) + HYB_INTEGER_GROUP - 1) /
         HYB_INTEGER_GROUP;
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
  gsize words = take (&parts.size, (n + 1) * (gsize) hyb_integer_word_stride (filters->kernels,
                                                                              (gint64) n_groups));
  gsize sums = take (&parts.size, n * sizeof (gint32));
  gsize pairs = take (&parts.size, n * sizeof (gint32));
  gsize zeros = take (&parts.size, n * sizeof (gint32));
  gsize offsets = take (&parts.size, n_groups * HYB_INTEGER_GROUP * sizeof (gint64));
  char *memory = filters->memory;

  if (!memory)
    return parts;
  parts.words = (guint8 *) memory + words;
  parts.sums = (gint32 *) (gpointer) (memory + sums);
  parts.pairs = (gint32 *) (gpointer) (memory + pairs);
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

/* Makes words of filter f, whose zero point among signed numbers is `zero`: bytes with a sign, or 16-bit integers without it. */
static void
make_words (const HybIntegerFilters *filters, gint64 f, const guint8 *from, gint32 zero)
{
  const HybIntegerKernels *kernels = filters->kernels;
  HybIntegerFilterParts    parts = hyb_integer_filter_parts (filters);
  gint64                   depth = hyb_integer_filter_depth (&filters->convolve);
  gint64                   n_groups = hyb_integer_filter_groups (filters);
  guint8                  *words = parts.words + f * hyb_integer_word_stride (kernels, n_groups);
  guint8                   flip = hyb_integer_flip (filters->dtype, HYB_I8);
  guint32                  sum = 0;

  if (hyb_integer_is_wide (kernels))
    {
      parts.sums[f] =
          kernels->words (depth, from, hyb_integer_flip (filters->dtype, HYB_U8),
                          zero + hyb_integer_offset (HYB_I8, HYB_U8), words, &parts.pairs[f]);
      parts.zeros[f] = 0;
      return;
    }
  memset (words, 0, (gsize) (n_groups * kernels->word));
  for (gint64 l = 0; l < depth; l++)
    {
      words[l] = from[l] ^ flip;
      sum += (guint32) ((gint8) words[l] - zero);
    }
  parts.sums[f] = (gint32) sum;
  parts.pairs[f] = 0;
  parts.zeros[f] = zero;
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
  gint64   depth = hyb_integer_filter_depth (convolve), taps = hyb_volume (convolve->kernel);
  gint64   n_groups = hyb_integer_filter_groups (filters), n = convolve->map_channels;
  gint64   stride = hyb_integer_word_stride (filters->kernels, n_groups);
  gint32   offset = hyb_integer_offset (filters->dtype, HYB_I8);
  gboolean is_wide = hyb_integer_is_wide (filters->kernels);

  for (gint64 f = 0; f < n; f++)
    make_words (filters, f, (const guint8 *) w + f * depth, zero[f * zero_stride] + offset);
  memset (parts.words + n * stride, 0, (gsize) (n_groups * filters->kernels->word));
  memset (parts.words + n * stride, 1, (gsize) (is_wide ? 0 : depth));
  for (gint64 l = 0; l < n_groups * HYB_INTEGER_GROUP; l++)
    parts.offsets[l] =
        l < depth ? hyb_integer_planes_tap (convolve, &planes, l / taps, l % taps) : 0;
}
