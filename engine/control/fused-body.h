/* fused-body.h — reads the body of a fused layer: a convolution, a product or attention with the operators
 * after it.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/graph/graph.h"

/* More operators than this follow the first one in no body. */
#define HYB_FUSED_MAX_STEPS 8

/* A body as a sequence: variable i is input i of the node. */
typedef struct
{
  const HybNode *first;                     /* computes sums of products */
  const HybNode *norm;                      /* BatchNorm after it; or NULL */
  const HybNode *step[HYB_FUSED_MAX_STEPS]; /* the operators after it, each on the result before
                                             * it */
  guint          n_steps;
  guint          sum;        /* the step that adds a variable; G_MAXUINT if there is none */
  guint          norm_input; /* the variable that is gamma; beta, mean and variance follow */
  guint          sum_input;  /* the variable that is added */
  guint          n_variables;
} HybFusedBody;

/* Reads a body.  FALSE and an error if it is not such a sequence. */
gboolean hyb_fused_body_read (HybFusedBody *body, const HybGraph *graph, GError **error);
/* The dtype in which a calibrated layer returns its result: uint8 if its last step has no negative
 * results. */
HybDType hyb_fused_body_result (const HybFusedBody *body);
