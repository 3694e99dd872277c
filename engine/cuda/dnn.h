/* dnn.h — handles, types and descriptors of cuDNN.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/cuda/device.h"

/* TRUE if queue->cudnn may be used, which no longer is after a failure; makes it at the first call. */
gboolean hyb_dnn_queue_is_ready (HybQueue *queue);
/* Keeps the error of a call, unless an earlier one failed.  TRUE if the call was right. */
gboolean hyb_dnn_queue_check (HybQueue *queue, const char *function, cudnnStatus_t status);

/* The device's own handle for queries while planning; NULL and an error if it cannot be created. */
cudnnHandle_t hyb_dnn_get_handle (HybDevice *device, GError **error);
/* TRUE if the call of a function was right; else an error. */
gboolean
hyb_dnn_check (const HybCuda *cuda, const char *function, cudnnStatus_t status, GError **error);

/* TRUE for the types that cuDNN computes in. */
gboolean hyb_dnn_has_type (HybDType dtype);
/* cuDNN's number of such a type. */
cudnnDataType_t hyb_dnn_type (HybDType dtype);
/* The type of its sums. */
cudnnDataType_t hyb_dnn_precision (HybDType dtype);
/* Whether float32 is kept. */
cudnnMathType_t hyb_dnn_math (const HybDevice *device);

/* Dimensions of a tensor, at most. */
#define HYB_DNN_MAX_RANK 8
/* A descriptor of a packed tensor of less than 2³¹ elements; NULL and an error without one. */
cudnnTensorDescriptor_t
hyb_dnn_tensor_new (const HybCuda *cuda, HybDType dtype, int rank, const int *dims, GError **error);
