/* compare-window.h — forms of one model, measured side by side in the child.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <adwaita.h>

G_BEGIN_DECLS

#define SCOPE_TYPE_COMPARE_WINDOW (scope_compare_window_get_type ())
G_DECLARE_FINAL_TYPE (ScopeCompareWindow, scope_compare_window, SCOPE, COMPARE_WINDOW, AdwWindow)

/* Starts measuring at once; closing the window stops it.  shapes: (nullable) */
void scope_compare_window_show (GtkWindow *parent, const char *model, const char *const *shapes);

G_END_DECLS
