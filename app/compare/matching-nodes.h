/* matching-nodes.h — finds the nodes of one form of a model that compute the same as nodes of another.
 *
 * All forms are converted from the unrolled one, whose nodes serve as reference.  A ScopeNodeMap links
 * the boxes of one form to reference nodes; boxes of two forms match where they share a reference
 * node, so that N boxes may match M.  A node in the body of a loop matches the nodes of all steps that
 * have its role.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "app/document/document.h"
#include "app/process/conversion.h"

/* Links of one document to the reference nodes.  Immutable and reference-counted, so that workers may
 * use it. */
typedef struct _ScopeSide ScopeNodeMap;

typedef struct
{
  guint32 box;
  gint32  first_step, last_step; /* matching steps of a loop or chain; -1: all */
} ScopeCounterpart;

typedef enum
{
  SCOPE_MATCH_IDENTITY,       /* the document is the reference; matches is NULL */
  SCOPE_MATCH_FROM_REFERENCE, /* matches lead from the reference to the document */
  SCOPE_MATCH_TO_REFERENCE,   /* matches lead from the document to the reference */
} ScopeMatchDirection;

/* matches: of ScopeNameMatch, (nullable).  names: numbers of reference nodes + 1 by name; shared by the
 * maps of all forms, which add to it. */
ScopeNodeMap *scope_node_map_new (ScopeDocument      *document,
                                  const GArray       *matches,
                                  ScopeMatchDirection direction,
                                  GHashTable         *names);
/* Takes a reference and returns map. */
ScopeNodeMap *scope_node_map_ref (ScopeNodeMap *map);
/* Drops a reference; the last one frees the map. */
void scope_node_map_unref (ScopeNodeMap *map);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (ScopeNodeMap, scope_node_map_unref)
/* The document whose boxes are mapped, owned by the map. */
ScopeDocument *scope_node_map_get_document (const ScopeNodeMap *map);

/* The boxes of to that match box, or anything inside box, in from.  (transfer full) GArray of
 * ScopeCounterpart, sorted by box. */
GArray *scope_node_map_find (const ScopeNodeMap *from, guint32 box, const ScopeNodeMap *to);

/* Groups of matching boxes of two documents. */
typedef struct
{
  guint32 *of_box[2]; /* by box of the first and second document: its group, or G_MAXUINT32; boxes
                       * inside a loop belong to the loop's group */
  guint    n;         /* groups are numbers below n */
} ScopeNodeGroups;

/* Fills groups; the caller frees both arrays. */
void scope_node_maps_group (const ScopeNodeMap *a, const ScopeNodeMap *b, ScopeNodeGroups *groups);
