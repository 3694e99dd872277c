/* move.cu — copies elements from one strided place to another.  Item is a type of their size. */
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
