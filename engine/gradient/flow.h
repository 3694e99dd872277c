/* flow.h — gradients under way: what gradient.c and backward.c share.
 *
 * Values are those of the graph being built.  Its first nodes are the forward
 * nodes under their old ids; only they can receive gradients.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/graph/builder.h"

/* One gradient that arrived at a value; a list in order of arrival. */
typedef struct
{
  HybValueId value;
  guint32    next; /* index + 1; 0: the last */
} HybArrival;

typedef struct
{
  guint32 first, last; /* index + 1 into arrivals; 0: none */
  guint32 count;
} HybArrivals;

typedef struct
{
  HybGraph    *graph;    /* forward; borrowed */
  HybBuilder  *builder;  /* owned until frozen */
  GArray      *arrivals; /* of HybArrival */
  HybArrivals *at;       /* by forward value of the graph being built */
  HybValueId  *value;    /* by value of the forward graph: its id in the new one */
  guint8      *wanted;   /* by value of the forward graph: a variable of wrt reaches it */
  guint8      *reached;  /* likewise: a head may send it a gradient */
  GError      *error;    /* the first failure; then everything falls through */
} HybFlow;

/* The node being differentiated. */
struct _HybGrad
{
  HybFlow       *flow;
  HybNodeId      id;   /* in both graphs */
  const HybNode *node; /* in the forward graph */
  gconstpointer  params;
  HybValueId     first_output; /* in the graph being built */
  guint          n_outputs;    /* hidden ones of a recording operator too */
  HybValueId    *zeros;        /* by output: made on demand; HYB_NO_ID */
  guint          n_emitted;
};

/* Counts value as a further gradient of target. */
void hyb_flow_arrive (HybFlow *flow, HybValueId target, HybValueId value);
/* The sum of what arrived; HYB_NO_ID if nothing did (or after a failure). */
HybValueId hyb_flow_sum (HybFlow *flow, HybValueId target);
/* A node that belongs to the gradient of the producer of near. */
HybValueId hyb_flow_emit (HybFlow           *flow,
                          HybNodeId          near,
                          const char        *op,
                          const char        *name,
                          const char *const *attributes,
                          guint              n_inputs,
                          const HybValueId  *inputs);
/* Whether gradients may flow into this input of this operator at all. */
gboolean hyb_flow_input_is_open (const HybOp *op, guint index);
