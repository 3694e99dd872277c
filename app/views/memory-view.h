/* memory-view.h — the memory curve: bytes in use while each node runs.
 *
 * Shows a hint instead where the capture has no memory curve.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "app/views/view.h"

#define SCOPE_TYPE_MEMORY_VIEW (scope_memory_view_get_type ())
G_DECLARE_FINAL_TYPE (ScopeMemoryView, scope_memory_view, SCOPE, MEMORY_VIEW, ScopeView)
