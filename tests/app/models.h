/* models.h — the graphs that tests draw: from $HYB_SHARED or ../shared.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "app/adapt/graph-to-diagram.h"

/* A path below the shared folder. (transfer full) */
char *models_path (const char *below);
/* Paths of all graphs below models/ and goldens/models/, sorted; empty when the folder is
 * missing. (transfer full) */
GPtrArray *models_list (void);

/* The picture's boxes, with types as far as the file tells.  options: (nullable).  NULL: no
 * graph in the file. */
VizDiagram *models_diagram (const char *path, const ScopeDiagramOptions *options);
