/* models.h — the graphs that tests draw: those of $HYB_SHARED or ../shared.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "app/adapt/graph-to-diagram.h"

/* A path below the shared folder. (transfer full) */
char *models_path (const char *below);
/* Paths of all graphs below models/ and goldens/models/, sorted; empty when the folder is
 * missing. (transfer full) */
GPtrArray *models_list (void);

/* The diagram of a file, with types as far as they can be inferred.  options (nullable).  NULL if
 * the file holds no graph.  (transfer full) */
VizDiagram *models_diagram (const char *path, const ScopeDiagramOptions *options);
