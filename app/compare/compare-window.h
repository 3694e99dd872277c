/* compare-window.h — compares forms of one model: linked graphs side by side, times, explanation.
 *
 * Open one with scope_compare_window_show(); it converts and measures by itself.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "app/compare/compare-pane.h"
#include "app/compare/compare-result.h"

G_BEGIN_DECLS

#define SCOPE_TYPE_COMPARE_WINDOW (scope_compare_window_get_type ())
G_DECLARE_FINAL_TYPE (ScopeCompareWindow, scope_compare_window, SCOPE, COMPARE_WINDOW, AdwWindow)

/* Opens a window that converts the model into several forms and measures them; closing it cancels
 * that.  model: as the child process opens it.  shapes: (nullable) of inputs, "NAME=1,3". */
void scope_compare_window_show (GtkWindow *parent, const char *model, const char *const *shapes);

/* The number of panes. */
guint scope_compare_window_n_panes (ScopeCompareWindow *self);
/* From the left; NULL beyond the last. */
ScopeComparePane *scope_compare_window_get_pane (ScopeCompareWindow *self, guint index);
/* TRUE when every pane has read its form or was refused it. */
gboolean scope_compare_window_is_settled (ScopeCompareWindow *self);
/* TRUE after the first measurement, while none is running. */
gboolean scope_compare_window_is_measured (ScopeCompareWindow *self);

G_END_DECLS
