/* recent-row.c — a recently opened file: name, time of its last change, folder.
 *
 * The file is queried asynchronously, because it may be on a slow network share.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/window/recent-row.h"

#include "app/widgets/tooltip.h"

#include <adwaita.h>
#include <glib/gi18n.h>
#include <string.h>

static char *
describe_age (GDateTime *then)
{
  g_autoptr (GDateTime) now = g_date_time_new_now_local ();
  gint64 minutes = MAX (g_date_time_difference (now, then) / G_TIME_SPAN_MINUTE, 0);
  int    days = (int) (minutes / 60 / 24);

  if (minutes < 60)
    return g_strdup_printf (_ ("changed %d min ago"), (int) minutes);
  if (days < 2)
    return g_strdup_printf (_ ("changed %d h ago"), (int) (minutes / 60));
  return g_strdup_printf (g_dngettext (NULL, "changed %d day ago", "changed %d days ago",
                                       (gulong) days),
                          days);
}

/* The folder, with "~" for the home folder.  (transfer full) */
static char *
describe_folder (GFile *file)
{
  g_autoptr (GFile) parent = g_file_get_parent (file);
  g_autofree char *path = parent ? g_file_get_parse_name (parent) : g_strdup ("");
  const char      *home = g_get_home_dir ();
  gsize            length = strlen (home);

  if (length > 1 && g_str_has_prefix (path, home) &&
      (path[length] == '\0' || path[length] == G_DIR_SEPARATOR))
    return g_strconcat ("~", path + length, NULL);
  return g_steal_pointer (&path);
}

static void
queried_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr (GtkWidget) row = data;
  g_autoptr (GFileInfo) info = g_file_query_info_finish (G_FILE (source), result, NULL);
  g_autoptr (GDateTime) then = info ? g_file_info_get_modification_date_time (info) : NULL;
  g_autofree char *age = NULL, *folder = NULL, *text = NULL;

  if (!then)
    return;
  age = describe_age (then);
  folder = describe_folder (G_FILE (source));
  text = g_strdup_printf ("%s · %s", age, folder);
  adw_action_row_set_subtitle (ADW_ACTION_ROW (row), text);
  gtk_widget_set_visible (row, TRUE);
}

static GtkWidget *
make_button (const char *uri)
{
  GtkWidget *button = gtk_button_new_from_icon_name ("window-close-symbolic");

  gtk_widget_set_valign (button, GTK_ALIGN_CENTER);
  gtk_widget_add_css_class (button, "flat");
  gtk_widget_add_css_class (button, "forget");
  scope_tooltip_set (button, _ ("Remove from this list"));
  gtk_actionable_set_action_name (GTK_ACTIONABLE (button), "win.forget-recent");
  gtk_actionable_set_action_target (GTK_ACTIONABLE (button), "s", uri);
  return button;
}

GtkWidget *
scope_recent_row_new (const char *uri)
{
  g_autoptr (GFile) file = g_file_new_for_uri (uri);
  g_autofree char *name = g_file_get_basename (file);
  g_autofree char *path = g_file_get_parse_name (file);
  GtkWidget       *row = adw_action_row_new ();

  adw_preferences_row_set_use_markup (ADW_PREFERENCES_ROW (row), FALSE);
  adw_preferences_row_set_title (ADW_PREFERENCES_ROW (row), name);
  adw_action_row_set_subtitle_lines (ADW_ACTION_ROW (row), 1);
  adw_action_row_add_suffix (ADW_ACTION_ROW (row), make_button (uri));
  scope_tooltip_set (row, path);
  gtk_list_box_row_set_activatable (GTK_LIST_BOX_ROW (row), TRUE);
  gtk_actionable_set_action_name (GTK_ACTIONABLE (row), "win.open-uri");
  gtk_actionable_set_action_target (GTK_ACTIONABLE (row), "s", uri);
  gtk_widget_set_visible (row, FALSE);
  g_file_query_info_async (file, G_FILE_ATTRIBUTE_TIME_MODIFIED, G_FILE_QUERY_INFO_NONE,
                           G_PRIORITY_DEFAULT, NULL, queried_cb, g_object_ref (row));
  return row;
}
