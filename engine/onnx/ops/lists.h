/* lists.h — lists of arrays in the body of a loop.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/onnx/onnx-op.h"

/* TRUE if a type is the type of a list without elements. */
gboolean hyb_onnx_is_empty_list (const HybType *type);
/* The element that a step of a loop appends to a list: head is the list after the step, and nothing else reads the list.
 * HYB_NO_ID if the step does something else. */
HybValueId hyb_onnx_find_appended (HybGraph *body, HybNodeId variable, HybValueId head);
/* Lowers SequenceInsert. */
void hyb_onnx_lower_insertion (HybLowering *lowering);
