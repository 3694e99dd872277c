/* move.cu — copies elements from one strided place to another, one by one or in tiles.  Item is a type of
 * their size. */
#include "prelude.cuh"
#include "arguments.h"

extern "C" __global__ void
move (const MoveArguments a)
{
  EACH (i, a.n)
  {
    long long rest = i, from = 0, to = 0;

    for (int d = a.rank - 1; d >= 0; d--)
      {
        const long long next = rest / a.dim[d], at = rest - next * a.dim[d];

        from += at * a.from[d];
        to += at * a.to[d];
        rest = next;
      }
    ((Item *) a.y)[to] = ((const Item *) a.x)[from];
  }
}

/* A block reads a tile row by row and writes it column by column, so that neighbouring threads read and
 * write neighbouring elements.  A row of the tile has an element more than it needs, so that the elements
 * of a column lie in different banks of shared memory. */
extern "C" __global__ void
move_tiles (const TileArguments a)
{
  __shared__ Item tile[TILE][TILE + 1];
  const long long tiles_across = (a.columns + TILE - 1) / TILE, tiles_down = (a.rows + TILE - 1) / TILE;
  const int       lane = threadIdx.x % TILE, first = threadIdx.x / TILE;

  for (long long i = blockIdx.x; i < a.n; i += gridDim.x)
    {
      const long long column = i % tiles_across * TILE, row = i / tiles_across % tiles_down * TILE;
      long long       rest = i / (tiles_across * tiles_down), from = 0, to = 0;

      for (int d = a.rank - 1; d >= 0; d--)
        {
          const long long next = rest / a.dim[d], at = rest - next * a.dim[d];

          from += at * a.from[d];
          to += at * a.to[d];
          rest = next;
        }
      for (int k = first; k < TILE; k += TILE_THREADS / TILE)
        if (column + lane < a.columns && row + k < a.rows)
          tile[k][lane] = ((const Item *) a.x)[from + column + lane + (row + k) * a.from_row];
      __syncthreads ();
      for (int k = first; k < TILE; k += TILE_THREADS / TILE)
        if (row + lane < a.rows && column + k < a.columns)
          ((Item *) a.y)[to + row + lane + (column + k) * a.to_column] = tile[lane][k];
      __syncthreads ();
    }
}
