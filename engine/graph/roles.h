/* roles.h — the role of a variable: data, parameter, state or label.
 *
 * Model files do not state the role, so it is derived from names and readers.
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

/* The role of a variable.  has_parameter: TRUE if the parameter file has an array of this
 * name. */
HybRole hyb_graph_get_role (HybGraph *graph, HybNodeId variable, gboolean has_parameter);
/* The role in words, such as "data".  Static. */
const char *hyb_role_name (HybRole role);
