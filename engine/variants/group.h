/* group.h — chains that are written as one: both directions of a layer, layers of a stack.
 *
 * How much is joined depends on the form: loops take single chains, a fused operator takes a whole
 * stack.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/variants/cells.h"
#include "engine/variants/variant.h"

/* Chains of the same kind and length. */
typedef struct
{
  HybCellKind kind;
  gint64      hidden, projection; /* as in HybChain */
  guint       n_steps, n_layers, n_directions;
  gboolean    is_backward; /* one direction, from the last time step to the first */
  double      dropout;     /* rate between layers */
  GArray *chains; /* of guint, the index of a chain, by row: layer × n_directions + direction */
} HybGroup;

typedef enum
{
  HYB_GROUP_CHAINS, /* each chain is a group */
  HYB_GROUP_LAYERS, /* the two directions of a layer are a group */
  HYB_GROUP_STACKS, /* and so are layers of which only the next one reads the outputs */
} HybGrouping;

/* Groups all chains.  GPtrArray of HybGroup, lower layers first.  (transfer full) */
GPtrArray *hyb_groups_find (HybCells *cells, HybGrouping grouping);
/* Whether the steps of a chain run from earlier to later times. */
gboolean hyb_chain_is_forward (const HybCells *cells, const HybChain *chain);
/* The chain in this row of a group. */
HybChain *hyb_group_chain (const HybCells *cells, const HybGroup *group, guint row);
/* Appends a HybRecognised for each stack of chains to recognised. */
void hyb_describe_chains (HybCells *cells, GArray *recognised);
