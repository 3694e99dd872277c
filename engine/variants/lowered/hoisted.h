/* hoisted.h — moves computations from parameters alone, the same in every step, out of the body of
 * a loop.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/graph/graph.h"
#include "engine/tensor/tensor.h"

/* A loop over rows that reads the values computed before it. */
typedef struct
{
  HybGraph  *body;
  GPtrArray *tensors;    /* of HybTensor: further captured values, behind the inputs */
  GPtrArray *names;      /* of char *, their names in the body */
  GStrv      attributes; /* of the node */
  guint8    *is_dropped; /* by input of the node: the new body does not read it */
} HybHoisted;

/* Computes the values of a loop's body that follow from known captured inputs, where other nodes read them.  known: by input
 * of the node; NULL: not known.  FALSE: there are none, or the node is not a loop over rows. */
gboolean
hyb_loop_hoist (HybHoisted *hoisted, HybGraph *graph, HybNodeId id, HybTensor *const *known);
/* Frees the members. */
void hyb_hoisted_clear (HybHoisted *hoisted);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (HybHoisted, hyb_hoisted_clear)
