/* diagnose.h — the export doctor: reports what is wrong with a model, where, why it matters, and
 * what to do; and repairs what can be repaired.
 *
 * A rule is a row of the table in diagnose.c and a function in a file beside it (diagnosis.h).  Rules
 * add findings to the model, after those that the readers of its files have added.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/graph/model.h"

/* An unknown type for each value of the graph, for the caller to fill in types that the user has
 * given.  (transfer full) */
HybType *hyb_diagnose_new_types (HybGraph *graph);

/* Runs all rules.  types: by value; the types of variables that the user has given (those of
 * parameters are taken from the model).  Afterwards they are what can be inferred from everything
 * that does not contradict each other. */
void hyb_diagnose (HybModel *model, HybType *types);

/* FALSE if the parameters are those of another model and no other file may take their place, so that nothing that is
 * written could be right. */
gboolean hyb_diagnose_can_repair (HybModel *model);

/* Repairs the model where a rule can.  Appends what was changed to changes (of HybChange). */
void hyb_diagnose_repair (HybModel *model, GPtrArray *changes);
