/* time-by-role.h — where the time of two models goes, by common roles of their nodes.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/graph/graph.h"
#include "profiler/summary/summary.h"

/* A measured model.  All is borrowed. */
typedef struct
{
  HybGraph          *graph;
  const ProfCapture *capture;
  const ProfSummary *summary;
} ProfRoleSide;

/* Nodes with one role in both models. */
typedef struct
{
  const char *role; /* of the counterpart; NULL: nodes without one */
  const char
        *node[2];    /* the name of the first node in each model, owned by its graph; NULL: none */
  guint  n[2];       /* nodes */
  double seconds[2]; /* of one traced run */
} ProfRoleTime;

/* Sums the time of both models by role; counterparts are HybCounterpart of their graphs.  A node that ran with sources of several
 * roles counts for the first of them.  Nodes without a source in the model are in no row.  (transfer full) array of ProfRoleTime,
 * which counterparts must outlive; largest difference first. */
GArray *prof_time_by_role (const ProfRoleSide sides[2], const GPtrArray *counterparts);
