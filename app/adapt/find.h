/* find.h — the search for nodes, in the window and in hscope info --find.
 *
 *   word "exact words" glob*     in names, operators and what is drawn
 *   /regular expression/         the same, also after a field
 *   35x32  num_hidden=512        shape:35x32, attr:num_hidden=512
 *   name: op: shape: dtype:      shape:*x512
 *   attr:key=value  in:BODY      BODY may be any part of the path
 *   time>1ms bytes>1M flops>1G   also <, >=, <=
 *
 * All terms must hold; a leading - negates a term.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/graph/graph.h"

typedef struct _ScopeFind ScopeFind;

/* A node and its known properties. */
typedef struct
{
  HybGraph      *graph;
  HybNodeId      node;
  const HybType *types;   /* by value id of graph; NULL: unknown */
  const char    *path;    /* "foreach0/h2h", as the ids of boxes; NULL: the node's name */
  const char    *title;   /* as it is drawn; NULL: unknown */
  double         seconds; /* NaN: not measured */
} ScopeFindNode;

/* Parses a query.  NULL and an error that names the wrong word and the expected one. (transfer
 * full) */
ScopeFind *scope_find_new (const char *query, GError **error);
/* Frees the query. */
void scope_find_free (ScopeFind *find);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (ScopeFind, scope_find_free)

/* TRUE if the query has no words, and so matches every node. */
gboolean scope_find_is_empty (const ScopeFind *find);
/* TRUE if the node satisfies all terms of the query. */
gboolean scope_find_matches (const ScopeFind *find, const ScopeFindNode *node);
/* TRUE if a group with this title satisfies all terms, which must be words. */
gboolean scope_find_matches_title (const ScopeFind *find, const char *title);
/* A query in which words that occur in no name or operator of the graph and its bodies are replaced by the nearest that
 * do.  NULL if there are no such words, or none is near.  (transfer full) */
char *scope_find_suggest (const ScopeFind *find, HybGraph *graph);
