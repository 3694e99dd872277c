/* matching-nodes.h — boxes of several forms of one model that stand for the same.
 *
 * Every form is tied to the nodes of one of them, the unrolled one, because all
 * conversions go through it: N nodes of one form stand for M of another where both are tied
 * to the same.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "app/document/document.h"
#include "app/process/conversion.h"

/* One form, tied to the nodes in the middle; shared by reference, never changed. */
typedef struct _ScopeSide ScopeNodeMap;

typedef struct
{
  guint32 box;
  gint32  first_step, last_step; /* -1: none in particular */
} ScopeCounterpart;

typedef enum
{
  SCOPE_MATCH_IDENTITY,       /* the document is the one in the middle; matches: NULL */
  SCOPE_MATCH_FROM_REFERENCE, /* matches lead from the one in the middle to the document */
  SCOPE_MATCH_TO_REFERENCE,   /* matches lead from the document to the one in the middle */
} ScopeMatchDirection;

/* names: shared by all sides, → number + 1; grows. */
ScopeNodeMap *scope_node_map_new (ScopeDocument      *document,
                                  const GArray       *matches,
                                  ScopeMatchDirection ties,
                                  GHashTable         *names);
ScopeNodeMap *scope_node_map_ref (ScopeNodeMap *side);
void          scope_node_map_unref (ScopeNodeMap *side);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (ScopeNodeMap, scope_node_map_unref)
ScopeDocument *scope_node_map_get_document (const ScopeNodeMap *side);

/* What of to stands for a box, or all that is inside it, of from; GArray of ScopeCounterpart by box. */
GArray *scope_node_map_find (const ScopeNodeMap *from, guint32 box, const ScopeNodeMap *to);
/* By box: the number of what it stands for together with others, or G_MAXUINT32; the same for both
 * sides, below n_groups.  What is inside a loop belongs to it.  Two arrays; (transfer full) */
void scope_node_maps_group (const ScopeNodeMap *a,
                            const ScopeNodeMap *b,
                            guint32           **group_a,
                            guint32           **group_b,
                            guint              *n_groups);
