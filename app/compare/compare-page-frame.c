/* compare-page-frame.c — the children of the compare page: tool bar, panes, and the states of its lower half.
 *
 * Start reading with scope_compare_page_build().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/compare/compare-page-private.h"

#include "app/session/settings.h"
#include "app/widgets/spinner.h"
#include "app/widgets/tooltip.h"

#include <glib/gi18n.h>

static GtkWidget *
new_button (const char *icon, const char *label, const char *action)
{
  GtkWidget *button = gtk_button_new_from_icon_name (icon);

  scope_tooltip_set (button, label);
  gtk_accessible_update_property (GTK_ACCESSIBLE (button), GTK_ACCESSIBLE_PROPERTY_LABEL, label,
                                  -1);
  gtk_widget_add_css_class (button, "flat");
  gtk_actionable_set_action_name (GTK_ACTIONABLE (button), action);
  return button;
}

/* --- The tool bar --- */

static GtkWidget *
new_colours_button (void)
{
  GtkWidget *button = gtk_menu_button_new ();
  g_autoptr (GMenu) menu = g_menu_new ();

  g_menu_append (menu, _ ("No Colours"), "compare.colours::none");
  g_menu_append (menu, _ ("Self Time"), "compare.colours::self");
  g_menu_append (menu, _ ("Difference to the First Pane"), "compare.colours::difference");
  gtk_menu_button_set_label (GTK_MENU_BUTTON (button), _ ("Colours"));
  gtk_menu_button_set_menu_model (GTK_MENU_BUTTON (button), G_MENU_MODEL (menu));
  gtk_widget_add_css_class (button, "flat");
  scope_tooltip_set (button, _ ("Quantity shown by colours"));
  return button;
}

static void
add_option (GtkWidget *grid, int row, const char *text, GtkWidget *widget)
{
  GtkWidget *label = gtk_label_new (text);

  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_widget_set_hexpand (label, TRUE);
  gtk_widget_set_valign (widget, GTK_ALIGN_CENTER);
  gtk_widget_set_halign (widget, GTK_ALIGN_END);
  gtk_label_set_mnemonic_widget (GTK_LABEL (label), widget);
  gtk_accessible_update_relation (GTK_ACCESSIBLE (widget), GTK_ACCESSIBLE_RELATION_LABELLED_BY,
                                  label, NULL, -1);
  gtk_grid_attach (GTK_GRID (grid), label, 0, row, 1, 1);
  gtk_grid_attach (GTK_GRID (grid), widget, 1, row, 1, 1);
}

static GtkEditable *
new_sizes (const char *name)
{
  GtkWidget *entry = gtk_entry_new ();

  gtk_widget_set_name (entry, name);
  gtk_entry_set_placeholder_text (GTK_ENTRY (entry), _ ("as in the model"));
  gtk_editable_set_width_chars (GTK_EDITABLE (entry), 14);
  return GTK_EDITABLE (entry);
}

static GtkWidget *
new_options (ScopeComparePage *self)
{
  GtkWidget *popover = gtk_popover_new (), *grid = gtk_grid_new (), *note;

  self->options = GTK_POPOVER (popover);
  self->sizes[0] = new_sizes ("compare-batches");
  self->sizes[1] = new_sizes ("compare-lengths");
  self->sizes[2] = new_sizes ("compare-units");
  self->training = GTK_SWITCH (gtk_switch_new ());
  self->seconds = GTK_SPIN_BUTTON (gtk_spin_button_new_with_range (2, 3600, 5));
  gtk_widget_set_name (GTK_WIDGET (self->seconds), "compare-seconds");
  gtk_spin_button_set_value (self->seconds, scope_settings_get_int ("compare-seconds", 20));
  note = gtk_label_new (_ (
      "Several numbers, such as 1, 8, 32, are measured one after the other and drawn as curves."));
  gtk_label_set_wrap (GTK_LABEL (note), TRUE);
  gtk_label_set_max_width_chars (GTK_LABEL (note), 36);
  gtk_label_set_xalign (GTK_LABEL (note), 0);
  gtk_widget_add_css_class (note, "dim-label");
  gtk_widget_add_css_class (note, "caption");
  gtk_grid_set_row_spacing (GTK_GRID (grid), 9);
  gtk_grid_set_column_spacing (GTK_GRID (grid), 18);
  gtk_widget_add_css_class (grid, "panel-body");
  add_option (grid, 0, _ ("Batch sizes"), GTK_WIDGET (self->sizes[0]));
  add_option (grid, 1, _ ("Sequence lengths"), GTK_WIDGET (self->sizes[1]));
  add_option (grid, 2, _ ("Units of the layers"), GTK_WIDGET (self->sizes[2]));
  gtk_grid_attach (GTK_GRID (grid), note, 0, 3, 2, 1);
  add_option (grid, 4, _ ("Forward and backward"), GTK_WIDGET (self->training));
  add_option (grid, 5, _ ("Time limit in seconds"), GTK_WIDGET (self->seconds));
  gtk_popover_set_child (self->options, grid);
  return popover;
}

static GtkWidget *
new_tools (ScopeComparePage *self)
{
  GtkWidget *bar = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 0), *link = gtk_toggle_button_new ();
  GtkWidget *space = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 0);

  gtk_button_set_label (GTK_BUTTON (link), _ ("Linked"));
  gtk_actionable_set_action_name (GTK_ACTIONABLE (link), "compare.linked");
  gtk_widget_set_name (link, "compare-link");
  gtk_widget_add_css_class (link, "flat");
  scope_tooltip_set (link, _ ("Move all panes together"));
  self->measure = adw_split_button_new ();
  adw_split_button_set_label (ADW_SPLIT_BUTTON (self->measure), _ ("Measure"));
  adw_split_button_set_popover (ADW_SPLIT_BUTTON (self->measure), GTK_POPOVER (new_options (self)));
  gtk_actionable_set_action_name (GTK_ACTIONABLE (self->measure), "compare.measure");
  gtk_widget_set_tooltip_text (self->measure, _ ("Measure all forms in turn"));
  adw_split_button_set_dropdown_tooltip (ADW_SPLIT_BUTTON (self->measure),
                                         _ ("Measurement options"));
  self->tools = GTK_BOX (bar);
  gtk_widget_set_hexpand (space, TRUE);
  gtk_widget_add_css_class (bar, "compare-tools");
  gtk_box_append (GTK_BOX (bar), link);
  gtk_box_append (GTK_BOX (bar),
                  new_button ("zoom-fit-best-symbolic", _ ("Show all"), "compare.fit"));
  gtk_box_append (GTK_BOX (bar), new_button ("list-add-symbolic", _ ("Add a form"), "compare.add"));
  gtk_box_append (GTK_BOX (bar), space);
  gtk_box_append (GTK_BOX (bar), new_colours_button ());
  gtk_box_append (GTK_BOX (bar), self->measure);
  return bar;
}

/* --- States of the lower half --- */

/* A page with a button; label, action: (nullable) */
static AdwStatusPage *
new_status (const char *icon, const char *title, const char *label, const char *action)
{
  GtkWidget *status = adw_status_page_new (), *button;

  adw_status_page_set_icon_name (ADW_STATUS_PAGE (status), icon);
  adw_status_page_set_title (ADW_STATUS_PAGE (status), title);
  gtk_widget_add_css_class (status, "compact");
  if (!action)
    return ADW_STATUS_PAGE (status);
  button = gtk_button_new_with_label (label);
  gtk_actionable_set_action_name (GTK_ACTIONABLE (button), action);
  gtk_widget_set_halign (button, GTK_ALIGN_CENTER);
  gtk_widget_add_css_class (button, "pill");
  adw_status_page_set_child (ADW_STATUS_PAGE (status), button);
  return ADW_STATUS_PAGE (status);
}

static void
on_result_chosen (ScopeComparePage *self)
{
  scope_compare_page_show_result (self, gtk_drop_down_get_selected (self->chooser));
  scope_compare_page_update_times (self);
}

static GtkWidget *
new_stack (ScopeComparePage *self)
{
  GtkWidget     *stack = gtk_stack_new ();
  AdwStatusPage *empty =
      new_status (NULL, _ ("Not Measured Yet"), _ ("Measure"), "compare.measure");
  AdwStatusPage *cancelled =
      new_status (NULL, _ ("Measurement Cancelled"), _ ("Measure Again"), "compare.measure");

  self->stack = GTK_STACK (stack);
  self->waiting = new_status (NULL, _ ("Not Measured Yet"), NULL, NULL);
  adw_status_page_set_description (self->waiting, _ ("The forms are measured as soon as all are "
                                                     "converted and proved equal."));
  self->failed = new_status ("dialog-information-symbolic", _ ("Not Measured"), _ ("Try Again"),
                             "compare.measure");
  self->result = SCOPE_COMPARE_RESULT (scope_compare_result_new ());
  adw_status_page_set_description (empty, _ ("Measure runs all forms in turn and shows where the "
                                             "difference comes from."));
  adw_status_page_set_description (cancelled, _ ("Nothing was kept of it."));
  gtk_widget_set_name (stack, "compare-states");
  gtk_stack_add_named (self->stack, GTK_WIDGET (self->waiting), "waiting");
  gtk_stack_add_named (self->stack, GTK_WIDGET (empty), "empty");
  gtk_stack_add_named (self->stack, GTK_WIDGET (self->failed), "failed");
  gtk_stack_add_named (self->stack, GTK_WIDGET (cancelled), "cancelled");
  gtk_stack_add_named (self->stack, GTK_WIDGET (self->result), "result");
  gtk_widget_set_vexpand (stack, TRUE);
  return stack;
}

/* --- Messages and progress --- */

static GtkWidget *
new_message (ScopeComparePage *self)
{
  GtkWidget *revealer = gtk_revealer_new (), *box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 12);
  GtkWidget *label = gtk_label_new (NULL);

  self->message_revealer = GTK_REVEALER (revealer);
  self->message = GTK_LABEL (label);
  gtk_widget_set_name (label, "compare-message");
  gtk_widget_set_hexpand (label, TRUE);
  gtk_label_set_xalign (self->message, 0);
  gtk_label_set_wrap (self->message, TRUE);
  gtk_label_set_selectable (self->message, TRUE);
  gtk_widget_add_css_class (box, "banner");
  self->message_button = GTK_BUTTON (gtk_button_new ());
  gtk_widget_set_name (GTK_WIDGET (self->message_button), "compare-message-button");
  gtk_widget_set_valign (GTK_WIDGET (self->message_button), GTK_ALIGN_CENTER);
  gtk_box_append (GTK_BOX (box), label);
  gtk_box_append (GTK_BOX (box), GTK_WIDGET (self->message_button));
  gtk_box_append (GTK_BOX (box),
                  new_button ("window-close-symbolic", _ ("Dismiss"), "compare.dismiss"));
  gtk_revealer_set_child (self->message_revealer, box);
  return revealer;
}

static GtkWidget *
new_progress (ScopeComparePage *self)
{
  GtkWidget *revealer = gtk_revealer_new (), *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0);
  GtkWidget *line = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 12), *spinner = scope_spinner_new ();
  GtkWidget *bar = gtk_progress_bar_new (), *label = gtk_label_new (NULL);
  GtkWidget *cancel = gtk_button_new_with_label (_ ("Cancel"));

  self->progress_revealer = GTK_REVEALER (revealer);
  self->progress = GTK_PROGRESS_BAR (bar);
  self->progress_label = GTK_LABEL (label);
  gtk_widget_set_name (label, "compare-progress");
  gtk_widget_set_hexpand (label, TRUE);
  gtk_label_set_xalign (self->progress_label, 0);
  gtk_label_set_ellipsize (self->progress_label, PANGO_ELLIPSIZE_END);
  gtk_widget_add_css_class (label, "numeric");
  gtk_widget_add_css_class (bar, "osd");
  gtk_widget_add_css_class (line, "pass-bar");
  gtk_actionable_set_action_name (GTK_ACTIONABLE (cancel), "compare.stop");
  gtk_accessible_update_property (GTK_ACCESSIBLE (bar), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ ("Progress of the run"), -1);
  gtk_box_append (GTK_BOX (line), spinner);
  gtk_box_append (GTK_BOX (line), label);
  gtk_box_append (GTK_BOX (line), cancel);
  gtk_box_append (GTK_BOX (box), bar);
  gtk_box_append (GTK_BOX (box), line);
  gtk_revealer_set_child (self->progress_revealer, box);
  return revealer;
}

/* Below the panes: the colours' legend and the list of results. */
static GtkWidget *
new_bar (ScopeComparePage *self)
{
  GtkWidget *bar = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 0);
  GtkWidget *space = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 0);
  GtkWidget *chooser = gtk_drop_down_new (G_LIST_MODEL (gtk_string_list_new (NULL)), NULL);

  self->legend = g_object_new (SCOPE_TYPE_LEGEND, NULL);
  self->chooser = GTK_DROP_DOWN (chooser);
  gtk_widget_set_name (chooser, "compare-results");
  gtk_widget_set_tooltip_text (chooser, _ ("Measurements of this page"));
  gtk_widget_set_visible (chooser, FALSE);
  self->save =
      new_button ("document-save-symbolic", _ ("Save the comparison"), "win.save-comparison");
  gtk_widget_set_visible (self->save, FALSE);
  gtk_widget_set_hexpand (space, TRUE);
  gtk_widget_add_css_class (bar, "panel-bar");
  g_signal_connect_swapped (chooser, "notify::selected", G_CALLBACK (on_result_chosen), self);
  gtk_box_append (GTK_BOX (bar), GTK_WIDGET (self->legend));
  gtk_box_append (GTK_BOX (bar), space);
  gtk_box_append (GTK_BOX (bar), chooser);
  gtk_box_append (GTK_BOX (bar), self->save);
  return bar;
}

static GtkWidget *
new_lower (ScopeComparePage *self)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0);

  gtk_box_append (GTK_BOX (box), new_bar (self));
  gtk_box_append (GTK_BOX (box), new_message (self));
  gtk_box_append (GTK_BOX (box), new_stack (self));
  gtk_widget_set_size_request (box, -1, 220);
  return box;
}

void
scope_compare_page_build (ScopeComparePage *self)
{
  GtkWidget *content = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0);
  GtkWidget *split = gtk_paned_new (GTK_ORIENTATION_VERTICAL);
  GtkWidget *row = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 1);
  GtkWidget *scroller = gtk_scrolled_window_new ();

  self->row = GTK_BOX (row);
  gtk_box_set_homogeneous (self->row, TRUE);
  gtk_widget_set_size_request (row, -1, 160);
  gtk_widget_add_css_class (row, "compare-panes");
  /* Four panes are wider than a narrow window. */
  gtk_scrolled_window_set_policy (GTK_SCROLLED_WINDOW (scroller), GTK_POLICY_AUTOMATIC,
                                  GTK_POLICY_NEVER);
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (scroller), row);
  gtk_paned_set_start_child (GTK_PANED (split), scroller);
  gtk_paned_set_end_child (GTK_PANED (split), new_lower (self));
  gtk_paned_set_resize_end_child (GTK_PANED (split), TRUE);
  gtk_paned_set_shrink_start_child (GTK_PANED (split), FALSE);
  gtk_paned_set_shrink_end_child (GTK_PANED (split), FALSE);
  gtk_paned_set_position (GTK_PANED (split), 340);
  gtk_widget_set_vexpand (split, TRUE);
  gtk_box_append (GTK_BOX (content), new_tools (self));
  gtk_box_append (GTK_BOX (content), new_progress (self));
  gtk_box_append (GTK_BOX (content), split);
  adw_bin_set_child (ADW_BIN (self), content);
}
