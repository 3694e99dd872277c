/* op-tensor.h — tensors from text, attributes from text.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/tensor/tensor.h"

/* A tensor of "f32[2,3]" filled with distinct numbers in (-1, 1) in a fixed disorder;
 * integers with 0, 1, 2, 0, 1 …  More can be said behind the brackets:
 *   "f32[2,3] 0.5..2"    distinct numbers in that range (integers: in turn, both ends included)
 *   "f32[4] = 1,2,nan,4" these; the last repeats
 * dtypes: f16 bf16 f32 f64 i8 i16 i32 i64 u8 u16 u32 u64 bool.  nth: inputs of one
 * sample differ by it.  A mistake in the text fails the test. */
HybTensor *op_tensor_from_text (const char *text, guint nth);

/* "f32[3]" and its values, as doubles. */
HybTensor *op_tensor (const char *type, ...);

/* "axis=0 pad=(1, 1)" as key, value, …, NULL.  (transfer full) */
char **op_attributes_from_text (const char *text);

/* As many doubles as the tensor has elements; |got - want| <= tolerance * max (1, |want|). */
void op_assert_near (HybTensor *tensor, double tolerance, ...);
/* "float32 (2, 3)" as hyb_type_to_string() says it. */
void op_assert_type (HybTensor *tensor, const char *type);
/* Equal types, |a - b| <= tolerance * max (1, |b|); equal infinities and NaN agree. */
void op_assert_same (HybTensor *a, HybTensor *b, double tolerance);
