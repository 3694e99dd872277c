/* gather.cu — rows at given coordinates, read or written, and their gradients.
 *
 * Stored is the type of the elements, Result what sums of them are converted from, and Index the type of
 * the coordinates.  find_rows() turns each column of coordinates into the number of a row.  Where columns
 * select the same row, link_rows() makes a chain of them in their order: the last one is written, or the
 * first one adds them all, without atomic operations. */
#include "prelude.cuh"
#include "arguments.h"

/* rows[j]: the row that column j selects, or −1 if it is outside of the array. */
extern "C" __global__ void
find_rows (const GatherArguments a)
{
  EACH (j, a.columns)
  {
    long long at = 0;

    for (int i = 0; i < a.depth && at >= 0; i++)
      {
        const double given = (double) get ((const Index *) a.indices, i * a.columns + j);
        const double size = (double) a.dim[i];

        if (given >= -size && given <= size - 1)
          at = at * a.dim[i] + (long long) (given < 0 ? given + size : given);
        else
          at = -1;
      }
    a.rows[j] = at;
  }
}

struct RowOf
{
  const long long *rows;

  __device__ long long
  operator() (long long j) const
  {
    return rows[j];
  }
};

/* The columns that select each row, for one block. */
extern "C" __global__ void
link_rows (const GatherArguments a)
{
  chain_uses (a.columns, RowOf{ a.rows }, a.next, a.heads);
}

/* Coordinates outside of the array read zeros. */
extern "C" __global__ void
gather (const GatherArguments a)
{
  EACH (e, a.n)
  {
    const long long at = a.rows[e / a.row];
    const Stored    zero = {};

    ((Stored *) a.y)[e] = at < 0 ? zero : ((const Stored *) a.x)[at * a.row + e % a.row];
  }
}

/* The last column that selects a row writes it. */
extern "C" __global__ void
scatter (const GatherArguments a)
{
  EACH (e, a.n)
  {
    const long long j = e / a.row, at = a.rows[j];

    if (at >= 0 && a.next[j] < 0)
      ((Stored *) a.y)[at * a.row + e % a.row] = ((const Stored *) a.x)[e];
  }
}

/* The first column that selects a row adds what all of them read. */
extern "C" __global__ void
add_rows (const GatherArguments a)
{
  typedef typename Wide<Result>::type Sum;

  EACH (e, a.n)
  {
    const long long j = e / a.row, at = a.rows[j];

    if (at < 0 || a.heads[at] != j + 1)
      continue;
    Sum sum = 0;
    for (long long i = j; i >= 0; i = a.next[i])
      sum += (Sum) get ((const Stored *) a.x, i * a.row + e % a.row);
    put ((Stored *) a.y, at * a.row + e % a.row, sum);
  }
}
