/* narrow-model.h — the same model with weights of 16 or 8 bits, computed in float arithmetic.
 *
 * float16, bfloat16  matrices, filters and the parameters of RNN are rounded, and Cast makes floats of them
 *                    before they are read, so that any reader of MXNet's files with these types computes
 *                    the same
 * int8               weights of products have a scale for each row (kernels/matrix/narrow.h), and
 *                    _hybridscope_int8_rows makes floats of them, which no other program has
 *
 * A plan reads them without converting where that is faster: passes/read-narrow.c.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/graph/model.h"

/* A type of weights. */
typedef struct
{
  const char *name; /* of the type */
  HybDType    dtype;
  double
      rounding; /* the largest error of a weight, relative to itself, or int8: to its row's largest */
  double tolerance; /* of outputs, relative to 1 + the largest element: 16 times as much */
} HybNarrowType;

/* The type of this name, or NULL.  Static. */
const HybNarrowType *hyb_narrow_type_find (const char *name);

/* The result of hyb_narrow_model(). */
typedef struct
{
  guint n_parameters;              /* that became narrow */
  gsize bytes_before, bytes_after; /* of all parameters */
} HybNarrowReport;

/* The model with narrow weights.  NULL and an error if there is nothing to make narrow, or if a weight is
 * too large for the type.  (transfer full) */
HybModel *hyb_narrow_model (HybModel            *model,
                            const HybNarrowType *type,
                            HybNarrowReport     *report,
                            GError             **error);
