/* gui-test.c — drives the application inside the test process: start, wait, find widgets, act.
 *
 * Settings and caches are in a temporary folder.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/app/gui-test.h"

#include "app/process/ending.h"

#include <stdlib.h>

static ScopeApplication *application;
static GHashTable       *tried;

/* The timer of a tooltip in GTK 4.8 asks for the pointer's place on a surface also when a popover closed before it ran.
 * Everything else that the toolkit complains of ends the test. */
static gboolean
is_fatal (const char *domain   G_GNUC_UNUSED,
          GLogLevelFlags level G_GNUC_UNUSED,
          const char          *message,
          gpointer unused      G_GNUC_UNUSED)
{
  return !g_str_has_prefix (message,
                            "gdk_surface_get_device_position: assertion 'GDK_IS_SURFACE") &&
         !g_str_has_prefix (message, "_gtk_widget_find_at_coords: assertion 'GDK_IS_SURFACE");
}

static void
on_critical (const char *domain, GLogLevelFlags level, const char *message, gpointer unused)
{
  if (is_fatal (domain, level, message, unused))
    g_log_default_handler (domain, level, message, unused);
}

void
gui_begin_test (void)
{
  g_test_log_set_fatal_handler (is_fatal, NULL);
}

gboolean
gui_init (int *argc, char ***argv)
{
  g_autofree char *folder = g_dir_make_tmp ("hybridscope-gui-XXXXXX", NULL);

  /* Not the user's settings and caches. */
  g_setenv ("XDG_CONFIG_HOME", folder, TRUE);
  g_setenv ("XDG_CACHE_HOME", folder, TRUE);
  g_setenv ("XDG_STATE_HOME", folder, TRUE);
  g_setenv ("XDG_DATA_HOME", folder, TRUE);
  g_setenv ("HYBRIDSCOPE_HSCOPE", HSCOPE, TRUE);
  g_test_init (argc, argv, NULL);
  g_log_set_handler ("Gdk", G_LOG_LEVEL_CRITICAL | G_LOG_FLAG_FATAL, on_critical, NULL);
  g_log_set_handler ("Gtk", G_LOG_LEVEL_CRITICAL | G_LOG_FLAG_FATAL, on_critical, NULL);
  tried = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  if (!gtk_init_check ())
    return FALSE;
  adw_init ();
  g_object_set (gtk_settings_get_default (), "gtk-enable-animations", FALSE, NULL);
  return TRUE;
}

static gboolean
on_timeout (gpointer late)
{
  *(gboolean *) late = TRUE;
  return G_SOURCE_REMOVE;
}

/* Wakes an idle loop, so that done() is asked. */
static gboolean
on_tick (gpointer unused G_GNUC_UNUSED)
{
  return G_SOURCE_CONTINUE;
}

gboolean
gui_wait (gboolean (*done) (gpointer), gpointer data, guint limit_ms)
{
  gboolean late = FALSE;
  guint    id = g_timeout_add (limit_ms, on_timeout, &late);
  guint    tick = g_timeout_add (20, on_tick, NULL);

  while (!late && !done (data))
    g_main_context_iteration (NULL, TRUE);
  if (!late)
    g_source_remove (id);
  g_source_remove (tick);
  return done (data);
}

static gboolean
never (gpointer unused G_GNUC_UNUSED)
{
  return FALSE;
}

void
gui_spin (guint ms)
{
  gui_wait (never, NULL, ms);
}

static gboolean
is_mapped (gpointer window)
{
  return gtk_widget_get_mapped (window) && gtk_widget_get_width (window) > 0;
}

GApplication *
gui_application (void)
{
  return G_APPLICATION (application);
}

void
gui_start_application (void)
{
  g_autoptr (GError) error = NULL;

  application = scope_application_new ("org.hybridscope.Test",
                                       G_APPLICATION_NON_UNIQUE | G_APPLICATION_HANDLES_OPEN);
  g_application_register (G_APPLICATION (application), NULL, &error);
  g_assert_no_error (error);
}

ScopeWindow *
gui_start (void)
{
  GtkWindow *window;

  gui_start_application ();
  g_application_activate (G_APPLICATION (application));
  window = gtk_application_get_active_window (GTK_APPLICATION (application));
  g_assert_true (gui_wait (is_mapped, window, 10000));
  return SCOPE_WINDOW (window);
}

void
gui_stop (void)
{
  GList *windows = g_list_copy (gtk_application_get_windows (GTK_APPLICATION (application)));

  for (GList *i = windows; i != NULL; i = i->next)
    gtk_window_destroy (i->data);
  g_list_free (windows);
  gui_spin (20);
  g_clear_object (&application);
}

void
gui_end (int status)
{
  gui_stop ();
  scope_end_process (status);
}

static gboolean
is_settled (gpointer data)
{
  ScopePage *page = data;

  return scope_workspace_get_state (scope_page_get_workspace (page)) == SCOPE_STATE_READY &&
         scope_canvas_get_picture (
             scope_graph_view_get_canvas (scope_page_get_graph_view (page))) &&
         scope_graph_view_is_settled (scope_page_get_graph_view (page));
}

void
gui_settle (ScopePage *page)
{
  g_assert_true (gui_wait (is_settled, page, 20000));
}

ScopePage *
gui_open (ScopeWindow *window, const char *model, const char *const *shapes)
{
  g_autofree char *name = g_strconcat (model, "-symbol.json", NULL);
  g_autofree char *path =
      g_build_filename (SOURCE_ROOT, "tests", "data", "goldens", "models", model, name, NULL);
  g_autoptr (GFile) file = g_file_new_for_path (path);
  ScopePage *page;

  scope_window_open_as (window, file, NULL, shapes);
  page = scope_window_get_page (window);
  g_assert_nonnull (page);
  gui_settle (page);
  return page;
}

GtkWidget *
gui_find (GtkWidget *root, const char *name)
{
  if (g_strcmp0 (gtk_widget_get_name (root), name) == 0)
    return root;
  for (GtkWidget *child = gtk_widget_get_first_child (root); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    {
      GtkWidget *found = gui_find (child, name);

      if (found)
        return found;
    }
  return NULL;
}

GtkEventController *
gui_controller (GtkWidget *widget, GType type)
{
  g_autoptr (GListModel) controllers = gtk_widget_observe_controllers (widget);

  for (guint i = 0; i < g_list_model_get_n_items (controllers); i++)
    {
      g_autoptr (GtkEventController) controller = g_list_model_get_item (controllers, i);

      if (G_OBJECT_TYPE (controller) == type)
        return controller; /* the widget keeps it alive */
    }
  return NULL;
}

void
gui_save_picture (GtkWindow *window, const char *path)
{
  g_autoptr (GdkPaintable) paintable = gtk_widget_paintable_new (GTK_WIDGET (window));
  g_autoptr (GtkSnapshot) snapshot = gtk_snapshot_new ();
  g_autoptr (GskRenderNode) node = NULL;
  g_autoptr (GdkTexture) picture = NULL;
  int width, height;

  gui_spin (400);
  width = gdk_paintable_get_intrinsic_width (paintable);
  height = gdk_paintable_get_intrinsic_height (paintable);
  gdk_paintable_snapshot (paintable, GDK_SNAPSHOT (snapshot), width, height);
  node = gtk_snapshot_to_node (snapshot);
  g_assert_nonnull (node);
  picture = gsk_renderer_render_texture (gtk_native_get_renderer (GTK_NATIVE (window)), node,
                                         &GRAPHENE_RECT_INIT (0, 0, (float) width, (float) height));
  g_assert_true (gdk_texture_save_to_png (picture, path));
  g_test_message ("%s", path);
}

gpointer
gui_find_window (GType type)
{
  GListModel *windows = gtk_window_get_toplevels ();
  gpointer    found = NULL;

  for (guint i = 0; i < g_list_model_get_n_items (windows); i++)
    {
      g_autoptr (GObject) window = g_list_model_get_item (windows, i);

      if (g_type_is_a (G_OBJECT_TYPE (window), type))
        found = window; /* the list keeps it alive */
    }
  return found;
}

void
gui_mark_gesture (const char *name)
{
  g_hash_table_add (tried, g_strconcat ("gesture ", name, NULL));
}

void
gui_act (gpointer widget, const char *action, const char *target)
{
  /* Actions of a class do not take over a floating value. */
  g_autoptr (GVariant) value = target ? g_variant_ref_sink (g_variant_new_string (target)) : NULL;

  g_hash_table_add (tried, g_strdup (action));
  g_assert_true (gtk_widget_activate_action_variant (widget, action, value));
}

gboolean
gui_was_tried (const char *name)
{
  return g_hash_table_contains (tried, name);
}

char *
gui_clipboard (GtkWidget *widget)
{
  GdkContentProvider *content = gdk_clipboard_get_content (gtk_widget_get_clipboard (widget));
  GValue              value = G_VALUE_INIT;
  char               *text = NULL;

  g_value_init (&value, G_TYPE_STRING);
  if (content && gdk_content_provider_get_value (content, &value, NULL))
    text = g_value_dup_string (&value);
  g_value_unset (&value);
  return text;
}
