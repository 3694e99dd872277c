/* dnn.c — handles, types and descriptors of cuDNN.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/cuda/dnn.h"

#include "engine/base/error.h"

gboolean
hyb_dnn_check (const HybCuda *cuda, const char *function, cudnnStatus_t status, GError **error)
{
  return !status || hyb_error_at (error, HYB_DEVICE_ERROR, HYB_DEVICE_ERROR_FAILED, NULL, NULL,
                                  "%s failed with %s (%d)", function,
                                  cuda->call.cudnnGetErrorString (status), (int) status);
}

gboolean
hyb_dnn_queue_check (HybQueue *queue, const char *function, cudnnStatus_t status)
{
  if (status && !queue->failure)
    {
      hyb_dnn_check (queue->device->cuda, function, status, &queue->failure);
      queue->failed_key = queue->key;
    }
  return status == 0;
}

gboolean
hyb_dnn_queue_is_ready (HybQueue *queue)
{
  const HybCudaFunctions *call = &queue->device->cuda->call;

  return hyb_cuda_queue_enter (queue) &&
         (queue->cudnn ||
          (hyb_dnn_queue_check (queue, "cudnnCreate", call->cudnnCreate (&queue->cudnn)) &&
           hyb_dnn_queue_check (queue, "cudnnSetStream",
                                call->cudnnSetStream (queue->cudnn, queue->stream))));
}

cudnnHandle_t
hyb_dnn_get_handle (HybDevice *device, GError **error)
{
  const HybCudaFunctions *call = &device->cuda->call;
  cudnnHandle_t           handle;

  g_mutex_lock (&device->lock);
  call->cuCtxSetCurrent (device->context);
  if (!device->cudnn &&
      !hyb_dnn_check (device->cuda, "cudnnCreate", call->cudnnCreate (&device->cudnn), error))
    device->cudnn = NULL;
  handle = device->cudnn;
  g_mutex_unlock (&device->lock);
  return handle;
}

gboolean
hyb_dnn_has_type (HybDType dtype)
{
  return dtype == HYB_F32 || dtype == HYB_F64 || dtype == HYB_F16;
}

cudnnDataType_t
hyb_dnn_type (HybDType dtype)
{
  return dtype == HYB_F64    ? HYB_CUDNN_DOUBLE
         : dtype == HYB_F16  ? HYB_CUDNN_HALF
         : dtype == HYB_BF16 ? HYB_CUDNN_BFLOAT16
                             : HYB_CUDNN_FLOAT;
}

cudnnDataType_t
hyb_dnn_precision (HybDType dtype)
{
  return dtype == HYB_F64 ? HYB_CUDNN_DOUBLE : HYB_CUDNN_FLOAT;
}

cudnnMathType_t
hyb_dnn_math (const HybDevice *device)
{
  return device->precise ? HYB_CUDNN_FMA_MATH : HYB_CUDNN_DEFAULT_MATH;
}

cudnnTensorDescriptor_t
hyb_dnn_tensor_new (const HybCuda *cuda, HybDType dtype, int rank, const int *dims, GError **error)
{
  int                     strides[HYB_DNN_MAX_RANK] = { 0 }, stride = 1;
  cudnnTensorDescriptor_t tensor = NULL;

  for (int i = rank - 1; i >= 0; i--)
    {
      strides[i] = stride;
      stride *= dims[i];
    }
  if (!hyb_dnn_check (cuda, "cudnnCreateTensorDescriptor",
                      cuda->call.cudnnCreateTensorDescriptor (&tensor), error))
    return NULL;
  if (hyb_dnn_check (cuda, "cudnnSetTensorNdDescriptor",
                     cuda->call.cudnnSetTensorNdDescriptor (tensor, hyb_dnn_type (dtype), rank,
                                                            dims, strides),
                     error))
    return tensor;
  cuda->call.cudnnDestroyTensorDescriptor (tensor);
  return NULL;
}
