/* leaky-relu.h — how the slopes of PReLU are broadcast.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/tensor/shape.h"

/* The data as `outer` × n × `inner` elements, of which those with index i of the middle axis have
 * slope i. */
typedef struct
{
  gint64 outer, n, inner;
} HybSlopes;

/* The view of data for gamma, whose shape fits (engine/ops/nn/leaky-relu.c). */
HybSlopes hyb_cuda_slopes (const HybShape *data, const HybShape *gamma);
