/* window-actions.c — actions of the window: opening, tabs, searching, running, dialogs.
 *
 * The table is at the end.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/window/window-private.h"

#include "app/session/settings.h"
#include "app/window/preferences.h"
#include "engine/formats/format.h"

#include <glib/gi18n.h>

/* --- Opening --- */

static void
add_filters (GtkFileChooser *chooser)
{
  g_autoptr (GtkFileFilter) models = gtk_file_filter_new ();
  g_autoptr (GtkFileFilter) all = gtk_file_filter_new ();

  gtk_file_filter_set_name (models, _ ("Models and captures"));
  for (const HybFormat *const *format = hyb_formats (); *format != NULL; format++)
    for (guint i = 0; (*format)->patterns && (*format)->patterns[i]; i++)
      gtk_file_filter_add_pattern (models, (*format)->patterns[i]);
  gtk_file_filter_add_pattern (models, "*.hscope");
  gtk_file_filter_add_pattern (models, "*" SCOPE_COMPARISON_ENDING);
  gtk_file_filter_set_name (all, _ ("All files"));
  gtk_file_filter_add_pattern (all, "*");
  gtk_file_chooser_add_filter (chooser, models);
  gtk_file_chooser_add_filter (chooser, all);
}

static void
on_file (ScopeWindow *self, GFile *file, const char *data G_GNUC_UNUSED)
{
  scope_window_open (self, file);
}

static void
act_open (ScopeWindow *self, GVariant *parameter G_GNUC_UNUSED)
{
  const ScopeFileDialog dialog = { .title = _ ("Open a Model"),
                                   .action = GTK_FILE_CHOOSER_ACTION_OPEN,
                                   .is_multiple = TRUE,
                                   .chosen = on_file };

  add_filters (scope_window_choose_file (self, &dialog));
}

static void
act_open_uri (ScopeWindow *self, GVariant *parameter)
{
  scope_window_open_uri (self, g_variant_get_string (parameter, NULL));
}

static void
act_forget_recent (ScopeWindow *self, GVariant *parameter)
{
  scope_settings_remove_recent (g_variant_get_string (parameter, NULL));
  scope_start_page_refresh (self->start);
}

/* --- Tabs --- */

static void
act_new_tab (ScopeWindow *self, GVariant *parameter G_GNUC_UNUSED)
{
  scope_window_show_start (self, !self->is_at_start);
  if (self->is_at_start)
    gtk_widget_child_focus (GTK_WIDGET (self->start), GTK_DIR_TAB_FORWARD);
}

static void
act_close_tab (ScopeWindow *self, GVariant *parameter G_GNUC_UNUSED)
{
  AdwTabPage *tab = adw_tab_view_get_selected_page (self->tabs);

  if (!tab)
    gtk_window_close (GTK_WINDOW (self));
  else if (self->is_at_start)
    scope_window_show_start (self, FALSE);
  else
    adw_tab_view_close_page (self->tabs, tab);
}

static void
act_fullscreen (ScopeWindow *self, GVariant *parameter G_GNUC_UNUSED)
{
  GtkWindow *window = GTK_WINDOW (self);

  if (gtk_window_is_fullscreen (window))
    gtk_window_unfullscreen (window);
  else
    gtk_window_fullscreen (window);
}

/* --- Searching and running --- */

static void
act_search (ScopeWindow *self, GVariant *parameter G_GNUC_UNUSED)
{
  gtk_widget_grab_focus (GTK_WIDGET (self->search));
}

static void
act_search_for (ScopeWindow *self, GVariant *parameter)
{
  gtk_editable_set_text (GTK_EDITABLE (self->search), g_variant_get_string (parameter, NULL));
}

static void
act_run (ScopeWindow *self, GVariant *parameter)
{
  ScopePage *page = scope_window_get_page (self);
  g_autoptr (ScopeRunOptions) options = scope_run_panel_get_options (self->run_panel);

  gtk_popover_popdown (self->run_popover);
  /* A file of arrays may have parameters that the model lacks. */
  if (page && (*options->input != '\0' || scope_window_check_inputs (self, "win.run", parameter)))
    scope_page_run (page, options);
}

/* Opens the options of runs at the device. */
static void
act_choose_device (ScopeWindow *self, GVariant *parameter G_GNUC_UNUSED)
{
  gtk_popover_popup (self->run_popover);
  scope_run_panel_focus_device (self->run_panel);
}

static void
act_show_view (ScopeWindow *self, GVariant *parameter)
{
  ScopePage *page = scope_window_get_page (self);

  if (page)
    scope_page_show_view (page, g_variant_get_string (parameter, NULL));
}

static void
act_about (ScopeWindow *self, GVariant *parameter G_GNUC_UNUSED)
{
  adw_show_about_window (GTK_WINDOW (self), "application-name", "Hybridscope", "application-icon",
                         "org.hybridscope.Hybridscope", "version", SCOPE_VERSION, "license-type",
                         GTK_LICENSE_LGPL_2_1, "comments",
                         _ ("Shows what a deep-learning model computes and where its time goes."),
                         NULL);
}

static void
act_preferences (ScopeWindow *self, GVariant *parameter G_GNUC_UNUSED)
{
  scope_preferences_show (GTK_WINDOW (self));
}

static void
act_targets (ScopeWindow *self, GVariant *parameter G_GNUC_UNUSED)
{
  gtk_popover_popdown (self->run_popover);
  scope_preferences_show_targets (GTK_WINDOW (self));
}

/* The card that a first start shows. */
static void
act_first_steps (ScopeWindow *self, GVariant *parameter G_GNUC_UNUSED)
{
  GtkRevealer *card = self->first_steps;
  gboolean     shown = !gtk_revealer_get_reveal_child (card);

  gtk_revealer_set_reveal_child (card, shown);
  if (!shown)
    scope_settings_set_flag ("first-steps", FALSE);
}

const ScopeWindowAction scope_window_actions[] = {
  { "win.open", NULL, act_open },
  { "win.open-uri", "s", act_open_uri },
  { "win.forget-recent", "s", act_forget_recent },
  { "win.new-tab", NULL, act_new_tab },
  { "win.close-tab", NULL, act_close_tab },
  { "win.about", NULL, act_about },
  { "win.first-steps", NULL, act_first_steps },
  { "win.preferences", NULL, act_preferences },
  { "win.targets", NULL, act_targets },
  { "win.search", NULL, act_search },
  { "win.search-for", "s", act_search_for },
  { "win.run", NULL, act_run },
  { "win.choose-device", NULL, act_choose_device },
  { "win.show-view", "s", act_show_view },
  { "win.fullscreen", NULL, act_fullscreen },
  { NULL },
};
