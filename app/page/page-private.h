/* page-private.h — the inside of a page, for page*.c only.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "app/page/page.h"

#include "app/views/findings-view.h"
#include "app/views/log-view.h"
#include "app/views/memory-view.h"
#include "app/views/node-view.h"
#include "app/views/operators-view.h"
#include "app/views/outline-view.h"
#include "app/views/passes-view.h"
#include "app/views/timeline-view.h"
#include "app/widgets/legend.h"

struct _ScopePage
{
  AdwBin parent_instance;

  /* Template */
  GtkStack           *stack;
  GtkRevealer        *banner;
  GtkLabel           *banner_label;
  GtkButton          *banner_button;
  GtkRevealer        *run_revealer;
  GtkProgressBar     *run_progress;
  GtkLabel           *run_label;
  GtkRevealer        *again;
  GtkLabel           *again_label;
  GtkPaned           *split, *left, *sides;
  GtkToggleButton    *panel_button;
  GtkStackSwitcher   *switcher;
  GtkRevealer        *panel_revealer;
  GtkStack           *panel;
  GtkStackPage       *findings_page;
  GtkLabel           *heat_hint;
  GtkMenuButton      *heat_button;
  ScopeLegend        *legend;
  ScopeGraphView     *graph_view;
  GtkStack           *graphs;
  GtkBox             *pass_box;
  ScopeGraphView     *pass_view; /* the graph after a pass; NULL: none was looked at */
  GtkLabel           *pass_label;
  ScopePassesView    *passes_view;
  ScopeNodeView      *node_view;
  ScopeOutlineView   *outline_view;
  ScopeOperatorsView *operators_view;
  ScopeTimelineView  *timeline_view;
  ScopeMemoryView    *memory_view;
  ScopeFindingsView  *findings_view;
  ScopeLogView       *log_view;
  AdwStatusPage      *failed;
  AdwStatusPage      *loading;

  /* Owned */
  ScopeWorkspace *workspace;
  ScopeWorkspace *pass_workspace;
  char           *heat, *heat_scale;
  GCancellable   *painting; /* of colours */
  char           *shapes;   /* that the run panel begins with */
  gboolean        has_panel, is_restored;
  char           *kept; /* the state of view that was written last */
  char           *form, *proof, *family, *family_title; /* page-form.c */
  char           *again_path, *again_form; /* page-again.c: the capture, and the form before */
  double          again_seconds;           /* that a run took in it */
};

/* page-heat.c */
void scope_page_init_heat (ScopePage *self);
void scope_page_update_heat (ScopePage *self);
void scope_page_update_heat_hint (ScopePage *self);
/* What is being painted is not wanted any more. */
void scope_page_cancel_heat (ScopePage *self);
/* page-pass.c */
void scope_page_init_pass (ScopePage *self);
void scope_page_class_add_pass_actions (GtkWidgetClass *class);
/* page-again.c */
gboolean scope_page_is_remeasuring (ScopePage *self);
void     scope_page_update_remeasured (ScopePage *self);
void     scope_page_clear_remeasured (ScopePage *self);
void     scope_page_class_add_again_actions (GtkWidgetClass *class);
/* page-form.c */
void scope_page_clear_family (ScopePage *self);
/* page-state.c */
void scope_page_restore (ScopePage *self);
void scope_page_class_add_state_actions (GtkWidgetClass *class);
