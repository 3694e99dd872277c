/* cublas.h — the functions of libcublas.so.13 that the pretend library serves.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "tests/engine/cuda/pretend/driver-types.h"
#include "tests/engine/cuda/pretend/pretend.h"

typedef struct cublasContext *cublasHandle_t;

typedef enum
{
  CUBLAS_STATUS_SUCCESS = 0,
  CUBLAS_STATUS_NOT_INITIALIZED = 1,
  CUBLAS_STATUS_ALLOC_FAILED = 3,
  CUBLAS_STATUS_INVALID_VALUE = 7,
  CUBLAS_STATUS_EXECUTION_FAILED = 13,
  CUBLAS_STATUS_NOT_SUPPORTED = 15,
} cublasStatus_t;

/* Numbers of cudaDataType and cublasComputeType_t. */
enum
{
  CUDA_R_32F = 0,
  CUDA_R_64F = 1,
  CUDA_R_16F = 2,
  CUDA_R_8I = 3,
  CUDA_R_32I = 10,
  CUDA_R_16BF = 14,
  CUBLAS_COMPUTE_16F = 64,
  CUBLAS_COMPUTE_32F = 68,
  CUBLAS_COMPUTE_32F_PEDANTIC = 69,
  CUBLAS_COMPUTE_64F = 70,
  CUBLAS_COMPUTE_64F_PEDANTIC = 71,
  CUBLAS_COMPUTE_32I = 72,
  CUBLAS_COMPUTE_32F_FAST_16F = 74,
  CUBLAS_COMPUTE_32F_FAST_16BF = 75,
  CUBLAS_COMPUTE_32F_FAST_TF32 = 77,
};

PRETEND_API cublasStatus_t cublasCreate_v2 (cublasHandle_t *handle);
PRETEND_API cublasStatus_t cublasDestroy_v2 (cublasHandle_t handle);
PRETEND_API cublasStatus_t cublasGetVersion_v2 (cublasHandle_t handle, int *version);
PRETEND_API cublasStatus_t cublasGetProperty (int property, int *value);
PRETEND_API gsize          cublasGetCudartVersion (void);
PRETEND_API const char    *cublasGetStatusName (cublasStatus_t status);
PRETEND_API const char    *cublasGetStatusString (cublasStatus_t status);
PRETEND_API cublasStatus_t cublasSetStream_v2 (cublasHandle_t handle, CUstream stream);
PRETEND_API cublasStatus_t cublasGetStream_v2 (cublasHandle_t handle, CUstream *stream);
PRETEND_API cublasStatus_t cublasSetWorkspace_v2 (cublasHandle_t handle,
                                                  void          *workspace,
                                                  gsize          bytes);
PRETEND_API cublasStatus_t cublasSetMathMode (cublasHandle_t handle, int mode);
PRETEND_API cublasStatus_t cublasGetMathMode (cublasHandle_t handle, int *mode);
PRETEND_API cublasStatus_t cublasSetPointerMode_v2 (cublasHandle_t handle, int mode);
PRETEND_API cublasStatus_t cublasGetPointerMode_v2 (cublasHandle_t handle, int *mode);
PRETEND_API cublasStatus_t cublasSetAtomicsMode (cublasHandle_t handle, int mode);
PRETEND_API cublasStatus_t cublasSgemm_v2 (cublasHandle_t handle,
                                           int            ta,
                                           int            tb,
                                           int            m,
                                           int            n,
                                           int            k,
                                           const float   *alpha,
                                           const float   *a,
                                           int            lda,
                                           const float   *b,
                                           int            ldb,
                                           const float   *beta,
                                           float         *c,
                                           int            ldc);
PRETEND_API cublasStatus_t cublasDgemm_v2 (cublasHandle_t handle,
                                           int            ta,
                                           int            tb,
                                           int            m,
                                           int            n,
                                           int            k,
                                           const double  *alpha,
                                           const double  *a,
                                           int            lda,
                                           const double  *b,
                                           int            ldb,
                                           const double  *beta,
                                           double        *c,
                                           int            ldc);
PRETEND_API cublasStatus_t cublasSgemmStridedBatched (cublasHandle_t handle,
                                                      int            ta,
                                                      int            tb,
                                                      int            m,
                                                      int            n,
                                                      int            k,
                                                      const float   *alpha,
                                                      const float   *a,
                                                      int            lda,
                                                      long long      stride_a,
                                                      const float   *b,
                                                      int            ldb,
                                                      long long      stride_b,
                                                      const float   *beta,
                                                      float         *c,
                                                      int            ldc,
                                                      long long      stride_c,
                                                      int            batch);
PRETEND_API cublasStatus_t cublasDgemmStridedBatched (cublasHandle_t handle,
                                                      int            ta,
                                                      int            tb,
                                                      int            m,
                                                      int            n,
                                                      int            k,
                                                      const double  *alpha,
                                                      const double  *a,
                                                      int            lda,
                                                      long long      stride_a,
                                                      const double  *b,
                                                      int            ldb,
                                                      long long      stride_b,
                                                      const double  *beta,
                                                      double        *c,
                                                      int            ldc,
                                                      long long      stride_c,
                                                      int            batch);
PRETEND_API cublasStatus_t cublasGemmEx (cublasHandle_t handle,
                                         int            ta,
                                         int            tb,
                                         int            m,
                                         int            n,
                                         int            k,
                                         const void    *alpha,
                                         const void    *a,
                                         int            type_a,
                                         int            lda,
                                         const void    *b,
                                         int            type_b,
                                         int            ldb,
                                         const void    *beta,
                                         void          *c,
                                         int            type_c,
                                         int            ldc,
                                         int            compute,
                                         int            algorithm);
PRETEND_API cublasStatus_t cublasGemmStridedBatchedEx (cublasHandle_t handle,
                                                       int            ta,
                                                       int            tb,
                                                       int            m,
                                                       int            n,
                                                       int            k,
                                                       const void    *alpha,
                                                       const void    *a,
                                                       int            type_a,
                                                       int            lda,
                                                       long long      stride_a,
                                                       const void    *b,
                                                       int            type_b,
                                                       int            ldb,
                                                       long long      stride_b,
                                                       const void    *beta,
                                                       void          *c,
                                                       int            type_c,
                                                       int            ldc,
                                                       long long      stride_c,
                                                       int            batch,
                                                       int            compute,
                                                       int            algorithm);
