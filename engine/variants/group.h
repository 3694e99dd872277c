/* group.h — chains that belong together: directions of a layer, layers of a stack.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/variants/form.h"

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

/* The first value of a step that somebody outside the group reads although the group,
 * in its new form, will not give it; HYB_NO_ID: none.  Values of the states h of the top
 * layer and final states are given; with memories, all of c and all layers too. */
HybValueId
hyb_group_find_leak (const HybCells *cells, const HybGroup *group, gboolean gives_all_states);

typedef gboolean (*HybWriteGroup) (HybConversion  *conversion,
                                   const HybCells *cells,
                                   const HybGroup *group,
                                   GError        **error);
/* Why a group cannot be written; (transfer full), NULL: it can. */
typedef char *(*HybRefuseGroup) (HybConversion  *conversion,
                                 const HybCells *cells,
                                 const HybGroup *group);

/* All nodes of a group stand in this new value's node. */
void hyb_group_match (HybConversion  *conversion,
                      const HybCells *cells,
                      const HybGroup *group,
                      HybValueId      value);

/* Writes everything anew, groups with write.  What is refused stays as it is, with a
 * note; FALSE if nothing else is left. */
gboolean hyb_write_groups (HybConversion *conversion,
                           HybCells      *cells,
                           GPtrArray     *groups,
                           HybRefuseGroup refuse,
                           HybWriteGroup  write,
                           GError       **error);
