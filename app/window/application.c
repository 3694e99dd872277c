/* application.c — the application: windows, style sheet, keys, and the session across starts.
 *
 * Start reading with scope_application_startup() and scope_application_activate().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/window/application.h"

#include "app/process/watchdog.h"
#include "app/resources.h"
#include "app/session/session.h"
#include "app/session/settings.h"
#include "app/window/display.h"
#include "app/window/window.h"
#include "engine/block/plugin.h"

#include <glib/gi18n.h>

struct _ScopeApplication
{
  AdwApplication parent_instance;

  char **left_open; /* models of a session that ended unexpectedly; may be empty */
};

G_DEFINE_FINAL_TYPE (ScopeApplication, scope_application, ADW_TYPE_APPLICATION)

/* After the first frame: the watchdog counts from here.  Its timer wakes the process 100 times a second, so it
 * runs only when it is requested. */
static void
on_painted (GdkFrameClock *clock, gpointer handler)
{
  g_signal_handler_disconnect (clock, *(gulong *) handler);
  if (!g_getenv ("HYBRIDSCOPE_WATCHDOG"))
    return;
  g_printerr ("first paint: %" G_GINT64_FORMAT "\n", g_get_monotonic_time ());
  scope_watchdog_start ();
}

static void
on_mapped (GtkWidget *window)
{
  static gulong handler;

  if (handler == 0)
    handler = g_signal_connect (gtk_widget_get_frame_clock (window), "after-paint",
                                G_CALLBACK (on_painted), &handler);
}

static ScopeWindow *
get_window (ScopeApplication *self)
{
  GtkWindow *window = gtk_application_get_active_window (GTK_APPLICATION (self));

  if (!SCOPE_IS_WINDOW (window))
    {
      window = GTK_WINDOW (scope_window_new (GTK_APPLICATION (self)));
      g_signal_connect (window, "map", G_CALLBACK (on_mapped), NULL);
      if (*self->left_open)
        scope_window_offer_reopen (SCOPE_WINDOW (window), (const char *const *) self->left_open);
    }
  return SCOPE_WINDOW (window);
}

static void
open_all (ScopeWindow *window, const char *const *models)
{
  for (guint i = 0; models[i] != NULL; i++)
    scope_window_open_uri (window, models[i]);
}

/* Started without a file. */
static void
scope_application_activate (GApplication *application)
{
  ScopeApplication *self = SCOPE_APPLICATION (application);
  gboolean          is_first = !gtk_application_get_windows (GTK_APPLICATION (self));
  g_auto (GStrv) models = is_first ? scope_settings_get_list ("open") : NULL;
  ScopeWindow *window = get_window (self);

  /* After a crash the window only offers to reopen, because an open model may have caused it. */
  if (is_first && !*self->left_open && scope_settings_get_flag ("reopen", FALSE))
    open_all (window, (const char *const *) models);
  gtk_window_present (GTK_WINDOW (window));
}

static void
scope_application_open (GApplication    *application,
                        GFile          **files,
                        int              n_files,
                        const char *hint G_GNUC_UNUSED)
{
  ScopeWindow *window = get_window (SCOPE_APPLICATION (application));

  for (int i = 0; i < n_files; i++)
    scope_window_open (window, files[i]);
  gtk_window_present (GTK_WINDOW (window));
}

static void
act_quit (GSimpleAction *action G_GNUC_UNUSED, GVariant *parameter G_GNUC_UNUSED, gpointer data)
{
  GList *windows = g_list_copy (gtk_application_get_windows (data));

  for (GList *i = windows; i != NULL; i = i->next)
    gtk_window_close (i->data);
  g_list_free (windows);
}

static void
act_new_window (GSimpleAction *action G_GNUC_UNUSED,
                GVariant *parameter   G_GNUC_UNUSED,
                gpointer              data)
{
  gtk_window_present (GTK_WINDOW (scope_window_new (data)));
}

static void
set_colours (const char *scheme)
{
  adw_style_manager_set_color_scheme (adw_style_manager_get_default (),
                                      g_str_equal (scheme, "light")  ? ADW_COLOR_SCHEME_FORCE_LIGHT
                                      : g_str_equal (scheme, "dark") ? ADW_COLOR_SCHEME_FORCE_DARK
                                                                     : ADW_COLOR_SCHEME_DEFAULT);
}

static void
change_colours (GSimpleAction *action, GVariant *value, gpointer data G_GNUC_UNUSED)
{
  set_colours (g_variant_get_string (value, NULL));
  scope_settings_set_text ("colours", g_variant_get_string (value, NULL));
  g_simple_action_set_state (action, value);
}

static const GActionEntry actions[] = {
  { "quit", act_quit, NULL, NULL, NULL, { 0 } },
  { "new-window", act_new_window, NULL, NULL, NULL, { 0 } },
  { "colours", NULL, "s", "'follow'", change_colours, { 0 } },
};

static const struct
{
  const char *action;
  const char *keys[4]; /* NULL-terminated */
} accelerators[] = {
  { "app.quit", { "<Control>q" } },
  { "app.new-window", { "<Control><Shift>n" } },
  { "win.open", { "<Control>o" } },
  { "win.new-tab", { "<Control>t" } },
  { "win.close-tab", { "<Control>w" } },
  { "win.search", { "<Control>f" } },
  { "win.bookmark", { "<Control>d" } },
  { "win.go-back", { "<Alt>Left" } },
  { "win.go-forward", { "<Alt>Right" } },
  { "win.reload", { "F5", "<Control>r" } },
  { "win.undo", { "<Control>z" } },
  { "win.redo", { "<Control><Shift>z" } },
  { "win.side-pane", { "F9" } },
  { "win.panel", { "F8" } },
  { "win.outline", { "F7" } },
  { "win.edit-attributes::", { "<Control>e" } },
  { "win.run", { "<Control>Return" } },
  { "win.show-help-overlay", { "<Control>question", "F1" } },
  { "win.export::picture", { "<Control><Shift>e" } },
  { "win.compare", { "<Control>m" } },
  { "win.save-view", { "<Control>s" } },
  { "win.save-model", { "<Control><Shift>s" } },
  { "win.print", { "<Control>p" } },
  { "win.fullscreen", { "F11" } },
  { "win.preferences", { "<Control>comma" } },
  { "win.zoom-in", { "<Control>plus", "<Control>equal", "<Control>KP_Add" } },
  { "win.zoom-out", { "<Control>minus", "<Control>KP_Subtract" } },
  { "win.zoom-normal", { "<Control>0", "<Control>KP_0" } },
};

static void
load_style (void)
{
  g_autoptr (GtkCssProvider) provider = gtk_css_provider_new ();

  gtk_css_provider_load_from_resource (provider, "/org/hybridscope/Hybridscope/style.css");
  gtk_style_context_add_provider_for_display (gdk_display_get_default (),
                                              GTK_STYLE_PROVIDER (provider),
                                              GTK_STYLE_PROVIDER_PRIORITY_APPLICATION);
  gtk_icon_theme_add_resource_path (gtk_icon_theme_get_for_display (gdk_display_get_default ()),
                                    "/org/hybridscope/Hybridscope/icons");
  gtk_window_set_default_icon_name ("org.hybridscope.Hybridscope");
}

/* The connection to the display is lost; nothing here may use it. */
static void
on_display_lost (gpointer data)
{
  for (GList *i = gtk_application_get_windows (data); i != NULL; i = i->next)
    if (SCOPE_IS_WINDOW (i->data))
      scope_window_save_state (i->data);
  scope_settings_flush ();
}

static void
scope_application_startup (GApplication *application)
{
  g_autofree char *colours = NULL;

  g_resources_register (scope_resources_get_resource ());
  G_APPLICATION_CLASS (scope_application_parent_class)->startup (application);
  load_style ();
  g_action_map_add_action_entries (G_ACTION_MAP (application), actions, G_N_ELEMENTS (actions),
                                   application);
  for (guint i = 0; i < G_N_ELEMENTS (accelerators); i++)
    gtk_application_set_accels_for_action (GTK_APPLICATION (application), accelerators[i].action,
                                           accelerators[i].keys);
  SCOPE_APPLICATION (application)->left_open = scope_session_begin ();
  scope_display_watch (gdk_display_get_default (), on_display_lost, application);
  colours = scope_settings_get_text ("colours", "follow");
  g_action_group_change_action_state (G_ACTION_GROUP (application), "colours",
                                      g_variant_new_string (colours));
}

static void
scope_application_shutdown (GApplication *application)
{
  ScopeWatchdogReport report = scope_watchdog_get_report ();

  scope_session_end ();
  scope_settings_flush ();
  if (g_getenv ("HYBRIDSCOPE_WATCHDOG"))
    g_printerr ("main loop: blocked over %d ms %u times, at most %.0f ms; computing so long %u "
                "times, at most %.0f ms\n",
                SCOPE_WATCHDOG_LIMIT_MS, report.n_blocked, report.longest, report.n_busy,
                report.longest_busy);
  G_APPLICATION_CLASS (scope_application_parent_class)->shutdown (application);
}

static void
scope_application_finalize (GObject *object)
{
  g_strfreev (SCOPE_APPLICATION (object)->left_open);
  G_OBJECT_CLASS (scope_application_parent_class)->finalize (object);
}

static void
scope_application_class_init (ScopeApplicationClass *class)
{
  GApplicationClass *application_class = G_APPLICATION_CLASS (class);

  G_OBJECT_CLASS (class)->finalize = scope_application_finalize;
  application_class->activate = scope_application_activate;
  application_class->open = scope_application_open;
  application_class->startup = scope_application_startup;
  application_class->shutdown = scope_application_shutdown;
}

static void
scope_application_init (ScopeApplication *self G_GNUC_UNUSED)
{
}

ScopeApplication *
scope_application_new (const char *id, GApplicationFlags flags)
{
  /* Code of plug-ins runs in child processes only, and of modules only after the user allowed it. */
  g_setenv (HYB_PLUGINS_VARIABLE, HYB_PLUGINS_GALLERY, TRUE);
  return g_object_new (SCOPE_TYPE_APPLICATION, "application-id", id, "flags", flags,
                       "resource-base-path", "/org/hybridscope/Hybridscope", NULL);
}
