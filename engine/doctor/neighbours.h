/* neighbours.h — another parameter file in the same folder that fits the graph.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/graph/model.h"

/* The paths of parameter files beside the model's whose arrays have the names and shapes of all parameters of
 * the graph; those with the same prefix first, and of these the highest epoch.  (transfer full) */
GPtrArray *hyb_neighbours_find (HybModel *model);

/* TRUE if a value in the file is not finite.  FALSE also for a file that cannot be read, or that is too large to be looked
 * through. */
gboolean hyb_neighbour_has_nan (const char *path);

/* TRUE if the only one of fitting may replace the model's parameters: their file was found beside the graph.  A file
 * that somebody has named is never replaced. */
gboolean hyb_neighbour_is_certain (HybModel *model, const GPtrArray *fitting);

/* Replaces the model's parameters by the parameters of the file.  FALSE and an error if it cannot
 * be read. */
gboolean hyb_neighbour_take (HybModel *model, const char *path, GError **error);
