/* samples.cu — kernels like those of the module: elementwise with templates, rows with shared
 * memory and shuffles, a tile, random numbers, atomics. */
#include "tests/engine/cuda/ptx/kernels/arguments.h"
#include "tests/engine/cuda/ptx/kernels/portable.h"

typedef unsigned short     Half;
typedef unsigned long long Word;
struct Bfloat
{
  unsigned short bits;
};

__device__ inline float
get (float x)
{
  return x;
}
__device__ inline double
get (double x)
{
  return x;
}
__device__ inline float
get (Half x)
{
  float y;
  asm ("cvt.f32.f16 %0, %1;" : "=f"(y) : "h"(x));
  return y;
}
__device__ inline float
get (Bfloat x)
{
  float y;
  asm ("mov.b32 %0, %1;" : "=f"(y) : "r"((unsigned) x.bits << 16));
  return y;
}
__device__ inline void
put (float *y, float x)
{
  *y = x;
}
__device__ inline void
put (double *y, double x)
{
  *y = x;
}
__device__ inline void
put (Half *y, float x)
{
  Half h;
  asm ("cvt.rn.f16.f32 %0, %1;" : "=h"(h) : "f"(x));
  *y = h;
}
__device__ inline void
put (Bfloat *y, float x)
{
  asm ("cvt.rn.bf16.f32 %0, %1;" : "=h"(y->bits) : "f"(x));
}

#define EACH(i, n)                                                                                 \
  for (long long i = (long long) blockIdx.x * blockDim.x + threadIdx.x; i < (n);                   \
       i += (long long) gridDim.x * blockDim.x)

template <class T>
__device__ inline void
chain (const EachArguments &a)
{
  EACH (i, a.n)
  {
    auto x = get (((const T *) a.x)[i]), w = get (((const T *) a.w)[i]);
    put (&((T *) a.y)[i], x * w + (x > w ? x : w) / 3);
  }
}
extern "C" __global__ void chain_f32 (const EachArguments a) { chain<float> (a); }
extern "C" __global__ void chain_f64 (const EachArguments a) { chain<double> (a); }
extern "C" __global__ void chain_f16 (const EachArguments a) { chain<Half> (a); }
extern "C" __global__ void chain_bf16 (const EachArguments a) { chain<Bfloat> (a); }

#define MATH(name, T, expression)                                                                  \
  extern "C" __global__ void name (const EachArguments a)                                          \
  {                                                                                                \
    EACH (i, a.n)                                                                                  \
    {                                                                                              \
      T x = ((const T *) a.x)[i], w = ((const T *) a.w)[i];                                        \
      ((T *) a.y)[i] = (expression) + w * 0;                                                       \
    }                                                                                              \
  }
MATH (exp_f32, float, expf (x))
MATH (tanh_f32, float, tanhf (x))
MATH (erf_f32, float, erff (x))
MATH (log_f32, float, logf (x))
MATH (sin_f32, float, sinf (x * 1000))
MATH (pow_f32, float, powf (x, w))
MATH (exp_f64, double, exp (x))
MATH (tanh_f64, double, tanh (x))
MATH (erf_f64, double, erf (x))
MATH (log_f64, double, log (x))
MATH (cos_f64, double, cos (x * 1e7))
MATH (pow_f64, double, pow (x, w))
MATH (lgamma_f64, double, lgamma (x))

extern "C" __global__ void
divide_i64 (const EachArguments a)
{
  EACH (i, a.n)
  {
    long long x = ((const long long *) a.x)[i], w = ((const long long *) a.w)[i];
    ((long long *) a.y)[i] = x / w * 3 + x % w + ((int) x >> 3) + (int) ((unsigned) x / 7u);
  }
}

__device__ inline float
block_sum (float v, float *room)
{
  int lane = threadIdx.x & 31, warp = threadIdx.x >> 5, warps = (blockDim.x + 31) >> 5;

  for (int o = 16; o > 0; o >>= 1)
    v += __shfl_xor_sync (~0u, v, o);
  if (lane == 0)
    room[warp] = v;
  __syncthreads ();
  v = 0;
  for (int i = 0; i < warps; i++)
    v += room[i];
  __syncthreads ();
  return v;
}

extern "C" __global__ void
softmax_rows (const RowsArguments a)
{
  __shared__ float room[256];
  const float     *x = a.x + (long long) blockIdx.x * a.columns;
  float           *y = a.y + (long long) blockIdx.x * a.columns;
  float            m = -3.4e38f, z = 0;

  for (int c = threadIdx.x; c < a.columns; c += blockDim.x)
    m = x[c] > m ? x[c] : m;
  room[threadIdx.x] = m;
  __syncthreads ();
  for (unsigned s = blockDim.x / 2; s > 0; s >>= 1)
    {
      if (threadIdx.x < s && room[threadIdx.x + s] > room[threadIdx.x])
        room[threadIdx.x] = room[threadIdx.x + s];
      __syncthreads ();
    }
  m = room[0];
  __syncthreads ();
  for (int c = threadIdx.x; c < a.columns; c += blockDim.x)
    {
      y[c] = expf (x[c] - m);
      z += y[c];
    }
  z = block_sum (z, room);
  for (int c = threadIdx.x; c < a.columns; c += blockDim.x)
    y[c] /= z;
}

extern "C" __global__ void
layer_norm_rows (const RowsArguments a)
{
  __shared__ float room[32];
  const float     *x = a.x + (long long) blockIdx.x * a.columns;
  float           *y = a.y + (long long) blockIdx.x * a.columns;
  float            s = 0;

  for (int c = threadIdx.x; c < a.columns; c += blockDim.x)
    s += x[c];
  float mean = block_sum (s, room) / a.columns;
  s = 0;
  for (int c = threadIdx.x; c < a.columns; c += blockDim.x)
    s += (x[c] - mean) * (x[c] - mean);
  float scale = 1 / sqrtf (block_sum (s, room) / a.columns + a.epsilon);
  for (int c = threadIdx.x; c < a.columns; c += blockDim.x)
    y[c] = (x[c] - mean) * scale * a.gain[c] + a.shift[c];
}

extern "C" __global__ void
transpose (const TransposeArguments a)
{
  __shared__ float tile[16][17];
  int              c = blockIdx.x * 16 + threadIdx.x, r = blockIdx.y * 16 + threadIdx.y;

  if (r < a.rows && c < a.columns)
    tile[threadIdx.y][threadIdx.x] = a.x[(long long) r * a.columns + c];
  __syncthreads ();
  c = blockIdx.y * 16 + threadIdx.x;
  r = blockIdx.x * 16 + threadIdx.y;
  if (r < a.columns && c < a.rows)
    a.y[(long long) r * a.rows + c] = tile[threadIdx.x][threadIdx.y];
}

/* Philox4x32-10 of Random123. */
extern "C" __global__ void
philox (const DropoutArguments a)
{
  EACH (i, a.n)
  {
    unsigned c[4] = { (unsigned) i, 0, 0, 0 }, k0 = (unsigned) a.seed, k1 = (unsigned) (a.seed >> 32);
    for (int r = 0; r < 10; r++)
      {
        Word     p0 = (Word) 0xD2511F53u * c[0], p1 = (Word) 0xCD9E8D57u * c[2];
        unsigned n0 = (unsigned) (p1 >> 32) ^ c[1] ^ k0, n2 = (unsigned) (p0 >> 32) ^ c[3] ^ k1;
        c[1] = (unsigned) p1;
        c[3] = (unsigned) p0;
        c[0] = n0;
        c[2] = n2;
        k0 += 0x9E3779B9u;
        k1 += 0xBB67AE85u;
      }
    for (int j = 0; j < 4; j++)
      ((unsigned *) a.y)[4 * i + j] = c[j];
  }
}

extern "C" __global__ void
argmax_rows (const IndexArguments a)
{
  __shared__ float best[32];
  __shared__ int   at[32];
  const float     *x = a.x + (long long) blockIdx.x * a.columns;
  float            m = -3.4e38f;
  int              k = 0x7fffffff;

  for (int c = threadIdx.x; c < a.columns; c += blockDim.x)
    if (x[c] > m)
      {
        m = x[c];
        k = c;
      }
  for (int o = 16; o; o >>= 1)
    {
      float other = __shfl_down_sync (~0u, m, o);
      int   where = __shfl_down_sync (~0u, k, o);
      if (other > m || (other == m && where < k))
        {
          m = other;
          k = where;
        }
    }
  if ((threadIdx.x & 31) == 0)
    {
      best[threadIdx.x >> 5] = m;
      at[threadIdx.x >> 5] = k;
    }
  __syncthreads ();
  if (threadIdx.x == 0)
    {
      for (unsigned w = 1; w < blockDim.x / 32; w++)
        if (best[w] > best[0] || (best[w] == best[0] && at[w] < at[0]))
          {
            best[0] = best[w];
            at[0] = at[w];
          }
      a.y[blockIdx.x] = at[0];
    }
}

extern "C" __global__ void
count_positive (const IndexArguments a)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned yes = __ballot_sync (~0u, i < a.columns && a.x[i < a.columns ? i : 0] > 0);
  int count = 0;

  for (; yes; yes &= yes - 1)
    count++;
  if ((threadIdx.x & 31) == 0)
    atomicAdd (a.y, count);
}
