/* window-actions.c — everything that can be asked of a window, by name.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/window/window-private.h"

#include "app/document/gallery.h"
#include "app/session/settings.h"
#include "app/window/preferences.h"
#include "engine/formats/format.h"

#include <glib/gi18n.h>

/* --- Opening --- */

static void
on_chosen (GtkNativeDialog *dialog, int response, gpointer data)
{
  ScopeWindow *self = data;

  if (response == GTK_RESPONSE_ACCEPT)
    {
      g_autoptr (GListModel) files = gtk_file_chooser_get_files (GTK_FILE_CHOOSER (dialog));

      for (guint i = 0; i < g_list_model_get_n_items (files); i++)
        {
          g_autoptr (GFile) file = g_list_model_get_item (files, i);

          scope_window_open (self, file);
        }
    }
  g_clear_object (&self->chooser);
}

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
  gtk_file_filter_set_name (all, _ ("All files"));
  gtk_file_filter_add_pattern (all, "*");
  gtk_file_chooser_add_filter (chooser, models);
  gtk_file_chooser_add_filter (chooser, all);
}

static void
act_open (GtkWidget *widget, const char *name G_GNUC_UNUSED, GVariant *parameter G_GNUC_UNUSED)
{
  ScopeWindow *self = SCOPE_WINDOW (widget);

  g_clear_object (&self->chooser);
  self->chooser = gtk_file_chooser_native_new (_ ("Open a Model"),
                                               GTK_WINDOW (self),
                                               GTK_FILE_CHOOSER_ACTION_OPEN,
                                               _ ("_Open"),
                                               _ ("_Cancel"));
  gtk_file_chooser_set_select_multiple (GTK_FILE_CHOOSER (self->chooser), TRUE);
  add_filters (GTK_FILE_CHOOSER (self->chooser));
  g_signal_connect (self->chooser, "response", G_CALLBACK (on_chosen), self);
  gtk_native_dialog_show (GTK_NATIVE_DIALOG (self->chooser));
}

static void
act_open_uri (GtkWidget *widget, const char *name G_GNUC_UNUSED, GVariant *parameter)
{
  scope_window_open_uri (SCOPE_WINDOW (widget), g_variant_get_string (parameter, NULL));
}

static void
act_forget_recent (GtkWidget *widget, const char *name G_GNUC_UNUSED, GVariant *parameter)
{
  scope_settings_remove_recent (g_variant_get_string (parameter, NULL));
  scope_start_page_refresh (SCOPE_WINDOW (widget)->start);
}

/* An example on its way: shapes first, then files. */
typedef struct
{
  ScopeWindow *window;
  char        *name;
  char       **shapes;
} Example;

static void
example_free (Example *example)
{
  g_object_unref (example->window);
  g_strfreev (example->shapes);
  g_free (example->name);
  g_free (example);
}

static void
traced_cb (GObject *source G_GNUC_UNUSED, GAsyncResult *result, gpointer data)
{
  Example *example = data;
  g_autoptr (GError) error = NULL;
  g_autoptr (GFile) file = scope_gallery_trace_finish (result, &error);
  g_autofree char *model = g_strconcat ("gallery:", example->name, NULL);

  if (file)
    scope_window_open_as (example->window, file, model, (const char *const *) example->shapes);
  else
    scope_window_toast (example->window, error->message);
  example_free (example);
}

static void
shapes_cb (GObject *source G_GNUC_UNUSED, GAsyncResult *result, gpointer data)
{
  Example *example = data;

  /* Without them the graph can be shown all the same. */
  example->shapes = scope_gallery_shapes_finish (result, NULL);
  scope_gallery_trace_async (example->name, NULL, traced_cb, example);
}

static void
act_open_example (GtkWidget *widget, const char *name G_GNUC_UNUSED, GVariant *parameter)
{
  Example *example = g_new0 (Example, 1);

  example->window = g_object_ref (SCOPE_WINDOW (widget));
  example->name = g_variant_dup_string (parameter, NULL);
  scope_gallery_shapes_async (example->name, NULL, shapes_cb, example);
}

/* --- Tabs --- */

static void
act_new_tab (GtkWidget *widget, const char *name G_GNUC_UNUSED, GVariant *parameter G_GNUC_UNUSED)
{
  ScopeWindow *self = SCOPE_WINDOW (widget);

  scope_window_show_start (self, !self->is_at_start);
  if (self->is_at_start)
    gtk_widget_child_focus (GTK_WIDGET (self->start), GTK_DIR_TAB_FORWARD);
}

static void
act_close_tab (GtkWidget *widget, const char *name G_GNUC_UNUSED, GVariant *parameter G_GNUC_UNUSED)
{
  ScopeWindow *self = SCOPE_WINDOW (widget);
  AdwTabPage  *tab = adw_tab_view_get_selected_page (self->tabs);

  if (!tab)
    gtk_window_close (GTK_WINDOW (self));
  else if (self->is_at_start)
    scope_window_show_start (self, FALSE);
  else
    adw_tab_view_close_page (self->tabs, tab);
}

static void
act_fullscreen (GtkWidget          *widget,
                const char *name    G_GNUC_UNUSED,
                GVariant *parameter G_GNUC_UNUSED)
{
  GtkWindow *window = GTK_WINDOW (widget);

  if (gtk_window_is_fullscreen (window))
    gtk_window_unfullscreen (window);
  else
    gtk_window_fullscreen (window);
}

/* --- Searching and running --- */

static void
act_search (GtkWidget *widget, const char *name G_GNUC_UNUSED, GVariant *parameter G_GNUC_UNUSED)
{
  gtk_widget_grab_focus (GTK_WIDGET (SCOPE_WINDOW (widget)->search));
}

static void
act_run (GtkWidget *widget, const char *name G_GNUC_UNUSED, GVariant *parameter G_GNUC_UNUSED)
{
  ScopeWindow *self = SCOPE_WINDOW (widget);
  ScopePage   *page = scope_window_get_page (self);
  g_autoptr (ScopeRunOptions) options = scope_run_panel_get_options (self->run_panel);

  gtk_popover_popdown (self->run_popover);
  if (page)
    scope_page_run (page, options);
}

static void
act_show_view (GtkWidget *widget, const char *name G_GNUC_UNUSED, GVariant *parameter)
{
  ScopePage *page = scope_window_get_page (SCOPE_WINDOW (widget));

  if (page)
    scope_page_show_view (page, g_variant_get_string (parameter, NULL));
}

static void
act_about (GtkWidget *widget, const char *name G_GNUC_UNUSED, GVariant *parameter G_GNUC_UNUSED)
{
  adw_show_about_window (GTK_WINDOW (widget),
                         "application-name",
                         "Hybridscope",
                         "application-icon",
                         "org.hybridscope.Hybridscope",
                         "version",
                         SCOPE_VERSION,
                         "license-type",
                         GTK_LICENSE_LGPL_2_1,
                         "comments",
                         _ ("What your model does, and where the time goes."),
                         NULL);
}

static void
act_preferences (GtkWidget          *widget,
                 const char *name    G_GNUC_UNUSED,
                 GVariant *parameter G_GNUC_UNUSED)
{
  scope_preferences_show (GTK_WINDOW (widget));
}

/* The card that a first start shows. */
static void
act_first_steps (GtkWidget          *widget,
                 const char *name    G_GNUC_UNUSED,
                 GVariant *parameter G_GNUC_UNUSED)
{
  GtkRevealer *card = SCOPE_WINDOW (widget)->first_steps;
  gboolean     shown = !gtk_revealer_get_reveal_child (card);

  gtk_revealer_set_reveal_child (card, shown);
  if (!shown)
    scope_settings_set_flag ("first-steps", FALSE);
}

/* --- What the page does --- */

typedef enum
{
  TO_PAGE,
  TO_GRAPH,
  TO_CANVAS,
} Target;

/* Actions of parts of the page, for menus and keys of the window. */
static const struct
{
  const char *name;
  Target      target;
  const char *action;
} forwarded[] = {
  { "win.reload", TO_PAGE, "page.reload" },
  { "win.stop", TO_PAGE, "page.stop" },
  { "win.outline", TO_PAGE, "page.outline" },
  { "win.side-pane", TO_PAGE, "page.side" },
  { "win.panel", TO_PAGE, "page.panel" },
  { "win.save-view", TO_PAGE, "page.save-view" },
  { "win.undo", TO_GRAPH, "graph.undo" },
  { "win.redo", TO_GRAPH, "graph.redo" },
  { "win.unfold-all", TO_GRAPH, "graph.unfold-all" },
  { "win.fold-all", TO_GRAPH, "graph.fold-all" },
  { "win.trace", TO_GRAPH, "graph.trace" },
  { "win.zoom-fit", TO_CANVAS, "canvas.zoom-fit" },
  { "win.zoom-in", TO_CANVAS, "canvas.zoom-in" },
  { "win.zoom-out", TO_CANVAS, "canvas.zoom-out" },
};

static void
act_forward (GtkWidget *widget, const char *name, GVariant *parameter)
{
  ScopePage *page = scope_window_get_page (SCOPE_WINDOW (widget));

  for (guint i = 0; page && i < G_N_ELEMENTS (forwarded); i++)
    if (g_str_equal (forwarded[i].name, name))
      {
        ScopeGraphView *view = scope_page_get_shown_view (page);
        GtkWidget      *target = forwarded[i].target == TO_PAGE ? GTK_WIDGET (page)
                                 : forwarded[i].target == TO_GRAPH
                                     ? GTK_WIDGET (view)
                                     : GTK_WIDGET (scope_graph_view_get_canvas (view));

        gtk_widget_activate_action_variant (target, forwarded[i].action, parameter);
        return;
      }
}

void
scope_window_update_actions (ScopeWindow *self)
{
  ScopePage *page = scope_window_get_page (self);
  gboolean   has_page = page != NULL;

  for (guint i = 0; i < G_N_ELEMENTS (forwarded); i++)
    gtk_widget_action_set_enabled (GTK_WIDGET (self), forwarded[i].name, has_page);
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "win.search", has_page);
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "win.first-steps", has_page);
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "win.export", has_page);
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "win.mend", has_page);
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "win.choose-parameters", has_page);
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "win.run-options", has_page);
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "win.convert", has_page);
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "win.compare", has_page);
  gtk_widget_action_set_enabled (GTK_WIDGET (self),
                                 "win.run",
                                 has_page &&
                                     scope_workspace_get_document (
                                         scope_page_get_workspace (page)) &&
                                     !scope_workspace_is_running (scope_page_get_workspace (page)));
}

void
scope_window_class_add_actions (GtkWidgetClass *class)
{
  gtk_widget_class_install_action (class, "win.open", NULL, act_open);
  gtk_widget_class_install_action (class, "win.open-uri", "s", act_open_uri);
  gtk_widget_class_install_action (class, "win.forget-recent", "s", act_forget_recent);
  gtk_widget_class_install_action (class, "win.open-example", "s", act_open_example);
  gtk_widget_class_install_action (class, "win.new-tab", NULL, act_new_tab);
  gtk_widget_class_install_action (class, "win.close-tab", NULL, act_close_tab);
  scope_window_class_add_export_actions (class);
  scope_window_class_add_mend_actions (class);
  scope_window_class_add_convert_actions (class);
  gtk_widget_class_install_action (class, "win.about", NULL, act_about);
  gtk_widget_class_install_action (class, "win.first-steps", NULL, act_first_steps);
  gtk_widget_class_install_action (class, "win.preferences", NULL, act_preferences);
  gtk_widget_class_install_action (class, "win.search", NULL, act_search);
  gtk_widget_class_install_action (class, "win.run", NULL, act_run);
  gtk_widget_class_install_action (class, "win.show-view", "s", act_show_view);
  gtk_widget_class_install_action (class, "win.fullscreen", NULL, act_fullscreen);
  for (guint i = 0; i < G_N_ELEMENTS (forwarded); i++)
    gtk_widget_class_install_action (class, forwarded[i].name, NULL, act_forward);
}
