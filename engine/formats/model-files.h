/* model-files.h — the pair of files that holds a model: a symbol file and parameters.
 *
 * MXNet names them PREFIX-symbol.json and PREFIX-NNNN.params, NNNN being the epoch.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/graph/model.h"

G_BEGIN_DECLS

#define HYB_EPOCH_HIGHEST (-1)

/* "dir/net" for "dir/net-symbol.json" and "dir/net.json.gz".  (transfer full) */
char *hyb_model_prefix_of (const char *file);

/* The parameter file beside a symbol file, or NULL.  epoch: the one to look for, or
 * HYB_EPOCH_HIGHEST.  *why is set to a static phrase that says how it was chosen.
 * (transfer full) */
char *hyb_model_find_params (const char *file, gint64 epoch, const char **why);

/* Writes PREFIX-symbol.json and PREFIX-NNNN.params.  written (may be NULL) gets both
 * names appended, owned by the array. */
gboolean hyb_model_save (HybModel   *model,
                         const char *prefix,
                         guint       epoch,
                         GPtrArray  *written,
                         GError    **error);

G_END_DECLS
