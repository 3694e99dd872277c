/* pad.cu — cells around an image, and the sums over the cells that repeat one.
 *
 * Stored is the type of the cells, Result that of a value before it is stored, Sum the type that is added
 * in. */
#include "prelude.cuh"
#include "arguments.h"

/* The cell of the data that cell `at` of the result repeats along axis d; -1 if it holds the constant. */
DEVICE long long
source_of (const PadArguments &a, int d, long long at)
{
  const long long inside = at - a.before[d], last = a.inside[d] - 1;

  if (inside >= 0 && inside <= last)
    return inside;
  if (a.mode == PAD_CONSTANT)
    return -1;
  if (a.mode == PAD_EDGE)
    return inside < 0 ? 0 : last;
  return inside < 0 ? -inside : 2 * last - inside;
}

extern "C" __global__ void
pad (const PadArguments a)
{
  EACH (i, a.n)
  {
    long long rest = i, from = 0, stride = 1;

    for (int d = PAD_AXES - 1; d >= 0 && from >= 0; d--)
      {
        const long long next = rest / a.outside[d];
        const long long source = source_of (a, d, rest - next * a.outside[d]);

        from = source < 0 ? -1 : from + source * stride;
        stride *= a.inside[d];
        rest = next;
      }
    if (from < 0)
      put ((Stored *) a.y, i, (Wide<Result>::type) To<Result>::from (a.constant));
    else
      put ((Stored *) a.y, i, get ((const Stored *) a.x, from));
  }
}

/* How many cells of the result repeat cell `at` along axis d. */
DEVICE long long
count_copies (const PadArguments &a, int d, long long at)
{
  const long long last = a.inside[d] - 1, after = a.outside[d] - a.inside[d] - a.before[d];

  if (a.mode == PAD_EDGE)
    return 1 + (at == 0 ? a.before[d] : 0) + (at == last ? after : 0);
  if (a.mode == PAD_REFLECT)
    return 1 + (at >= 1 && at <= a.before[d]) + (at < last && last - at <= after);
  return 1;
}

/* The k-th of them, in ascending order. */
DEVICE long long
copy_of (const PadArguments &a, int d, long long at, long long k)
{
  const long long last = a.inside[d] - 1;

  if (a.mode == PAD_EDGE)
    return (at == 0 ? 0 : a.before[d] + at) + k;
  if (a.mode == PAD_REFLECT && at >= 1 && at <= a.before[d])
    {
      if (k == 0)
        return a.before[d] - at;
      k--;
    }
  return k == 0 ? a.before[d] + at : a.before[d] + 2 * last - at;
}

/* The gradient of cell i of the data (y) is the sum over its copies in the gradient of the result (x). */
extern "C" __global__ void
pad_sums (const PadArguments a)
{
  EACH (i, a.n)
  {
    long long at[PAD_AXES], k[PAD_AXES], n[PAD_AXES], rest = i;
    int       d;
    Sum       sum = 0;

#pragma unroll
    for (d = PAD_AXES - 1; d >= 0; d--)
      {
        const long long next = rest / a.inside[d];

        at[d] = rest - next * a.inside[d];
        n[d] = count_copies (a, d, at[d]);
        k[d] = 0;
        rest = next;
      }
    do
      {
        long long from = 0;

#pragma unroll
        for (d = 0; d < PAD_AXES; d++)
          from = from * a.outside[d] + copy_of (a, d, at[d], k[d]);
        sum += (Sum) get ((const Stored *) a.x, from);
        /* The next copy: the last axis counts fastest. */
#pragma unroll
        for (d = PAD_AXES - 1; d >= 0; d--)
          {
            if (++k[d] < n[d])
              break;
            k[d] = 0;
          }
      }
    while (d >= 0);
    put ((Stored *) a.y, i, (Wide<Result>::type) sum);
  }
}
