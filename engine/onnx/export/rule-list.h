/* rule-list.h — the families of rules that write engine operators as ONNX, in alphabetical order.
 *
 * Each line declares the array hyb_onnx_rules_NAME at the end of rules-NAME.c.  export-graph.c includes this file twice,
 * so it has no include guard.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

HYB_ONNX_RULES (attention)
HYB_ONNX_RULES (compare)
HYB_ONNX_RULES (control)
HYB_ONNX_RULES (elementwise)
HYB_ONNX_RULES (index)
HYB_ONNX_RULES (layers)
HYB_ONNX_RULES (linear)
HYB_ONNX_RULES (recurrent)
HYB_ONNX_RULES (reduce)
HYB_ONNX_RULES (shape)
HYB_ONNX_RULES (source)
