/* op-tensor.h — creates tensors and attributes from short texts, and compares tensors.
 *
 * A mistake in a text, or a difference, fails the test.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/tensor/tensor.h"

/* Creates a tensor from a text as hyb_tensor_from_text() does (engine/tensor/tensor-text.h). */
HybTensor *op_tensor_from_text (const char *text, guint nth);

/* Creates a tensor from a type such as "f32[3]" and its values, passed as doubles. */
HybTensor *op_tensor (const char *type, ...);

/* Splits "axis=0 pad=(1, 1)" into key, value, …, NULL.  (transfer full) */
char **op_attributes_from_text (const char *text);

/* Compares the elements with as many doubles: |got - want| <= tolerance * max (1, |want|). */
void op_assert_near (HybTensor *tensor, double tolerance, ...);
/* Compares the type with a text of hyb_type_to_string(), such as "float32 (2, 3)". */
void op_assert_type (HybTensor *tensor, const char *type);
/* Compares types and elements: |a - b| <= tolerance * max (1, |b|), or both are NaN or the same
 * infinity. */
void op_assert_same (HybTensor *a, HybTensor *b, double tolerance);
