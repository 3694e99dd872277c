/* cudnn-private.h — what the files of the pretend cuDNN share: handles and descriptors.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "tests/engine/cuda/pretend/cudnn.h"
#include "tests/engine/cuda/pretend/state.h"

#define CUDNN_MAX_RANK 8

struct cudnnContext
{
  CUstream stream;
};

struct cudnnTensorStruct
{
  int type, rank, dims[CUDNN_MAX_RANK], strides[CUDNN_MAX_RANK];
};

/* Ends a call. */
cudnnStatus_t cudnn_end (cudnnStatus_t status);
/* An error of the driver as one of cuDNN; a planned failure from 1000 on is meant as it is. */
cudnnStatus_t cudnn_status (CUresult result);
/* A new descriptor of `bytes` bytes. */
gpointer cudnn_descriptor_new (gsize bytes);
/* TRUE if it lived. */
gboolean cudnn_descriptor_free (gpointer descriptor);
/* The number of cudaDataType of a type of cuDNN; -1: it is not known. */
int cudnn_element_type (int type);
/* Bytes of an element of a type of cuDNN; 0: it is not known. */
gsize cudnn_element_bytes (int type);
/* TRUE if the tensor is packed and has these dimensions. */
gboolean cudnn_tensor_is (cudnnTensorDescriptor_t tensor, int type, int rank, const int *dims);
/* Hands work to the stream of a handle. */
cudnnStatus_t cudnn_add (cudnnHandle_t handle, const char *kernel, PretendDeed *deed);
/* Writes into both ends of a workspace. */
gboolean cudnn_use (guint64 at, gsize bytes, GError **error);

#define CUDNN_BEGIN()                             \
  do                                              \
    {                                             \
      CUresult begun_ = pretend_begin (__func__); \
      if (begun_)                                 \
        return cudnn_end (cudnn_status (begun_)); \
    }                                             \
  while (0)

#define CUDNN_BEGIN_WITH(handle)                           \
  do                                                       \
    {                                                      \
      CUDNN_BEGIN ();                                      \
      if (!handle || !pretend_lives (handle, PRETEND_DNN)) \
        return cudnn_end (CUDNN_STATUS_NOT_INITIALIZED);   \
    }                                                      \
  while (0)

/* A pair of functions that make and destroy descriptors of a kind. */
#define CUDNN_DESCRIPTOR(Kind, type)                                                               \
  cudnnStatus_t cudnnCreate##Kind (type *descriptor)                                               \
  {                                                                                                \
    CUDNN_BEGIN ();                                                                                \
    if (!descriptor)                                                                               \
      return cudnn_end (CUDNN_STATUS_BAD_PARAM);                                                   \
    *descriptor = cudnn_descriptor_new (sizeof **descriptor);                                      \
    return cudnn_end (CUDNN_STATUS_SUCCESS);                                                       \
  }                                                                                                \
  cudnnStatus_t cudnnDestroy##Kind (type descriptor)                                               \
  {                                                                                                \
    CUDNN_BEGIN ();                                                                                \
    return cudnn_end (!descriptor || cudnn_descriptor_free (descriptor) ? CUDNN_STATUS_SUCCESS     \
                                                                        : CUDNN_STATUS_BAD_PARAM); \
  }
