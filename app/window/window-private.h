/* window-private.h — the inside of the window, for window*.c only.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "app/window/window.h"

#include "app/page/run-panel.h"
#include "app/window/form-menu.h"
#include "app/window/start-page.h"

struct _ScopeWindow
{
  AdwApplicationWindow parent_instance;

  /* Template */
  AdwToastOverlay *toasts;
  GtkStack        *stack;
  AdwTabView      *tabs;
  ScopeStartPage  *start;
  GtkButton       *start_button;
  AdwWindowTitle  *title;
  GtkStack        *title_stack;
  GtkSearchEntry  *search;
  GtkWidget       *page_tools;
  ScopeRunPanel   *run_panel;
  GtkPopover      *run_popover;
  ScopeFormMenu   *form_menu;
  GtkWidget       *run_button;
  GtkWidget       *tab_bar;
  GtkRevealer     *first_steps;

  GtkFileChooserNative *chooser;
  guint                 keeping; /* source that keeps the state of view */
  guint                 naming;  /* source that names the buttons of new tabs */
  gboolean              is_closing;
  gboolean              is_at_start; /* though tabs may be open behind it */
};

/* The start page, or what is open behind it. */
void scope_window_show_start (ScopeWindow *self, gboolean is_at_start);
/* window-names.c: what screen readers call the parts that the toolkit leaves nameless. */
void scope_window_set_accessible_names (ScopeWindow *self);
/* window-actions.c */
void scope_window_class_add_actions (GtkWidgetClass *class);
void scope_window_update_actions (ScopeWindow *self);
/* window-drop.c */
void scope_window_add_drop (ScopeWindow *self);
/* window-export.c */
void scope_window_class_add_export_actions (GtkWidgetClass *class);
/* window-mend.c */
void scope_window_class_add_mend_actions (GtkWidgetClass *class);
/* window-convert.c */
void scope_window_class_add_convert_actions (GtkWidgetClass *class);
