/* said-comparison.h — the parts of a comparison as blocks.
 *
 * hscope makes them from what it measured, the window from the JSON that hscope printed.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "app/adapt/said.h"
#include "app/adapt/statements.h"

/* One end of an explanation. */
typedef struct
{
  const char *name;
  double      seconds;
} ScopeLevel;

/* Why fast takes less time than slow: a waterfall with the table of its buckets; a sentence if no cause may be named. */
void scope_said_explanation (ScopeSaid             *said,
                             ScopeLevel             slow,
                             ScopeLevel             fast,
                             const ProfExplanation *explanation);
/* The engine's optimisations, switched on one after the other: bars with the table of what each saves.  rungs: of ProfRung. */
void scope_said_ladder (ScopeSaid *said, const GPtrArray *rungs);
/* How to get an interval where there were too few runs. */
void scope_said_longer (ScopeSaid *said);

/* A model beside the profile that another program made of it. */
typedef struct
{
  const char *file;                           /* with the profile */
  guint       n_iterations;                   /* in it */
  double      ours, theirs;                   /* seconds of a traced run */
  double      ours_unplaced, theirs_unplaced; /* of it, in no row */
  GArray     *rows;                           /* of ProfBesideRow */
} ScopeBeside;

/* A table of the nodes, in the order of the rows. */
void scope_said_beside (ScopeSaid *said, const ScopeBeside *beside);
