/* flow.h — the state of differentiation, shared by gradient.c and backward.c.
 *
 * Value ids are those of the graph being built.  It begins with the forward nodes under their old
 * ids, and only their values can receive gradients.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/graph/builder.h"

/* One gradient that arrived at a value; a linked list in order of arrival. */
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
  HybGraph    *graph;       /* forward; borrowed */
  HybBuilder  *builder;     /* owned until frozen */
  GArray      *arrivals;    /* of HybArrival */
  HybArrivals *at;          /* by value of the forward part of the graph being built */
  HybValueId  *value;       /* by value of the forward graph: its id in the new one */
  guint8      *is_required; /* by value of the forward graph: depends on a variable of wrt */
  guint8      *reached;     /* by value of the forward graph: a head depends on it */
  GError      *error;       /* the first failure; later calls do nothing */
} HybFlow;

/* The node being differentiated. */
struct _HybGrad
{
  HybFlow       *flow;
  HybNodeId      id;   /* in both graphs */
  const HybNode *node; /* in the forward graph */
  const HybOp   *op;   /* whose gradient function runs */
  gconstpointer  params;
  HybValueId     first_output; /* in the graph being built */
  guint          n_outputs;    /* includes the hidden outputs of a recording operator */
  HybValueId    *zeros;        /* by output: created on demand; HYB_NO_ID: not yet */
  guint          n_emitted;
};

/* Adds value to the gradients that arrive at target. */
void hyb_flow_arrive (HybFlow *flow, HybValueId target, HybValueId value);
/* The sum of the gradients that arrived, or HYB_NO_ID if there are none (or after a failure). */
HybValueId hyb_flow_sum (HybFlow *flow, HybValueId target);
/* Adds a node that belongs to the gradient of node near and returns its first value. */
HybValueId hyb_flow_emit (HybFlow *flow, HybNodeId near, const char *op, const HybNodeSpec *spec);
/* TRUE if gradients can flow into this input of op at all. */
gboolean hyb_flow_input_is_open (const HybOp *op, guint index);
