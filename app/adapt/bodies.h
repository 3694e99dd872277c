/* bodies.h — names of the bodies of loops and branches, and paths to steps of nested loops.
 *
 * A body is a graph inside a node.  Its name is the path of nodes that lead to it, "outer/inner".
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/graph/graph.h"

typedef struct
{
  HybGraph *outer;   /* the graph that contains the node whose body this is */
  char     *name;    /* "foreach0", "cond0/then", "outer/inner" */
  gboolean  is_loop; /* TRUE: every run is a step of a loop; FALSE: a branch */
} ScopeBody;

/* All bodies in graph, at any depth.  HybGraph → ScopeBody, owned by the table; (transfer full). */
GHashTable *scope_bodies_of_graph (HybGraph *graph);

/* Nested loops in a path.  If there are more, only the innermost are kept. */
#define SCOPE_MAX_LOOP_DEPTH 8

/* A step of a loop, preceded by the steps of the loops around it. */
typedef struct
{
  guint   n;                          /* number of loops; 0: outside any loop */
  guint32 step[SCOPE_MAX_LOOP_DEPTH]; /* outermost loop first */
} ScopeStepPath;

/* "3", or "1.3": step 3 of a loop in step 1 of another.  (transfer full) */
char *scope_step_path_to_string (const ScopeStepPath *path);
/* Compares as many levels as both paths have.  Less than, equal to, or greater than 0. */
int scope_step_path_compare (const ScopeStepPath *a, const ScopeStepPath *b);
