/* open.h — opens a model from files or a plug-in.
 *
 * Saving, and the names of the files that belong together, are in formats/model-files.h.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/formats/model-files.h"
#include "engine/formats/tensor-list.h"
#include "engine/graph/model.h"

G_BEGIN_DECLS

/* Opens a model and matches its parameters to the variables of its graph.  params: the
 * parameter file, or NULL for the one beside file with the same prefix and this epoch;
 * a model without parameters is no error.  What was noticed becomes findings of the
 * model; a finding that is an error makes this fail.  (transfer full) */
HybModel *hyb_model_open (const char *file, const char *params, gint64 epoch, GError **error);

/* The same for the export doctor: errors stay findings, and the graph may be missing.
 * NULL only if the file itself cannot be read.  (transfer full) */
HybModel *
hyb_model_open_tolerant (const char *file, const char *params, gint64 epoch, GError **error);

G_END_DECLS
