/* bodies.h — steps of no known cell: the same nodes again and again.
 *
 * A weight that is read over and over, each time behind the time before, gives the steps
 * away.  From there all steps are followed at once, back through what their nodes read,
 * as far as they look alike: the same operators with the same attributes, reading the
 * same weights, each other, what the step before made, and one value a step.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/variants/cells.h"

#define HYB_MIN_BODIES 3

typedef struct
{
  guint      n_steps;
  GPtrArray *nodes;  /* of HybNodeId *: a node of the body at every step … */
  GArray    *states; /* of HybValueId: n_steps + 1 a state, its begin first */
                     /* … HYB_NO_ID in the last step: nobody reads it there */
  HybValueId *data;  /* what each step reads; NULL: nothing */
} HybBody;

/* Of HybBody; no node is taken (one flag per node). */
GPtrArray *hyb_bodies_find (HybGraph *graph, const guint8 *taken);
