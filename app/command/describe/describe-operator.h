/* describe-operator.h — one operator as a page of text or as JSON; for hscope info --operator.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "app/command/frame/json-writer.h"
#include "engine/op/op.h"

/* Appends everything that the operator's struct says as members of an open JSON object. */
void scope_describe_operator (ScopeJson *json, const HybOp *op);
/* Prints the inputs, outputs and work of the operator of this name or alias, and its attributes
 * with their defaults.  FALSE and an error of SCOPE_ERROR if there is no such operator. */
gboolean scope_print_operator (const char *name, gboolean as_json, GError **error);
