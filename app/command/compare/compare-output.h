/* compare-output.h — the results of a whole comparison: text, JSON and a report.
 *
 * Groups were printed as they were measured; this is what follows when all are done.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "app/command/compare/comparison.h"

/* Prints what follows the groups themselves: matrix, curves, ladder and explanations. */
void scope_comparison_print (const ScopeComparison *self);
/* Prints the document of --json. */
void scope_comparison_print_json (const ScopeComparison *self);
/* Writes the report; its format follows from the file name: .html, .svg or .pdf. */
gboolean
scope_comparison_write_report (const ScopeComparison *self, const char *path, GError **error);
