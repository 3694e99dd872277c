/* find.h — one search for window and command line.
 *
 *   word "exact words" glob*     in names and operators
 *   name: op: shape: dtype:      shape:*x512
 *   attr:key=value  in:BODY      in:BODY stands anywhere in the path
 *   time>1ms bytes>1M flops>1G   also <, >=, <=
 *
 * All must hold; a leading - turns one round.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/graph/graph.h"

typedef struct _ScopeFind ScopeFind;

/* What a node is asked about. */
typedef struct
{
  HybGraph      *graph;
  HybNodeId      node;
  const HybType *types;   /* by value of graph; NULL: not known */
  const char    *path;    /* "foreach0/h2h", as boxes are called; NULL: its name */
  double         seconds; /* NaN: not measured */
} ScopeFindNode;

/* NULL and an error that says what is wrong with which word. */
ScopeFind *scope_find_new (const char *query, GError **error);
void       scope_find_free (ScopeFind *find);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (ScopeFind, scope_find_free)

gboolean scope_find_is_empty (const ScopeFind *find);
gboolean scope_find_matches (const ScopeFind *find, const ScopeFindNode *node);
