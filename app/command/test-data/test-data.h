/* test-data.h — the input arrays of a run, and its expected outputs.
 *
 * ONNX' own models carry their tests as folders test_data_set_0, test_data_set_1, … beside the model, with a tensor a file:
 * input_0.pb, … and output_0.pb, ….
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/formats/tensor-list.h"
#include "engine/graph/model.h"

/* Reads the arrays of --input: an archive (.npz), a single array (.npy) for the one input that has no value, or a folder of
 * test data.  expected: (out) (transfer full) of HybTensor, by output; NULL: none are known.  (transfer full) NULL and an
 * error: they cannot be read. */
HybTensorList *
scope_test_data_read (const char *path, HybModel *model, GPtrArray **expected, GError **error);

/* The folders of test data beside a model, in order of their numbers.  (transfer full) NULL and an error if there are
 * none. */
char **scope_test_data_list (const char *model, GError **error);

/* How a result differs from the expectation. */
typedef struct
{
  gboolean is_equal;
  double   max_abs; /* largest difference; NAN if shapes or types differ, or one is not finite */
  char    *reason;  /* of a difference; NULL otherwise */
} ScopeTestVerdict;

/* Compares.  Numbers are equal if they differ by at most 0.1 % of the expected one (float16: 0.2 %, bfloat16: 1 %) plus one
 * millionth of the largest; whole numbers and truth values if they are the same. */
ScopeTestVerdict scope_test_data_compare (HybTensor *expected, HybTensor *got);
/* Frees the members of the verdict. */
void scope_test_verdict_clear (ScopeTestVerdict *verdict);
