/* reduce.cu — sums, products, extremes and the like in a fixed order, in two stages.
 *
 * Given and Stored are the types of the elements of input and output, GivenResult what the processor computes
 * the input in, Result that of an output before it is stored, Sum that of an accumulator and Number what
 * elements are converted to, with the limits LEAST and GREATEST.  An accumulator begins as START; STEP (s, t)
 * adds TERM, a formula of an element x, of the element w of a second input where READS is 2, and of their
 * number k; COMBINE (s, t) adds an accumulator, and FINISH (s, n) makes the output with the number n of the
 * arguments.  The second input has the same strides as the first, or with PER_OUTPUT one element for each
 * output.  An output has n_parts accumulators; part p adds terms p, p + n_parts … */
#include "prelude.cuh"
#include "arguments.h"

#ifdef EXTREME
/* A number and its place; none yet if the place is negative. */
struct Extreme
{
  Wide<GivenResult>::type value;
  long long               at;
};

/* NaN comes before every number, and of equal numbers the first. */
DEVICE Extreme
first_of (const Extreme &s, const Extreme &t)
{
  if (s.at < 0 || t.at < 0)
    return s.at < 0 ? t : s;
  if (s.value != s.value || t.value != t.value)
    return t.value == t.value || (s.value != s.value && s.at < t.at) ? s : t;
  if (s.value == t.value)
    return s.at < t.at ? s : t;
  return EXTREME (s.value, t.value) ? s : t;
}
#endif

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
  put ((Stored *) a.y, i, (Wide<Result>::type) To<Result>::from (FINISH (sum, a.divisor)));
}

/* Writes the outputs if n_parts is 1, else partial results. */
extern "C" __global__ void
reduce (const ReduceArguments a)
{
  EACH (i, a.n_outer * a.n_parts)
  {
    const long long part = a.parts_first ? i % a.n_parts : i / a.n_outer;
    const long long outer = a.parts_first ? i / a.n_parts : i % a.n_outer;
    const long long base = place (outer, a.outer_rank, a.outer_dim, a.outer_from);
    Sum             sum = START;

    for (long long k = part; k < a.n_inner; k += a.n_parts)
      {
        const long long at = base + place (k, a.inner_rank, a.inner_dim, a.inner_from);
        const Number    x = (Number) get ((const Given *) a.x[0], at);
#if READS > 1
#ifdef PER_OUTPUT
        const Number w = (Number) get ((const Given *) a.x[1], outer);
#else
        const Number w = (Number) get ((const Given *) a.x[1], at);
#endif
#endif

        sum = STEP (sum, (TERM));
      }
    if (a.n_parts == 1)
      store (a, outer, sum);
    else
      ((Sum *) a.part)[part * a.n_outer + outer] = sum;
  }
}

/* The second stage combines the partial results. */
extern "C" __global__ void
finish (const ReduceArguments a)
{
  EACH (i, a.n_outer)
  {
    Sum sum = START;

    for (long long part = 0; part < a.n_parts; part++)
      {
        const Sum other = ((const Sum *) a.part)[part * a.n_outer + i];

        sum = COMBINE (sum, other);
      }
    store (a, i, sum);
  }
}
