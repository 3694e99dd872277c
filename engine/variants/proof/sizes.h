/* sizes.h — the numbers of steps of a model, and how many products it sums.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/formats/tensor-list.h"
#include "engine/graph/model.h"

/* Appends numbers of steps (gint64), which inputs must keep, to fixed, and raises *accumulated to the number of
 * products that are summed in one element. */
void hyb_proof_collect_sizes (HybModel *model, GArray *fixed, double *accumulated);
/* The largest product of the first two sizes of an input: time steps × batch, or more. */
gint64 hyb_proof_find_batch (HybTensorList *values);
