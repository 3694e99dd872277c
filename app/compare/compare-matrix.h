/* compare-matrix.h — a table whose rows can be chosen, such as the times of a comparison: forms down, sizes across.
 *
 * The two chosen rows are the pair that is explained.
 * Signal: "chosen" (two rows are chosen now).
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "app/adapt/said.h"

#include <adwaita.h>

#define SCOPE_TYPE_COMPARE_MATRIX (scope_compare_matrix_get_type ())
G_DECLARE_FINAL_TYPE (ScopeCompareMatrix, scope_compare_matrix, SCOPE, COMPARE_MATRIX, AdwBin)

/* Rows are chosen by the names of their first cells.  table: only read here.  (transfer floating) */
GtkWidget *scope_compare_matrix_new (const ScopeTable *table);
/* Chooses two rows.  Without a signal. */
void scope_compare_matrix_choose (ScopeCompareMatrix *self, const char *first, const char *second);
/* The names of the chosen rows; FALSE: fewer than two are chosen.  (transfer none) */
gboolean scope_compare_matrix_get_chosen (ScopeCompareMatrix *self, const char *names[2]);
