/* pooling.cu — the maximum, average, sum or norm of windows, averages over as many windows as the output has
 * cells, and their gradients.
 *
 * Stored is the type of the elements and REAL what is computed in (T below).  A thread has one window, or in
 * gradients one cell, and adds the windows over that cell in their order, so that there are no atomic
 * additions.  MODE is one of POOL_… of arguments.h. */
#include "prelude.cuh"
#include "arguments.h"

typedef REAL T;

/* The cells [low, high) under a window along an axis, and how many of them an average counts. */
struct Range
{
  long long low, high, counted;
};

DEVICE Range
range_of (const PoolingArguments &a, int axis, long long window)
{
  const long long start = window * a.stride[axis] - a.pad[axis];
  const long long most = a.image[axis] + a.pad[axis];
  const long long end = start + a.kernel[axis] < most ? start + a.kernel[axis] : most;
  const long long low = start > 0 ? start : 0;
  const long long high = end < a.image[axis] ? end : a.image[axis];
  const Range     range = { low, high > low ? high : low,
                            a.counts_padding ? end - start : (high > low ? high : low) - low };

  return range;
}

/* The windows [low, high) over a cell along an axis. */
DEVICE Range
windows_of (const PoolingArguments &a, int axis, long long cell)
{
  const long long from = cell + a.pad[axis] - a.kernel[axis] + 1;
  const long long low = from > 0 ? (from + a.stride[axis] - 1) / a.stride[axis] : 0;
  const long long high = (cell + a.pad[axis]) / a.stride[axis] + 1;
  const Range     range = { low, high < a.map[axis] ? high : a.map[axis], 0 };

  return range;
}

/* Where a plane of this many cells begins; its cells are a.step elements apart. */
DEVICE long long
plane_base (const PoolingArguments &a, long long plane, long long cells)
{
  return a.step == 1 ? plane * cells : plane / a.channels * a.channels * cells + plane % a.channels;
}

DEVICE long long
volume (const long long *size)
{
  return size[0] * size[1] * size[2];
}

DEVICE T
power (T x, long long p)
{
  return p == 1 ? x : p == 2 ? x * x : x * x * x;
}

/* What is taken of a window that holds this sum; counted: elements of an average. */
DEVICE T
finish_window (const PoolingArguments &a, T value, long long counted)
{
#if MODE == POOL_AVERAGE
  return counted > 0 ? value / (T) counted : (T) 0;
#elif MODE == POOL_NORM
  return a.p == 1 ? value : a.p == 2 ? (T) sqrt ((double) value) : (T) cbrt ((double) value);
#else
  return value;
#endif
}

/* Writes the results, or with a.at the cells of the maxima, -1 if no cell is above the least number. */
extern "C" __global__ void
pool (const PoolingArguments a)
{
  EACH (i, a.planes * volume (a.map))
  {
    const long long window = i % volume (a.map), plane = i / volume (a.map);
    const Range     depth = range_of (a, 0, window / a.map[2] / a.map[1]);
    const Range     height = range_of (a, 1, window / a.map[2] % a.map[1]);
    const Range     width = range_of (a, 2, window % a.map[2]);
    const long long base = plane_base (a, plane, volume (a.image));
    T               value = MODE == POOL_MAX ? (T) LOWEST : (T) 0;
    long long       at = -1;

    for (long long d = depth.low; d < depth.high; d++)
      for (long long h = height.low; h < height.high; h++)
        for (long long w = width.low; w < width.high; w++)
          {
            const long long cell = (d * a.image[1] + h) * a.image[2] + w;
            const T         x = (T) get ((const Stored *) a.x, base + cell * a.step);

#if MODE == POOL_MAX
            at = x > value ? cell : at;
            value = x > value ? x : value;
#elif MODE == POOL_NORM
            value += power (x, a.p);
#else
            value += x;
#endif
          }
    if (a.at)
      a.at[i] = at;
    else
      put ((Stored *) a.to, plane_base (a, plane, volume (a.map)) + window * a.step,
           finish_window (a, value, depth.counted * height.counted * width.counted));
  }
}

/* The part of a window's gradient dy that a cell gets; window: its number over all planes, and place: where
 * its output lies. */
DEVICE T
share_of (const PoolingArguments &a, long long window, long long place, long long cell, T x, long long counted)
{
  const T dy = (T) get ((const Stored *) a.dy, place);

#if MODE == POOL_MAX
  return a.at[window] == cell ? dy : (T) 0;
#elif MODE == POOL_AVERAGE
  return dy / (T) (counted > 1 ? counted : 1);
#elif MODE == POOL_NORM
  const T y = (T) get ((const Stored *) a.y, place);

  return dy * (a.p == 1 ? (T) 1 : y == 0 ? (T) 0 : power (x / y, a.p - 1));
#else
  return dy;
#endif
}

extern "C" __global__ void
spread (const PoolingArguments a)
{
  EACH (i, a.planes * volume (a.image))
  {
    const long long cell = i % volume (a.image), plane = i / volume (a.image);
    const Range     depth = windows_of (a, 0, cell / a.image[2] / a.image[1]);
    const Range     height = windows_of (a, 1, cell / a.image[2] % a.image[1]);
    const Range     width = windows_of (a, 2, cell % a.image[2]);
    const long long place = plane_base (a, plane, volume (a.image)) + cell * a.step;
    const T         x = (T) get ((const Stored *) a.x, place);
    T               sum = 0;

    for (long long d = depth.low; d < depth.high; d++)
      for (long long h = height.low; h < height.high; h++)
        for (long long w = width.low; w < width.high; w++)
          {
            const long long window = (d * a.map[1] + h) * a.map[2] + w;

            sum += share_of (a, plane * volume (a.map) + window,
                             plane_base (a, plane, volume (a.map)) + window * a.step, cell, x,
                             range_of (a, 0, d).counted * range_of (a, 1, h).counted *
                                 range_of (a, 2, w).counted);
          }
    put ((Stored *) a.to, place, sum);
  }
}

/* --- As many windows as the output has cells, over the last two axes --- */

/* Window i covers the cells [i · image / map, ⌈(i + 1) · image / map⌉). */
DEVICE Range
adaptive_range (const PoolingArguments &a, int axis, long long i)
{
  const Range range = { i * a.image[axis] / a.map[axis],
                        ((i + 1) * a.image[axis] + a.map[axis] - 1) / a.map[axis], 0 };

  return range;
}

extern "C" __global__ void
adaptive_pool (const PoolingArguments a)
{
  EACH (i, a.planes * volume (a.map))
  {
    const long long base = i / volume (a.map) * volume (a.image);
    const Range     height = adaptive_range (a, 1, i / a.map[2] % a.map[1]);
    const Range     width = adaptive_range (a, 2, i % a.map[2]);
    T               sum = 0;

    for (long long h = height.low; h < height.high; h++)
      for (long long w = width.low; w < width.high; w++)
        sum += (T) get ((const Stored *) a.x, base + h * a.image[2] + w);
    put ((Stored *) a.to, i, sum / (T) ((height.high - height.low) * (width.high - width.low)));
  }
}

/* The windows over a cell are those from the one that holds it first; a few more are looked at. */
extern "C" __global__ void
adaptive_spread (const PoolingArguments a)
{
  EACH (i, a.planes * volume (a.image))
  {
    const long long base = i / volume (a.image) * volume (a.map);
    const long long h = i / a.image[2] % a.image[1], w = i % a.image[2];
    T               sum = 0;

    for (long long y = h * a.map[1] / a.image[1]; y < a.map[1]; y++)
      {
        const Range height = adaptive_range (a, 1, y);

        if (height.low > h)
          break;
        for (long long x = w * a.map[2] / a.image[2]; h < height.high && x < a.map[2]; x++)
          {
            const Range width = adaptive_range (a, 2, x);

            if (width.low > w)
              break;
            if (w < width.high)
              sum += (T) get ((const Stored *) a.dy, base + y * a.map[2] + x) /
                     (T) ((height.high - height.low) * (width.high - width.low));
          }
      }
    put ((Stored *) a.to, i, sum);
  }
}
