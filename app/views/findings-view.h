/* findings-view.h — the findings of the export doctor, with buttons for their remedies.
 *
 * The title of its tab counts errors and warnings.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "app/views/view.h"

#define SCOPE_TYPE_FINDINGS_VIEW (scope_findings_view_get_type ())
G_DECLARE_FINAL_TYPE (ScopeFindingsView, scope_findings_view, SCOPE, FINDINGS_VIEW, ScopeView)
