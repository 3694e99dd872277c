/* windows.c — exact convolutions of 8-bit integers; see windows.h.
 *
 * The image is copied into planes with padding around them, one for each channel and each remainder of a position by the
 * strides.  A tap then reads a plane from an offset on, and neighbouring positions read neighbouring bytes, across the
 * ends of rows: positions at the end of each row that do not belong to the map are computed, too, and left out when it is
 * written.  A block of positions is gathered into a panel and multiplied with all filters of its group.  Start with
 * hyb_integer_convolve().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/kernels/integers/windows.h"

#include "engine/base/parallel.h"
#include "engine/kernels/integers/planes.h"
#include "engine/kernels/integers/product-private.h"

#include <string.h>

#define ALIGNMENT 64
/* Filters that one item of work multiplies with one panel, where there are few panels. */
#define ITEM_FILTERS 48
#define MANY_BLOCKS  8
/* Filters for which joining sources takes less time than multiplying gaps. */
#define MANY_FILTERS 24
/* Multiplications that are worth waking another thread for. */
#define GRAIN (1 << 20)
/* Slices of the work of a sample at most. */
#define MAX_SLICES 32
/* Bytes that a copy of a piece of a row may read and write behind it. */
#define COPY_STEP 16
/* Bytes of a row of sources that are copied. */
#define SOURCE_BYTES (HYB_INTEGER_MAX_COLUMNS + COPY_STEP)

/* --- Filters --- */

static gint64
taps_of (const HybConvolve *convolve)
{
  return convolve->kernel[0] * convolve->kernel[1] * convolve->kernel[2];
}

/* The numbers that a filter multiplies. */
static gint64
depth_of (const HybConvolve *convolve)
{
  return convolve->image_channels / convolve->groups * taps_of (convolve);
}

static gint64
groups_of_depth (const HybIntegerFilters *filters)
{
  gint64 group = filters->kernels->group;

  return (depth_of (&filters->convolve) + group - 1) / group;
}

/* Parts of the memory: words of filters, a row of words of ones behind them; sums and zero points by filter; where taps
 * start, by number that is multiplied. */
typedef struct
{
  guint8 *words;
  gint32 *sums, *zeros;
  gint64 *offsets;
  gsize   size;
} FilterParts;

static gsize
take (gsize *size, gsize bytes)
{
  gsize at = *size;

  *size += (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  return at;
}

static FilterParts
find_parts (const HybIntegerFilters *filters)
{
  FilterParts parts = { 0 };
  gsize n = (gsize) filters->convolve.map_channels, n_groups = (gsize) groups_of_depth (filters);
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
  return find_parts (&empty).size;
}

void
hyb_integer_filters_pack (const HybIntegerFilters *filters,
                          gconstpointer            w,
                          const gint32            *zero,
                          gint64                   zero_stride)
{
  const HybConvolve *convolve = &filters->convolve;
  FilterParts        parts = find_parts (filters);
  HybIntegerPlanes   planes = hyb_integer_planes_find (convolve);
  gint64             depth = depth_of (convolve), taps = taps_of (convolve);
  gint64             n_groups = groups_of_depth (filters), group = filters->kernels->group;
  gint64             stride = hyb_integer_word_stride (n_groups);
  guint8             flip = hyb_integer_flip (filters->dtype, HYB_I8);
  gint32             offset = hyb_integer_offset (filters->dtype, HYB_I8);

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

/* --- The convolution --- */

/* A piece of a row of the map within a block of positions. */
typedef struct
{
  gint64 from, n;
} Piece;

typedef struct
{
  const HybIntegerFilters *filters;
  const HybIntegerImage   *image;
  const HybIntegerResult  *result;
  FilterParts              parts;
  HybIntegerPlanes         planes;
  gint64                   sample;
  const guint8            *source; /* the planes of this sample */
  guint8                   flip;   /* of bytes of the image, and the zero point of what results */
  gint32                   zero;
  gboolean joins_sources, joins_results; /* where gaps between rows of the map are left out */
  gint64   n_positions;                  /* that are computed */
  gint64   n_blocks, n_parts;            /* of positions; of filters */
  gint64   n_items, n_slices;            /* a slice has a panel of its own */
  gboolean has_zeros, has_same_zeros;    /* of filters whose words still have them */
  gint8   *panels;
} Convolution;

/* Finds the pieces of rows of the map in n positions of planes from `first` on, and the number of the first one in the map;
 * returns how many. */
static gint64
find_pieces (const Convolution *self, gint64 first, gint64 n, Piece *pieces, gint64 *at)
{
  const HybConvolve *convolve = &self->filters->convolve;
  gint64             width = self->planes.size[2], height = self->planes.size[1], count = 0;

  *at = -1;
  for (gint64 p = first; p < first + n; p = (p / width + 1) * width)
    {
      gint64 x = p % width, y = p / width % height, z = p / width / height;
      gint64 length = MIN (convolve->map[2] - x, first + n - p);

      if (length <= 0 || y >= convolve->map[1])
        continue;
      if (*at < 0)
        *at = (z * convolve->map[1] + y) * convolve->map[2] + x;
      pieces[count++] = (Piece){ p - first, length };
    }
  return count;
}

/* Finds the pieces of planes that n positions of the map from `first` on read; returns how many. */
static gint64
find_sources (const Convolution *self, gint64 first, gint64 n, Piece *pieces)
{
  const gint64 *map = self->filters->convolve.map, *size = self->planes.size;
  gint64        count = 0, length;

  for (gint64 p = first; p < first + n; p += length)
    {
      gint64 x = p % map[2], y = p / map[2] % map[1], z = p / map[2] / map[1];

      length = MIN (map[2] - x, first + n - p);
      pieces[count++] = (Piece){ (z * size[1] + y) * size[2] + x, length };
    }
  return count;
}

/* Writes pieces of a row one after the other, reading and writing up to COPY_STEP bytes behind each; returns their bytes. */
static gsize
join_pieces (const Piece *pieces, gint64 count, gsize size, gconstpointer row, gpointer joined)
{
  char *to = joined;

  for (gint64 i = 0; i < count; i++)
    {
      const char *from = (const char *) row + (gsize) pieces[i].from * size;
      gsize       bytes = (gsize) pieces[i].n * size;

      for (gsize at = 0; at < bytes; at += COPY_STEP)
        memcpy (to + at, from + at, COPY_STEP);
      to += bytes;
    }
  return (gsize) (to - (char *) joined);
}

/* What is the same for all filters of an item. */
typedef struct
{
  gint8 *panel;
  gint64 first, n, padded; /* positions, and those of whole vectors */
  gint64 at;               /* the first one in the map */
  gint64 n_pieces;         /* of results; of planes where sources are joined */
  Piece  pieces[HYB_INTEGER_MAX_COLUMNS];
  gint32 column_sums[HYB_INTEGER_MAX_COLUMNS]; /* of the panel, where filters have zero points */
  gint32 start[HYB_INTEGER_MAX_COLUMNS];
} Block;

static void
describe_block (const Convolution *self, gint64 first, Block *block)
{
  gint64 lanes = self->filters->kernels->lanes;

  block->first = block->at = first;
  block->n = MIN (HYB_INTEGER_MAX_COLUMNS, self->n_positions - first);
  block->padded = (block->n + lanes - 1) / lanes * lanes;
  block->n_pieces = 1;
  if (self->joins_sources)
    block->n_pieces = find_sources (self, first, block->n, block->pieces);
  else if (self->joins_results)
    block->n_pieces = find_pieces (self, first, block->n, block->pieces, &block->at);
}

/* Copies the bytes that one group of numbers of all positions reads to rows of their own: pieces that are joined, or what
 * is left before the end of the planes. */
static void
copy_sources (const Convolution *self,
              const Block       *block,
              const guint8      *from,
              gint64             group,
              guint8             rows[][SOURCE_BYTES])
{
  gint64 size = self->filters->kernels->group;

  for (gint64 i = 0; i < size; i++)
    {
      const guint8 *source = from + self->parts.offsets[group * size + i];

      if (self->joins_sources)
        join_pieces (block->pieces, block->n_pieces, 1, source, rows[i]);
      else
        memcpy (rows[i], source + block->first, (gsize) block->n);
    }
}

/* Gathers a block of a group of channels into the panels of a strip. */
static void
gather_block (const Convolution *self, gint64 group, const Block *block)
{
  static const gint64      offsets[] = { 0, SOURCE_BYTES, 2 * SOURCE_BYTES, 3 * SOURCE_BYTES };
  const HybIntegerKernels *kernels = self->filters->kernels;
  const HybConvolve       *convolve = &self->filters->convolve;
  gint64 n_groups = groups_of_depth (self->filters), width = kernels->n_vectors * kernels->lanes;
  const guint8 *from = self->source + group * (convolve->image_channels / convolve->groups) *
                                          self->planes.n_phases * self->planes.plane;
  gboolean is_copied = self->joins_sources || block->n < HYB_INTEGER_MAX_COLUMNS;
  guint8   rows[4][SOURCE_BYTES] = { { 0 } };

  for (gint64 g = 0; g < n_groups; g += is_copied ? 1 : n_groups)
    {
      if (is_copied)
        copy_sources (self, block, from, g, rows);
      for (gint64 at = 0; at < block->padded; at += width)
        {
          HybIntegerGather gather = { .from = is_copied ? rows[0] + at : from + block->first + at,
                                      .offsets = is_copied ? offsets : self->parts.offsets,
                                      .n_groups = is_copied ? 1 : n_groups,
                                      .pitch = MIN (width, block->padded - at) * kernels->group,
                                      .flip = self->flip };

          gather.panel = block->panel + at * n_groups * kernels->group + g * gather.pitch;
          kernels->gather (&gather);
        }
    }
}

/* Multiplies n_rows filters with the block; operands say where sums start and go. */
static void
run_kernel (const Convolution *self,
            const Block       *block,
            gint64             row,
            gint64             n_rows,
            HybIntegerOperands operands)
{
  const HybIntegerKernels *kernels = self->filters->kernels;

  operands.n_groups = groups_of_depth (self->filters);
  operands.lda = hyb_integer_word_stride (operands.n_groups);
  operands.ldy = block->padded;
  operands.a = self->parts.words + row * operands.lda;
  operands.panel = block->panel;
  hyb_integer_multiply_strip (kernels, kernels->multiply_signed, &operands, n_rows, block->padded);
}

/* Sums of columns, which zero points of filters multiply, come from a filter of ones. */
static void
start_block (const Convolution *self, Block *block)
{
  static const gint32 none[HYB_INTEGER_MAX_COLUMNS] = { 0 };

  memset (block->start, 0, sizeof block->start);
  if (!self->has_zeros)
    return;
  run_kernel (self, block, self->filters->convolve.map_channels, 1,
              (HybIntegerOperands){ .start = none, .row_start = none, .y = block->column_sums });
  for (gint64 j = 0; self->has_same_zeros && j < block->padded; j++)
    block->start[j] =
        (gint32) (0 - (guint32) self->parts.zeros[0] * (guint32) block->column_sums[j]);
}

static void
write_row (const Convolution *self, const Block *block, gint64 f, gint32 *sums)
{
  const HybConvolve      *convolve = &self->filters->convolve;
  const HybIntegerResult *result = self->result;
  gsize                   size = hyb_dtype_size (result->dtype), bytes;
  gint64                  map = convolve->map[0] * convolve->map[1] * convolve->map[2];
  gint64                  channel = self->sample * convolve->map_channels + f;
  char                   *y = (char *) result->y + (gsize) (channel * map + block->at) * size;
  char                    row[HYB_INTEGER_MAX_COLUMNS * sizeof (gint32) + COPY_STEP];
  char                    joined[sizeof row];
  HybIntegerFinish        finish = { .n = block->n,
                                     .sums = sums,
                                     .scale = result->scale + f * result->scale_stride,
                                     .bias = result->bias ? result->bias + f : NULL,
                                     .zero = result->zero };

  if (self->has_zeros && !self->has_same_zeros)
    for (gint64 j = 0; j < block->n; j++)
      sums[j] = (gint32) ((guint32) sums[j] -
                          (guint32) self->parts.zeros[f] * (guint32) block->column_sums[j]);
  if (!self->joins_results)
    {
      hyb_integer_finish (self->filters->kernels, result->dtype, &finish, y);
      return;
    }
  hyb_integer_finish (self->filters->kernels, result->dtype, &finish, row);
  bytes = join_pieces (block->pieces, block->n_pieces, size, row, joined);
  memcpy (y, joined, bytes);
}

/* Multiplies filters [begin, end) with a block. */
static void
multiply_block (const Convolution *self, const Block *block, gint64 begin, gint64 end)
{
  const HybIntegerKernels *kernels = self->filters->kernels;
  const gint32            *bias = self->result->sum_bias;
  gint64                   most = hyb_integer_strip_rows (kernels, block->padded);
  gint64                   n_tiles = (end - begin + most - 1) / most, until;
  gint32                   tile[HYB_INTEGER_MAX_ROWS * HYB_INTEGER_MAX_COLUMNS];
  gint32                   row_start[HYB_INTEGER_MAX_ROWS];

  for (gint64 f = begin, i = 0; f < end; f = until, i++)
    {
      until = begin + (end - begin) * (i + 1) / n_tiles;
      for (gint64 r = f; r < until; r++)
        row_start[r - f] = (gint32) ((guint32) (bias ? bias[r] : 0) -
                                     (guint32) self->zero * (guint32) self->parts.sums[r]);
      run_kernel (self, block, f, until - f,
                  (HybIntegerOperands){ .start = block->start, .row_start = row_start, .y = tile });
      for (gint64 r = f; r < until; r++)
        write_row (self, block, r, tile + (r - f) * block->padded);
    }
}

static gsize
panel_size (const HybIntegerFilters *filters)
{
  /* gather() writes whole panels. */
  return (gsize) ((groups_of_depth (filters) + 1) * filters->kernels->group *
                  HYB_INTEGER_MAX_COLUMNS);
}

/* Items go through the groups and parts of the filters of a block first, so that the block is described once. */
static void
convolve_item (const Convolution *self, gint64 item, Block *block)
{
  const HybConvolve *convolve = &self->filters->convolve;
  gint64             n_filters = convolve->map_channels / convolve->groups;
  gint64             part = item % self->n_parts, group = item / self->n_parts % convolve->groups;
  gint64             first = item / self->n_parts / convolve->groups * HYB_INTEGER_MAX_COLUMNS;

  if (first != block->first)
    describe_block (self, first, block);
  if (block->n_pieces == 0)
    return;
  gather_block (self, group, block);
  start_block (self, block);
  multiply_block (self, block, group * n_filters + n_filters * part / self->n_parts,
                  group * n_filters + n_filters * (part + 1) / self->n_parts);
}

static void
convolve_slices (gint64 begin, gint64 end, gpointer data)
{
  const Convolution *self = data;

  for (gint64 slice = begin; slice < end; slice++)
    {
      Block block;

      block.panel = self->panels + slice * (gint64) panel_size (self->filters);
      block.first = -1;
      for (gint64 item = self->n_items * slice / self->n_slices;
           item < self->n_items * (slice + 1) / self->n_slices; item++)
        convolve_item (self, item, &block);
    }
}

static gint64
count_blocks (gint64 n_positions)
{
  return (n_positions + HYB_INTEGER_MAX_COLUMNS - 1) / HYB_INTEGER_MAX_COLUMNS;
}

/* Divides the work of a sample: the same for any number of threads.  Positions between rows of the map are left out when
 * results are written or, if that makes fewer blocks for many filters, when sources are gathered. */
static void
divide_work (Convolution *self)
{
  const HybConvolve *convolve = &self->filters->convolve;
  const gint64      *size = self->planes.size, *map = convolve->map;
  gint64             n_filters = convolve->map_channels / convolve->groups;
  gint64             n = map[0] * map[1] * map[2];
  gboolean           has_gaps = size[2] != map[2] || (size[1] != map[1] && map[0] > 1);

  self->joins_sources = has_gaps && !self->planes.is_image && n_filters >= MANY_FILTERS &&
                        count_blocks (n) < count_blocks (self->planes.n_positions);
  self->joins_results = has_gaps && !self->joins_sources;
  self->n_positions = self->joins_sources ? n : self->planes.n_positions;
  self->n_blocks = count_blocks (self->n_positions);
  self->n_parts = self->n_blocks * convolve->groups < MANY_BLOCKS
                      ? (n_filters + ITEM_FILTERS - 1) / ITEM_FILTERS
                      : 1;
  self->n_items = convolve->groups * self->n_blocks * self->n_parts;
  self->n_slices = MIN (self->n_items, MAX_SLICES);
}

gsize
hyb_integer_convolve_workspace (const HybIntegerFilters *filters)
{
  HybIntegerPlanes planes = hyb_integer_planes_find (&filters->convolve);
  gint64           bytes = hyb_integer_planes_size (&filters->convolve, &planes);

  if (planes.plane == G_MAXINT64 || bytes > G_MAXINT64 / 2)
    return G_MAXSIZE;
  return (gsize) bytes + COPY_STEP + ALIGNMENT + MAX_SLICES * panel_size (filters);
}

static void
find_zeros (Convolution *self)
{
  const gint32 *zeros = self->parts.zeros;

  self->has_same_zeros = TRUE;
  for (gint64 f = 0; f < self->filters->convolve.map_channels; f++)
    {
      self->has_zeros |= zeros[f] != 0;
      self->has_same_zeros &= zeros[f] == zeros[0];
    }
}

void
hyb_integer_convolve (const HybIntegerFilters *filters,
                      const HybIntegerImage   *image,
                      const HybIntegerResult  *result,
                      gpointer                 workspace)
{
  const HybConvolve *convolve = &filters->convolve;
  HybDType           wanted = filters->kernels->group == 4 ? HYB_U8 : HYB_I8;
  gint64             size =
      convolve->image_channels * convolve->image[0] * convolve->image[1] * convolve->image[2];
  Convolution self = {
    .filters = filters,
    .image = image,
    .result = result,
    .parts = find_parts (filters),
    .planes = hyb_integer_planes_find (convolve),
    .flip = hyb_integer_flip (image->dtype, wanted),
    .zero = image->zero + hyb_integer_offset (image->dtype, wanted),
  };
  gint64 bytes = hyb_integer_planes_size (convolve, &self.planes), work;

  if (convolve->map_channels < 1 || convolve->map[0] * convolve->map[1] * convolve->map[2] < 1)
    return;
  divide_work (&self);
  find_zeros (&self);
  self.panels = (gint8 *) workspace + (bytes + COPY_STEP + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  work = depth_of (convolve) * convolve->map_channels / convolve->groups * HYB_INTEGER_MAX_COLUMNS *
         (self.n_items / self.n_slices);
  for (self.sample = 0; self.sample < convolve->batch; self.sample++)
    {
      self.source =
          self.planes.is_image ? (const guint8 *) image->x + self.sample * size : workspace;
      if (!self.planes.is_image)
        hyb_integer_planes_copy (&(HybIntegerPlanesCopy){
            convolve, &self.planes, (const guint8 *) image->x + self.sample * size,
            (guint8) image->zero, workspace });
      hyb_parallel_for (self.n_slices, MAX (1, GRAIN / MAX (1, work)), convolve_slices, &self);
    }
}
