/* timeline-view.h — the timeline of one traced run, and the time of each step.
 *
 * Clicking a span selects its node in the workspace.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "app/views/view.h"

#define SCOPE_TYPE_TIMELINE_VIEW (scope_timeline_view_get_type ())
G_DECLARE_FINAL_TYPE (ScopeTimelineView, scope_timeline_view, SCOPE, TIMELINE_VIEW, ScopeView)
