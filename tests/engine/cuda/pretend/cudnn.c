/* cudnn.c — the pretend cuDNN: handles, and descriptors of tensors.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/engine/cuda/pretend/cudnn.h"

#include "tests/engine/cuda/pretend/cublas.h"
#include "tests/engine/cuda/pretend/cudnn-private.h"
#include "tests/engine/cuda/pretend/element.h"

#include <string.h>

/* Bytes at either end of a workspace that are written. */
#define USED ((gsize) 1 << 12)

cudnnStatus_t
cudnn_end (cudnnStatus_t status)
{
  pretend_end (CUDA_SUCCESS);
  return status;
}

cudnnStatus_t
cudnn_status (CUresult result)
{
  return !result                ? CUDNN_STATUS_SUCCESS
         : (int) result >= 1000 ? (cudnnStatus_t) result
                                : CUDNN_STATUS_EXECUTION_FAILED;
}

gpointer
cudnn_descriptor_new (gsize bytes)
{
  gpointer descriptor = g_malloc0 (bytes);

  pretend_made (descriptor, PRETEND_DNN_DESCRIPTOR);
  return descriptor;
}

gboolean
cudnn_descriptor_free (gpointer descriptor)
{
  if (!pretend_lives (descriptor, PRETEND_DNN_DESCRIPTOR))
    return FALSE;
  pretend_destroyed (descriptor, PRETEND_DNN_DESCRIPTOR);
  g_free (descriptor);
  return TRUE;
}

int
cudnn_element_type (int type)
{
  return type == CUDNN_DATA_FLOAT      ? CUDA_R_32F
         : type == CUDNN_DATA_DOUBLE   ? CUDA_R_64F
         : type == CUDNN_DATA_HALF     ? CUDA_R_16F
         : type == CUDNN_DATA_BFLOAT16 ? CUDA_R_16BF
                                       : -1;
}

gsize
cudnn_element_bytes (int type)
{
  return element_bytes (cudnn_element_type (type));
}

gboolean
cudnn_tensor_is (cudnnTensorDescriptor_t tensor, int type, int rank, const int *dims)
{
  int stride = 1;

  if (!tensor || tensor->type != type || tensor->rank != rank)
    return FALSE;
  for (int i = rank - 1; i >= 0; i--)
    {
      if (tensor->dims[i] != dims[i] || tensor->strides[i] != stride)
        return FALSE;
      stride *= dims[i];
    }
  return TRUE;
}

cudnnStatus_t
cudnn_add (cudnnHandle_t handle, const char *kernel, PretendDeed *deed)
{
  CUstream stream = pretend_stream (handle->stream);

  deed->facts = (PretendFacts){
    .kind = PRETEND_KERNEL, .kernel = kernel, .grid = { 1, 1, 1 }, .block = { 128, 1, 1 }
  };
  if (!stream)
    {
      pretend_deed_unref (deed);
      return CUDNN_STATUS_EXECUTION_FAILED;
    }
  return cudnn_status (pretend_add (stream, deed));
}

static gboolean
use_part (guint64 at, gsize bytes, GError **error)
{
  gpointer room = element_reach (at, bytes, TRUE, error);

  if (room)
    memset (room, 0xff, bytes);
  return room != NULL;
}

gboolean
cudnn_use (guint64 at, gsize bytes, GError **error)
{
  gsize used = MIN (bytes, USED);

  return used == 0 || (use_part (at, used, error) && use_part (at + bytes - used, used, error));
}

/* --- Handles --- */

cudnnStatus_t
cudnnCreate (cudnnHandle_t *handle)
{
  CUDNN_BEGIN ();
  if (!handle)
    return cudnn_end (CUDNN_STATUS_BAD_PARAM);
  if (!pretend_has_context (__func__))
    return cudnn_end (CUDNN_STATUS_NOT_INITIALIZED);
  if (pretend_captures ())
    {
      pretend_problem ("a cuDNN handle is made while a stream records: that allocates memory");
      pretend_break_captures ();
      return cudnn_end (CUDNN_STATUS_INTERNAL_ERROR);
    }
  *handle = g_new0 (struct cudnnContext, 1);
  pretend_made (*handle, PRETEND_DNN);
  return cudnn_end (CUDNN_STATUS_SUCCESS);
}

cudnnStatus_t
cudnnDestroy (cudnnHandle_t handle)
{
  CUDNN_BEGIN_WITH (handle);
  pretend_wait_all ();
  pretend_destroyed (handle, PRETEND_DNN);
  g_free (handle);
  return cudnn_end (CUDNN_STATUS_SUCCESS);
}

cudnnStatus_t
cudnnSetStream (cudnnHandle_t handle, CUstream stream)
{
  CUDNN_BEGIN_WITH (handle);
  if (!pretend_stream (stream))
    return cudnn_end (CUDNN_STATUS_BAD_PARAM);
  handle->stream = stream;
  return cudnn_end (CUDNN_STATUS_SUCCESS);
}

gsize
cudnnGetVersion (void)
{
  return 91900;
}

gsize
cudnnGetCudartVersion (void)
{
  gsize version;

  g_rec_mutex_lock (&pretend.lock);
  if (!pretend.started)
    pretend_configure (g_getenv ("HYB_PRETEND"));
  version = pretend.cudnn;
  g_rec_mutex_unlock (&pretend.lock);
  return version;
}

const char *
cudnnGetErrorString (cudnnStatus_t status)
{
  return status == CUDNN_STATUS_SUCCESS                       ? "CUDNN_STATUS_SUCCESS"
         : status == CUDNN_STATUS_NOT_INITIALIZED             ? "CUDNN_STATUS_NOT_INITIALIZED"
         : status / 1000 * 1000 == CUDNN_STATUS_BAD_PARAM     ? "CUDNN_STATUS_BAD_PARAM"
         : status / 1000 * 1000 == CUDNN_STATUS_NOT_SUPPORTED ? "CUDNN_STATUS_NOT_SUPPORTED"
                                                              : "CUDNN_STATUS_EXECUTION_FAILED";
}

/* --- Tensors --- */

CUDNN_DESCRIPTOR (TensorDescriptor, cudnnTensorDescriptor_t)

static gboolean
are_positive (int n, const int *numbers)
{
  for (int i = 0; i < n; i++)
    if (numbers[i] < 1)
      return FALSE;
  return TRUE;
}

cudnnStatus_t
cudnnSetTensorNdDescriptor (cudnnTensorDescriptor_t tensor,
                            int                     type,
                            int                     rank,
                            const int              *dims,
                            const int              *strides)
{
  CUDNN_BEGIN ();
  if (!tensor || !dims || !strides || !cudnn_element_bytes (type) || !are_positive (rank, dims) ||
      rank < 2)
    return cudnn_end (CUDNN_STATUS_BAD_PARAM);
  if (rank > CUDNN_MAX_RANK)
    return cudnn_end (CUDNN_STATUS_NOT_SUPPORTED);
  tensor->type = type;
  tensor->rank = rank;
  memcpy (tensor->dims, dims, sizeof (int) * (gsize) rank);
  memcpy (tensor->strides, strides, sizeof (int) * (gsize) rank);
  return cudnn_end (CUDNN_STATUS_SUCCESS);
}

cudnnStatus_t
cudnnGetTensorNdDescriptor (cudnnTensorDescriptor_t tensor,
                            int                     asked,
                            int                    *type,
                            int                    *rank,
                            int                    *dims,
                            int                    *strides)
{
  CUDNN_BEGIN ();
  if (!tensor)
    return cudnn_end (CUDNN_STATUS_BAD_PARAM);
  *type = tensor->type;
  *rank = tensor->rank;
  memcpy (dims, tensor->dims, sizeof (int) * (gsize) MIN (asked, tensor->rank));
  memcpy (strides, tensor->strides, sizeof (int) * (gsize) MIN (asked, tensor->rank));
  return cudnn_end (CUDNN_STATUS_SUCCESS);
}
