/* describe-structure.h — the structure of a model in words: cells, loops, branches and repeated blocks.
 *
 * Cells and loops are found as for conversions (engine/variants), blocks as for folded drawings.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "app/command/frame/json-writer.h"
#include "engine/graph/model.h"

/* Appends "structure".  types: by value, perhaps unknown. */
void scope_describe_structure (ScopeJson *json, HybModel *model, const HybType *types);
/* Prints the same on stdout, one line each; nothing if there is no structure. */
void scope_print_structure (HybModel *model, const HybType *types);
