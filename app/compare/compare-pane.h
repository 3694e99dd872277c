/* compare-pane.h — one pane of the compare page: a form of the model, its graph and its time.
 *
 * Signals: "form-chosen" (in the drop-down list), "closed", "moved" (the camera, by the user),
 * "selected" (a node, or none).
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "app/compare/matching-nodes.h"
#include "app/views/graph-view.h"

#define SCOPE_TYPE_COMPARE_PANE (scope_compare_pane_get_type ())
G_DECLARE_FINAL_TYPE (ScopeComparePane, scope_compare_pane, SCOPE, COMPARE_PANE, AdwBin)

/* forms: names of all forms, or paths of files, which must outlive the pane; form: the chosen one.
 * (transfer floating) */
GtkWidget *scope_compare_pane_new (const char *const *forms, const char *form);

/* The name of the chosen form. */
const char *scope_compare_pane_get_form (ScopeComparePane *self);
/* Replaced whenever another form is chosen. */
ScopeWorkspace *scope_compare_pane_get_workspace (ScopeComparePane *self);
/* The canvas of the current form, which is replaced with it. */
ScopeCanvas *scope_compare_pane_get_canvas (ScopeComparePane *self);
/* TRUE when the form was read or refused. */
gboolean scope_compare_pane_is_ready (ScopeComparePane *self);
/* TRUE when the form was drawn or refused. */
gboolean scope_compare_pane_is_settled (ScopeComparePane *self);

/* Drops the old form and shows that a new one is being converted. */
void scope_compare_pane_show_waiting (ScopeComparePane *self);
/* Shows why the form cannot be converted. */
void scope_compare_pane_show_refusal (ScopeComparePane *self, const char *reason);
/* Opens the converted form.  shapes: (nullable) of inputs. */
void scope_compare_pane_open (ScopeComparePane *self, const char *path, const char *const *shapes);
/* TRUE if the model cannot be written in the form of this pane. */
gboolean scope_compare_pane_is_refused (ScopeComparePane *self);

/* Shows the proof of equality and the measured time in the head of the pane; both (nullable). */
void scope_compare_pane_set_facts (ScopeComparePane *self, const char *proof, const char *time);
/* Highlights the boxes that match the selection of another pane.  counterparts: (nullable) of
 * ScopeCounterpart. */
void scope_compare_pane_set_counterparts (ScopeComparePane *self, const GArray *counterparts);
/* Whether the close button is shown. */
void scope_compare_pane_set_closable (ScopeComparePane *self, gboolean is_closable);

/* The visible part relative to the picture, because pictures of different forms differ in size. */
typedef struct
{
  double x, y; /* centre, 0 to 1 */
  double zoom; /* 1: the whole picture fits */
} ScopeRelativeView;

/* FALSE: there is no picture yet. */
gboolean scope_compare_pane_get_relative_view (ScopeComparePane *self, ScopeRelativeView *view);
/* Moves the camera to a view relative to the picture's size. */
void scope_compare_pane_set_relative_view (ScopeComparePane *self, const ScopeRelativeView *view);
/* Zooms so that the whole picture is visible. */
void scope_compare_pane_show_all (ScopeComparePane *self);
