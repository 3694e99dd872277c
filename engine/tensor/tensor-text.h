/* tensor-text.h — elements of tensors as text, and small tensors from short texts for tests and self-tests.
 *
 * Of the latter, floats are distinct numbers in (-1, 1) in a fixed random order; integers are 0, 1, 2, 0, 1 ….
 *   "f32[2,3]"           these
 *   "f32[2,3] 0.5..2"    distinct numbers in that range (integers: cyclic, both ends included)
 *   "f32[4] = 1,2,nan,4" these values; the last is repeated if there are too few
 * The dtypes are f16 bf16 f32 f64 i8 i16 i32 i64 u8 u16 u32 u64 bool.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/tensor/tensor.h"

/* nth: the number of the input; tensors with different ones have different values.  NULL and an error if
 * the text is none of the above.  (transfer full) */
HybTensor *hyb_tensor_from_text (const char *text, guint nth, GError **error);
/* Appends one element with as many digits as distinguish it from other numbers of its type. */
void hyb_tensor_append_text (GString *text, const HybTensor *tensor, gint64 index);
