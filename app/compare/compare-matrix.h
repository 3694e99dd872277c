/* compare-matrix.h — the table of times of a comparison: forms down, sizes across.
 *
 * The two chosen rows are the pair that is explained.
 * Signal: "chosen" (two rows are chosen now).
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <adwaita.h>
#include <cjson/cJSON.h>

G_BEGIN_DECLS

#define SCOPE_TYPE_COMPARE_MATRIX (scope_compare_matrix_get_type ())
G_DECLARE_FINAL_TYPE (ScopeCompareMatrix, scope_compare_matrix, SCOPE, COMPARE_MATRIX, AdwBin)

/* result: of hscope compare --json; must outlive the widget.  The slowest and the fastest row are
 * chosen.  (transfer floating) */
GtkWidget *scope_compare_matrix_new (const cJSON *result);
/* The cells of the two chosen rows at the size of like; FALSE: fewer than two rows are chosen, or one
 * was not measured at that size. */
gboolean scope_compare_matrix_get_pair (ScopeCompareMatrix *self,
                                        const cJSON        *like,
                                        const cJSON       **a,
                                        const cJSON       **b);

G_END_DECLS
