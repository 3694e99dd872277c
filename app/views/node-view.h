/* node-view.h — the side pane: all that is known about the selected node, group or model.
 *
 * Follows the selection of its workspace.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "app/views/view.h"

#define SCOPE_TYPE_NODE_VIEW (scope_node_view_get_type ())
G_DECLARE_FINAL_TYPE (ScopeNodeView, scope_node_view, SCOPE, NODE_VIEW, ScopeView)
