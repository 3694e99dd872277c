/* operators-view.h — the table of costs, grouped by operator, node or scope.
 *
 * Selecting a row selects its node in the workspace.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "app/views/view.h"

#define SCOPE_TYPE_OPERATORS_VIEW (scope_operators_view_get_type ())
G_DECLARE_FINAL_TYPE (ScopeOperatorsView, scope_operators_view, SCOPE, OPERATORS_VIEW, ScopeView)

/* All rows in their current order, tab-separated; (transfer full) */
char *scope_operators_view_to_text (ScopeOperatorsView *self);
