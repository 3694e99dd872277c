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
#include "engine/kernels/integers/copy-bytes.h"
#include "engine/kernels/integers/planes.h"
#include "engine/kernels/integers/product-private.h"

#include <string.h>

#define ALIGNMENT 64
/* Fewer panels are all gathered first, and threads share the filters that are multiplied with each. */
#define MANY_PANELS  8
#define ITEM_FILTERS 48
/* See pays_to_join(). */
#define VECTOR            16
#define JOIN_FILTERS      25
#define JOIN_FILTERS_WIDE 11
/* Multiplications that are worth waking another thread for. */
#define GRAIN (1 << 20)
/* Bytes of panels likewise. */
#define GATHER_GRAIN (1 << 16)
/* Slices of the work of a sample at most. */
#define MAX_SLICES 32
/* Bytes that a copy of a piece of a row may read and write behind it. */
#define COPY_STEP 16
/* For pieces of one position, or of four bytes each. */
#define MAX_STEPS (2 * HYB_INTEGER_MAX_COLUMNS)
/* Bytes of a row of sources that are copied. */
#define SOURCE_BYTES (HYB_INTEGER_MAX_COLUMNS + COPY_STEP)

/* Copies of COPY_STEP bytes each, which put pieces of rows of the map, or of planes, one after the other. */
typedef struct
{
  gint64 n, bytes; /* all pieces together */
  gint64 from[MAX_STEPS], to[MAX_STEPS];
} Steps;

typedef struct
{
  const HybIntegerFilters *filters;
  const HybIntegerImage   *image;
  const HybIntegerResult  *result;
  HybIntegerFilterParts    parts;
  HybIntegerPlanes         planes;
  gint64                   sample;
  const guint8            *source; /* the planes of this sample */
  guint8                   flip;   /* of bytes of the image, and the zero point of what results */
  gint32                   zero;
  gboolean joins_sources, joins_results; /* where gaps between rows of the map are left out */
  gboolean gathers_first;                /* all panels, before they are multiplied */
  gint64   n_positions;                  /* that are computed */
  gint64   n_blocks, n_parts;            /* of positions; of filters */
  gint64   n_items, n_slices;            /* a slice has a panel of its own */
  gint64   n_groups;                     /* of numbers that a filter multiplies */
  gint64   panel_bytes;                  /* of a strip of panels */
  gboolean has_zeros, has_same_zeros;    /* of filters whose words still have them */
  gint8   *panels;
} Convolution;

/* Adds a piece that starts at byte `from`. */
static void
add_piece (Steps *steps, gint64 from, gint64 bytes)
{
  for (gint64 at = 0; at < bytes; at += COPY_STEP)
    {
      steps->from[steps->n] = from + at;
      steps->to[steps->n++] = steps->bytes + at;
    }
  steps->bytes += bytes;
}

/* Joins pieces, reading and writing up to COPY_STEP bytes behind each. */
static void
join_pieces (const Steps *steps, gconstpointer from, gpointer to)
{
  for (gint64 i = 0; i < steps->n; i++)
    memcpy ((char *) to + steps->to[i], (const char *) from + steps->from[i], COPY_STEP);
}

/* Finds the pieces of rows of the map in n positions of planes from `first` on; returns the number of the first one in the
 * map.  size: bytes of a result. */
static gint64
find_results (const Convolution *self, gint64 first, gint64 n, gint64 size, Steps *steps)
{
  const HybConvolve *convolve = &self->filters->convolve;
  gint64             width = self->planes.size[2], height = self->planes.size[1], at = -1;

  for (gint64 p = first; p < first + n; p = (p / width + 1) * width)
    {
      gint64 x = p % width, y = p / width % height, z = p / width / height;
      gint64 length = MIN (convolve->map[2] - x, first + n - p);

      if (length <= 0 || y >= convolve->map[1])
        continue;
      if (at < 0)
        at = (z * convolve->map[1] + y) * convolve->map[2] + x;
      add_piece (steps, (p - first) * size, length * size);
    }
  return at;
}

/* Finds the pieces of planes that n positions of the map from `first` on read. */
static void
find_sources (const Convolution *self, gint64 first, gint64 n, Steps *steps)
{
  const gint64 *map = self->filters->convolve.map, *size = self->planes.size;
  gint64        length;

  for (gint64 p = first; p < first + n; p += length)
    {
      gint64 x = p % map[2], y = p / map[2] % map[1], z = p / map[2] / map[1];

      length = MIN (map[2] - x, first + n - p);
      add_piece (steps, (z * size[1] + y) * size[2] + x, length);
    }
}

/* What is the same for all filters of an item. */
typedef struct
{
  gint8 *panel;
  gint64 first, n, padded; /* positions, and those of whole vectors */
  gint64 at;               /* the first one in the map */
  Steps  steps;            /* for results, or for sources where those are joined */
  gint32 column_sums[HYB_INTEGER_MAX_COLUMNS]; /* of the panel, where filters have zero points */
  gint32 start[HYB_INTEGER_MAX_COLUMNS];
} Block;

static void
describe_block (const Convolution *self, gint64 first, Block *block)
{
  gint64 lanes = self->filters->kernels->lanes;
  gint64 size = (gint64) hyb_dtype_size (self->result->dtype);

  block->first = block->at = first;
  block->n = MIN (HYB_INTEGER_MAX_COLUMNS, self->n_positions - first);
  block->padded = (block->n + lanes - 1) / lanes * lanes;
  block->steps.n = block->steps.bytes = 0;
  if (self->joins_sources)
    find_sources (self, first, block->n, &block->steps);
  else if (self->joins_results)
    block->at = find_results (self, first, block->n, size, &block->steps);
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
  for (gint64 i = 0; i < HYB_INTEGER_GROUP; i++)
    {
      const guint8 *source = from + self->parts.offsets[group * HYB_INTEGER_GROUP + i];

      if (self->joins_sources)
        join_pieces (&block->steps, source, rows[i]);
      else
        hyb_integer_copy (block->n, source + block->first, rows[i]);
    }
}

/* What sums of the columns of a gathered panel start with less, where words have 16-bit integers; it lies behind the panel. */
static gint32 *
column_pairs (const Convolution *self, const Block *block)
{
  return (gint32 *) (gpointer) (block->panel + self->panel_bytes) - HYB_INTEGER_MAX_COLUMNS;
}

/* Gathers a block of a group of channels into the panels of a strip. */
static void
gather_block (const Convolution *self, gint64 group, const Block *block)
{
  static const gint64      offsets[] = { 0, SOURCE_BYTES, 2 * SOURCE_BYTES, 3 * SOURCE_BYTES };
  const HybIntegerKernels *kernels = self->filters->kernels;
  const HybConvolve       *convolve = &self->filters->convolve;
  gint64                   n_groups = self->n_groups, width = kernels->n_vectors * kernels->lanes;
  const guint8 *from = self->source + group * (convolve->image_channels / convolve->groups) *
                                          self->planes.n_phases * self->planes.plane;
  gboolean is_copied = self->joins_sources || block->n < HYB_INTEGER_MAX_COLUMNS;
  guint8   rows[HYB_INTEGER_GROUP][SOURCE_BYTES] = { { 0 } };

  memset (column_pairs (self, block), 0, HYB_INTEGER_MAX_COLUMNS * sizeof (gint32));
  for (gint64 g = 0; g < n_groups; g += is_copied ? 1 : n_groups)
    {
      if (is_copied)
        copy_sources (self, block, from, g, rows);
      for (gint64 at = 0; at < block->padded; at += width)
        {
          HybIntegerGather gather = { .from = is_copied ? rows[0] + at : from + block->first + at,
                                      .offsets = is_copied ? offsets : self->parts.offsets,
                                      .n_groups = is_copied ? 1 : n_groups,
                                      .pitch = MIN (width, block->padded - at) * kernels->word,
                                      .flip = self->flip,
                                      .pairs = column_pairs (self, block) + at };

          gather.panel = block->panel + at * n_groups * kernels->word + g * gather.pitch;
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

  operands.n_groups = self->n_groups;
  operands.lda = hyb_integer_word_stride (kernels, operands.n_groups);
  operands.ldy = block->padded;
  operands.a = self->parts.words + row * operands.lda;
  operands.panel = block->panel;
  hyb_integer_multiply_strip (kernels, kernels->multiply_gathered, &operands, n_rows,
                              block->padded);
}

/* Sums of columns, which zero points of filters multiply, come from a filter of ones. */
static void
start_block (const Convolution *self, Block *block)
{
  static const gint32 none[HYB_INTEGER_MAX_COLUMNS] = { 0 };

  for (gint64 j = 0; hyb_integer_is_wide (self->filters->kernels) && j < block->padded; j++)
    block->start[j] = (gint32) (0 - (guint32) column_pairs (self, block)[j]);
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
  gsize                   size = hyb_dtype_size (result->dtype);
  gint64                  map = hyb_volume (convolve->map);
  gint64                  channel = self->sample * convolve->map_channels + f;
  char                   *y = (char *) result->y + (gsize) (channel * map + block->at) * size;
  _Alignas(64) char       row[HYB_INTEGER_MAX_COLUMNS * sizeof (gint32) + COPY_STEP];
  _Alignas(64) char       joined[sizeof row];
  HybIntegerFinish        finish = { .n = block->n,
                                     .sums = sums,
                                     .scale =
                                  result->scale ? result->scale + f * result->scale_stride : NULL,
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
  join_pieces (&block->steps, row, joined);
  hyb_integer_copy (block->steps.bytes, joined, y);
}

static gint64
divide_up (gint64 n, gint64 by)
{
  return (n + by - 1) / by;
}

/* Multiplies filters [begin, end) with a block. */
static void
multiply_block (const Convolution *self, const Block *block, gint64 begin, gint64 end)
{
  const HybIntegerKernels *kernels = self->filters->kernels;
  const gint32            *bias = self->result->sum_bias;
  gint64                   most = hyb_integer_strip_rows (kernels, block->padded);
  gint64                   n_tiles = end - begin <= most ? 1 : divide_up (end - begin, most), until;
  gint32                   tile[HYB_INTEGER_MAX_ROWS * HYB_INTEGER_MAX_COLUMNS];
  gint32                   row_start[HYB_INTEGER_MAX_ROWS];

  for (gint64 f = begin, i = 0; f < end; f = until, i++)
    {
      until = n_tiles == 1 ? end : begin + (end - begin) * (i + 1) / n_tiles;
      for (gint64 r = f; r < until; r++)
        row_start[r - f] =
            (gint32) ((guint32) (bias ? bias[r] : 0) - (guint32) self->parts.pairs[r] -
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
  /* gather() writes whole panels; column_pairs() lies behind them. */
  return (gsize) ((hyb_integer_filter_groups (filters) + 1) * filters->kernels->word +
                  (gint64) sizeof (gint32)) *
         HYB_INTEGER_MAX_COLUMNS;
}

/* The positions and the group of channels of panel number `index`. */
static gint64
describe_panel (const Convolution *self, gint64 index, gint64 panel, Block *block)
{
  gint64 groups = self->filters->convolve.groups, number = groups == 1 ? index : index / groups;
  gint64 first = number * HYB_INTEGER_MAX_COLUMNS;

  block->panel = self->panels + panel * self->panel_bytes;
  if (first != block->first)
    describe_block (self, first, block);
  return index - number * groups;
}

static void
gather_panels (gint64 begin, gint64 end, gpointer data)
{
  const Convolution *self = data;
  Block              block = { .first = -1 };

  for (gint64 index = begin; index < end; index++)
    {
      gint64 group = describe_panel (self, index, index, &block);

      gather_block (self, group, &block);
    }
}

/* The first filter of a part of a group. */
static gint64
begin_part (const Convolution *self, gint64 n_filters, gint64 part)
{
  return self->n_parts == 1 ? n_filters * part : n_filters * part / self->n_parts;
}

/* Items go through the groups and parts of the filters of a block first, so that the block is described once.  A slice has
 * one panel, unless all were gathered before. */
static void
convolve_slices (gint64 begin, gint64 end, gpointer data)
{
  const Convolution *self = data;
  gint64 n_filters = self->filters->convolve.map_channels / self->filters->convolve.groups;

  for (gint64 slice = begin; slice < end; slice++)
    {
      Block block;

      block.first = -1;
      memset (block.start, 0, sizeof block.start);
      for (gint64 item = self->n_items * slice / self->n_slices;
           item < self->n_items * (slice + 1) / self->n_slices; item++)
        {
          gint64 index = self->n_parts == 1 ? item : item / self->n_parts;
          gint64 part = item - index * self->n_parts;
          gint64 group = describe_panel (self, index, self->gathers_first ? index : slice, &block);

          if (self->joins_results && block.steps.n == 0)
            continue;
          if (!self->gathers_first)
            gather_block (self, group, &block);
          start_block (self, &block);
          multiply_block (self, &block, group * n_filters + begin_part (self, n_filters, part),
                          group * n_filters + begin_part (self, n_filters, part + 1));
        }
    }
}

/* Whether sources are joined, so that there are no positions between rows of the map.  It takes as long as multiplying a
 * vector of each with 25 filters (AMD EPYC, VNNI), or with 11 where words of 16-bit integers take 2.3 times as long. */
static gboolean
pays_to_join (const Convolution *self, gint64 n_filters, gint64 n)
{
  gint64 joined = divide_up (n, VECTOR), whole = divide_up (self->planes.n_positions, VECTOR);
  gint64 filters = hyb_integer_is_wide (self->filters->kernels) ? JOIN_FILTERS_WIDE : JOIN_FILTERS;

  return !self->planes.is_image && n_filters * (whole - joined) > filters * joined;
}

/* Divides the work of a sample: the same for any number of threads.  Positions between rows of the map are left out when
 * results are written or, if that makes fewer blocks for many filters, when sources are gathered. */
static void
divide_work (Convolution *self)
{
  const HybConvolve *convolve = &self->filters->convolve;
  const gint64      *size = self->planes.size, *map = convolve->map;
  gint64             n_filters = convolve->map_channels / convolve->groups;
  gint64             n = hyb_volume (map);
  gboolean           has_gaps = size[2] != map[2] || (size[1] != map[1] && map[0] > 1);

  self->joins_sources = has_gaps && pays_to_join (self, n_filters, n);
  self->joins_results = has_gaps && !self->joins_sources;
  self->n_positions = self->joins_sources ? n : self->planes.n_positions;
  self->n_blocks = divide_up (self->n_positions, HYB_INTEGER_MAX_COLUMNS);
  self->gathers_first = self->n_blocks * convolve->groups < MANY_PANELS;
  self->n_parts = self->gathers_first ? divide_up (n_filters, ITEM_FILTERS) : 1;
  self->n_items = convolve->groups * self->n_blocks * self->n_parts;
  self->n_slices = MIN (self->n_items, MAX_SLICES);
  self->n_groups = hyb_integer_filter_groups (self->filters);
  self->panel_bytes = (gint64) panel_size (self->filters);
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
  HybDType           wanted = hyb_integer_is_wide (filters->kernels) ? HYB_I8 : HYB_U8;
  gint64             size = convolve->image_channels * hyb_volume (convolve->image);
  Convolution        self = {
           .filters = filters,
           .image = image,
           .result = result,
           .parts = hyb_integer_filter_parts (filters),
           .planes = hyb_integer_planes_find (convolve),
           .flip = hyb_integer_flip (image->dtype, wanted),
           .zero = image->zero + hyb_integer_offset (image->dtype, wanted),
  };
  gint64 bytes = hyb_integer_planes_size (convolve, &self.planes), work;

  if (convolve->map_channels < 1 || hyb_volume (convolve->map) < 1)
    return;
  divide_work (&self);
  find_zeros (&self);
  self.panels = (gint8 *) workspace + (bytes + COPY_STEP + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  work = hyb_integer_filter_depth (convolve) * convolve->map_channels / convolve->groups *
         HYB_INTEGER_MAX_COLUMNS * (self.n_items / self.n_slices);
  for (self.sample = 0; self.sample < convolve->batch; self.sample++)
    {
      self.source =
          self.planes.is_image ? (const guint8 *) image->x + self.sample * size : workspace;
      if (!self.planes.is_image)
        hyb_integer_planes_copy (&(HybIntegerPlanesCopy){
            convolve, &self.planes, (const guint8 *) image->x + self.sample * size,
            (guint8) image->zero, workspace });
      if (self.gathers_first)
        hyb_parallel_for (self.n_blocks * convolve->groups,
                          MAX (1, GATHER_GRAIN / (gint64) panel_size (filters)), gather_panels,
                          &self);
      hyb_parallel_for (self.n_slices, MAX (1, GRAIN / MAX (1, work)), convolve_slices, &self);
    }
}
