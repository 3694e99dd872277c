/* each-line.h — the line of JSON, or the text, for one model of a folder.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "app/command/children/children.h"

/* The exit status for the end of this child: its own, or the status of a model that cannot be run. */
int scope_each_status (const ScopeChildEnd *end);

/* One line: {"model", "status", "seconds", "result", "messages"}; result is the document that the child printed, or has an
 * "error" in its place.  (transfer full) */
GString *scope_each_json (const char *model, const ScopeChildEnd *end);

/* A heading with the model and its result, and below it the child's output.  (transfer full) */
GString *scope_each_text (const char *model, const ScopeChildEnd *end);
