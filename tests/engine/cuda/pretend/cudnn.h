/* cudnn.h — the functions of libcudnn.so.9 that the pretend library serves.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "tests/engine/cuda/pretend/driver-types.h"
#include "tests/engine/cuda/pretend/pretend.h"

typedef struct cudnnContext       *cudnnHandle_t;
typedef struct cudnnTensorStruct  *cudnnTensorDescriptor_t;
typedef struct cudnnDropoutStruct *cudnnDropoutDescriptor_t;
typedef struct cudnnRNNStruct     *cudnnRNNDescriptor_t;
typedef struct cudnnRNNDataStruct *cudnnRNNDataDescriptor_t;

typedef enum
{
  CUDNN_STATUS_SUCCESS = 0,
  CUDNN_STATUS_NOT_INITIALIZED = 1001,
  CUDNN_STATUS_BAD_PARAM = 2000,
  CUDNN_STATUS_NOT_SUPPORTED = 3000,
  CUDNN_STATUS_INTERNAL_ERROR = 4000,
  CUDNN_STATUS_EXECUTION_FAILED = 5000,
} cudnnStatus_t;

/* Numbers of the vendor's enumerations. */
enum
{
  CUDNN_DATA_FLOAT = 0,
  CUDNN_DATA_DOUBLE = 1,
  CUDNN_DATA_HALF = 2,
  CUDNN_DATA_INT32 = 4,
  CUDNN_DATA_BFLOAT16 = 9,
  CUDNN_FMA_MATH = 3,
  CUDNN_RNN_RELU = 0,
  CUDNN_RNN_TANH = 1,
  CUDNN_LSTM = 2,
  CUDNN_GRU = 3,
};

PRETEND_API cudnnStatus_t cudnnCreate (cudnnHandle_t *handle);
PRETEND_API cudnnStatus_t cudnnDestroy (cudnnHandle_t handle);
PRETEND_API cudnnStatus_t cudnnSetStream (cudnnHandle_t handle, CUstream stream);
PRETEND_API gsize         cudnnGetVersion (void);
PRETEND_API gsize         cudnnGetCudartVersion (void);
PRETEND_API const char   *cudnnGetErrorString (cudnnStatus_t status);
PRETEND_API cudnnStatus_t cudnnCreateTensorDescriptor (cudnnTensorDescriptor_t *tensor);
PRETEND_API cudnnStatus_t cudnnDestroyTensorDescriptor (cudnnTensorDescriptor_t tensor);
PRETEND_API cudnnStatus_t cudnnSetTensorNdDescriptor (cudnnTensorDescriptor_t tensor,
                                                      int                     type,
                                                      int                     rank,
                                                      const int              *dims,
                                                      const int              *strides);
PRETEND_API cudnnStatus_t cudnnGetTensorNdDescriptor (cudnnTensorDescriptor_t tensor,
                                                      int                     asked,
                                                      int                    *type,
                                                      int                    *rank,
                                                      int                    *dims,
                                                      int                    *strides);
PRETEND_API cudnnStatus_t cudnnCreateDropoutDescriptor (cudnnDropoutDescriptor_t *dropout);
PRETEND_API cudnnStatus_t cudnnDestroyDropoutDescriptor (cudnnDropoutDescriptor_t dropout);
PRETEND_API cudnnStatus_t cudnnSetDropoutDescriptor (cudnnDropoutDescriptor_t dropout,
                                                     cudnnHandle_t            handle,
                                                     float                    p,
                                                     void                    *states,
                                                     gsize                    bytes,
                                                     unsigned long long       seed);
PRETEND_API cudnnStatus_t cudnnCreateRNNDescriptor (cudnnRNNDescriptor_t *rnn);
PRETEND_API cudnnStatus_t cudnnDestroyRNNDescriptor (cudnnRNNDescriptor_t rnn);
PRETEND_API cudnnStatus_t cudnnSetRNNDescriptor_v8 (cudnnRNNDescriptor_t     rnn,
                                                    int                      algorithm,
                                                    int                      cell,
                                                    int                      bias,
                                                    int                      direction,
                                                    int                      input,
                                                    int                      type,
                                                    int                      precision,
                                                    int                      math,
                                                    gint32                   input_size,
                                                    gint32                   hidden_size,
                                                    gint32                   projection_size,
                                                    gint32                   layers,
                                                    cudnnDropoutDescriptor_t dropout,
                                                    guint32                  flags);
PRETEND_API cudnnStatus_t cudnnRNNSetClip_v9 (cudnnRNNDescriptor_t rnn,
                                              int                  mode,
                                              double               low,
                                              double               high);
PRETEND_API cudnnStatus_t cudnnGetRNNWeightSpaceSize (cudnnHandle_t        handle,
                                                      cudnnRNNDescriptor_t rnn,
                                                      gsize               *bytes);
PRETEND_API cudnnStatus_t cudnnGetRNNWeightParams (cudnnHandle_t           handle,
                                                   cudnnRNNDescriptor_t    rnn,
                                                   gint32                  pseudo_layer,
                                                   gsize                   bytes,
                                                   const void             *space,
                                                   gint32                  part,
                                                   cudnnTensorDescriptor_t matrix,
                                                   void                  **matrix_at,
                                                   cudnnTensorDescriptor_t bias,
                                                   void                  **bias_at);
PRETEND_API cudnnStatus_t cudnnGetRNNTempSpaceSizes (cudnnHandle_t            handle,
                                                     cudnnRNNDescriptor_t     rnn,
                                                     int                      mode,
                                                     cudnnRNNDataDescriptor_t x,
                                                     gsize                   *work,
                                                     gsize                   *reserve);
PRETEND_API cudnnStatus_t cudnnCreateRNNDataDescriptor (cudnnRNNDataDescriptor_t *data);
PRETEND_API cudnnStatus_t cudnnDestroyRNNDataDescriptor (cudnnRNNDataDescriptor_t data);
PRETEND_API cudnnStatus_t cudnnSetRNNDataDescriptor (cudnnRNNDataDescriptor_t data,
                                                     int                      type,
                                                     int                      layout,
                                                     int                      steps,
                                                     int                      batch,
                                                     int                      size,
                                                     const int               *lengths,
                                                     void                    *padding);
PRETEND_API cudnnStatus_t cudnnRNNForward (cudnnHandle_t            handle,
                                           cudnnRNNDescriptor_t     rnn,
                                           int                      mode,
                                           const gint32            *device_lengths,
                                           cudnnRNNDataDescriptor_t x,
                                           const void              *x_at,
                                           cudnnRNNDataDescriptor_t y,
                                           void                    *y_at,
                                           cudnnTensorDescriptor_t  h,
                                           const void              *hx,
                                           void                    *hy,
                                           cudnnTensorDescriptor_t  c,
                                           const void              *cx,
                                           void                    *cy,
                                           gsize                    weight_bytes,
                                           const void              *weights,
                                           gsize                    work_bytes,
                                           void                    *work,
                                           gsize                    reserve_bytes,
                                           void                    *reserve);
PRETEND_API cudnnStatus_t cudnnRNNBackwardData_v8 (cudnnHandle_t            handle,
                                                   cudnnRNNDescriptor_t     rnn,
                                                   const gint32            *device_lengths,
                                                   cudnnRNNDataDescriptor_t y,
                                                   const void              *y_at,
                                                   const void              *dy,
                                                   cudnnRNNDataDescriptor_t x,
                                                   void                    *dx,
                                                   cudnnTensorDescriptor_t  h,
                                                   const void              *hx,
                                                   const void              *dhy,
                                                   void                    *dhx,
                                                   cudnnTensorDescriptor_t  c,
                                                   const void              *cx,
                                                   const void              *dcy,
                                                   void                    *dcx,
                                                   gsize                    weight_bytes,
                                                   const void              *weights,
                                                   gsize                    work_bytes,
                                                   void                    *work,
                                                   gsize                    reserve_bytes,
                                                   void                    *reserve);
PRETEND_API cudnnStatus_t cudnnRNNBackwardWeights_v8 (cudnnHandle_t            handle,
                                                      cudnnRNNDescriptor_t     rnn,
                                                      int                      mode,
                                                      const gint32            *device_lengths,
                                                      cudnnRNNDataDescriptor_t x,
                                                      const void              *x_at,
                                                      cudnnTensorDescriptor_t  h,
                                                      const void              *hx,
                                                      cudnnRNNDataDescriptor_t y,
                                                      const void              *y_at,
                                                      gsize                    weight_bytes,
                                                      void                    *dw,
                                                      gsize                    work_bytes,
                                                      void                    *work,
                                                      gsize                    reserve_bytes,
                                                      void                    *reserve);
