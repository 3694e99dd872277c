/* lookup.cu — slices and elements that indices select, and their gradients.
 *
 * Stored is the type of the elements, Result what sums of them are converted from, and Index the type of the
 * indices.  The data are outer × length × inner elements, of which indices select along `length`.  Gradients
 * are added without atomic operations: the uses of a slice form a chain in the order of the indices, and its
 * first use adds them all. */
#include "prelude.cuh"
#include "arguments.h"

DEVICE long long
index_at (const LookupArguments &a, long long i)
{
  return To<long long>::from (get ((const Index *) a.indices, i));
}

/* The index as one from 0 to length − 1. */
DEVICE long long
place (const LookupArguments &a, long long i)
{
  const long long index = index_at (a, i);

  if (a.wraps)
    {
      const long long rest = index % a.length;

      return rest < 0 ? rest + a.length : rest;
    }
  return index < 0 ? 0 : index < a.length ? index : a.length - 1;
}

/* The element of the data that belongs to element e of a result with n indices for each outer index. */
DEVICE long long
selected (const LookupArguments &a, long long e)
{
  const long long slice = e / a.inner;

  return (slice / a.n_indices * a.length + place (a, slice % a.n_indices)) * a.inner + e % a.inner;
}

extern "C" __global__ void
take (const LookupArguments a)
{
  EACH (e, a.n)
  {
    ((Stored *) a.y)[e] = ((const Stored *) a.x)[selected (a, e)];
  }
}

/* One index for each outer and inner one. */
DEVICE long long
picked (const LookupArguments &a, long long e)
{
  return (e / a.inner * a.length + place (a, e)) * a.inner + e % a.inner;
}

extern "C" __global__ void
pick (const LookupArguments a)
{
  EACH (e, a.n)
  {
    ((Stored *) a.y)[e] = ((const Stored *) a.x)[picked (a, e)];
  }
}

/* The gradient of pick: no two elements come from the same place. */
extern "C" __global__ void
put_picked (const LookupArguments a)
{
  EACH (e, a.n)
  {
    ((Stored *) a.y)[picked (a, e)] = ((const Stored *) a.x)[e];
  }
}

/* A row of `length` elements for each index. */
extern "C" __global__ void
one_hot (const LookupArguments a)
{
  EACH (e, a.n)
  {
    const double value = index_at (a, e / a.length) == e % a.length ? a.on : a.off;

    put ((Stored *) a.y, e, (Wide<Result>::type) To<Result>::from (value));
  }
}

struct PlaceOf
{
  const LookupArguments &a;

  __device__ long long
  operator() (long long i) const
  {
    return place (a, i);
  }
};

/* The indices that select each slice, for one block. */
extern "C" __global__ void
chain (const LookupArguments a)
{
  chain_uses (a.n_indices, PlaceOf{ a }, a.next, a.heads);
}

extern "C" __global__ void
add_slices (const LookupArguments a)
{
  typedef typename Wide<Result>::type Sum;

  EACH (e, a.n)
  {
    const long long slice = e / a.inner, outer = slice / a.n_indices, first = slice % a.n_indices;

    if (a.heads[place (a, first)] != first + 1)
      continue;
    Sum sum = 0;
    for (long long i = first; i >= 0; i = a.next[i])
      sum += (Sum) get ((const Stored *) a.x, (outer * a.n_indices + i) * a.inner + e % a.inner);
    put ((Stored *) a.y, selected (a, e), sum);
  }
}
