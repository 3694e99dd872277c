/* open.h — opens a model from files or from a plug-in.
 * Saving a model, and the names of files that belong together, are in formats/model-files.h.
 * Threads: any thread may open models.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/base/api.h"
#include "engine/formats/model-files.h"
#include "engine/formats/tensor-list.h"
#include "engine/graph/model.h"

G_BEGIN_DECLS

/* Opens a model and matches its parameters to the variables of its graph.  file: a graph file in
 * any format, or the name of a plug-in's model (hyb_is_plugin_name()).  params: the parameter
 * file; NULL for the one beside file that has the same prefix and this epoch.  A model without
 * parameters is not an error, unless an epoch was given; a given file that has none of the model's is one.  What the readers
 * noticed becomes findings of the model; fails if one of them is an error.  (transfer full) */
HYB_API HybModel *
hyb_model_open (const char *file, const char *params, gint64 epoch, GError **error);

/* The same for the export doctor: errors are kept as findings, and the model may have no graph.
 * NULL only if the file cannot be read at all.  (transfer full) */
HYB_API HybModel *
hyb_model_open_tolerant (const char *file, const char *params, gint64 epoch, GError **error);

G_END_DECLS
