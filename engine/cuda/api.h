/* api.h — the functions of NVIDIA's libraries that the module calls, and their types, declared by
 * ourselves so that the module is built without any file of CUDA.
 *
 * Where the vendor's headers are, tests/engine/cuda/test-prototypes.c includes them first and
 * compares every prototype; this file then adds no types.  Driver functions have the versioned names
 * that libcuda.so.1 exports.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* One algorithm for a convolution, as cuDNN offers it for each of the three passes. */
typedef struct
{
  int    algorithm;
  int    status; /* 0: it can compute this convolution */
  float  time;
  size_t memory; /* bytes of its workspace */
  int    determinism;
  int    math;
  int    reserved[3];
} HybCudnnChoice;

/* One algorithm for a product, as cuBLASLt offers it. */
typedef struct
{
  uint64_t algorithm[8];
  size_t   memory; /* bytes of its workspace */
  int      status; /* 0: it can compute this product */
  float    waves;
  int      reserved[4];
} HybCublasChoice;

#ifndef HYB_CUDA_VENDOR_TYPES
typedef int                    CUresult;
typedef int                    CUdevice;
typedef unsigned long long     CUdeviceptr;
typedef struct CUctx_st       *CUcontext;
typedef struct CUmod_st       *CUmodule;
typedef struct CUfunc_st      *CUfunction;
typedef struct CUstream_st    *CUstream;
typedef struct CUevent_st     *CUevent;
typedef struct CUgraph_st     *CUgraph;
typedef struct CUgraphExec_st *CUgraphExec;
typedef int                    CUdevice_attribute;
typedef int                    CUstreamCaptureMode;

typedef struct cublasContext *cublasHandle_t;
typedef int                   cublasStatus_t;
typedef int                   cublasOperation_t;
typedef int                   cublasMath_t;
typedef int                   cudaDataType;
typedef int                   cublasComputeType_t;
typedef int                   cublasGemmAlgo_t;

typedef struct cublasLtContext    *cublasLtHandle_t;
typedef struct cublasLtDesc       *cublasLtMatmulDesc_t;
typedef struct cublasLtLayout     *cublasLtMatrixLayout_t;
typedef struct cublasLtPreference *cublasLtMatmulPreference_t;
typedef HybCublasChoice            cublasLtMatmulHeuristicResult_t;
typedef uint64_t                   cublasLtMatmulAlgo_t; /* the first of its eight numbers */
typedef int                        cublasLtMatmulDescAttributes_t;
typedef int                        cublasLtMatmulPreferenceAttributes_t;

typedef int                            cudnnStatus_t;
typedef int                            cudnnDataType_t;
typedef int                            cudnnMathType_t;
typedef int                            cudnnTensorFormat_t;
typedef int                            cudnnConvolutionMode_t;
typedef int                            cudnnConvolutionFwdAlgo_t;
typedef int                            cudnnConvolutionBwdDataAlgo_t;
typedef int                            cudnnConvolutionBwdFilterAlgo_t;
typedef HybCudnnChoice                 cudnnConvolutionFwdAlgoPerf_t;
typedef HybCudnnChoice                 cudnnConvolutionBwdDataAlgoPerf_t;
typedef HybCudnnChoice                 cudnnConvolutionBwdFilterAlgoPerf_t;
typedef int                            cudnnRNNAlgo_t;
typedef int                            cudnnRNNMode_t;
typedef int                            cudnnRNNBiasMode_t;
typedef int                            cudnnDirectionMode_t;
typedef int                            cudnnRNNInputMode_t;
typedef int                            cudnnRNNClipMode_t;
typedef int                            cudnnRNNDataLayout_t;
typedef int                            cudnnForwardMode_t;
typedef int                            cudnnWgradMode_t;
typedef struct cudnnContext           *cudnnHandle_t;
typedef struct cudnnTensorStruct      *cudnnTensorDescriptor_t;
typedef struct cudnnFilterStruct      *cudnnFilterDescriptor_t;
typedef struct cudnnConvolutionStruct *cudnnConvolutionDescriptor_t;
typedef struct cudnnDropoutStruct     *cudnnDropoutDescriptor_t;
typedef struct cudnnRNNStruct         *cudnnRNNDescriptor_t;
typedef struct cudnnRNNDataStruct     *cudnnRNNDataDescriptor_t;

typedef int                   nvrtcResult;
typedef struct _nvrtcProgram *nvrtcProgram;
#endif

/* Values of the enumerations above. */
enum
{
  HYB_CUDA_OUT_OF_MEMORY = 2,
  HYB_CUDA_STUB = 34,
  HYB_CUDA_NO_DEVICE = 100,
  HYB_CUDA_ATTRIBUTE_CLOCK = 13, /* kHz */
  HYB_CUDA_ATTRIBUTE_MULTIPROCESSORS = 16,
  HYB_CUDA_ATTRIBUTE_MEMORY_CLOCK = 36, /* kHz */
  HYB_CUDA_ATTRIBUTE_MEMORY_BITS = 37,
  HYB_CUDA_ATTRIBUTE_MAJOR = 75,
  HYB_CUDA_ATTRIBUTE_MINOR = 76,
  HYB_CUDA_STREAM_NON_BLOCKING = 1,
  HYB_CUDA_CAPTURE_THREAD_LOCAL = 1,
  HYB_CUBLAS_N = 0,
  HYB_CUBLAS_T = 1,
  HYB_CUBLAS_R_32F = 0,
  HYB_CUBLAS_R_64F = 1,
  HYB_CUBLAS_R_16F = 2,
  HYB_CUBLAS_R_16BF = 14,
  HYB_CUBLAS_COMPUTE_32F = 68,
  HYB_CUBLAS_COMPUTE_32F_PEDANTIC = 69, /* of gpu-check alone */
  HYB_CUBLAS_COMPUTE_64F = 70,
  HYB_CUBLAS_COMPUTE_32F_FAST_TF32 = 77,
  HYB_CUBLAS_GEMM_DEFAULT = -1,
  HYB_CUBLASLT_TRANSPOSES_A = 3, /* an attribute of a product */
  HYB_CUBLASLT_TRANSPOSES_B = 4,
  HYB_CUBLASLT_ENDS_WITH = 7,
  HYB_CUBLASLT_BIAS_AT = 8,
  HYB_CUBLASLT_BIAS = 4, /* values of ENDS_WITH */
  HYB_CUBLASLT_BIAS_RELU = 6,
  HYB_CUBLASLT_MOST_WORKSPACE = 1, /* an attribute of a preference */
  HYB_CUBLASLT_LEAST_ALIGNMENT_A = 5,
  HYB_CUBLASLT_LEAST_ALIGNMENT_B = 6,
  HYB_CUBLASLT_LEAST_ALIGNMENT_C = 7,
  HYB_CUBLASLT_LEAST_ALIGNMENT_D = 8,
  HYB_CUDNN_FLOAT = 0,
  HYB_CUDNN_DOUBLE = 1,
  HYB_CUDNN_HALF = 2,
  HYB_CUDNN_BFLOAT16 = 9,
  HYB_CUDNN_DEFAULT_MATH = 0,
  HYB_CUDNN_FMA_MATH = 3,
  HYB_CUDNN_DETERMINISTIC = 1,
  HYB_CUDNN_NCHW = 0,
  HYB_CUDNN_CROSS_CORRELATION = 1,
  HYB_CUDNN_RNN_STANDARD = 0,
  HYB_CUDNN_RNN_PERSIST_STATIC = 1,
  HYB_CUDNN_RNN_PERSIST_STATIC_SMALL_H = 3,
  HYB_CUDNN_RNN_RELU = 0,
  HYB_CUDNN_RNN_TANH = 1,
  HYB_CUDNN_LSTM = 2,
  HYB_CUDNN_GRU = 3,
  HYB_CUDNN_DOUBLE_BIAS = 2,
  HYB_CUDNN_LINEAR_INPUT = 0,
  HYB_CUDNN_PADDED_IO = 1,
  HYB_CUDNN_CLIP_MINMAX = 1,
  HYB_CUDNN_SEQ_MAJOR_UNPACKED = 0,
  HYB_CUDNN_INFERENCE = 0,
  HYB_CUDNN_TRAINING = 1,
  HYB_CUDNN_ADD = 0,
  HYB_CUDNN_SET = 1,
};

/* F (result, name, (parameters)) for each function. */
#define HYB_CUDA_DRIVER_FUNCTIONS(F)                                                              \
  F (CUresult, cuInit, (unsigned int flags))                                                      \
  F (CUresult, cuDriverGetVersion, (int *version))                                                \
  F (CUresult, cuGetErrorName, (CUresult error, const char **text))                               \
  F (CUresult, cuGetErrorString, (CUresult error, const char **text))                             \
  F (CUresult, cuDeviceGetCount, (int *count))                                                    \
  F (CUresult, cuDeviceGet, (CUdevice * device, int index))                                       \
  F (CUresult, cuDeviceGetName, (char *name, int length, CUdevice device))                        \
  F (CUresult, cuDeviceTotalMem_v2, (size_t * bytes, CUdevice device))                            \
  F (CUresult, cuDeviceGetAttribute, (int *value, CUdevice_attribute attribute, CUdevice device)) \
  F (CUresult, cuDevicePrimaryCtxRetain, (CUcontext * context, CUdevice device))                  \
  F (CUresult, cuDevicePrimaryCtxRelease_v2, (CUdevice device))                                   \
  F (CUresult, cuCtxSetCurrent, (CUcontext context))                                              \
  F (CUresult, cuMemGetInfo_v2, (size_t * unused, size_t * total))                                \
  F (CUresult, cuMemAlloc_v2, (CUdeviceptr * address, size_t bytes))                              \
  F (CUresult, cuMemFree_v2, (CUdeviceptr address))                                               \
  F (CUresult, cuMemHostAlloc, (void **host, size_t bytes, unsigned int flags))                   \
  F (CUresult, cuMemFreeHost, (void *host))                                                       \
  F (CUresult, cuMemcpyAsync, (CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream))  \
  F (CUresult, cuMemsetD8Async,                                                                   \
     (CUdeviceptr to, unsigned char value, size_t count, CUstream stream))                        \
  F (CUresult, cuMemsetD32Async,                                                                  \
     (CUdeviceptr to, unsigned int value, size_t count, CUstream stream))                         \
  F (CUresult, cuStreamCreate, (CUstream * stream, unsigned int flags))                           \
  F (CUresult, cuStreamDestroy_v2, (CUstream stream))                                             \
  F (CUresult, cuStreamSynchronize, (CUstream stream))                                            \
  F (CUresult, cuStreamWaitEvent, (CUstream stream, CUevent event, unsigned int flags))           \
  F (CUresult, cuEventCreate, (CUevent * event, unsigned int flags))                              \
  F (CUresult, cuEventDestroy_v2, (CUevent event))                                                \
  F (CUresult, cuEventRecord, (CUevent event, CUstream stream))                                   \
  F (CUresult, cuModuleLoadData, (CUmodule * module, const void *image))                          \
  F (CUresult, cuModuleUnload, (CUmodule module))                                                 \
  F (CUresult, cuModuleGetFunction, (CUfunction * function, CUmodule module, const char *name))   \
  F (CUresult, cuLaunchKernel,                                                                    \
     (CUfunction function, unsigned int grid_x, unsigned int grid_y, unsigned int grid_z,         \
      unsigned int block_x, unsigned int block_y, unsigned int block_z, unsigned int shared,      \
      CUstream stream, void **parameters, void **extra))                                          \
  F (CUresult, cuStreamBeginCapture_v2, (CUstream stream, CUstreamCaptureMode mode))              \
  F (CUresult, cuStreamEndCapture, (CUstream stream, CUgraph * graph))                            \
  F (CUresult, cuGraphInstantiateWithFlags,                                                       \
     (CUgraphExec * exec, CUgraph graph, unsigned long long flags))                               \
  F (CUresult, cuGraphDestroy, (CUgraph graph))                                                   \
  F (CUresult, cuGraphLaunch, (CUgraphExec exec, CUstream stream))                                \
  F (CUresult, cuGraphExecDestroy, (CUgraphExec exec))

#define HYB_CUDA_CUBLAS_FUNCTIONS(F)                                                               \
  F (cublasStatus_t, cublasCreate_v2, (cublasHandle_t * handle))                                   \
  F (cublasStatus_t, cublasDestroy_v2, (cublasHandle_t handle))                                    \
  F (cublasStatus_t, cublasGetVersion_v2, (cublasHandle_t handle, int *version))                   \
  F (const char *, cublasGetStatusName, (cublasStatus_t status))                                   \
  F (cublasStatus_t, cublasSetStream_v2, (cublasHandle_t handle, CUstream stream))                 \
  F (cublasStatus_t, cublasSetWorkspace_v2, (cublasHandle_t handle, void *space, size_t bytes))    \
  F (cublasStatus_t, cublasSetMathMode, (cublasHandle_t handle, cublasMath_t mode))                \
  F (cublasStatus_t, cublasGemmEx,                                                                 \
     (cublasHandle_t handle, cublasOperation_t transpose_a, cublasOperation_t transpose_b, int m,  \
      int n, int k, const void *alpha, const void *a, cudaDataType type_a, int lda, const void *b, \
      cudaDataType type_b, int ldb, const void *beta, void *c, cudaDataType type_c, int ldc,       \
      cublasComputeType_t compute, cublasGemmAlgo_t algorithm))                                    \
  F (cublasStatus_t, cublasGemmStridedBatchedEx,                                                   \
     (cublasHandle_t handle, cublasOperation_t transpose_a, cublasOperation_t transpose_b, int m,  \
      int n, int k, const void *alpha, const void *a, cudaDataType type_a, int lda,                \
      long long stride_a, const void *b, cudaDataType type_b, int ldb, long long stride_b,         \
      const void *beta, void *c, cudaDataType type_c, int ldc, long long stride_c, int batch,      \
      cublasComputeType_t compute, cublasGemmAlgo_t algorithm))

#define HYB_CUDA_CUBLASLT_FUNCTIONS(F)                                                           \
  F (cublasStatus_t, cublasLtCreate, (cublasLtHandle_t * handle))                                \
  F (cublasStatus_t, cublasLtDestroy, (cublasLtHandle_t handle))                                 \
  F (cublasStatus_t, cublasLtMatmulDescCreate,                                                   \
     (cublasLtMatmulDesc_t * product, cublasComputeType_t compute, cudaDataType scale))          \
  F (cublasStatus_t, cublasLtMatmulDescSetAttribute,                                             \
     (cublasLtMatmulDesc_t product, cublasLtMatmulDescAttributes_t attribute, const void *value, \
      size_t bytes))                                                                             \
  F (cublasStatus_t, cublasLtMatmulDescDestroy, (cublasLtMatmulDesc_t product))                  \
  F (cublasStatus_t, cublasLtMatrixLayoutCreate,                                                 \
     (cublasLtMatrixLayout_t * matrix, cudaDataType type, uint64_t rows, uint64_t columns,       \
      int64_t lead))                                                                             \
  F (cublasStatus_t, cublasLtMatrixLayoutDestroy, (cublasLtMatrixLayout_t matrix))               \
  F (cublasStatus_t, cublasLtMatmulPreferenceCreate, (cublasLtMatmulPreference_t * preference))  \
  F (cublasStatus_t, cublasLtMatmulPreferenceSetAttribute,                                       \
     (cublasLtMatmulPreference_t preference, cublasLtMatmulPreferenceAttributes_t attribute,     \
      const void *value, size_t bytes))                                                          \
  F (cublasStatus_t, cublasLtMatmulPreferenceDestroy, (cublasLtMatmulPreference_t preference))   \
  F (cublasStatus_t, cublasLtMatmulAlgoGetHeuristic,                                             \
     (cublasLtHandle_t handle, cublasLtMatmulDesc_t product, cublasLtMatrixLayout_t a,           \
      cublasLtMatrixLayout_t b, cublasLtMatrixLayout_t c, cublasLtMatrixLayout_t d,              \
      cublasLtMatmulPreference_t preference, int most, cublasLtMatmulHeuristicResult_t *choices, \
      int *n))                                                                                   \
  F (cublasStatus_t, cublasLtMatmul,                                                             \
     (cublasLtHandle_t handle, cublasLtMatmulDesc_t product, const void *alpha, const void *a,   \
      cublasLtMatrixLayout_t a_layout, const void *b, cublasLtMatrixLayout_t b_layout,           \
      const void *beta, const void *c, cublasLtMatrixLayout_t c_layout, void *d,                 \
      cublasLtMatrixLayout_t d_layout, const cublasLtMatmulAlgo_t *algorithm, void *workspace,   \
      size_t bytes, CUstream stream))

#define HYB_CUDA_NVRTC_FUNCTIONS(F)                                                               \
  F (nvrtcResult, nvrtcVersion, (int *major, int *minor))                                         \
  F (const char *, nvrtcGetErrorString, (nvrtcResult result))                                     \
  F (nvrtcResult, nvrtcGetNumSupportedArchs, (int *count))                                        \
  F (nvrtcResult, nvrtcGetSupportedArchs, (int *archs))                                           \
  F (nvrtcResult, nvrtcCreateProgram,                                                             \
     (nvrtcProgram * program, const char *text, const char *name, int n_headers,                  \
      const char *const *headers, const char *const *names))                                      \
  F (nvrtcResult, nvrtcDestroyProgram, (nvrtcProgram * program))                                  \
  F (nvrtcResult, nvrtcCompileProgram, (nvrtcProgram program, int n, const char *const *options)) \
  F (nvrtcResult, nvrtcGetProgramLogSize, (nvrtcProgram program, size_t * bytes))                 \
  F (nvrtcResult, nvrtcGetProgramLog, (nvrtcProgram program, char *log))                          \
  F (nvrtcResult, nvrtcGetPTXSize, (nvrtcProgram program, size_t * bytes))                        \
  F (nvrtcResult, nvrtcGetPTX, (nvrtcProgram program, char *ptx))                                 \
  F (nvrtcResult, nvrtcGetCUBINSize, (nvrtcProgram program, size_t * bytes))                      \
  F (nvrtcResult, nvrtcGetCUBIN, (nvrtcProgram program, char *cubin))

#define HYB_CUDA_CUDNN_FUNCTIONS(F)                                                                \
  F (size_t, cudnnGetCudartVersion, (void) )                                                       \
  F (const char *, cudnnGetErrorString, (cudnnStatus_t status))                                    \
  F (cudnnStatus_t, cudnnCreate, (cudnnHandle_t * handle))                                         \
  F (cudnnStatus_t, cudnnDestroy, (cudnnHandle_t handle))                                          \
  F (cudnnStatus_t, cudnnSetStream, (cudnnHandle_t handle, CUstream stream))                       \
  F (cudnnStatus_t, cudnnCreateTensorDescriptor, (cudnnTensorDescriptor_t * tensor))               \
  F (cudnnStatus_t, cudnnDestroyTensorDescriptor, (cudnnTensorDescriptor_t tensor))                \
  F (cudnnStatus_t, cudnnSetTensorNdDescriptor,                                                    \
     (cudnnTensorDescriptor_t tensor, cudnnDataType_t type, int rank, const int *dims,             \
      const int *strides))                                                                         \
  F (cudnnStatus_t, cudnnCreateDropoutDescriptor, (cudnnDropoutDescriptor_t * dropout))            \
  F (cudnnStatus_t, cudnnDestroyDropoutDescriptor, (cudnnDropoutDescriptor_t dropout))             \
  F (cudnnStatus_t, cudnnSetDropoutDescriptor,                                                     \
     (cudnnDropoutDescriptor_t dropout, cudnnHandle_t handle, float p, void *states, size_t bytes, \
      unsigned long long seed))                                                                    \
  F (cudnnStatus_t, cudnnCreateRNNDescriptor, (cudnnRNNDescriptor_t * rnn))                        \
  F (cudnnStatus_t, cudnnDestroyRNNDescriptor, (cudnnRNNDescriptor_t rnn))                         \
  F (cudnnStatus_t, cudnnSetRNNDescriptor_v8,                                                      \
     (cudnnRNNDescriptor_t rnn, cudnnRNNAlgo_t algorithm, cudnnRNNMode_t cell,                     \
      cudnnRNNBiasMode_t bias, cudnnDirectionMode_t direction, cudnnRNNInputMode_t input,          \
      cudnnDataType_t type, cudnnDataType_t precision, cudnnMathType_t math, int input_size,       \
      int hidden_size, int projection_size, int layers, cudnnDropoutDescriptor_t dropout,          \
      unsigned int flags))                                                                         \
  F (cudnnStatus_t, cudnnRNNSetClip_v9,                                                            \
     (cudnnRNNDescriptor_t rnn, cudnnRNNClipMode_t mode, double low, double high))                 \
  F (cudnnStatus_t, cudnnGetRNNWeightSpaceSize,                                                    \
     (cudnnHandle_t handle, cudnnRNNDescriptor_t rnn, size_t * bytes))                             \
  F (cudnnStatus_t, cudnnGetRNNWeightParams,                                                       \
     (cudnnHandle_t handle, cudnnRNNDescriptor_t rnn, int pseudo_layer, size_t bytes,              \
      const void *space, int part, cudnnTensorDescriptor_t matrix, void **matrix_at,               \
      cudnnTensorDescriptor_t bias, void **bias_at))                                               \
  F (cudnnStatus_t, cudnnGetRNNTempSpaceSizes,                                                     \
     (cudnnHandle_t handle, cudnnRNNDescriptor_t rnn, cudnnForwardMode_t mode,                     \
      cudnnRNNDataDescriptor_t x, size_t * work, size_t * reserve))                                \
  F (cudnnStatus_t, cudnnCreateRNNDataDescriptor, (cudnnRNNDataDescriptor_t * data))               \
  F (cudnnStatus_t, cudnnDestroyRNNDataDescriptor, (cudnnRNNDataDescriptor_t data))                \
  F (cudnnStatus_t, cudnnSetRNNDataDescriptor,                                                     \
     (cudnnRNNDataDescriptor_t data, cudnnDataType_t type, cudnnRNNDataLayout_t layout, int steps, \
      int batch, int size, const int *lengths, void *padding))                                     \
  F (cudnnStatus_t, cudnnRNNForward,                                                               \
     (cudnnHandle_t handle, cudnnRNNDescriptor_t rnn, cudnnForwardMode_t mode,                     \
      const int *device_lengths, cudnnRNNDataDescriptor_t x, const void *x_at,                     \
      cudnnRNNDataDescriptor_t y, void *y_at, cudnnTensorDescriptor_t h, const void *hx, void *hy, \
      cudnnTensorDescriptor_t c, const void *cx, void *cy, size_t weight_bytes,                    \
      const void *weights, size_t work_bytes, void *work, size_t reserve_bytes, void *reserve))    \
  F (cudnnStatus_t, cudnnRNNBackwardData_v8,                                                       \
     (cudnnHandle_t handle, cudnnRNNDescriptor_t rnn, const int *device_lengths,                   \
      cudnnRNNDataDescriptor_t y, const void *y_at, const void *dy, cudnnRNNDataDescriptor_t x,    \
      void *dx, cudnnTensorDescriptor_t h, const void *hx, const void *dhy, void *dhx,             \
      cudnnTensorDescriptor_t c, const void *cx, const void *dcy, void *dcx, size_t weight_bytes,  \
      const void *weights, size_t work_bytes, void *work, size_t reserve_bytes, void *reserve))    \
  F (cudnnStatus_t, cudnnRNNBackwardWeights_v8,                                                    \
     (cudnnHandle_t handle, cudnnRNNDescriptor_t rnn, cudnnWgradMode_t mode,                       \
      const int *device_lengths, cudnnRNNDataDescriptor_t x, const void *x_at,                     \
      cudnnTensorDescriptor_t h, const void *hx, cudnnRNNDataDescriptor_t y, const void *y_at,     \
      size_t weight_bytes, void *dw, size_t work_bytes, void *work, size_t reserve_bytes,          \
      void *reserve))                                                                              \
  F (cudnnStatus_t, cudnnCreateFilterDescriptor, (cudnnFilterDescriptor_t * filter))               \
  F (cudnnStatus_t, cudnnDestroyFilterDescriptor, (cudnnFilterDescriptor_t filter))                \
  F (cudnnStatus_t, cudnnSetFilterNdDescriptor,                                                    \
     (cudnnFilterDescriptor_t filter, cudnnDataType_t type, cudnnTensorFormat_t format, int rank,  \
      const int *dims))                                                                            \
  F (cudnnStatus_t, cudnnCreateConvolutionDescriptor,                                              \
     (cudnnConvolutionDescriptor_t * convolution))                                                 \
  F (cudnnStatus_t, cudnnDestroyConvolutionDescriptor, (cudnnConvolutionDescriptor_t convolution)) \
  F (cudnnStatus_t, cudnnSetConvolutionNdDescriptor,                                               \
     (cudnnConvolutionDescriptor_t convolution, int rank, const int *pad, const int *stride,       \
      const int *dilate, cudnnConvolutionMode_t mode, cudnnDataType_t precision))                  \
  F (cudnnStatus_t, cudnnSetConvolutionGroupCount,                                                 \
     (cudnnConvolutionDescriptor_t convolution, int groups))                                       \
  F (cudnnStatus_t, cudnnSetConvolutionMathType,                                                   \
     (cudnnConvolutionDescriptor_t convolution, cudnnMathType_t math))                             \
  F (cudnnStatus_t, cudnnGetConvolutionForwardAlgorithm_v7,                                        \
     (cudnnHandle_t handle, cudnnTensorDescriptor_t x, cudnnFilterDescriptor_t w,                  \
      cudnnConvolutionDescriptor_t convolution, cudnnTensorDescriptor_t y, int most, int *count,   \
      cudnnConvolutionFwdAlgoPerf_t *choices))                                                     \
  F (cudnnStatus_t, cudnnGetConvolutionForwardWorkspaceSize,                                       \
     (cudnnHandle_t handle, cudnnTensorDescriptor_t x, cudnnFilterDescriptor_t w,                  \
      cudnnConvolutionDescriptor_t convolution, cudnnTensorDescriptor_t y,                         \
      cudnnConvolutionFwdAlgo_t algorithm, size_t * bytes))                                        \
  F (cudnnStatus_t, cudnnConvolutionForward,                                                       \
     (cudnnHandle_t handle, const void *alpha, cudnnTensorDescriptor_t x, const void *x_at,        \
      cudnnFilterDescriptor_t w, const void *w_at, cudnnConvolutionDescriptor_t convolution,       \
      cudnnConvolutionFwdAlgo_t algorithm, void *work, size_t work_bytes, const void *beta,        \
      cudnnTensorDescriptor_t y, void *y_at))                                                      \
  F (cudnnStatus_t, cudnnGetConvolutionBackwardDataAlgorithm_v7,                                   \
     (cudnnHandle_t handle, cudnnFilterDescriptor_t w, cudnnTensorDescriptor_t y,                  \
      cudnnConvolutionDescriptor_t convolution, cudnnTensorDescriptor_t x, int most, int *count,   \
      cudnnConvolutionBwdDataAlgoPerf_t *choices))                                                 \
  F (cudnnStatus_t, cudnnGetConvolutionBackwardDataWorkspaceSize,                                  \
     (cudnnHandle_t handle, cudnnFilterDescriptor_t w, cudnnTensorDescriptor_t y,                  \
      cudnnConvolutionDescriptor_t convolution, cudnnTensorDescriptor_t x,                         \
      cudnnConvolutionBwdDataAlgo_t algorithm, size_t * bytes))                                    \
  F (cudnnStatus_t, cudnnConvolutionBackwardData,                                                  \
     (cudnnHandle_t handle, const void *alpha, cudnnFilterDescriptor_t w, const void *w_at,        \
      cudnnTensorDescriptor_t y, const void *y_at, cudnnConvolutionDescriptor_t convolution,       \
      cudnnConvolutionBwdDataAlgo_t algorithm, void *work, size_t work_bytes, const void *beta,    \
      cudnnTensorDescriptor_t x, void *x_at))                                                      \
  F (cudnnStatus_t, cudnnGetConvolutionBackwardFilterAlgorithm_v7,                                 \
     (cudnnHandle_t handle, cudnnTensorDescriptor_t x, cudnnTensorDescriptor_t y,                  \
      cudnnConvolutionDescriptor_t convolution, cudnnFilterDescriptor_t w, int most, int *count,   \
      cudnnConvolutionBwdFilterAlgoPerf_t *choices))                                               \
  F (cudnnStatus_t, cudnnGetConvolutionBackwardFilterWorkspaceSize,                                \
     (cudnnHandle_t handle, cudnnTensorDescriptor_t x, cudnnTensorDescriptor_t y,                  \
      cudnnConvolutionDescriptor_t convolution, cudnnFilterDescriptor_t w,                         \
      cudnnConvolutionBwdFilterAlgo_t algorithm, size_t * bytes))                                  \
  F (cudnnStatus_t, cudnnConvolutionBackwardFilter,                                                \
     (cudnnHandle_t handle, const void *alpha, cudnnTensorDescriptor_t x, const void *x_at,        \
      cudnnTensorDescriptor_t y, const void *y_at, cudnnConvolutionDescriptor_t convolution,       \
      cudnnConvolutionBwdFilterAlgo_t algorithm, void *work, size_t work_bytes, const void *beta,  \
      cudnnFilterDescriptor_t w, void *w_at))

/* All of them as function pointers. */
typedef struct
{
#define HYB_CUDA_MEMBER(result, name, parameters) result (*name) parameters;
  HYB_CUDA_DRIVER_FUNCTIONS (HYB_CUDA_MEMBER)
  HYB_CUDA_CUBLAS_FUNCTIONS (HYB_CUDA_MEMBER)
  HYB_CUDA_CUBLASLT_FUNCTIONS (HYB_CUDA_MEMBER) /* NULL without HybCuda.ends_products */
  HYB_CUDA_CUDNN_FUNCTIONS (HYB_CUDA_MEMBER)
  HYB_CUDA_NVRTC_FUNCTIONS (HYB_CUDA_MEMBER)
#undef HYB_CUDA_MEMBER
} HybCudaFunctions;
