/* timeline-view.h — when what ran: lanes, and what each step took.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "app/views/view.h"

G_BEGIN_DECLS

#define SCOPE_TYPE_TIMELINE_VIEW (scope_timeline_view_get_type ())
G_DECLARE_FINAL_TYPE (ScopeTimelineView, scope_timeline_view, SCOPE, TIMELINE_VIEW, ScopeView)

G_END_DECLS
