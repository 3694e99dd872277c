/* write-groups.h — makes a graph anew with every group of chains in another form.
 *
 * The form supplies a check and a writer (HybGroupWriter); order, findings and the nodes outside
 * groups are handled here.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/variants/conversion.h"
#include "engine/variants/group.h"

/* The first value of a group that is read outside but that the new form does not provide; HYB_NO_ID
 * if everything is provided.  Fused operators provide h of the top layer at every step and all
 * final states; with gives_all_states, as for loops, all states of all layers are provided. */
HybValueId hyb_group_find_missing_output (const HybCells *cells,
                                          const HybGroup *group,
                                          gboolean        gives_all_states);

/* How a form writes groups. */
typedef struct
{
  /* Why the group cannot be written, as the end of a sentence; NULL if it can.  (transfer full) */
  char *(*check) (HybConversion *conversion, const HybCells *cells, const HybGroup *group);
  /* Writes the group and sets the new values or places of all its outputs. */
  gboolean (*write) (HybConversion  *conversion,
                     const HybCells *cells,
                     const HybGroup *group,
                     GError        **error);
} HybGroupWriter;

/* Records that the node of value replaces all nodes of the group. */
void hyb_group_match_nodes (HybConversion  *conversion,
                            const HybCells *cells,
                            const HybGroup *group,
                            HybValueId      value);

/* Makes the whole graph anew, the groups through writer.  A group that cannot be written stays as
 * it is, with a finding in the new model.  FALSE if no group is written, or if writing fails. */
gboolean hyb_write_groups (HybConversion        *conversion,
                           HybCells             *cells,
                           GPtrArray            *groups,
                           const HybGroupWriter *writer,
                           GError              **error);
