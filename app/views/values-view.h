/* values-view.h — the numbers of a tensor: a scrolling table of a slice, statistics, histogram and picture.
 *
 * Shows an output or input of the selected node, or without a selection any parameter of the model.  Values of a run are
 * read by a further run of hscope.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "app/adapt/tensor-slice.h"
#include "app/views/view.h"

#define SCOPE_TYPE_VALUES_VIEW (scope_values_view_get_type ())
G_DECLARE_FINAL_TYPE (ScopeValuesView, scope_values_view, SCOPE, VALUES_VIEW, ScopeView)

/* The tensor that is shown; NULL: none, or it is being read.  (transfer none) */
HybTensor *scope_values_view_get_tensor (ScopeValuesView *self);
/* Where the elements of the shown slice are. */
ScopePlane scope_values_view_get_plane (ScopeValuesView *self);
/* The name of its node; NULL: no tensor was chosen. */
const char *scope_values_view_get_name (ScopeValuesView *self);
/* Compares with the array of the same name in a file of a model or of parameters; the outcome is shown. */
void scope_values_view_compare_file (ScopeValuesView *self, const char *path);
