/* describe.h — parts of a model as members of an open JSON object, for several commands.
 *
 * Keys and their meaning are part of the interface for scripts.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "app/command/frame/json-writer.h"
#include "engine/formats/tensor-list.h"
#include "engine/graph/model.h"

/* Appends "arguments", "auxiliary" and "outputs".  types: by value id. */
void scope_describe_values (ScopeJson *json, HybModel *model, const HybType *types);
/* Appends "outputs" of one node.  types (nullable): by value id. */
void scope_describe_node_outputs (ScopeJson     *json,
                                  HybGraph      *graph,
                                  HybNodeId      node,
                                  const HybType *types);
/* Appends "tensors", with statistics. */
void scope_describe_tensors (ScopeJson *json, HybTensorList *list);
/* Appends "findings" and "summary".  findings: of HybFinding. */
void scope_describe_findings (ScopeJson *json, GPtrArray *findings);
/* Appends name, shape, dtype and statistics of one array, with "std" if with_deviation.  tensor
 * (nullable). */
void scope_describe_tensor (ScopeJson  *json,
                            const char *name,
                            HybTensor  *tensor,
                            gboolean    with_deviation);
/* Appends a list of strings.  strings: of char *. */
void scope_describe_strings (ScopeJson *json, const char *key, const GPtrArray *strings);
/* Appends "error" with "message", "place" and "hint" for a failure.  text: the message of a GError, which
 * is “where: what. hint” (engine/base/error.h); place is empty and hint null where it has none. */
void scope_describe_error (ScopeJson *json, const char *text);
