/* backend.c — the table that the engine gets from this module.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/cuda/device.h"
#include "engine/cuda/ops/op-lists.h"
#include "engine/cuda/ops/pointwise.h"

#include <gmodule.h>

static const HybDeviceOp *const lists[] = {
  hyb_cuda_ops_array,
  hyb_cuda_ops_attention,
  hyb_cuda_ops_batch_norm,
  hyb_cuda_ops_dot,
  hyb_cuda_ops_dropout,
  hyb_cuda_ops_fully_connected,
  hyb_cuda_ops_gates,
  hyb_cuda_ops_gradient_helpers,
  hyb_cuda_ops_group_norm,
  hyb_cuda_ops_l2_normalization,
  hyb_cuda_ops_layer_norm,
  hyb_cuda_ops_leaky_relu,
  hyb_cuda_ops_linalg_gemm,
  hyb_cuda_ops_pad,
  hyb_cuda_ops_resample,
  hyb_cuda_ops_sequence,
  hyb_cuda_ops_slice,
  hyb_cuda_ops_softmax,
  hyb_cuda_ops_softmax_cross_entropy,
  hyb_cuda_ops_softmax_output,
  hyb_cuda_ops_tile,
  hyb_cuda_ops_argmax,
  hyb_cuda_ops_lookup,
  hyb_cuda_ops_moments,
  hyb_cuda_ops_norm,
  hyb_cuda_ops_random,
  hyb_cuda_ops_pooling,
  hyb_cuda_ops_rank,
  hyb_cuda_ops_reductions,
  hyb_cuda_ops_recurrent,
  hyb_cuda_ops_convolution,
  hyb_cuda_ops_update,
  hyb_cuda_ops_gather_nd,
};

static void
add_twin (const HybDeviceOp *twin, gpointer data)
{
  g_array_append_val ((GArray *) data, *twin);
}

/* All twins, ended by an empty one; kept for good. */
static const HybDeviceOp *
collect_twins (void)
{
  GArray *twins = g_array_new (TRUE, FALSE, sizeof (HybDeviceOp));

  for (guint i = 0; i < G_N_ELEMENTS (lists); i++)
    for (const HybDeviceOp *twin = lists[i]; twin->name; twin++)
      add_twin (twin, twins);
  hyb_pointwise_list (add_twin, twins);
  return (const HybDeviceOp *) (gpointer) g_array_free (twins, FALSE);
}

G_MODULE_EXPORT const HybBackend *
hyb_backend (void)
{
  static HybBackend backend = { .abi = HYB_BACKEND_ABI,
                                .name = "cuda",
                                .count = hyb_cuda_count,
                                .open = hyb_cuda_open,
                                .close = hyb_cuda_close,
                                .facts = hyb_cuda_facts,
                                .take = hyb_cuda_take,
                                .give = hyb_cuda_give,
                                .queue_new = hyb_cuda_queue_new,
                                .queue_free = hyb_cuda_queue_free,
                                .begin = hyb_cuda_queue_begin,
                                .copy = hyb_cuda_queue_copy,
                                .clear = hyb_cuda_queue_clear,
                                .set = hyb_cuda_queue_set,
                                .follow = hyb_cuda_queue_follow,
                                .mark = hyb_cuda_queue_mark,
                                .between = hyb_cuda_queue_between,
                                .finish = hyb_cuda_queue_finish,
                                .record = hyb_cuda_queue_record,
                                .recorded = hyb_cuda_queue_recorded,
                                .replay = hyb_cuda_queue_replay,
                                .replay_free = hyb_cuda_replay_free };

  if (g_once_init_enter (&backend.ops))
    g_once_init_leave (&backend.ops, collect_twins ());
  return &backend;
}
