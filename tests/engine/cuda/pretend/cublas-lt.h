/* cublas-lt.h — the functions of libcublasLt.so.13 that the pretend library serves.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "tests/engine/cuda/pretend/cublas.h"

typedef struct cublasLtContext    *cublasLtHandle_t;
typedef struct cublasLtDesc       *cublasLtMatmulDesc_t;
typedef struct cublasLtLayout     *cublasLtMatrixLayout_t;
typedef struct cublasLtPreference *cublasLtMatmulPreference_t;

typedef struct
{
  guint64 data[8];
} cublasLtMatmulAlgo_t;

typedef struct
{
  cublasLtMatmulAlgo_t algo;
  gsize                workspaceSize;
  cublasStatus_t       state;
  float                wavesCount;
  int                  reserved[4];
} cublasLtMatmulHeuristicResult_t;

/* Numbers of the vendor's enumerations. */
enum
{
  CUBLASLT_MATMUL_DESC_TRANSA = 3,
  CUBLASLT_MATMUL_DESC_TRANSB = 4,
  CUBLASLT_MATMUL_DESC_EPILOGUE = 7,
  CUBLASLT_MATMUL_DESC_BIAS_POINTER = 8,
  CUBLASLT_EPILOGUE_DEFAULT = 1,
  CUBLASLT_EPILOGUE_RELU = 2,
  CUBLASLT_EPILOGUE_BIAS = 4,
  CUBLASLT_EPILOGUE_RELU_BIAS = 6,
  CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES = 1,
  CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES = 5,
  CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES = 8,
};

/* clang-format off */
PRETEND_API cublasStatus_t cublasLtCreate (cublasLtHandle_t *handle);
PRETEND_API cublasStatus_t cublasLtDestroy (cublasLtHandle_t handle);
PRETEND_API cublasStatus_t cublasLtMatmulDescCreate (cublasLtMatmulDesc_t *product, int compute, int scale);
PRETEND_API cublasStatus_t cublasLtMatmulDescSetAttribute (cublasLtMatmulDesc_t product, int attribute,
                                                           const void *value, gsize bytes);
PRETEND_API cublasStatus_t cublasLtMatmulDescDestroy (cublasLtMatmulDesc_t product);
PRETEND_API cublasStatus_t cublasLtMatrixLayoutCreate (cublasLtMatrixLayout_t *matrix, int type, guint64 rows,
                                                       guint64 columns, gint64 lead);
PRETEND_API cublasStatus_t cublasLtMatrixLayoutDestroy (cublasLtMatrixLayout_t matrix);
PRETEND_API cublasStatus_t cublasLtMatmulPreferenceCreate (cublasLtMatmulPreference_t *preference);
PRETEND_API cublasStatus_t cublasLtMatmulPreferenceSetAttribute (cublasLtMatmulPreference_t preference,
                                                                 int attribute, const void *value,
                                                                 gsize bytes);
PRETEND_API cublasStatus_t cublasLtMatmulPreferenceDestroy (cublasLtMatmulPreference_t preference);
PRETEND_API cublasStatus_t
cublasLtMatmulAlgoGetHeuristic (cublasLtHandle_t handle, cublasLtMatmulDesc_t product, cublasLtMatrixLayout_t a,
                                cublasLtMatrixLayout_t b, cublasLtMatrixLayout_t c, cublasLtMatrixLayout_t d,
                                cublasLtMatmulPreference_t preference, int most,
                                cublasLtMatmulHeuristicResult_t *results, int *n);
PRETEND_API cublasStatus_t
cublasLtMatmul (cublasLtHandle_t handle, cublasLtMatmulDesc_t product, const void *alpha, const void *a,
                cublasLtMatrixLayout_t a_layout, const void *b, cublasLtMatrixLayout_t b_layout, const void *beta,
                const void *c, cublasLtMatrixLayout_t c_layout, void *d, cublasLtMatrixLayout_t d_layout,
                const cublasLtMatmulAlgo_t *algorithm, void *workspace, gsize bytes, CUstream stream);
/* clang-format on */
