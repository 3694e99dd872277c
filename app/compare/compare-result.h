/* compare-result.h — the result of hscope compare --json as widgets: times, verdicts, explanation.
 *
 * It shows the JSON as it is and measures nothing.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <adwaita.h>
#include <cjson/cJSON.h>

#define SCOPE_TYPE_COMPARE_RESULT (scope_compare_result_get_type ())
G_DECLARE_FINAL_TYPE (ScopeCompareResult, scope_compare_result, SCOPE, COMPARE_RESULT, AdwBin)

/* Without a result; (transfer floating) */
GtkWidget *scope_compare_result_new (void);
/* Shows a result, which must outlive the widget or be replaced before; NULL: none. */
void scope_compare_result_set (ScopeCompareResult *self, const cJSON *result);
/* The first cell whose member key, of contract section "compare", has this value; NULL: none was
 * measured.  (transfer none) */
const cJSON *
scope_compare_result_find (ScopeCompareResult *self, const char *key, const char *value);
