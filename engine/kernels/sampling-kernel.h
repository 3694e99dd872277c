/* sampling-kernel.h — the loops of sampling.c, for float and double.
 *
 * hyb_sample:          for each sample n, for each grid position, for each channel c:
 *                      result[n,c,p] = sum over the 4 cells around p of share · image[n,c,cell].
 * hyb_sample_backward: the same loops; each position adds to the gradients of its 4 cells.
 * hyb_affine_grid:     for each sample, for x and y, for each position.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The upper left of the four cells around a position, and the position inside them. */
typedef struct
{
  gint64 top, left;
  REAL   down, right; /* from the upper left cell, 0 … 1: the weights of the others */
} NAME (Corner);

/* Returns FALSE if all four cells lie outside the image or the position is NaN. */
static gboolean
NAME (find_corner) (const HybSampling *sampling, REAL x, REAL y, NAME (Corner) * corner)
{
  REAL column = (x + 1) * (REAL) (sampling->width - 1) / 2;
  REAL row = (y + 1) * (REAL) (sampling->height - 1) / 2;

  if (!(column > -1 && column < (REAL) sampling->width && row > -1 &&
        row < (REAL) sampling->height))
    return FALSE;

  corner->left = (gint64) floor ((double) column);
  corner->top = (gint64) floor ((double) row);
  corner->right = column - (REAL) corner->left;
  corner->down = row - (REAL) corner->top;
  return TRUE;
}

static inline REAL
NAME (cell) (const HybSampling *sampling, const REAL *plane, gint64 row, gint64 column)
{
  if (row < 0 || row >= sampling->height || column < 0 || column >= sampling->width)
    return 0;

  return plane[row * sampling->width + column];
}

static inline void
NAME (add_to_cell) (const HybSampling *sampling, REAL *plane, gint64 row, gint64 column, REAL value)
{
  if (row >= 0 && row < sampling->height && column >= 0 && column < sampling->width)
    plane[row * sampling->width + column] += value;
}

void
NAME (hyb_sample) (const HybSampling *sampling, const REAL *image, const REAL *grid, REAL *result)
{
  gint64 cells = sampling->height * sampling->width;
  gint64 places = sampling->grid_height * sampling->grid_width;

  for (gint64 n = 0; n < sampling->batch; n++)
    for (gint64 place = 0; place < places; place++)
      {
        /* Bilinear: the weights of the four cells are products of the distances to the opposite
         * cell, (1 − down, down) and (1 − right, right).  Points outside are 0. */
        const REAL *planes = image + n * sampling->channels * cells;
        REAL       *to = result + n * sampling->channels * places + place;
        REAL        x = grid[2 * n * places + place], y = grid[(2 * n + 1) * places + place];
        NAME (Corner) at = { 0 };
        gboolean inside = NAME (find_corner) (sampling, x, y, &at);

        for (gint64 c = 0; c < sampling->channels; c++)
          {
            const REAL *plane = planes + c * cells;

            to[c * places] = !inside ? 0
                                     : NAME (cell) (sampling, plane, at.top, at.left) *
                                               (1 - at.down) * (1 - at.right) +
                                           NAME (cell) (sampling, plane, at.top, at.left + 1) *
                                               (1 - at.down) * at.right +
                                           NAME (cell) (sampling, plane, at.top + 1, at.left) *
                                               at.down * (1 - at.right) +
                                           NAME (cell) (sampling, plane, at.top + 1, at.left + 1) *
                                               at.down * at.right;
          }
      }
}

/* For one grid position and all channels: adds the gradient of the result to the four cells'
 * gradients and the derivative by the position, in cells, to by_position. */
static void
NAME (spread_place) (const HybSampling *sampling,
                     const REAL        *image,
                     const REAL        *gradient,
                     const NAME (Corner) * at,
                     REAL *image_gradient,
                     REAL  by_position[2])
{
  gint64 cells = sampling->height * sampling->width;
  gint64 places = sampling->grid_height * sampling->grid_width;

  for (gint64 c = 0; c < sampling->channels; c++)
    {
      const REAL *plane = image + c * cells;
      REAL       *to = image_gradient + c * cells;
      REAL        dy = gradient[c * places];
      REAL        a = NAME (cell) (sampling, plane, at->top, at->left);
      REAL        b = NAME (cell) (sampling, plane, at->top, at->left + 1);
      REAL        d = NAME (cell) (sampling, plane, at->top + 1, at->left);
      REAL        e = NAME (cell) (sampling, plane, at->top + 1, at->left + 1);

      NAME (add_to_cell)
      (sampling, to, at->top, at->left, dy * (1 - at->down) * (1 - at->right));
      NAME (add_to_cell) (sampling, to, at->top, at->left + 1, dy * (1 - at->down) * at->right);
      NAME (add_to_cell) (sampling, to, at->top + 1, at->left, dy * at->down * (1 - at->right));
      NAME (add_to_cell) (sampling, to, at->top + 1, at->left + 1, dy * at->down * at->right);
      by_position[0] += dy * ((b - a) * (1 - at->down) + (e - d) * at->down);
      by_position[1] += dy * ((d - a) * (1 - at->right) + (e - b) * at->right);
    }
}

void
NAME (hyb_sample_backward) (const HybSampling *sampling,
                            const REAL        *image,
                            const REAL        *grid,
                            const REAL        *gradient,
                            REAL              *image_gradient,
                            REAL              *grid_gradient)
{
  gint64 cells = sampling->channels * sampling->height * sampling->width;
  gint64 places = sampling->grid_height * sampling->grid_width;

  memset (image_gradient, 0, sizeof (REAL) * (gsize) (sampling->batch * cells));
  for (gint64 n = 0; n < sampling->batch; n++)
    for (gint64 place = 0; place < places; place++)
      {
        gint64 x = 2 * n * places + place, y = x + places;
        REAL   by_position[2] = { 0, 0 };
        NAME (Corner) at = { 0 };

        if (NAME (find_corner) (sampling, grid[x], grid[y], &at))
          NAME (spread_place)
        (sampling, image + n * cells, gradient + n * sampling->channels * places + place, &at,
         image_gradient + n * cells, by_position);
        grid_gradient[x] = by_position[0] * (REAL) (sampling->width - 1) / 2;
        grid_gradient[y] = by_position[1] * (REAL) (sampling->height - 1) / 2;
      }
}

void
NAME (hyb_affine_grid) (const HybSampling *sampling, const REAL *matrix, REAL *grid)
{
  for (gint64 n = 0; n < sampling->batch; n++)
    for (int axis = 0; axis < 2; axis++, matrix += 3)
      for (gint64 i = 0; i < sampling->grid_height; i++)
        for (gint64 j = 0; j < sampling->grid_width; j++, grid++)
          {
            REAL x = (REAL) position_of (j, sampling->grid_width);
            REAL y = (REAL) position_of (i, sampling->grid_height);

            *grid = matrix[0] * x + matrix[1] * y + matrix[2];
          }
}

void
NAME (hyb_affine_grid_backward) (const HybSampling *sampling, const REAL *gradient, REAL *matrix)
{
  for (gint64 row = 0; row < 2 * sampling->batch; row++, matrix += 3)
    {
      double sums[3] = { 0.0, 0.0, 0.0 };

      for (gint64 i = 0; i < sampling->grid_height; i++)
        for (gint64 j = 0; j < sampling->grid_width; j++, gradient++)
          {
            sums[0] += (double) *gradient * position_of (j, sampling->grid_width);
            sums[1] += (double) *gradient * position_of (i, sampling->grid_height);
            sums[2] += (double) *gradient;
          }
      for (int i = 0; i < 3; i++)
        matrix[i] = (REAL) sums[i];
    }
}
