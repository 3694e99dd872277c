/* density.h — shared parts of the operators _random_pdf_….
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/op/op.h"

/* The attributes of all of them. */
typedef struct
{
  gboolean is_log;
} HybDensityParams;

/* The table of HybDensityParams. */
extern const HybParam hyb_density_params[];

/* HybOp.cost: logarithms and exponentials of every sample. */
void hyb_density_cost (const HybCall *call, HybCost *cost);
