/* lines.cu — operators that compute something of each line of a tensor, such as its sum, and then each element.
 *
 * GROUP threads, a power of two, work on a line.  Those of a line are LANE_STRIDE threads apart: 1 where the
 * elements of a line lie side by side, else PER_BLOCK, so that neighbouring threads have neighbouring lines.
 * The text in front defines REAL, what is computed in (T below); FIRST, statements at the start of a line; LOAD, which
 * reads the operands at element k, in place `at`; PASSES, one PASS each; THEN, statements after them; STORE
 * and STORE_LINE.  n is the number of elements that count, as COUNT says.  Each result is combined in an order
 * that depends on the shapes alone. */
#include "prelude.cuh"
#include "arguments.h"

typedef REAL T;

#define PER_BLOCK (LINES_THREADS / GROUP)

/* result: what `combine` makes of the values s and t of all threads of the line. */
#if GROUP > 1
#define SHARE(result, Sum, combine)                                   \
  ((Sum *) scratch)[threadIdx.x] = result;                            \
  for (int part = GROUP / 2; part > 0; part /= 2)                     \
    {                                                                 \
      __syncthreads ();                                               \
      if (lane < part)                                                \
        {                                                             \
          const Sum s = ((Sum *) scratch)[threadIdx.x];               \
          const Sum t = ((Sum *) scratch)[threadIdx.x + part * LANE_STRIDE]; \
                                                                      \
          ((Sum *) scratch)[threadIdx.x] = combine;                   \
        }                                                             \
    }                                                                 \
  __syncthreads ();                                                   \
  result = ((Sum *) scratch)[threadIdx.x - lane * LANE_STRIDE];       \
  __syncthreads ();
#else
#define SHARE(result, Sum, combine)
#endif

#define PASS(result, Sum, start, combine, term)                       \
  Sum result = start;                                                 \
  for (long long k = lane; k < counted; k += GROUP)                   \
    {                                                                 \
      const long long at = base + k / a.span * a.jump + k % a.span * a.step; \
                                                                      \
      LOAD                                                            \
      const Sum s = result, t = (Sum) (term);                         \
                                                                      \
      result = combine;                                               \
    }                                                                 \
  SHARE (result, Sum, combine)

/* Threads beyond the last line load line 0, and take part in the barriers alone. */
extern "C" __global__ void
lines (const LinesArguments a)
{
#if GROUP > 1
  __shared__ double scratch[LINES_THREADS];
#endif
  const int lane = threadIdx.x / LANE_STRIDE % GROUP;
  const int place = LANE_STRIDE == 1 ? threadIdx.x / GROUP : threadIdx.x % PER_BLOCK;

  for (long long first = (long long) blockIdx.x * PER_BLOCK; first < a.lines;
       first += (long long) gridDim.x * PER_BLOCK)
    {
      const bool      is_line = first + place < a.lines;
      const long long line = is_line ? first + place : 0;
      const long long base = line / a.inner * a.outer_step + line % a.inner * a.inner_step;

      FIRST
      const long long n = COUNT;
      const long long counted = is_line ? n : 0;

      PASSES
      THEN
      for (long long k = lane; is_line && k < a.length; k += GROUP)
        {
          const long long at = base + k / a.span * a.jump + k % a.span * a.step;

          LOAD
          STORE
        }
      if (is_line && lane == 0)
        {
          STORE_LINE
        }
    }
}
