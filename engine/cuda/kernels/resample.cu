/* resample.cu — elements along one or two axes as weighted sums of a few, and the gradient.
 *
 * Stored is the type of the elements; sums are float.  The data are planes of rows and columns; an axis without taps stays as it is.  Each
 * thread adds one element in a fixed order, so that the gradient needs no atomic operations. */
#include "prelude.cuh"
#include "arguments.h"

/* The element of tap `tap` of result i along an axis. */
DEVICE long long
element_of (const ResampleAxis &axis, int tap, long long i)
{
  if (axis.taps == 0)
    return i;
  const float index = axis.index[tap * axis.to + i];

  return index >= 0 && index < (float) axis.from ? (long long) index : 0;
}

DEVICE float
weight_of (const ResampleAxis &axis, int tap, long long i)
{
  return axis.taps == 0 ? 1 : axis.weight[tap * axis.to + i];
}

DEVICE int
taps_of (const ResampleAxis &axis)
{
  return axis.taps == 0 ? 1 : axis.taps;
}

extern "C" __global__ void
resample (const ResampleArguments a)
{
  EACH (e, a.n)
  {
    const long long j = e % a.columns.to, row = e / a.columns.to;
    const long long i = row % a.rows.to, plane = row / a.rows.to * a.rows.from;
    float           sum = 0;

    for (int s = 0; s < taps_of (a.rows); s++)
      {
        const long long from = (plane + element_of (a.rows, s, i)) * a.columns.from;
        float           part = 0;

        for (int t = 0; t < taps_of (a.columns); t++)
          part += weight_of (a.columns, t, j) * (float) get ((const Stored *) a.x, from + element_of (a.columns, t, j));
        sum += weight_of (a.rows, s, i) * part;
      }
    put ((Stored *) a.y, e, sum);
  }
}

/* The weighted sum of a row of the gradient over the results that use column c. */
DEVICE float
sum_row (const ResampleArguments &a, long long row, long long c)
{
  const long long begin = a.columns.taps == 0 ? c : 0, end = a.columns.taps == 0 ? c + 1 : a.columns.to;
  float           sum = 0;

  for (long long j = begin; j < end; j++)
    for (int t = 0; t < taps_of (a.columns); t++)
      if (element_of (a.columns, t, j) == c)
        sum += weight_of (a.columns, t, j) * (float) get ((const Stored *) a.x, row * a.columns.to + j);
  return sum;
}

/* x is the gradient of the result, y that of the data. */
extern "C" __global__ void
resample_gradient (const ResampleArguments a)
{
  EACH (e, a.n)
  {
    const long long c = e % a.columns.from, row = e / a.columns.from;
    const long long r = row % a.rows.from, plane = row / a.rows.from * a.rows.to;
    const long long begin = a.rows.taps == 0 ? r : 0, end = a.rows.taps == 0 ? r + 1 : a.rows.to;
    float           sum = 0;

    for (long long i = begin; i < end; i++)
      for (int s = 0; s < taps_of (a.rows); s++)
        if (element_of (a.rows, s, i) == r)
          sum += weight_of (a.rows, s, i) * sum_row (a, plane + i, c);
    put ((Stored *) a.y, e, sum);
  }
}
