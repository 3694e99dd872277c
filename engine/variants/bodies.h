/* bodies.h — finds repeated groups of nodes, the steps of cells of no known kind.
 *
 * A weight that is read again and again, each time by a node that depends on the previous reader,
 * shows where the steps are.  From there all steps are followed at once, back through the inputs of
 * their nodes, as long as they are alike: equal operators with equal attributes, which read the
 * same weights, each other, results of the previous step, and one value per step.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/variants/cells.h"

#define HYB_MIN_BODIES 3 /* steps */

/* A repeated body. */
typedef struct
{
  guint n_steps;
  /* Of HybNodeId *: one node of the body by step.  HYB_NO_ID in the last step where the node is
   * missing because nothing reads it. */
  GPtrArray  *nodes;
  GArray     *states; /* of HybValueId: n_steps + 1 for each state, its initial value first */
  HybValueId *data;   /* the input of each step; NULL: the body has no input */
} HybBody;

/* GPtrArray of HybBody.  taken: one flag per node; bodies do not use nodes that are taken.
 * (transfer full) */
GPtrArray *hyb_bodies_find (HybGraph *graph, const guint8 *taken);
