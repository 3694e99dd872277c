/* compare-window.h — forms of one model side by side: linked graphs, times, and why.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "app/compare/compare-pane.h"
#include "app/compare/compare-result.h"

G_BEGIN_DECLS

#define SCOPE_TYPE_COMPARE_WINDOW (scope_compare_window_get_type ())
G_DECLARE_FINAL_TYPE (ScopeCompareWindow, scope_compare_window, SCOPE, COMPARE_WINDOW, AdwWindow)

/* Starts writing the forms and measuring them at once; closing the window stops it.  model: as the
 * child calls it.  shapes: (nullable) */
void scope_compare_window_show (GtkWindow *parent, const char *model, const char *const *shapes);

guint             scope_compare_window_n_panes (ScopeCompareWindow *self);
ScopeComparePane *scope_compare_window_get_pane (ScopeCompareWindow *self, guint index);
/* All forms are written, or refused, and drawn. */
gboolean scope_compare_window_is_settled (ScopeCompareWindow *self);
gboolean scope_compare_window_is_measured (ScopeCompareWindow *self);

G_END_DECLS
