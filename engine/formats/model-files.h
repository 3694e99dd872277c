/* model-files.h — the files of a model: a graph file, and the parameter files beside it.
 * Which names belong together is described by the file format (format.h).  MXNet names them PREFIX-symbol.json and
 * PREFIX-NNNN.params, NNNN being the epoch.
 * Threads: any thread; a model that is being saved must not change meanwhile.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/base/api.h"
#include "engine/graph/model.h"

G_BEGIN_DECLS
/* Stands for the highest epoch whose file exists. */
#define HYB_EPOCH_HIGHEST (-1)

/* The common beginning of the names of a model's files: "dir/net" for "dir/net-symbol.json" and
 * "dir/net.json.gz".  (transfer full) */
HYB_API char *hyb_model_prefix_of (const char *file);

/* The parameter file beside a graph file, of an epoch, or of the highest one with
 * HYB_EPOCH_HIGHEST.  NULL if there is none.  *why is set to a static phrase that says how it
 * was chosen.  (transfer full) */
HYB_API char *hyb_model_find_params (const char *file, gint64 epoch, const char **why);

/* Writes graph and parameters as PREFIX-symbol.json and PREFIX-NNNN.params, or in the format whose
 * file name prefix is.  A model without any of the parameters that its graph has gets no file of them.  Files that are named
 * after the prefix are not written through links out of their folder.  The names of the files are appended to written (may be
 * NULL), which owns them. */
HYB_API gboolean hyb_model_save (HybModel   *model,
                                 const char *prefix,
                                 guint       epoch,
                                 GPtrArray  *written,
                                 GError    **error);

G_END_DECLS
