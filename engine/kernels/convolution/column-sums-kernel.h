/* column-sums-kernel.h — the loops of column-sums.c for one instruction set; see each-simd.h.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Adds a run; the floats behind it, less than a vector, get zeros added. */
INLINE void
SIMD (add_run) (const float *from, gint64 n, float *to)
{
  gint64 k = 0;

  for (; k + LANES <= n; k += LANES)
    simd_store (to + k, simd_load (to + k) + simd_load (from + k));
  if (k < n)
    simd_store (to + k, simd_load (to + k) + simd_load_part (from + k, n - k));
}

/* to[k n_lines + line] = lines[line][k]. */
INLINE void
SIMD (interleave) (const Lines *lines, gint64 n, const float *line, float *to)
{
  gint64 step = lines->n_lines, length = lines->length;

  if (step == 1)
    memcpy (to, line, sizeof (float) * (gsize) n);
  else if (step == 2)
    {
      for (gint64 k = 0; k < n / 2; k++)
        {
          to[2 * k] = line[k];
          to[2 * k + 1] = line[length + k];
        }
      if (n % 2)
        to[n - 1] = line[n / 2];
    }
  else
    for (gint64 phase = 0; phase < step; phase++, line += length)
      for (gint64 k = phase, i = 0; k < n; k += step, i++)
        to[k] = line[i];
}

/* Adds one row of taps of a channel, number (a, b) along the first axes, to the lines of the rows of a block.  Neighbouring
 * taps add to overlapping vectors, so that all rows take their turn before the next tap. */
INLINE void
SIMD (add_taps) (const HybColumnSums *sums,
                 const Lines         *lines,
                 const Block         *block,
                 const gint64         tap[2])
{
  const gint64 *kernel = sums->convolve->kernel, *map = sums->convolve->map;
  const float  *from[MAX_ROWS], *columns = sums->columns;
  float        *to[MAX_ROWS];
  Place         place = lines->places[tap[1]];
  gint64        n = 0, slice = find_position (sums->convolve, 0, block->slice, tap[0]);

  if (slice < 0)
    return;
  columns +=
      ((block->channel * kernel[0] + tap[0]) * kernel[1] + tap[1]) * kernel[2] * sums->pitch +
      slice * map[1] * map[2];
  for (gint64 r = 0; r < block->n_rows; r++)
    {
      gint64 row = block->rows[r].position - place.position;

      if (block->rows[r].phase != place.phase || row < 0 || row >= map[1])
        continue;
      from[n] = columns + row * map[2];
      to[n++] = block->lines + r * lines->n_lines * lines->length;
    }
  for (gint64 t = 0; t < lines->n_taps; t++)
    for (gint64 r = 0; r < n; r++)
      SIMD (add_run)
  (from[r] + t * sums->pitch + lines->runs[t].from, lines->runs[t].n, to[r] + lines->runs[t].to);
}

/* Sums up the rows of a block and writes them to the image from row number `row` on. */
INLINE void
SIMD (sum_block) (const HybColumnSums *sums, const Lines *lines, const Block *block, gint64 row)
{
  const gint64 *image = sums->convolve->image, *kernel = sums->convolve->kernel;
  Floats        bias = simd_fill (sums->bias ? sums->bias[block->channel] : 0);
  gint64        floats = lines->n_lines * lines->length;

  for (gint64 k = 0; k < block->n_rows * floats; k += LANES)
    simd_store (block->lines + k, bias);
  for (gint64 tap = 0; tap < kernel[0] * kernel[1]; tap++)
    SIMD (add_taps) (sums, lines, block, (gint64[]){ tap / kernel[1], tap % kernel[1] });
  for (gint64 r = 0; r < block->n_rows; r++)
    SIMD (interleave)
  (lines, image[2], block->lines + r * floats, sums->image + (row + r) * image[2]);
}

static TARGET void
SIMD (sum_channel) (const HybColumnSums *sums, const Lines *lines, gint64 channel)
{
  const HybConvolve *convolve = sums->convolve;
  const gint64      *image = convolve->image;
  gint64             most = MIN (MAX_LINE_FLOATS / (lines->n_lines * lines->length), MAX_ROWS);
  float              line[MAX_LINE_FLOATS + SLACK];
  Block              block = { .channel = channel, .lines = line };

  for (; block.slice < image[0]; block.slice++)
    for (gint64 first = 0; first < image[1]; first += most)
      {
        block.n_rows = MIN (most, image[1] - first);
        for (gint64 r = 0; r < block.n_rows; r++)
          block.rows[r] = find_place (convolve, 1, first + r + convolve->pad[1]);
        SIMD (sum_block)
        (sums, lines, &block, (channel * image[0] + block.slice) * image[1] + first);
      }
}
