/* neighbours.h — another parameter file in the same folder that fits the graph.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/graph/model.h"

/* The parameter file beside the model's whose arrays have the names and shapes of all parameters of the
 * graph; of several, one with the same prefix and the highest epoch.  NULL if there is none.
 * (transfer full) */
char *hyb_neighbour_find (HybModel *model);

/* Replaces the model's parameters by those of the file.  FALSE and an error if it cannot be read. */
gboolean hyb_neighbour_take (HybModel *model, const char *path, GError **error);
