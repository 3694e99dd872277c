/* findings-view.h — what is wrong with the model, and what to do.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "app/views/view.h"

G_BEGIN_DECLS

#define SCOPE_TYPE_FINDINGS_VIEW (scope_findings_view_get_type ())
G_DECLARE_FINAL_TYPE (ScopeFindingsView, scope_findings_view, SCOPE, FINDINGS_VIEW, ScopeView)

G_END_DECLS
