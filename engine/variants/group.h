/* group.h — chains that belong together: directions of a layer, layers of a stack.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/variants/cells.h"
#include "engine/variants/variant.h"

typedef struct
{
  HybCellKind kind;
  gint64      hidden;
  guint       n_steps, n_layers, n_directions;
  gboolean    is_backward; /* one direction, from the last step to the first */
  double      dropout;     /* of units between layers */
  GArray     *chains;      /* of guint: layer × directions + direction */
} HybGroup;

typedef enum
{
  HYB_GROUP_CHAINS, /* each chain alone */
  HYB_GROUP_LAYERS, /* both directions of a layer */
  HYB_GROUP_STACKS, /* layers that only read each other */
} HybGrouping;

/* Of HybGroup, in an order in which none reads a later one, where that is possible. */
GPtrArray *hyb_groups_find (HybCells *cells, HybGrouping grouping);
HybChain  *hyb_group_chain (const HybCells *cells, const HybGroup *group, guint row);
/* TRUE if the chain runs with growing time. */
gboolean hyb_chain_is_forward (const HybCells *cells, const HybChain *chain);
void     hyb_describe_chains (HybCells *cells, GArray *recognised); /* of HybRecognised */
