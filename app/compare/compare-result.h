/* compare-result.h — what hscope compare measured: matrix, verdicts, and why.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <adwaita.h>
#include <cjson/cJSON.h>

G_BEGIN_DECLS

#define SCOPE_TYPE_COMPARE_RESULT (scope_compare_result_get_type ())
G_DECLARE_FINAL_TYPE (ScopeCompareResult, scope_compare_result, SCOPE, COMPARE_RESULT, AdwBin)

GtkWidget *scope_compare_result_new (void);
/* result: (transfer full); NULL: nothing was measured. */
void scope_compare_result_set (ScopeCompareResult *self, cJSON *result);
/* The first cell of a form; NULL: it was not measured.  (transfer none) */
const cJSON *scope_compare_result_find (ScopeCompareResult *self, const char *form);

double      scope_json_get_number (const cJSON *json, const char *key); /* NAN: none */
const char *scope_json_get_text (const cJSON *json, const char *key);   /* "": none */

G_END_DECLS
