/* functions.cu — each mathematical function of CUDA as a kernel, in float and in double. */
#include "tests/engine/cuda/ptx/kernels/arguments.h"
#include "tests/engine/cuda/ptx/kernels/functions.h"
#include "tests/engine/cuda/ptx/kernels/portable.h"

#ifndef __CUDACC_RTC__
#define DECLARE_ONE(name)                                                                          \
  extern "C" __device__ float name##f (float);                                                     \
  extern "C" __device__ double name (double);
#define DECLARE_TWO(name)                                                                          \
  extern "C" __device__ float name##f (float, float);                                              \
  extern "C" __device__ double name (double, double);
FUNCTIONS_OF_ONE (DECLARE_ONE)
FUNCTIONS_OF_TWO (DECLARE_TWO)
#endif

#define KERNEL(name, T, expression)                                                                \
  extern "C" __global__ void name (const EachArguments a)                                          \
  {                                                                                                \
    long long i = (long long) blockIdx.x * blockDim.x + threadIdx.x;                               \
    if (i < a.n)                                                                                   \
      {                                                                                            \
        T x = ((const T *) a.x)[i], w = ((const T *) a.w)[i];                                      \
        (void) w;                                                                                  \
        ((T *) a.y)[i] = expression;                                                               \
      }                                                                                            \
  }
#define ONE(name) KERNEL (name##_f32, float, name##f (x)) KERNEL (name##_f64, double, name (x))
#define TWO(name) KERNEL (name##_f32, float, name##f (x, w)) KERNEL (name##_f64, double, name (x, w))
FUNCTIONS_OF_ONE (ONE)
FUNCTIONS_OF_TWO (TWO)
