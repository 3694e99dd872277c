/* batch-groups.h — which products can be taken together.  Private to batch-*.c.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/analysis/facts.h"
#include "engine/analysis/rewrite.h"

typedef struct
{
  GArray   *members; /* of HybNodeId, in order */
  HybNodeId sum;     /* the node that adds the members up; HYB_NO_ID: they stay apart */
  GArray   *partial; /* of HybNodeId: sums on the way to it */
  GArray   *rest;    /* of HybValueId: what else it adds up */
  gboolean  is_done;
} BatchGroup;

typedef struct
{
  HybGraph  *graph;
  HybFacts  *facts;
  GPtrArray *groups;   /* of BatchGroup */
  guint32   *group_of; /* by node, of members and sums; HYB_NO_ID */
  guint8    *is_head;  /* by value */
  guint8    *is_made;  /* by node, while rewriting */
  guint8    *written;  /* by node: when it is read makes a difference */
  HybType   *room;     /* for one call */
  HybRewrite rewrite;
  GError    *error;
} Batching;

/* Fills groups and group_of. */
void hyb_batch_find_groups (Batching *batching);
/* NULL: the node is in none. */
BatchGroup *hyb_batch_group_at (const Batching *batching, HybNodeId id);
void        hyb_batch_group_free (gpointer group);

/* Inputs of which rows are taken, bit by bit. */
static inline guint32
batch_row_inputs (const HybNode *node)
{
  return node->op->rowwise_inputs | node->op->row_sum_inputs;
}

static inline HybNodeId
batch_member (const BatchGroup *group, guint index)
{
  return g_array_index (group->members, HybNodeId, index);
}

static inline const HybType *
batch_type_of_input (const Batching *batching, HybNodeId id, guint input)
{
  return &batching->facts->types[hyb_graph_get_inputs (batching->graph, id)[input]];
}
