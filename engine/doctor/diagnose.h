/* diagnose.h — the export doctor: reports the faults of a model with place, consequence and way out,
 * and repairs them where it can.
 *
 * A rule is a row of the table in diagnose.c and a function in a file beside it (diagnosis.h).  Rules
 * add findings to the model after the findings of the readers.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/graph/model.h"

/* An unknown type for each value of the graph, for the caller to fill in types that the user has
 * given.  (transfer full) */
HybType *hyb_diagnose_new_types (HybGraph *graph);

/* Runs all rules.  types: by value; the types of variables that the user has given (the model
 * gives the types of parameters).  Afterwards they hold all types that follow from facts without
 * contradictions. */
void hyb_diagnose (HybModel *model, HybType *types);

/* FALSE if the parameters belong to another model and no other file may replace them, so that any written file
 * would be wrong. */
gboolean hyb_diagnose_can_repair (HybModel *model);

/* Repairs the model where a rule can.  Appends the changes to changes (of HybChange). */
void hyb_diagnose_repair (HybModel *model, GPtrArray *changes);
