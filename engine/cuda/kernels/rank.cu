/* rank.cu — the elements of lines in order, by a bitonic sort of a line in the shared memory of a block, and
 * the gradient, which returns each element to its place.
 *
 * Stored is the type of the elements and Index that of their numbers; Result and IndexResult are what each is
 * converted from.  ENTRIES, a power of two, is at least the length of a line. */
#include "prelude.cuh"
#include "arguments.h"

/* Where element k of line number n of lines of this length lies. */
DEVICE long long
place (const RankArguments &a, long long n, long long length, long long k)
{
  return (n / a.inner * length + k) * a.inner + n % a.inner;
}

#ifdef ENTRIES
/* Numbers come before NaN, and of equal keys the one with the lower index. */
DEVICE bool
comes_before (double s, int i, double t, int k)
{
  if (s < t || (t != t && s == s))
    return true;
  if (t < s || (s != s && t == t))
    return false;
  return i < k;
}

/* Places beyond the line come last: they are NaN, and their indices are higher than all others. */
extern "C" __global__ void
rank_lines (const RankArguments a)
{
  __shared__ double key[ENTRIES];
  __shared__ int    index[ENTRIES];

  for (long long n = blockIdx.x; n < a.lines; n += gridDim.x)
    {
      for (int k = threadIdx.x; k < ENTRIES; k += RANK_THREADS)
        {
          key[k] = k < a.length
                       ? a.sign * (double) get ((const Stored *) a.x, place (a, n, a.length, k))
                       : __longlong_as_double (0x7ff8000000000000ll);
          index[k] = k;
        }
      __syncthreads ();
      for (int size = 2; size <= ENTRIES; size *= 2)
        for (int step = size / 2; step > 0; step /= 2)
          {
            for (int pair = threadIdx.x; pair < ENTRIES / 2; pair += RANK_THREADS)
              {
                const int    low = pair / step * 2 * step + pair % step, high = low + step;
                const double s = key[low], t = key[high];
                const int    i = index[low], k = index[high];

                if (comes_before (t, k, s, i) == ((low & size) == 0))
                  {
                    key[low] = t;
                    key[high] = s;
                    index[low] = k;
                    index[high] = i;
                  }
              }
            __syncthreads ();
          }
      for (int k = threadIdx.x; k < a.kept; k += RANK_THREADS)
        {
          const long long to = place (a, n, a.kept, k), from = place (a, n, a.length, index[k]);

          if (a.values)
            ((Stored *) a.values)[to] = ((const Stored *) a.x)[from];
          if (a.indices)
            put ((Index *) a.indices, to, To<IndexResult>::from ((long long) index[k]));
          if (a.mask)
            put ((Stored *) a.mask, from, (Wide<Result>::type) 1);
        }
      __syncthreads ();
    }
}
#endif

/* values are the result, x the gradients of the elements that were kept. */
extern "C" __global__ void
return_ranked (const RankArguments a)
{
  EACH (i, a.lines * a.kept)
  {
    const long long n = i / (a.kept * a.inner) * a.inner + i % a.inner;
    const long long k = To<long long>::from (get ((const Index *) a.places, i));

    if (k >= 0 && k < a.length)
      ((Stored *) a.values)[place (a, n, a.length, k)] = ((const Stored *) a.x)[i];
  }
}
