/* page-private.h — the struct of a page, and the functions that its files share.
 *
 * Calls go one way: page.c (the class) → page-pass.c, page-state.c, page-heat.c → page-remeasure.c →
 * page-views.c, page-form.c, page-message.c.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "app/page/page.h"

#include "app/document/history.h"
#include "app/widgets/fitting.h"
#include "app/widgets/legend.h"

struct _ScopePage
{
  AdwBin parent_instance;

  /* Template */
  GtkStack        *stack; /* "loading", "failed", "model" */
  GtkRevealer     *banner;
  GtkLabel        *banner_label;
  GtkButton       *banner_button, *banner_show;
  GtkRevealer     *run_revealer;
  GtkProgressBar  *run_progress;
  GtkLabel        *run_label;
  GtkRevealer     *remeasured; /* bar with the result of a remeasured form */
  GtkLabel        *remeasured_label;
  GtkPaned        *split, *left, *sides;
  GtkToggleButton *panel_button;
  GtkRevealer     *panel_revealer;
  GtkStack        *panel;    /* lower panel, one page per view */
  GtkWidget       *switcher; /* its tabs */
  GtkLabel        *heat_hint;
  GtkMenuButton   *heat_button;
  ScopeLegend     *legend;
  GtkStack        *graphs; /* "model", "pass" */
  GtkBox          *pass_box;
  GtkLabel        *pass_label;
  AdwStatusPage   *failed;
  GtkWidget       *raise_limits; /* a button; visible if a limit was too low */

  /* Children */
  GHashTable     *views; /* name → ScopeView */
  ScopeGraphView *graph_view;
  ScopeGraphView *pass_view;   /* the graph after a pass; NULL until the first is shown */
  gulong          first_shown; /* handler that gives the graph the focus */

  /* Owned */
  ScopeWorkspace *workspace;
  ScopeWorkspace *pass_workspace;
  ScopeHistory   *history;           /* of the workspace */
  guint32         faulty;            /* the box of the shown error, or VIZ_ROOT */
  char           *heat, *heat_scale; /* as in the actions "page.heat" and "page.heat-scale" */
  GCancellable   *painting;          /* of the overlay */
  gboolean        is_restored;
  char           *saved_state; /* as it was last written */

  /* page-form.c */
  char *form, *proof, *family, *family_title;

  /* page-remeasure.c */
  char  *remeasured_path; /* the capture that scope_page_remeasure() started */
  char  *remeasured_form; /* title of the form measured before */
  double remeasured_base; /* median run time of that form in seconds, or NAN */
};

/* --- page-views.c --- */

/* Creates the views and puts them into their places. */
void scope_page_build_views (ScopePage *self);
/* Shows or hides the lower panel. */
void scope_page_set_panel_shown (ScopePage *self, gboolean is_shown);

/* --- page-message.c --- */

/* Runs the model again as the last time, without the limit of time between signs of progress. */
void scope_page_run_unlimited (ScopePage *self);

/* --- page-form.c --- */

/* Frees the members set by scope_page_set_family(). */
void scope_page_clear_family (ScopePage *self);

/* --- page-remeasure.c --- */

/* TRUE if the last run was started by scope_page_remeasure(). */
gboolean scope_page_is_remeasuring (ScopePage *self);
/* Updates the bar with the new time, which is hidden unless the shown costs were remeasured. */
void scope_page_update_remeasured (ScopePage *self);
/* Clears the record of a run that was measured again. */
void scope_page_clear_remeasured (ScopePage *self);

/* --- page-heat.c --- */

/* Paints the graph with the current measurement. */
void scope_page_update_heat (ScopePage *self);
/* Shows why the graph has no colours, if it has none. */
void scope_page_update_heat_hint (ScopePage *self);
/* Cancels painting. */
void scope_page_cancel_heat (ScopePage *self);
/* The heat of the user's numbers. */
#define SCOPE_HEAT_NUMBERS "numbers"
/* heat: a name of ScopeHeat, SCOPE_HEAT_NUMBERS or "none".  It is remembered as a setting, except for
 * SCOPE_HEAT_NUMBERS. */
void scope_page_set_heat (ScopePage *self, const char *heat);
/* TRUE if the colours are to show the numbers of the user. */
gboolean scope_page_shows_numbers (ScopePage *self);
/* scale: "log", "linear" or "rank"; remembered as a setting if it is one of costs. */
void scope_page_set_heat_scale (ScopePage *self, const char *scale);
/* Adapts the legend when the colour scheme changes. */
void scope_page_follow_theme (ScopePage *self);

/* --- page-pass.c --- */

/* Follows the view of passes. */
void scope_page_init_pass (ScopePage *self);

/* --- page-state.c --- */

/* Restores shapes and filling, before a file is opened. */
void scope_page_restore_inputs (ScopePage *self, GFile *file);
/* Restores the state of the views, once. */
void scope_page_restore (ScopePage *self);
/* Writes the state to MODEL.hsws beside the model. */
void scope_page_save_beside (ScopePage *self);
