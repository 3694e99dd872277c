/* describe.h — parts of a model that several commands print.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "app/command/json-writer.h"
#include "engine/formats/tensor-list.h"
#include "engine/graph/model.h"

/* "arguments", "auxiliary", "outputs"; types by value id. */
void scope_describe_values (ScopeJson *json, HybModel *model, const HybType *types);
/* "tensors" with statistics. */
void scope_describe_tensors (ScopeJson *json, HybTensorList *list);
/* What to do, with the option that does it; (transfer full), NULL: nothing is known. */
char *scope_tell_hint (const HybFinding *finding);
/* "findings" and "summary". */
void scope_describe_findings (ScopeJson *json, GPtrArray *findings);
/* name, shape, dtype and numbers of one array, as members of an open object. */
void scope_describe_tensor (ScopeJson  *json,
                            const char *name,
                            HybTensor  *tensor,
                            gboolean    with_deviation);
