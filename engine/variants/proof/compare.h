/* compare.h — compares two arrays element by element and keeps the largest difference.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/tensor/tensor.h"
#include "engine/variants/proof/proof.h"

/* Two arrays, and how much their elements may differ: relative × the element + absolute × the scale around it. */
typedef struct
{
  const char *prefix, *name; /* of the array in messages: "" or "gradient of ", and the name */
  HybTensor  *a, *b;
  double      relative, absolute;
  double      offset;   /* added to the scale around an element */
  gboolean    by_rows;  /* that is the largest element of its row, not of the array */
  gboolean    any_type; /* element types may differ, as those of gradients follow the parameters */
  HybTensor
      *own[2]; /* (nullable) results that differ from a and b by rounding, which is allowed, too */
  double rounding; /* how much of that */
} HybArrayComparison;

/* Whether the arrays have equal types and shapes and all elements are near enough; NaN in both is not compared. */
gboolean hyb_comparison_fits (const HybArrayComparison *comparison);
/* Whether both arrays are infinite or NaN in the same elements. */
gboolean hyb_comparison_same_finite (const HybArrayComparison *comparison);
/* Compares, keeps the largest difference in proof, and sets its verdict if it is too large.  Returns the number of elements
 * that are not NaN in both. */
gint64 hyb_comparison_record (const HybArrayComparison *comparison, HybProof *proof);
