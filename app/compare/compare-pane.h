/* compare-pane.h — one form of a model in the compare window: its graph, how long it takes.
 *
 * Signals: "form-chosen", "closed", "moved" (by a person), "selected".
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "app/compare/matching-nodes.h"
#include "app/views/graph-view.h"

G_BEGIN_DECLS

#define SCOPE_TYPE_COMPARE_PANE (scope_compare_pane_get_type ())
G_DECLARE_FINAL_TYPE (ScopeComparePane, scope_compare_pane, SCOPE, COMPARE_PANE, AdwBin)

GtkWidget *scope_compare_pane_new (const char *const *forms, const char *form);

const char     *scope_compare_pane_get_form (ScopeComparePane *self);
ScopeWorkspace *scope_compare_pane_get_workspace (ScopeComparePane *self);
ScopeCanvas    *scope_compare_pane_get_canvas (ScopeComparePane *self);
/* Read, or refused; drawn as well. */
gboolean scope_compare_pane_is_ready (ScopeComparePane *self);
gboolean scope_compare_pane_is_settled (ScopeComparePane *self);

/* What is shown: that it is being written, with nothing of before; then why it cannot be, or a
 * file. */
void scope_compare_pane_show_waiting (ScopeComparePane *self);
void scope_compare_pane_show_refusal (ScopeComparePane *self, const char *reason);
void scope_compare_pane_open (ScopeComparePane *self, const char *path, const char *const *shapes);
gboolean scope_compare_pane_is_refused (ScopeComparePane *self);

/* proof, time: (nullable) */
void scope_compare_pane_set_facts (ScopeComparePane *self, const char *proof, const char *time);
/* Boxes that stand for what is selected in another pane. */
void scope_compare_pane_set_counterparts (ScopeComparePane *self, const GArray *partners);
void scope_compare_pane_set_closable (ScopeComparePane *self, gboolean is_closable);

/* Where one looks, as parts of the whole picture: pictures of forms differ in size. */
typedef struct
{
  double x, y; /* the middle, 0 … 1 */
  double zoom; /* 1: all of it fits */
} ScopeRelativeView;

/* FALSE: there is nothing to look at. */
gboolean scope_compare_pane_get_relative_view (ScopeComparePane *self, ScopeRelativeView *look);
void scope_compare_pane_set_relative_view (ScopeComparePane *self, const ScopeRelativeView *look);
void scope_compare_pane_show_all (ScopeComparePane *self);

G_END_DECLS
