/* open.h — a model from files: which ones belong together, and what fits what.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/formats/tensor-list.h"
#include "engine/graph/model.h"

G_BEGIN_DECLS

#define HYB_EPOCH_HIGHEST (-1)

/* params NULL: the file beside it with the same prefix and this epoch; none there is
 * no error.  Parameters are then matched to the graph's variables.  All that is
 * noticed are findings; an error finding is an error here. */
HybModel *hyb_model_open (const char *file, const char *params, gint64 epoch, GError **error);
/* The same for the export doctor: errors stay findings; a graph may be missing.  NULL
 * only when the file itself cannot be read. */
HybModel *
hyb_model_open_tolerant (const char *file, const char *params, gint64 epoch, GError **error);

/* Adds a list, as read from where, to a model: strips arg: and aux:, keeps findings. */
void hyb_model_take_weights (HybModel *model, HybTensorList *list, const char *where);
/* Renames, packs and unpacks parameters so that they fit the variables of the graph;
 * each step is a finding. */
void hyb_model_match_parameters (HybModel *model);
/* What cannot be matched by name may still fit by kind, order and shape: variable,
 * parameter, variable, … (of char *); NULL: it does not.  A guess: nothing is changed. */
GPtrArray *hyb_model_guess_parameters (HybModel *model);
/* All parameters as a file holds them, with arg: and aux: as the graph wants. */
HybTensorList *hyb_model_list_parameters (HybModel *model);

/* Whether MXNet stores the variable under aux:.  What only the body of a loop writes is
 * an argument in its files. */
gboolean hyb_variable_is_stored_as_auxiliary (HybGraph *graph, HybNodeId variable);

/* "dir/net" of "dir/net-symbol.json", "dir/net.json.gz"; (transfer full) */
char *hyb_model_prefix_of (const char *file);
/* The parameters beside a symbol file; why (static) says how it was chosen.  NULL: none. */
char *hyb_model_find_params (const char *file, gint64 epoch, const char **why);

/* PREFIX-symbol.json and PREFIX-NNNN.params; written gets both names (may be NULL). */
gboolean hyb_model_save (HybModel   *model,
                         const char *prefix,
                         guint       epoch,
                         GPtrArray  *written,
                         GError    **error);

G_END_DECLS
