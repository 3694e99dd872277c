/* heads.h — queries, keys and values apart by heads, for all forms of attention.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/onnx/onnx-op.h"

/* [batch, length, heads × size] as [batch, heads, length, size]; types are known. */
HybValueId onnx_heads_split (HybLowering *lowering, HybValueId x, gint64 n_heads);
/* The other way. */
HybValueId onnx_heads_join (HybLowering *lowering, HybValueId x);
/* Repeats each head of x (keys or values) once for every head of the queries q that reads it. */
HybValueId onnx_heads_share (HybLowering *lowering, HybValueId x, HybValueId q);
/* Keys or values x, after the ones of earlier calls from an optional input. */
HybValueId onnx_heads_append (HybLowering *lowering, HybValueId x, guint past);
