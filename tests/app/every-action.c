/* every-action.c — checks that every action and gesture of the window is in actions.txt and was tested.
 *
 * They are collected in three ways: from the classes of widgets, from tables of actions in the sources,
 * and from the event controllers of widgets on the screen.  Start with gui_test_every_action().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/app/gui-test.h"

#include <string.h>

/* Actions of the toolkit's own widgets are not our concern. */
static gboolean
is_ours (GType type)
{
  return g_str_has_prefix (g_type_name (type), "Scope");
}

static void
collect_classes (GHashTable *names, GType type)
{
  g_autofree GType *children = g_type_children (type, NULL);
  GTypeClass *class = g_type_class_ref (type);
  GType               owner;
  const char         *name, *property;
  const GVariantType *parameter;

  for (guint i = 0; gtk_widget_class_query_action (GTK_WIDGET_CLASS (class), i, &owner, &name,
                                                   &parameter, &property);
       i++)
    if (is_ours (owner))
      g_hash_table_add (names, g_strdup (name));
  g_type_class_unref (class);
  for (guint i = 0; children[i] != 0; i++)
    collect_classes (names, children[i]);
}

static void
collect_matches (GHashTable *names, const char *pattern, const char *prefix, const char *text)
{
  g_autoptr (GRegex) regex = g_regex_new (pattern, 0, 0, NULL);
  g_autoptr (GMatchInfo) match = NULL;

  g_regex_match (regex, text, 0, &match);
  for (; g_match_info_matches (match); g_match_info_next (match, NULL))
    {
      g_autofree char *name = g_match_info_fetch (match, 1);

      g_hash_table_add (names, g_strconcat (prefix, name, NULL));
    }
}

/* The prefix of a table of action entries: the group it is inserted as, or "app.".  (transfer full) */
static char *
find_prefix (const char *text)
{
  g_autoptr (GRegex) regex = g_regex_new ("insert_action_group \\([^\"]*\"([a-z]+)\"", 0, 0, NULL);
  g_autoptr (GMatchInfo) match = NULL;
  g_autofree char *group = NULL;

  if (g_regex_match (regex, text, 0, &match))
    group = g_match_info_fetch (match, 1);
  return g_strconcat (group ? group : "app", ".", NULL);
}

static void
collect_file (GHashTable *names, const char *path)
{
  g_autofree char *text = NULL;

  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  collect_matches (names, "install_action \\(\\w+,\\s*\"([a-z]+\\.[a-z-]+)\"", "", text);
  if (strstr (text, "GActionEntry"))
    {
      g_autofree char *prefix = find_prefix (text);

      collect_matches (names, "\\{ \"([a-z-]+)\", [^{}]*\\{ 0 \\} \\}", prefix, text);
    }
}

static void
collect_sources (GHashTable *names, const char *folder)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name;

  g_assert_nonnull (dir);
  while ((name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *path = g_build_filename (folder, name, NULL);

      if (g_file_test (path, G_FILE_TEST_IS_DIR))
        collect_sources (names, path);
      else if (g_str_has_suffix (name, ".c"))
        collect_file (names, path);
    }
}

/* Names of event controllers, such as "canvas-drag"; one of our widgets' controllers without a name fails. */
static void
collect_gestures (GHashTable *names, GtkWidget *widget)
{
  g_autoptr (GListModel) controllers = gtk_widget_observe_controllers (widget);
  gboolean all_ours = is_ours (G_OBJECT_TYPE (widget)) && !GTK_IS_WINDOW (widget);

  for (guint i = 0; i < g_list_model_get_n_items (controllers); i++)
    {
      g_autoptr (GtkEventController) controller = g_list_model_get_item (controllers, i);
      const char *name = gtk_event_controller_get_name (controller);

      if (GTK_IS_SHORTCUT_CONTROLLER (controller))
        continue;
      if (name && !g_str_has_prefix (name, "gtk-"))
        g_hash_table_add (names, g_strconcat ("gesture ", name, NULL));
      else if (all_ours && !name)
        {
          g_test_message ("a %s of %s has no name", G_OBJECT_TYPE_NAME (controller),
                          G_OBJECT_TYPE_NAME (widget));
          g_test_fail ();
        }
    }
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    collect_gestures (names, child);
}

static GHashTable *gestures;

void
gui_record_gestures (GtkWidget *root)
{
  if (!gestures)
    gestures = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  collect_gestures (gestures, root);
}

static void
check_listed (GHashTable *names, const char *const *lines)
{
  GHashTableIter iter;
  gpointer       name;

  g_hash_table_iter_init (&iter, names);
  while (g_hash_table_iter_next (&iter, &name, NULL))
    if (!g_strv_contains (lines, name))
      {
        g_test_message ("%s is not in actions.txt", (const char *) name);
        g_test_fail ();
      }
}

void
gui_test_every_action (void)
{
  g_autofree char *path = g_build_filename (SOURCE_ROOT, "tests", "app", "actions.txt", NULL);
  g_autofree char *sources = g_build_filename (SOURCE_ROOT, "app", NULL);
  g_autofree char *text = NULL;
  g_auto (GStrv) lines = NULL;
  g_autoptr (GHashTable) names = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);

  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  lines = g_strsplit (text, "\n", -1);
  collect_classes (names, GTK_TYPE_WIDGET);
  collect_sources (names, sources);
  g_assert_cmpuint (g_hash_table_size (names), >, 70);
  g_assert_nonnull (gestures);
  g_assert_cmpuint (g_hash_table_size (gestures), >, 10);
  check_listed (names, (const char *const *) lines);
  check_listed (gestures, (const char *const *) lines);
  for (guint i = 0; lines[i] != NULL; i++)
    if (*lines[i] != '\0' && *lines[i] != '#')
      {
        if (!g_hash_table_contains (names, lines[i]) && !g_hash_table_contains (gestures, lines[i]))
          {
            g_test_message ("the window has no %s", lines[i]);
            g_test_fail ();
          }
        if (!gui_was_tried (lines[i]))
          {
            g_test_message ("no test tries %s", lines[i]);
            g_test_fail ();
          }
      }
}
