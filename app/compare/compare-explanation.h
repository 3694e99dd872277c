/* compare-explanation.h — where the difference between two forms comes from, as a waterfall.
 *
 * Shows what hscope compare --json says about a pair of cells.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <cjson/cJSON.h>
#include <gtk/gtk.h>

/* Two cells of a result of hscope compare --json, of the same size. */
typedef struct
{
  const cJSON *result, *a, *b;
} ScopeComparedPair;

/* Appends the explanation of a pair to box, and what it was measured by.  The result must outlive what
 * is appended. */
void scope_compare_explanation_append (GtkBox *box, const ScopeComparedPair *pair);
