/* model-forms.h — the services for programs: checking a model, converting it, and proving that two are equal. GPtrArray
 * *findings = hyb_model_check (model); HybModel *fused = hyb_model_convert (model, "fused", inputs, &error); gboolean
 * is_equal = hyb_model_prove (model, fused, inputs, &error); Threads: any thread, but each call needs its models for
 * itself: a check adds findings to its model.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/base/api.h"
#include "engine/formats/tensor-list.h"
#include "engine/graph/model.h"

G_BEGIN_DECLS

/* Runs all rules of the export doctor on a model of hyb_model_open_tolerant().  Returns all findings of the model, of
 * HybFinding, which it owns; a second call adds them once more. */
HYB_API GPtrArray *hyb_model_check (HybModel *model);
/* Writes the model in another form: "unrolled", "foreach", "while" or "fused".  inputs: arrays by name, which fix the
 * shapes; NULL if the model declares them.  NULL with an error that names the obstacle, or says that the two were not shown
 * to be equal. hyb_model_save() writes the result.  (transfer full) */
HYB_API HybModel *
hyb_model_convert (HybModel *model, const char *form, HybTensorList *inputs, GError **error);
/* Compares two models on many inputs, forward and backward.  FALSE with an error that names the difference, the cases
 * that were not reached, or the reason why they could not be compared. */
HYB_API gboolean hyb_model_prove (HybModel *a, HybModel *b, HybTensorList *inputs, GError **error);

G_END_DECLS
