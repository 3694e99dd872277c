/* write-groups.h — writes a graph anew with each group of chains in another form.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/variants/conversion.h"
#include "engine/variants/group.h"

/* The first value of a step that somebody outside the group reads although the group,
 * in its new form, will not give it; HYB_NO_ID: none.  Values of the states h of the top
 * layer and final states are given; with memories, all of c and all layers too. */
HybValueId hyb_group_find_missing_output (const HybCells *cells,
                                          const HybGroup *group,
                                          gboolean        gives_all_states);

typedef gboolean (*HybWriteGroup) (HybConversion  *conversion,
                                   const HybCells *cells,
                                   const HybGroup *group,
                                   GError        **error);
/* Why a group cannot be written; (transfer full), NULL: it can. */
typedef char *(*HybCheckGroup) (HybConversion  *conversion,
                                const HybCells *cells,
                                const HybGroup *group);

/* All nodes of a group stand in this new value's node. */
void hyb_group_match_nodes (HybConversion  *conversion,
                            const HybCells *cells,
                            const HybGroup *group,
                            HybValueId      value);

/* Writes everything anew, groups with write.  What is refused stays as it is, with a
 * note; FALSE if nothing else is left. */
gboolean hyb_write_groups (HybConversion *conversion,
                           HybCells      *cells,
                           GPtrArray     *groups,
                           HybCheckGroup  refuse,
                           HybWriteGroup  write,
                           GError       **error);
