/* diagnose.h — the export doctor: what is wrong with a graph and its parameters,
 * where, why it matters, and what to do.
 *
 * A rule is a row of the table in diagnose.c and a function there or in a file
 * beside it.  Rules add findings to the model; readers have added theirs before.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/graph/model.h"

/* One per value, unknown; to be filled with what the user says. */
HybType *hyb_diagnose_new_types (HybGraph *graph);

/* types, by value id: of variables what is given (parameters of the model are taken
 * from it); in the end all that follows from what fits together. */
void hyb_diagnose (HybModel *model, HybType *types);

/* Mends the model where a rule knows how; changes gets a sentence each (of char *). */
void hyb_diagnose_repair (HybModel *model, GPtrArray *changes);
