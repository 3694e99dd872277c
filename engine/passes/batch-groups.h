/* batch-groups.h — finds products that can be computed together.
 *
 * Used by batch-products.c only.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/analysis/facts.h"
#include "engine/analysis/rewrite.h"

typedef struct
{
  GArray   *members; /* of HybNodeId, in order */
  HybNodeId sum;     /* the node that adds the members up; HYB_NO_ID: they are not added */
  GArray   *partial; /* of HybNodeId: intermediate sums */
  GArray   *rest;    /* of HybValueId: other terms of the sum */
  gboolean  is_done;
} BatchGroup;

typedef struct
{
  HybGraph  *graph;
  HybFacts  *facts;
  GPtrArray *groups;   /* of BatchGroup */
  guint32   *group_of; /* by node: the group of a member or sum; HYB_NO_ID: none */
  guint8    *is_head;  /* by value */
  guint8    *is_made;  /* by node: already copied, while rewriting */
  guint8    *written;  /* by node: its value changes during a run */
  HybType   *room;     /* types of one call */
  HybRewrite rewrite;
} Batching;

/* Fills groups and group_of. */
void hyb_batch_find_groups (Batching *batching);
/* The group that a node belongs to, or NULL. */
BatchGroup *hyb_batch_group_at (const Batching *batching, HybNodeId id);
/* Frees a group. */
void hyb_batch_group_free (gpointer group);

/* The inputs of which rows are taken, as a bit mask. */
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
