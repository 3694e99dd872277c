/* loop-values.c — values that a lowered Loop reads in every form.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/onnx/ops/loop.h"

HybValueId
hyb_onnx_loop_counter (HybLowering *lowering, gint64 n_steps)
{
  return hyb_lowering_emit (lowering, "_arange", 0, NULL, "start", "0", "stop",
                            hyb_lowering_text (lowering, "%" G_GINT64_FORMAT, n_steps), "dtype",
                            "int64", NULL);
}

void
hyb_onnx_loop_connect (const HybOnnxLoop *loop, HybOnnxPort *ports)
{
  for (guint v = FIRST_STATE; v < loop->variables.n; v++)
    ports[v] = v < FIRST_STATE + loop->n_states && loop->is_list[v - FIRST_STATE]
                   ? (HybOnnxPort){ HYB_PORT_CAPTURED, hyb_onnx_input (loop->lowering, v) }
               : v < FIRST_STATE + loop->n_states
                   ? (HybOnnxPort){ HYB_PORT_STATE, hyb_onnx_input (loop->lowering, v) }
                   : (HybOnnxPort){ HYB_PORT_CAPTURED, hyb_onnx_captured (loop->lowering, 0, v) };
}
