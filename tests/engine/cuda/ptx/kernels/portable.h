/* portable.h — what the kernels of these tests need so that NVRTC and clang (without a CUDA
 * toolkit) compile the same text.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#ifndef __CUDACC_RTC__
#define __global__ __attribute__ ((global))
#define __device__ __attribute__ ((device))
#define __shared__ __attribute__ ((shared))

struct Three
{
  unsigned x, y, z;
};

#define SREG(name)                                       \
  (Three{ (unsigned) __nvvm_read_ptx_sreg_##name##_x (), \
          (unsigned) __nvvm_read_ptx_sreg_##name##_y (), \
          (unsigned) __nvvm_read_ptx_sreg_##name##_z () })
#define threadIdx        SREG (tid)
#define blockIdx         SREG (ctaid)
#define blockDim         SREG (ntid)
#define gridDim          SREG (nctaid)
#define __syncwarp(mask) __nvvm_bar_warp_sync (mask)

extern "C" __device__ float  expf (float);
extern "C" __device__ float  tanhf (float);
extern "C" __device__ float  erff (float);
extern "C" __device__ float  logf (float);
extern "C" __device__ float  sinf (float);
extern "C" __device__ float  powf (float, float);
extern "C" __device__ double exp (double);
extern "C" __device__ double log (double);
extern "C" __device__ double tanh (double);
extern "C" __device__ double erf (double);
extern "C" __device__ double cos (double);
extern "C" __device__ double pow (double, double);
extern "C" __device__ double lgamma (double);

extern "C" __device__ float sqrtf (float);

static inline __device__ float
__shfl_xor_sync (unsigned mask, float x, int lanes)
{
  return __nvvm_shfl_sync_bfly_f32 (mask, x, lanes, 31);
}

static inline __device__ float
__shfl_down_sync (unsigned mask, float x, int lanes)
{
  return __nvvm_shfl_sync_down_f32 (mask, x, lanes, 31);
}

static inline __device__ int
__shfl_down_sync (unsigned mask, int x, int lanes)
{
  return __nvvm_shfl_sync_down_i32 (mask, x, lanes, 31);
}

static inline __device__ unsigned
__ballot_sync (unsigned mask, int yes)
{
  return __nvvm_vote_ballot_sync (mask, yes);
}

static inline __device__ float
atomicAdd (float *p, float x)
{
  return __nvvm_atom_add_gen_f (p, x);
}

static inline __device__ int
atomicAdd (int *p, int x)
{
  return __nvvm_atom_add_gen_i (p, x);
}
#endif
