/* test-prototypes.c — the prototypes of engine/cuda/api.h are those of the vendor's headers.
 *
 * Compiled where the headers are; the comparison is made by the compiler.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include <cublasLt.h>
#include <cublas_v2.h>
#include <cuda.h>
#include <cudnn.h>
#include <nvrtc.h>

#define HYB_CUDA_VENDOR_TYPES
#include "engine/cuda/api.h"

#include <glib.h>

#define SAME(result, name, parameters)                                                \
  _Static_assert(__builtin_types_compatible_p (__typeof__ (name), result parameters), \
                 #name " has another prototype");
HYB_CUDA_DRIVER_FUNCTIONS (SAME)
HYB_CUDA_CUBLAS_FUNCTIONS (SAME)
HYB_CUDA_CUBLASLT_FUNCTIONS (SAME)
HYB_CUDA_CUDNN_FUNCTIONS (SAME)
HYB_CUDA_NVRTC_FUNCTIONS (SAME)

#define EQUAL(ours, theirs) _Static_assert((int) ours == (int) theirs, #ours " has another value")
EQUAL (HYB_CUDA_OUT_OF_MEMORY, CUDA_ERROR_OUT_OF_MEMORY);
EQUAL (HYB_CUDA_STUB, CUDA_ERROR_STUB_LIBRARY);
EQUAL (HYB_CUDA_NO_DEVICE, CUDA_ERROR_NO_DEVICE);
EQUAL (HYB_CUDA_ATTRIBUTE_CLOCK, CU_DEVICE_ATTRIBUTE_CLOCK_RATE);
EQUAL (HYB_CUDA_ATTRIBUTE_MEMORY_CLOCK, CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE);
EQUAL (HYB_CUDA_ATTRIBUTE_MEMORY_BITS, CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH);
EQUAL (HYB_CUDA_ATTRIBUTE_MULTIPROCESSORS, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
EQUAL (HYB_CUDA_ATTRIBUTE_MAJOR, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
EQUAL (HYB_CUDA_ATTRIBUTE_MINOR, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
EQUAL (HYB_CUDA_STREAM_NON_BLOCKING, CU_STREAM_NON_BLOCKING);
EQUAL (HYB_CUDA_CAPTURE_THREAD_LOCAL, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL);
EQUAL (HYB_CUBLAS_N, CUBLAS_OP_N);
EQUAL (HYB_CUBLAS_T, CUBLAS_OP_T);
EQUAL (HYB_CUBLAS_R_32F, CUDA_R_32F);
EQUAL (HYB_CUBLAS_R_64F, CUDA_R_64F);
EQUAL (HYB_CUBLAS_R_16F, CUDA_R_16F);
EQUAL (HYB_CUBLAS_R_16BF, CUDA_R_16BF);
EQUAL (HYB_CUBLAS_COMPUTE_32F, CUBLAS_COMPUTE_32F);
EQUAL (HYB_CUBLAS_COMPUTE_32F_PEDANTIC, CUBLAS_COMPUTE_32F_PEDANTIC);
EQUAL (HYB_CUBLAS_COMPUTE_64F, CUBLAS_COMPUTE_64F);
EQUAL (HYB_CUBLAS_COMPUTE_32F_FAST_TF32, CUBLAS_COMPUTE_32F_FAST_TF32);
EQUAL (HYB_CUBLAS_GEMM_DEFAULT, CUBLAS_GEMM_DEFAULT);
EQUAL (HYB_CUBLASLT_TRANSPOSES_A, CUBLASLT_MATMUL_DESC_TRANSA);
EQUAL (HYB_CUBLASLT_TRANSPOSES_B, CUBLASLT_MATMUL_DESC_TRANSB);
EQUAL (HYB_CUBLASLT_ENDS_WITH, CUBLASLT_MATMUL_DESC_EPILOGUE);
EQUAL (HYB_CUBLASLT_BIAS_AT, CUBLASLT_MATMUL_DESC_BIAS_POINTER);
EQUAL (HYB_CUBLASLT_BIAS, CUBLASLT_EPILOGUE_BIAS);
EQUAL (HYB_CUBLASLT_BIAS_RELU, CUBLASLT_EPILOGUE_RELU_BIAS);
EQUAL (HYB_CUBLASLT_MOST_WORKSPACE, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES);
EQUAL (HYB_CUBLASLT_LEAST_ALIGNMENT_A, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES);
EQUAL (HYB_CUBLASLT_LEAST_ALIGNMENT_B, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES);
EQUAL (HYB_CUBLASLT_LEAST_ALIGNMENT_C, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES);
EQUAL (HYB_CUBLASLT_LEAST_ALIGNMENT_D, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES);
EQUAL (HYB_CUDNN_FLOAT, CUDNN_DATA_FLOAT);
EQUAL (HYB_CUDNN_DOUBLE, CUDNN_DATA_DOUBLE);
EQUAL (HYB_CUDNN_HALF, CUDNN_DATA_HALF);
EQUAL (HYB_CUDNN_BFLOAT16, CUDNN_DATA_BFLOAT16);
EQUAL (HYB_CUDNN_DEFAULT_MATH, CUDNN_DEFAULT_MATH);
EQUAL (HYB_CUDNN_FMA_MATH, CUDNN_FMA_MATH);
EQUAL (HYB_CUDNN_DETERMINISTIC, CUDNN_DETERMINISTIC);
EQUAL (HYB_CUDNN_NCHW, CUDNN_TENSOR_NCHW);
EQUAL (HYB_CUDNN_CROSS_CORRELATION, CUDNN_CROSS_CORRELATION);
EQUAL (HYB_CUDNN_RNN_STANDARD, CUDNN_RNN_ALGO_STANDARD);
EQUAL (HYB_CUDNN_RNN_PERSIST_STATIC, CUDNN_RNN_ALGO_PERSIST_STATIC);
EQUAL (HYB_CUDNN_RNN_PERSIST_STATIC_SMALL_H, CUDNN_RNN_ALGO_PERSIST_STATIC_SMALL_H);
EQUAL (HYB_CUDNN_RNN_RELU, CUDNN_RNN_RELU);
EQUAL (HYB_CUDNN_RNN_TANH, CUDNN_RNN_TANH);
EQUAL (HYB_CUDNN_LSTM, CUDNN_LSTM);
EQUAL (HYB_CUDNN_GRU, CUDNN_GRU);
EQUAL (HYB_CUDNN_DOUBLE_BIAS, CUDNN_RNN_DOUBLE_BIAS);
EQUAL (HYB_CUDNN_LINEAR_INPUT, CUDNN_LINEAR_INPUT);
EQUAL (HYB_CUDNN_PADDED_IO, CUDNN_RNN_PADDED_IO_ENABLED);
EQUAL (HYB_CUDNN_CLIP_MINMAX, CUDNN_RNN_CLIP_MINMAX);
EQUAL (HYB_CUDNN_SEQ_MAJOR_UNPACKED, CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_UNPACKED);
EQUAL (HYB_CUDNN_INFERENCE, CUDNN_FWD_MODE_INFERENCE);
EQUAL (HYB_CUDNN_TRAINING, CUDNN_FWD_MODE_TRAINING);
EQUAL (HYB_CUDNN_ADD, CUDNN_WGRAD_MODE_ADD);
EQUAL (HYB_CUDNN_SET, CUDNN_WGRAD_MODE_SET);

/* The three structs of the vendor are one of ours. */
#define SAME_MEMBER(type, ours, theirs)                                                      \
  _Static_assert(offsetof (HybCudnnChoice, ours) == offsetof (type, theirs) &&               \
                     sizeof (((HybCudnnChoice *) 0)->ours) == sizeof (((type *) 0)->theirs), \
                 #type " has another member " #theirs)
#define SAME_CHOICE(type)                                                          \
  _Static_assert(sizeof (HybCudnnChoice) == sizeof (type), #type " is no choice"); \
  SAME_MEMBER (type, algorithm, algo);                                             \
  SAME_MEMBER (type, status, status);                                              \
  SAME_MEMBER (type, memory, memory);                                              \
  SAME_MEMBER (type, determinism, determinism);                                    \
  SAME_MEMBER (type, math, mathType)
SAME_CHOICE (cudnnConvolutionFwdAlgoPerf_t);
SAME_CHOICE (cudnnConvolutionBwdDataAlgoPerf_t);
SAME_CHOICE (cudnnConvolutionBwdFilterAlgoPerf_t);

#define SAME_PRODUCT(ours, theirs)                                                 \
  _Static_assert(offsetof (HybCublasChoice, ours) ==                               \
                         offsetof (cublasLtMatmulHeuristicResult_t, theirs) &&     \
                     sizeof (((HybCublasChoice *) 0)->ours) ==                     \
                         sizeof (((cublasLtMatmulHeuristicResult_t *) 0)->theirs), \
                 "a choice of cuBLASLt has another member " #theirs)
_Static_assert(sizeof (HybCublasChoice) == sizeof (cublasLtMatmulHeuristicResult_t),
               "a choice of cuBLASLt has another size");
SAME_PRODUCT (algorithm, algo);
SAME_PRODUCT (memory, workspaceSize);
SAME_PRODUCT (status, state);
SAME_PRODUCT (waves, wavesCount);

/* The versioned names are what the headers stand for. */
static void
test_prototypes (void)
{
  g_assert_cmpuint (sizeof (HybCudaFunctions) / sizeof (void *), >, 50);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/engine/cuda/prototypes/are-the-vendor's", test_prototypes);
  return g_test_run ();
}
