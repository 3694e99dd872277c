/* roles.h — what a variable is for: files do not say it.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/graph/graph.h"

typedef enum
{
  HYB_ROLE_DATA,
  HYB_ROLE_PARAMETER,
  HYB_ROLE_STATE, /* the state a recurrent network begins with */
  HYB_ROLE_LABEL,
} HybRole;

/* has_parameter: whether the parameter file holds an array of this name.  Decided by
 * who reads the variable, then by its name. */
HybRole     hyb_graph_get_role (HybGraph *graph, HybNodeId variable, gboolean has_parameter);
const char *hyb_role_name (HybRole role); /* "data", … */
