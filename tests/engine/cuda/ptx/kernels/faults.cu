/* faults.cu — kernels with one fault each, for the test that the machine finds it. */
#include "tests/engine/cuda/ptx/kernels/arguments.h"
#include "tests/engine/cuda/ptx/kernels/portable.h"

/* The barrier between writing and reading the neighbour's number is missing. */
extern "C" __global__ void
missing_barrier (const IndexArguments a)
{
  __shared__ float room[256];
  room[threadIdx.x] = a.x[threadIdx.x];
#ifdef RIGHT
  __syncthreads ();
#endif
  a.y[threadIdx.x] = room[(threadIdx.x + 1) % blockDim.x] > 0;
}

/* Lanes of a warp exchange numbers through shared memory without __syncwarp. */
extern "C" __global__ void
missing_warp_barrier (const IndexArguments a)
{
  __shared__ float room[256];
  room[threadIdx.x] = a.x[threadIdx.x];
#ifdef RIGHT
  __syncwarp (~0u);
#endif
  a.y[threadIdx.x] = room[threadIdx.x ^ 1] > 0;
}

/* The barrier comes too late for those who still read while others write again. */
extern "C" __global__ void
overwritten_too_early (const IndexArguments a)
{
  __shared__ float room[256];
  room[threadIdx.x] = a.x[threadIdx.x];
  __syncthreads ();
  float sum = room[0];
#ifdef RIGHT
  __syncthreads ();
#endif
  room[threadIdx.x] = sum;
  a.y[threadIdx.x] = room[threadIdx.x] > 0;
}

/* The end is tested with <= instead of <. */
extern "C" __global__ void
past_the_end (const IndexArguments a)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i <= a.columns)
    a.y[i] = a.x[i] > 0;
}

/* Only threads of the first half come to the barrier. */
extern "C" __global__ void
barrier_in_a_branch (const IndexArguments a)
{
  __shared__ float room[256];
  room[threadIdx.x] = a.x[threadIdx.x];
  if (threadIdx.x < blockDim.x / 2)
    {
      __syncthreads ();
      a.y[threadIdx.x] = room[threadIdx.x] > 0;
    }
}

/* Lanes 16 to 31 have left before the shuffle that names all lanes. */
extern "C" __global__ void
missing_lane (const IndexArguments a)
{
  if (threadIdx.x >= 16)
    return;
  a.y[threadIdx.x] = __shfl_down_sync (~0u, a.x[threadIdx.x], 16) > 0;
}

/* Four floats at once from an address that is a multiple of 4 only. */
struct alignas (16) Four
{
  float x, y, z, w;
};
extern "C" __global__ void
misaligned_vector (const IndexArguments a)
{
  Four f = *(const Four *) (a.x + a.columns);
  a.y[0] = f.x + f.y + f.z + f.w > 0;
}

extern "C" __global__ void
endless (const IndexArguments a)
{
  while (*(volatile int *) a.y == 0)
    ;
}
