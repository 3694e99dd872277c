/* sequence.cu — sequences of different lengths in one array.
 *
 * Stored is the type of the elements, Result that of a value before it is stored, Length the type of the
 * lengths. */
#include "prelude.cuh"
#include "arguments.h"

/* An element of an array with all steps. */
struct Place
{
  long long step, sample, k;
};

DEVICE Place
place_of (const SequenceArguments &a, long long i)
{
  const long long block = i / a.rest, k = i - block * a.rest;
  const long long size = a.samples_first ? a.steps : a.samples;
  const long long outer = block / size, inner = block - outer * size;

  return a.samples_first ? Place { inner, outer, k } : Place { outer, inner, k };
}

DEVICE long long
index_of (const SequenceArguments &a, long long step, long long sample, long long k)
{
  return (a.samples_first ? sample * a.steps + step : step * a.samples + sample) * a.rest + k;
}

DEVICE long long
length_of (const SequenceArguments &a, long long sample)
{
  long long length;

  if (!a.lengths)
    return a.steps;
  length = To<long long>::from (get ((const Length *) a.lengths, sample));
  return length < 0 ? 0 : length > a.steps ? a.steps : length;
}

/* The last step; the first one of an empty sequence. */
DEVICE long long
last_of (const SequenceArguments &a, long long sample)
{
  const long long length = length_of (a, sample);

  return length > 0 ? length - 1 : 0;
}

#define COPY(from) put ((Stored *) a.y, i, get ((const Stored *) a.x, from))
#define SET(value) put ((Stored *) a.y, i, (Wide<Result>::type) To<Result>::from (value))

extern "C" __global__ void
mask (const SequenceArguments a)
{
  EACH (i, a.n)
  {
    const Place at = place_of (a, i);

    if (at.step < length_of (a, at.sample))
      COPY (i);
    else
      SET (a.value);
  }
}

extern "C" __global__ void
reverse (const SequenceArguments a)
{
  EACH (i, a.n)
  {
    const Place     at = place_of (a, i);
    const long long length = length_of (a, at.sample);

    COPY (index_of (a, at.step < length ? length - 1 - at.step : at.step, at.sample, at.k));
  }
}

/* y has no axis of steps. */
extern "C" __global__ void
last (const SequenceArguments a)
{
  EACH (i, a.n)
  {
    const long long sample = i / a.rest;

    COPY (index_of (a, last_of (a, sample), sample, i - sample * a.rest));
  }
}

/* x has no axis of steps. */
extern "C" __global__ void
last_gradient (const SequenceArguments a)
{
  EACH (i, a.n)
  {
    const Place at = place_of (a, i);

    if (at.step == last_of (a, at.sample))
      COPY (at.sample * a.rest + at.k);
    else
      SET (0.);
  }
}
