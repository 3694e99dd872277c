/* open-model.h — opens the model that a command line names, and its input types.
 *
 * A model is a symbol file, a plug-in, a gallery model or a capture (which holds the graph
 * of the model it measured, without parameters).
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "app/command/frame/common-options.h"
#include "engine/graph/model.h"
#include "profiler/capture/capture.h"

/* Opens files[0] with the parameters of --params or files[1], and prints its findings.
 * NULL and an error if the model has errors.  (transfer full) */
HybModel *scope_open_model (const ScopeCommonOptions *common, char **files, GError **error);
/* FALSE and an error if the model has no outputs: nothing can be computed. */
gboolean scope_require_outputs (HybModel *model, GError **error);
/* Opens the same files, but errors in them become findings of the model, which may then have no
 * graph.  NULL and an error only if a file cannot be read.  (transfer full) */
HybModel *
scope_open_model_tolerant (const ScopeCommonOptions *common, char **files, GError **error);

/* Opens a capture, with a warning about the missing part if the file was cut.  NULL and an error: see
 * prof_capture_open().  (transfer full) */
ProfCapture *scope_open_capture (const char *file, GError **error);

/* TRUE if the file begins like a capture. */
gboolean scope_is_capture (const char *file);

/* Sets the types of the graph's variables from the model's parameters, its usual input types,
 * --shape and --dtype.  types: by value id.  FALSE: a usage error. */
gboolean scope_fill_types (const ScopeCommonOptions *common,
                           HybModel                 *model,
                           HybType                  *types,
                           GError                  **error);

/* The model with its inputs renamed like the inputs of other (nullable), since two exporters name them differently; prints the
 * new names. (transfer full) */
HybModel *scope_align_inputs (HybModel *model, HybModel *other);
