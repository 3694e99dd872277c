/* export-check.h — a block built in C against the symbol file that MXNet exported
 * of the same model.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/block/block.h"

typedef HybBlock *(*ExportBuild) (gconstpointer data);

/* A test /engine/block/exports/FOLDER: build (data), traced with inputs that nest as
 * structure says, printed, equals goldens/models/FOLDER byte for byte. */
void
export_check_add (const char *folder, ExportBuild build, gconstpointer data, const char *structure);
/* Likewise for any graph; (transfer full). */
typedef HybGraph *(*ExportGraph) (gconstpointer data);
void export_check_add_graph (const char *folder, ExportGraph graph, gconstpointer data);
