/* reduce.cu — sums in a fixed order, in two stages.
 *
 * Stored is the type of the elements, Result that of a sum before it is stored, Sum the type that is added
 * in, and TERM what is added: a formula of an element x and, where READS is 2, of the element w of a second
 * input with the same strides; with DIVIDES the sums are divided.  An output has n_parts partial sums; part p adds terms p, p + n_parts … */
#include "prelude.cuh"
#include "arguments.h"

/* The place of element i of a walk.  The outermost axis needs no division. */
DEVICE long long
place (long long i, int rank, const long long *dim, const long long *stride)
{
  long long at = 0;

  for (int d = rank - 1; d > 0; d--)
    {
      const long long next = i / dim[d];

      at += (i - next * dim[d]) * stride[d];
      i = next;
    }
  return rank > 0 ? at + i * stride[0] : at;
}

DEVICE void
store (const ReduceArguments &a, long long i, Sum sum)
{
#ifdef DIVIDES
  sum /= (Sum) a.divisor;
#endif
  put ((Stored *) a.y, i, (Wide<Result>::type) sum);
}

/* Writes the outputs if n_parts is 1, else partial sums. */
extern "C" __global__ void
reduce (const ReduceArguments a)
{
  EACH (i, a.n_outer * a.n_parts)
  {
    const long long part = a.parts_first ? i % a.n_parts : i / a.n_outer;
    const long long outer = a.parts_first ? i / a.n_parts : i % a.n_outer;
    const long long base = place (outer, a.outer_rank, a.outer_dim, a.outer_from);
    Sum             sum = 0;

    for (long long k = part; k < a.n_inner; k += a.n_parts)
      {
        const long long at = base + place (k, a.inner_rank, a.inner_dim, a.inner_from);
        const Sum       x = (Sum) get ((const Stored *) a.x[0], at);
#if READS > 1
        const Sum w = (Sum) get ((const Stored *) a.x[1], at);
#endif

        sum += TERM;
      }
    if (a.n_parts == 1)
      store (a, outer, sum);
    else
      ((Sum *) a.part)[part * a.n_outer + outer] = sum;
  }
}

/* The second stage adds the partial sums. */
extern "C" __global__ void
finish (const ReduceArguments a)
{
  EACH (i, a.n_outer)
  {
    Sum sum = 0;

    for (long long part = 0; part < a.n_parts; part++)
      sum += ((const Sum *) a.part)[part * a.n_outer + i];
    store (a, i, sum);
  }
}
