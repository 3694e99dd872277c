/* layout.h — parameters whose axes are in the order of another program, or that have an axis of length
 * one too many or too few.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/graph/model.h"

/* How one parameter must be changed. */
typedef struct
{
  const char *name;  /* owned by the graph */
  HybShape    shape; /* that it gets */
  gboolean    is_permuted;
  int         axes[HYB_MAX_RANK]; /* if is_permuted: the old axis that becomes axis i */
} HybLayoutFix;

/* Finds the changes that follow from shapes alone: the graph without given inputs must refuse
 * parameters as they are and accept all of them after the changes.  Weights of one kind of operator
 * are transposed together, square ones too.  Of HybLayoutFix, in the order of the variables.
 * (transfer full) */
GArray *hyb_layout_find (HybModel *model);

/* The changed array; NULL if there is not enough memory.  (transfer full) */
HybTensor *hyb_layout_apply (const HybLayoutFix *fix, HybTensor *tensor);
