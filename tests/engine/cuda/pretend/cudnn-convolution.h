/* cudnn-convolution.h — the functions of libcudnn.so.9 for convolutions that the pretend library serves.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "tests/engine/cuda/pretend/cudnn.h"

typedef struct cudnnFilterStruct      *cudnnFilterDescriptor_t;
typedef struct cudnnConvolutionStruct *cudnnConvolutionDescriptor_t;

/* The vendor has a struct for each pass, which are alike. */
typedef struct
{
  int   algorithm, status;
  float time;
  gsize memory;
  int   determinism, math, reserved[3];
} cudnnConvolutionChoice;

PRETEND_API cudnnStatus_t cudnnCreateFilterDescriptor (cudnnFilterDescriptor_t *filter);
PRETEND_API cudnnStatus_t cudnnDestroyFilterDescriptor (cudnnFilterDescriptor_t filter);
PRETEND_API cudnnStatus_t cudnnSetFilterNdDescriptor (cudnnFilterDescriptor_t filter,
                                                      int                     type,
                                                      int                     format,
                                                      int                     rank,
                                                      const int              *dims);
PRETEND_API cudnnStatus_t
cudnnCreateConvolutionDescriptor (cudnnConvolutionDescriptor_t *convolution);
PRETEND_API cudnnStatus_t
cudnnDestroyConvolutionDescriptor (cudnnConvolutionDescriptor_t convolution);
PRETEND_API cudnnStatus_t cudnnSetConvolutionNdDescriptor (cudnnConvolutionDescriptor_t convolution,
                                                           int                          rank,
                                                           const int                   *pad,
                                                           const int                   *stride,
                                                           const int                   *dilate,
                                                           int                          mode,
                                                           int                          precision);
PRETEND_API cudnnStatus_t cudnnSetConvolutionGroupCount (cudnnConvolutionDescriptor_t convolution,
                                                         int                          groups);
PRETEND_API cudnnStatus_t cudnnSetConvolutionMathType (cudnnConvolutionDescriptor_t convolution,
                                                       int                          math);
PRETEND_API cudnnStatus_t
cudnnGetConvolutionNdForwardOutputDim (cudnnConvolutionDescriptor_t convolution,
                                       cudnnTensorDescriptor_t      x,
                                       cudnnFilterDescriptor_t      w,
                                       int                          rank,
                                       int                         *dims);
PRETEND_API cudnnStatus_t
cudnnGetConvolutionForwardAlgorithm_v7 (cudnnHandle_t                handle,
                                        cudnnTensorDescriptor_t      x,
                                        cudnnFilterDescriptor_t      w,
                                        cudnnConvolutionDescriptor_t convolution,
                                        cudnnTensorDescriptor_t      y,
                                        int                          most,
                                        int                         *count,
                                        cudnnConvolutionChoice      *choices);
PRETEND_API cudnnStatus_t
                          cudnnGetConvolutionForwardWorkspaceSize (cudnnHandle_t                handle,
                                                                   cudnnTensorDescriptor_t      x,
                                                                   cudnnFilterDescriptor_t      w,
                                                                   cudnnConvolutionDescriptor_t convolution,
                                                                   cudnnTensorDescriptor_t      y,
                                                                   int                          algorithm,
                                                                   gsize                       *bytes);
PRETEND_API cudnnStatus_t cudnnConvolutionForward (cudnnHandle_t                handle,
                                                   const void                  *alpha,
                                                   cudnnTensorDescriptor_t      x,
                                                   const void                  *x_at,
                                                   cudnnFilterDescriptor_t      w,
                                                   const void                  *w_at,
                                                   cudnnConvolutionDescriptor_t convolution,
                                                   int                          algorithm,
                                                   void                        *work,
                                                   gsize                        work_bytes,
                                                   const void                  *beta,
                                                   cudnnTensorDescriptor_t      y,
                                                   void                        *y_at);
PRETEND_API cudnnStatus_t
cudnnGetConvolutionBackwardDataAlgorithm_v7 (cudnnHandle_t                handle,
                                             cudnnFilterDescriptor_t      w,
                                             cudnnTensorDescriptor_t      y,
                                             cudnnConvolutionDescriptor_t convolution,
                                             cudnnTensorDescriptor_t      x,
                                             int                          most,
                                             int                         *count,
                                             cudnnConvolutionChoice      *choices);
PRETEND_API cudnnStatus_t
                          cudnnGetConvolutionBackwardDataWorkspaceSize (cudnnHandle_t                handle,
                                                                        cudnnFilterDescriptor_t      w,
                                                                        cudnnTensorDescriptor_t      y,
                                                                        cudnnConvolutionDescriptor_t convolution,
                                                                        cudnnTensorDescriptor_t      x,
                                                                        int                          algorithm,
                                                                        gsize                       *bytes);
PRETEND_API cudnnStatus_t cudnnConvolutionBackwardData (cudnnHandle_t                handle,
                                                        const void                  *alpha,
                                                        cudnnFilterDescriptor_t      w,
                                                        const void                  *w_at,
                                                        cudnnTensorDescriptor_t      y,
                                                        const void                  *y_at,
                                                        cudnnConvolutionDescriptor_t convolution,
                                                        int                          algorithm,
                                                        void                        *work,
                                                        gsize                        work_bytes,
                                                        const void                  *beta,
                                                        cudnnTensorDescriptor_t      x,
                                                        void                        *x_at);
PRETEND_API cudnnStatus_t
cudnnGetConvolutionBackwardFilterAlgorithm_v7 (cudnnHandle_t                handle,
                                               cudnnTensorDescriptor_t      x,
                                               cudnnTensorDescriptor_t      y,
                                               cudnnConvolutionDescriptor_t convolution,
                                               cudnnFilterDescriptor_t      w,
                                               int                          most,
                                               int                         *count,
                                               cudnnConvolutionChoice      *choices);
PRETEND_API cudnnStatus_t
                          cudnnGetConvolutionBackwardFilterWorkspaceSize (cudnnHandle_t                handle,
                                                                          cudnnTensorDescriptor_t      x,
                                                                          cudnnTensorDescriptor_t      y,
                                                                          cudnnConvolutionDescriptor_t convolution,
                                                                          cudnnFilterDescriptor_t      w,
                                                                          int                          algorithm,
                                                                          gsize                       *bytes);
PRETEND_API cudnnStatus_t cudnnConvolutionBackwardFilter (cudnnHandle_t                handle,
                                                          const void                  *alpha,
                                                          cudnnTensorDescriptor_t      x,
                                                          const void                  *x_at,
                                                          cudnnTensorDescriptor_t      y,
                                                          const void                  *y_at,
                                                          cudnnConvolutionDescriptor_t convolution,
                                                          int                          algorithm,
                                                          void                        *work,
                                                          gsize                        work_bytes,
                                                          const void                  *beta,
                                                          cudnnFilterDescriptor_t      w,
                                                          void                        *w_at);
