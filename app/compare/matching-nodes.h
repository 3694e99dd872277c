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
typedef struct _ScopeSide ScopeSide;

typedef struct
{
  guint32 box;
  gint32  first_step, last_step; /* -1: none in particular */
} ScopePartner;

typedef enum
{
  SCOPE_TIES_ITSELF, /* the document is the one in the middle; matches: NULL */
  SCOPE_TIES_FROM,   /* matches lead from the one in the middle to the document */
  SCOPE_TIES_TO,     /* matches lead from the document to the one in the middle */
} ScopeTies;

/* names: shared by all sides, → number + 1; grows. */
ScopeSide *
scope_side_new (ScopeDocument *document, const GArray *matches, ScopeTies ties, GHashTable *names);
ScopeSide *scope_side_ref (ScopeSide *side);
void       scope_side_unref (ScopeSide *side);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (ScopeSide, scope_side_unref)
ScopeDocument *scope_side_get_document (const ScopeSide *side);

/* What of to stands for a box, or all that is inside it, of from; GArray of ScopePartner by box. */
GArray *scope_side_find (const ScopeSide *from, guint32 box, const ScopeSide *to);
/* By box: the number of what it stands for together with others, or G_MAXUINT32; the same for both
 * sides, below n_groups.  What is inside a loop belongs to it.  Two arrays; (transfer full) */
void scope_sides_group (const ScopeSide *a,
                        const ScopeSide *b,
                        guint32        **group_a,
                        guint32        **group_b,
                        guint           *n_groups);
