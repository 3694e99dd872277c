/* bodies.h — bodies of loops and branches: what they are called, and which step of which loop.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/graph/graph.h"

typedef struct
{
  HybGraph *around;  /* that its owner stands in */
  char     *name;    /* "foreach0", "cond0/then", "outer/inner" */
  gboolean  is_loop; /* every run of it is a step */
} ScopeBody;

/* HybGraph → ScopeBody, of every body below graph; owned by the table. */
GHashTable *scope_bodies_of_graph (HybGraph *graph);

/* Loops within loops that a path tells of; of more, the innermost. */
#define SCOPE_MOST_LOOPS 8

/* A step of a loop, behind those of the loops around it. */
typedef struct
{
  guint   n; /* 0: in no loop */
  guint32 step[SCOPE_MOST_LOOPS];
} ScopeStepPath;

/* "3", or "1.3": step 3 of a loop in step 1 of another.  (transfer full) */
char *scope_step_path_to_string (const ScopeStepPath *path);
/* As far as both go: less than, equal to, or greater than 0. */
int scope_step_path_compare (const ScopeStepPath *a, const ScopeStepPath *b);
