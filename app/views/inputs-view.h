/* inputs-view.h — the form for the shapes of a model's inputs, and for values that it lacks.
 *
 * A change takes effect at once: the workspace reads the model again with the given shape.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "app/views/view.h"

#define SCOPE_TYPE_INPUTS_VIEW (scope_inputs_view_get_type ())
G_DECLARE_FINAL_TYPE (ScopeInputsView, scope_inputs_view, SCOPE, INPUTS_VIEW, ScopeView)

/* Gives the focus to the first dimension that is open, or to the first field.  The view must be
 * mapped. */
void scope_inputs_view_focus_open (ScopeInputsView *self);
