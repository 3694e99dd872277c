/* direct.h — for operators that compute themselves instead of being lowered: their inputs and attributes.
 *
 * The shapes of their results depend on data, so that their models run node by node.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/onnx/onnx-op.h"

/* The input, as the specification counts; NULL if it is left out. */
HybTensor *onnx_direct_input (const HybCall *call, HybTensor *const *inputs, guint slot);
/* The number that an input with one element contains; fallback if it is left out or has another size. */
double
onnx_direct_number (const HybCall *call, HybTensor *const *inputs, guint slot, double fallback);
/* The attribute if it is there and of this kind, else NULL. */
const HybOnnxAttribute *
onnx_direct_attribute (const HybCall *call, const char *name, HybOnnxAttributeKind kind);
/* The attribute as an integer. */
gint64 onnx_direct_int (const HybCall *call, const char *name, gint64 fallback);
/* TRUE if the attribute, fallback if it is left out, is this string. */
gboolean
onnx_direct_is (const HybCall *call, const char *name, const char *text, const char *fallback);
/* The integers of an array of gint64 as a vector, or as rows of n_columns > 1.  NULL and an error if memory is short. */
HybTensor *onnx_direct_ints (const GArray *values, gint64 n_columns, GError **error);
/* Sets an error with the reason why the inputs are invalid.  Returns FALSE. */
gboolean onnx_direct_refuse (GError **error, const char *what);
