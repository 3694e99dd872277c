/* convolve-kernel.h — the loops of convolve.c, for float and double.
 *
 * columns_rows (im2col): for each row k of the column matrix (a channel and a tap), for each row
 * of the map: copy a row of the image, zeros outside it.  columns_add_channels (col2im): the
 * inverse, adding. direct_slice (depthwise): for each sample and group, for each filter, for
 * each tap, for each row of the map: a row of multiply-adds.  Start with convolve(),
 * convolve_transposed() and convolve_weight() at the end.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

typedef struct
{
  const HybConvolve *convolve;
  const REAL        *image; /* of one group of one sample */
  REAL              *columns;
  gint64             pitch; /* elements from one row of the column matrix to the next */
} NAME (Columns);

/* Copies n elements.  Most runs are short, so that calling memcpy() would take longer. */
static inline void
NAME (copy_run) (REAL *to, const REAL *from, gint64 n)
{
  for (; n >= 8; n -= 8, to += 8, from += 8)
    memcpy (to, from, 8 * sizeof (REAL));
  for (; n > 0; n--)
    *to++ = *from++;
}

/* Writes rows [begin, end) of the column matrix, (channels · taps) × positions. */
static void
NAME (columns_rows) (gint64 begin, gint64 end, gpointer data)
{
  const NAME (Columns) *job = data;
  const HybConvolve *convolve = job->convolve;
  const gint64      *kernel = convolve->kernel;
  const gint64      *map = convolve->map;

  for (gint64 row = begin; row < end; row++)
    {
      /* row = ((channel · kernel[0] + tap[0]) · kernel[1] + tap[1]) · kernel[2] + tap[2]. */
      gint64      tap[3] = { row / (kernel[2] * kernel[1]) % kernel[0], row / kernel[2] % kernel[1],
                             row % kernel[2] };
      const REAL *image = job->image + row / hyb_volume (kernel) * hyb_volume (convolve->image);
      REAL       *to = job->columns + row * job->pitch;
      gint64      low, high;

      inside_range (convolve, 2, tap[2], &low, &high);

      for (gint64 i = 0; i < map[0]; i++)
        for (gint64 j = 0; j < map[1]; j++, to += map[2])
          {
            gint64 d = cell_at (convolve, 0, i, tap[0]);
            gint64 h = cell_at (convolve, 1, j, tap[1]);

            /* The taps of this run of map[2] positions all lie in the padding. */
            if (d < 0 || d >= convolve->image[0] || h < 0 || h >= convolve->image[1] || low == high)
              {
                memset (to, 0, sizeof (REAL) * (gsize) map[2]);
                continue;
              }

            const REAL *from = image + (d * convolve->image[1] + h) * convolve->image[2];
            gint64      first = cell_at (convolve, 2, low, tap[2]);

            /* Positions below low and from high on read padding along the last axis: zeros. */
            if (low > 0)
              memset (to, 0, sizeof (REAL) * (gsize) low);
            if (convolve->stride[2] == 1)
              NAME (copy_run) (to + low, from + first, high - low);
            else
              for (gint64 k = low; k < high; k++)
                to[k] = from[first + (k - low) * convolve->stride[2]];
            if (high < map[2])
              memset (to + high, 0, sizeof (REAL) * (gsize) (map[2] - high));
          }
    }
}

/* Adds the elements of the column matrix that belong to channels [begin, end) to the image cells
 * that they were copied from. */
static void
NAME (columns_add_channels) (gint64 begin, gint64 end, gpointer data)
{
  /* Taps of one channel overlap in the image, so the work is divided by channels and not by rows:
   * no two threads add to the same cell. */
  const NAME (Columns) *job = data;
  const HybConvolve *convolve = job->convolve;
  const gint64      *kernel = convolve->kernel;
  const gint64      *map = convolve->map;
  gint64             taps = hyb_volume (kernel);

  for (gint64 row = begin * taps; row < end * taps; row++)
    {
      gint64      tap[3] = { row / (kernel[2] * kernel[1]) % kernel[0], row / kernel[2] % kernel[1],
                             row % kernel[2] };
      const REAL *from = job->columns + row * job->pitch;
      REAL       *image = (REAL *) job->image + row / taps * hyb_volume (convolve->image);
      gint64      low, high;

      inside_range (convolve, 2, tap[2], &low, &high);

      for (gint64 i = 0; i < map[0]; i++)
        for (gint64 j = 0; j < map[1]; j++, from += map[2])
          {
            gint64 d = cell_at (convolve, 0, i, tap[0]);
            gint64 h = cell_at (convolve, 1, j, tap[1]);

            /* Padding has no cell: its gradient is dropped. */
            if (d < 0 || d >= convolve->image[0] || h < 0 || h >= convolve->image[1])
              continue;

            REAL *to = image + (d * convolve->image[1] + h) * convolve->image[2];

            for (gint64 k = low; k < high; k++)
              to[cell_at (convolve, 2, k, tap[2])] += from[k];
          }
    }
}

/* Writes one row of the image, whose cells take turns among `taps` rows of the column matrix that are `pitch` apart. */
static inline void
NAME (interleave_row) (gint64 n, gint64 taps, gint64 pitch, REAL bias, const REAL *from, REAL *to)
{
  if (taps == 2)
    HYB_INDEPENDENT
  for (gint64 k = 0; k < n; k++)
    {
      to[2 * k] = bias + from[k];
      to[2 * k + 1] = bias + from[k + pitch];
    }
  else for (gint64 tap = 0; tap < taps; tap++) HYB_INDEPENDENT for (gint64 k = 0; k < n; k++)
      to[k * taps + tap] = bias + from[tap * pitch + k];
}

/* A transposed convolution whose windows tile the image. */
typedef struct
{
  NAME (Columns) columns;
  REAL       *image;
  const REAL *bias; /* of the same channels; NULL for none */
} NAME (Tiles);

/* Writes channels [begin, end) of the image: each cell is one element of the column matrix, plus the bias. */
static void
NAME (columns_tile_channels) (gint64 begin, gint64 end, gpointer data)
{
  const NAME (Tiles) *job = data;
  const HybConvolve *convolve = job->columns.convolve;
  const gint64      *kernel = convolve->kernel, *map = convolve->map, *image = convolve->image;
  gint64             taps = hyb_volume (kernel), pitch = job->columns.pitch;

  for (gint64 channel = begin; channel < end; channel++)
    for (gint64 line = 0; line < image[0] * image[1]; line++)
      {
        gint64 d = line / image[1], h = line % image[1];
        gint64 tap = (d % kernel[0] * kernel[1] + h % kernel[1]) * kernel[2];
        gint64 position = (d / kernel[0] * map[1] + h / kernel[1]) * map[2];

        NAME (interleave_row)
        (map[2], kernel[2], pitch, job->bias ? job->bias[channel] : 0,
         job->columns.columns + (channel * taps + tap) * pitch + position,
         job->image + (channel * image[0] * image[1] + line) * image[2]);
      }
}

/* One depthwise convolution: map += weight ⋆ image, or its transpose image += weight ⋆ map, or the
 * gradient weight += map ⋆ image. */
typedef struct
{
  const HybConvolve *convolve;
  const REAL        *image;
  const REAL        *weight;
  const REAL        *map;
  Target             target;
} NAME (Direct);

static inline void
NAME (direct_row) (const NAME (Direct) * job, REAL *image, REAL *map, REAL *weight, gint64 length)
{
  gint64 stride = job->convolve->stride[2];
  REAL   w = *weight;

  if (job->target == TO_MAP)
    for (gint64 k = 0; k < length; k++)
      map[k] += w * image[k * stride];
  else if (job->target == TO_IMAGE)
    for (gint64 k = 0; k < length; k++)
      image[k * stride] += w * map[k];
  else
    {
      double sum = 0.0;

      for (gint64 k = 0; k < length; k++)
        sum += (double) map[k] * (double) image[k * stride];
      *weight += (REAL) sum;
    }
}

static void
NAME (direct_plane) (const NAME (Direct) * job, REAL *image, REAL *weight, REAL *map)
{
  const HybConvolve *convolve = job->convolve;
  const gint64      *kernel = convolve->kernel;

  for (gint64 t = 0; t < hyb_volume (kernel); t++)
    {
      gint64 tap[3] = { t / (kernel[2] * kernel[1]), t / kernel[2] % kernel[1], t % kernel[2] };
      gint64 low[3], high[3];

      for (int axis = 0; axis < 3; axis++)
        inside_range (convolve, axis, tap[axis], &low[axis], &high[axis]);

      for (gint64 i = low[0]; i < high[0]; i++)
        for (gint64 j = low[1]; j < high[1]; j++)
          {
            gint64 line = cell_at (convolve, 0, i, tap[0]) * convolve->image[1] +
                          cell_at (convolve, 1, j, tap[1]);

            NAME (direct_row)
            (job, image + line * convolve->image[2] + cell_at (convolve, 2, low[2], tap[2]),
             map + (i * convolve->map[1] + j) * convolve->map[2] + low[2], weight + t,
             high[2] - low[2]);
          }
    }
}

/* Slices are (sample, group) pairs if the target is the image or the map, and groups if it is the
 * weights, so that no two slices write to the same element. */
static void
NAME (direct_slice) (gint64 begin, gint64 end, gpointer data)
{
  const NAME (Direct) *job = data;
  const HybConvolve *convolve = job->convolve;
  gint64             filters = convolve->map_channels / convolve->groups;
  gint64             samples = job->target == TO_WEIGHT ? convolve->batch : 1;

  for (gint64 at = begin; at < end; at++)
    for (gint64 sample = 0; sample < samples; sample++)
      for (gint64 filter = 0; filter < filters; filter++)
        {
          gint64 plane = at + sample * convolve->groups;
          gint64 channel = (at % convolve->groups) * filters + filter;

          NAME (direct_plane)
          (job, (REAL *) job->image + plane * hyb_volume (convolve->image),
           (REAL *) job->weight + channel * hyb_volume (convolve->kernel),
           (REAL *) job->map + (plane * filters + filter) * hyb_volume (convolve->map));
        }
}

static void
NAME (direct) (const NAME (Direct) * job)
{
  const HybConvolve *convolve = job->convolve;
  gint64             n = convolve->groups;

  if (job->target != TO_WEIGHT)
    n *= convolve->batch;
  hyb_parallel_for (n, 1, NAME (direct_slice), (gpointer) job);
}

/* Returns the column matrix of one group of one sample: the image itself if pointwise, else an area
 * of the workspace. */
static const REAL *
NAME (make_columns) (const HybConvolve *convolve, const REAL *image, REAL *workspace, gint64 area)
{
  gint64 rows = convolve->image_channels / convolve->groups * hyb_volume (convolve->kernel);
  gint64 positions = hyb_volume (convolve->map);
  NAME (Columns) job = { convolve, image, NULL, positions };

  if (choose_method (convolve) == METHOD_POINTWISE)
    return image;

  job.columns = workspace + area * rows * positions;
  hyb_parallel_for (rows, 1 + 16384 / MAX (positions, 1), NAME (columns_rows), &job);
  return job.columns;
}

static void
NAME (fill_with_bias) (gint64 batch, gint64 channels, gint64 size, const REAL *bias, REAL *to)
{
  for (gint64 i = 0; i < batch * channels; i++)
    {
      REAL value = bias ? bias[i % channels] : 0;

      for (gint64 k = 0; k < size; k++)
        to[i * size + k] = value;
    }
}

/* A convolution or a transposed one. */
typedef struct
{
  const HybConvolve         *convolve;
  const HybConvolveOperands *operands;
} NAME (Pass);

/* Computes one group of one sample of the map. */
static void
NAME (convolve_part) (gint64 part, gint64 area, gconstpointer data)
{
  const NAME (Pass) *pass = data;
  const HybConvolve *convolve = pass->convolve;
  gint64             filters = convolve->map_channels / convolve->groups;
  gint64             channels = convolve->image_channels / convolve->groups;
  gint64             depth = channels * hyb_volume (convolve->kernel);
  gint64             positions = hyb_volume (convolve->map);
  const REAL        *image = pass->operands->data, *weight = pass->operands->weight;
  REAL              *map = pass->operands->result, *workspace = pass->operands->workspace;
  HybGemm            gemm = { .m = filters,
                              .n = positions,
                              .k = depth,
                              .lda = depth,
                              .ldb = positions,
                              .ldc = positions,
                              .alpha = 1.0,
                              .beta = pass->operands->bias ? 1.0 : 0.0 };

  NAME (hyb_gemm)
  (&gemm, weight + part % convolve->groups * filters * depth,
   NAME (make_columns) (convolve, image + part * channels * hyb_volume (convolve->image), workspace,
                        area),
   map + part * filters * positions);
}

/* See hyb_convolve(). */
static void
NAME (convolve) (const HybConvolve *convolve, const HybConvolveOperands *operands)
{
  const REAL *image = operands->data, *weight = operands->weight, *bias = operands->bias;
  REAL       *map = operands->result;
  gint64      positions = hyb_volume (convolve->map);
  HybParts    parts = find_parts (convolve);

  if (bias || choose_method (convolve) == METHOD_DEPTHWISE)
    NAME (fill_with_bias) (convolve->batch, convolve->map_channels, positions, bias, map);

  if (choose_method (convolve) == METHOD_DEPTHWISE)
    {
      NAME (direct) (&(NAME (Direct)){ convolve, image, weight, map, TO_MAP });
      return;
    }

  hyb_parts_for_each (&parts, NAME (convolve_part), &(NAME (Pass)){ convolve, operands });
}

/* Computes one group of one sample of the image. */
static void
NAME (transposed_part) (gint64 part, gint64 area, gconstpointer data)
{
  /* Shapes, for one sample and group: weight (filters, depth), map (filters, positions), columns
   * (depth, positions) = weightᵀ · map.  A pointwise kernel has one tap, so its columns are the
   * image. */
  const NAME (Pass) *pass = data;
  const HybConvolve *convolve = pass->convolve;
  Method             method = choose_method (convolve);
  gint64             filters = convolve->map_channels / convolve->groups;
  gint64             channels = convolve->image_channels / convolve->groups;
  gint64             depth = channels * hyb_volume (convolve->kernel);
  gint64             positions = hyb_volume (convolve->map);
  const REAL        *map = pass->operands->data, *weight = pass->operands->weight;
  const REAL        *bias = pass->operands->bias;
  REAL              *image = pass->operands->result, *workspace = pass->operands->workspace;
  REAL              *to = image + part * channels * hyb_volume (convolve->image);
  REAL   *columns = method == METHOD_POINTWISE ? to : workspace + area * depth * positions;
  HybGemm gemm = { .transpose_a = TRUE,
                   .m = depth,
                   .n = positions,
                   .k = filters,
                   .lda = depth,
                   .ldb = positions,
                   .ldc = positions,
                   .alpha = 1.0,
                   .beta = method == METHOD_POINTWISE && bias ? 1.0 : 0.0 };

  NAME (hyb_gemm)
  (&gemm, weight + part % convolve->groups * filters * depth, map + part * filters * positions,
   columns);
  if (method != METHOD_COLUMNS)
    return;
  if (bias)
    bias += part % convolve->groups * channels;
  if (windows_tile_image (convolve))
    hyb_parallel_for (channels, 1, NAME (columns_tile_channels),
                      &(NAME (Tiles)){ { convolve, NULL, columns, positions }, to, bias });
  else if (NAME (writes_image) (convolve))
    NAME (write_image) (convolve, columns, positions, bias, to);
  else
    hyb_parallel_for (channels, 1, NAME (columns_add_channels),
                      &(NAME (Columns)){ convolve, to, columns, positions });
}

static void
NAME (convolve_transposed) (const HybConvolve *convolve, const HybConvolveOperands *operands)
{
  const REAL *map = operands->data, *weight = operands->weight, *bias = operands->bias;
  REAL       *image = operands->result;
  Method      method = choose_method (convolve);
  HybParts    parts = find_parts (convolve);
  gboolean    is_written =
      method == METHOD_COLUMNS && (windows_tile_image (convolve) || NAME (writes_image) (convolve));

  if (!is_written && (method != METHOD_POINTWISE || bias))
    {
      gint64 size = hyb_volume (convolve->image);

      NAME (fill_with_bias) (convolve->batch, convolve->image_channels, size, bias, image);
    }

  if (method == METHOD_DEPTHWISE)
    {
      NAME (direct) (&(NAME (Direct)){ convolve, image, weight, map, TO_IMAGE });
      return;
    }

  hyb_parts_for_each (&parts, NAME (transposed_part), &(NAME (Pass)){ convolve, operands });
}

/* The gradient of weights, of all samples or of a chunk of them. */
typedef struct
{
  const HybConvolve               *convolve;
  const HybConvolveWeightOperands *operands;
  Chunks                           chunks;
} NAME (WeightPass);

/* Writes the column matrices of samples that follow each other, side by side, and their maps
 * likewise behind them.  first: sample × groups + group. */
static void
NAME (lay_side_by_side) (const NAME (WeightPass) * pass, gint64 first, gint64 n, REAL *area)
{
  const HybConvolve *convolve = pass->convolve;
  gint64             channels = convolve->image_channels / convolve->groups;
  gint64             filters = convolve->map_channels / convolve->groups;
  gint64             rows = channels * hyb_volume (convolve->kernel);
  gint64             positions = hyb_volume (convolve->map);
  const REAL        *image = pass->operands->image, *map = pass->operands->map;
  REAL              *maps = area + rows * n * positions;

  for (gint64 i = 0; i < n; i++)
    {
      gint64 at = first + i * convolve->groups;
      NAME (Columns)
      job = { convolve, image + at * channels * hyb_volume (convolve->image), area + i * positions,
              n * positions };

      NAME (columns_rows) (0, rows, &job);
      for (gint64 f = 0; f < filters; f++)
        memcpy (maps + (f * n + i) * positions, map + (at * filters + f) * positions,
                sizeof (REAL) * (gsize) positions);
    }
}

/* Adds the products of one chunk of samples to its own copy of the weights. */
static void
NAME (weight_chunk) (gint64 chunk, gint64 area, gconstpointer data)
{
  /* Shapes, for one group: sums (filters, depth), columns (depth, length) and, behind them, maps
   * (filters, length); sums += maps · columnsᵀ. */
  const NAME (WeightPass) *pass = data;
  const HybConvolve *convolve = pass->convolve;
  const Chunks      *chunks = &pass->chunks;
  gint64             filters = convolve->map_channels / convolve->groups;
  gint64             depth = chunks->weights / convolve->map_channels;
  gint64             end = MIN ((chunk + 1) * chunks->samples, convolve->batch);
  REAL              *sums = (REAL *) pass->operands->workspace + chunk * chunks->weights;
  REAL              *columns =
      (REAL *) pass->operands->workspace + chunks->n * chunks->weights + area * chunks->area;

  /* Chunks run at the same time, so each has sums of its own, which are added up afterwards. */
  memset (sums, 0, sizeof (REAL) * (gsize) chunks->weights);
  for (gint64 sample = chunk * chunks->samples; sample < end; sample += chunks->merged)
    {
      gint64  n = MIN (end - sample, chunks->merged), length = n * hyb_volume (convolve->map);
      HybGemm gemm = find_weight_product (filters, depth, length);

      for (gint64 group = 0; group < convolve->groups; group++)
        {
          NAME (lay_side_by_side) (pass, sample * convolve->groups + group, n, columns);
          NAME (hyb_gemm)
          (&gemm, columns + depth * length, columns, sums + group * filters * depth);
        }
    }
}

/* Adds elements [begin, end) of all chunks in their order. */
static void
NAME (add_chunks) (gint64 begin, gint64 end, gpointer data)
{
  const NAME (WeightPass) *pass = data;
  const REAL *sums = pass->operands->workspace;
  REAL       *weight = pass->operands->weight;

  memcpy (weight + begin, sums + begin, sizeof (REAL) * (gsize) (end - begin));
  for (gint64 chunk = 1; chunk < pass->chunks.n; chunk++)
    for (gint64 i = begin; i < end; i++)
      weight[i] += sums[chunk * pass->chunks.weights + i];
}

static void
NAME (convolve_weight_by_chunks) (const NAME (WeightPass) * pass)
{
  HybParts parts = chunk_parts (pass->convolve, &pass->chunks);

  hyb_parts_for_each (&parts, NAME (weight_chunk), pass);
  hyb_parallel_for (pass->chunks.weights, 16384, NAME (add_chunks), (gpointer) pass);
}

static void
NAME (convolve_weight) (const HybConvolve *convolve, const HybConvolveWeightOperands *operands)
{
  /* Shapes, for one sample and group: map (filters, positions), columns (depth, positions), weight
   * (filters, depth) += map · columnsᵀ. */
  const REAL *image = operands->image, *map = operands->map;
  REAL       *weight = operands->weight;
  gint64      filters = convolve->map_channels / convolve->groups;
  gint64      depth = convolve->image_channels / convolve->groups * hyb_volume (convolve->kernel);
  gint64      positions = hyb_volume (convolve->map);
  gint64  image_size = convolve->image_channels / convolve->groups * hyb_volume (convolve->image);
  HybGemm gemm = find_weight_product (filters, depth, positions);

  NAME (WeightPass) pass = { convolve, operands, find_chunks (convolve) };

  if (pass.chunks.n > 1)
    {
      NAME (convolve_weight_by_chunks) (&pass);
      return;
    }
  /* Both ways below add up over the samples. */
  memset (weight, 0, sizeof (REAL) * (gsize) (convolve->map_channels * depth));

  if (choose_method (convolve) == METHOD_DEPTHWISE)
    {
      NAME (direct) (&(NAME (Direct)){ convolve, image, weight, map, TO_WEIGHT });
      return;
    }

  for (gint64 i = 0; i < convolve->batch * convolve->groups; i++)
    {
      const REAL *columns =
          NAME (make_columns) (convolve, image + i * image_size, operands->workspace, 0);
      REAL *filter = weight + i % convolve->groups * filters * depth;

      NAME (hyb_gemm) (&gemm, map + i * filters * positions, columns, filter);
    }
}
