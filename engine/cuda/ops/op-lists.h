/* op-lists.h — the arrays of twins, one for each file of this folder.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/device/device.h"

extern const HybDeviceOp hyb_cuda_ops_array[];
extern const HybDeviceOp hyb_cuda_ops_argmax[];
extern const HybDeviceOp hyb_cuda_ops_attention[];
extern const HybDeviceOp hyb_cuda_ops_batch_norm[];
extern const HybDeviceOp hyb_cuda_ops_convolution[];
extern const HybDeviceOp hyb_cuda_ops_dot[];
extern const HybDeviceOp hyb_cuda_ops_dropout[];
extern const HybDeviceOp hyb_cuda_ops_fully_connected[];
extern const HybDeviceOp hyb_cuda_ops_gates[];
extern const HybDeviceOp hyb_cuda_ops_gather_nd[];
extern const HybDeviceOp hyb_cuda_ops_gradient_helpers[];
extern const HybDeviceOp hyb_cuda_ops_group_norm[];
extern const HybDeviceOp hyb_cuda_ops_l2_normalization[];
extern const HybDeviceOp hyb_cuda_ops_layer_norm[];
extern const HybDeviceOp hyb_cuda_ops_leaky_relu[];
extern const HybDeviceOp hyb_cuda_ops_linalg_gemm[];
extern const HybDeviceOp hyb_cuda_ops_lookup[];
extern const HybDeviceOp hyb_cuda_ops_moments[];
extern const HybDeviceOp hyb_cuda_ops_norm[];
extern const HybDeviceOp hyb_cuda_ops_pad[];
extern const HybDeviceOp hyb_cuda_ops_random[];
extern const HybDeviceOp hyb_cuda_ops_pooling[];
extern const HybDeviceOp hyb_cuda_ops_rank[];
extern const HybDeviceOp hyb_cuda_ops_recurrent[];
extern const HybDeviceOp hyb_cuda_ops_reductions[];
extern const HybDeviceOp hyb_cuda_ops_resample[];
extern const HybDeviceOp hyb_cuda_ops_sequence[];
extern const HybDeviceOp hyb_cuda_ops_slice[];
extern const HybDeviceOp hyb_cuda_ops_softmax[];
extern const HybDeviceOp hyb_cuda_ops_softmax_cross_entropy[];
extern const HybDeviceOp hyb_cuda_ops_softmax_output[];
extern const HybDeviceOp hyb_cuda_ops_tile[];
extern const HybDeviceOp hyb_cuda_ops_update[];
