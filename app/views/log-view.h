/* log-view.h — the log of the workspace as a table.
 *
 * Lines that are about a node lead to it.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "app/views/view.h"

#define SCOPE_TYPE_LOG_VIEW (scope_log_view_get_type ())
G_DECLARE_FINAL_TYPE (ScopeLogView, scope_log_view, SCOPE, LOG_VIEW, ScopeView)
