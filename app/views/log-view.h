/* log-view.h — all that was said about this model.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "app/views/view.h"

G_BEGIN_DECLS

#define SCOPE_TYPE_LOG_VIEW (scope_log_view_get_type ())
G_DECLARE_FINAL_TYPE (ScopeLogView, scope_log_view, SCOPE, LOG_VIEW, ScopeView)

G_END_DECLS
