/* smoke-reader.c — what a screen reader finds in the real program through AT-SPI, and clicking there.
 *
 * Runs on a bus of its own (dbus-run-session); skipped, with the reason, without a bus or libatspi.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/app/program.h"
#include "tests/program.h"

#ifdef HAVE_ATSPI
#include <atspi/atspi.h>
#include <string.h>

#define MAX_DEPTH 60

/* Missing in this version of the library. */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (AtspiAccessible, g_object_unref)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (AtspiAction, g_object_unref)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (AtspiStateSet, g_object_unref)

static char            *folder;
static GSubprocess     *program;
static AtspiAccessible *application;
static gboolean         with_start_page;

/* The start page is hidden but large; nothing that is searched for is there. */
static gboolean
is_start_page (AtspiAccessible *node)
{
  g_autofree char *name = atspi_accessible_get_name (node, NULL);

  return g_strcmp0 (name, "ScopeStartPage") == 0;
}

/* Calls each for node and its descendants until it returns FALSE. */
static gboolean
walk (AtspiAccessible *node,
      gboolean (*each) (AtspiAccessible *, gpointer),
      gpointer data,
      int      depth)
{
  int n;

  if (!each (node, data))
    return FALSE;
  n = depth > 0 && (with_start_page || !is_start_page (node))
          ? atspi_accessible_get_child_count (node, NULL)
          : 0;
  for (int i = 0; i < n; i++)
    {
      g_autoptr (AtspiAccessible) child = atspi_accessible_get_child_at_index (node, i, NULL);

      if (child && !walk (child, each, data, depth - 1))
        return FALSE;
    }
  return TRUE;
}

typedef struct
{
  const char      *name;
  AtspiAccessible *found;
} Search;

static gboolean
is_named (AtspiAccessible *node, gpointer data)
{
  Search          *search = data;
  g_autofree char *name = atspi_accessible_get_name (node, NULL);

  if (g_strcmp0 (name, search->name) != 0)
    return TRUE;
  search->found = g_object_ref (node);
  return FALSE;
}

/* (transfer full), NULL: there is none. */
static AtspiAccessible *
find (const char *name)
{
  Search search = { name, NULL };

  atspi_accessible_clear_cache (application);
  walk (application, is_named, &search, MAX_DEPTH);
  return search.found;
}

static gboolean
is_pressed (gpointer name)
{
  g_autoptr (AtspiAccessible) node = find (name);
  g_autoptr (AtspiStateSet) states = node ? atspi_accessible_get_state_set (node) : NULL;

  return states && atspi_state_set_contains (states, ATSPI_STATE_PRESSED);
}

static gboolean
is_there (gpointer name)
{
  g_autoptr (AtspiAccessible) node = find (name);

  return node != NULL;
}

/* Rows exist only while they are visible. */
static gboolean
has_rows (gpointer name)
{
  g_autoptr (AtspiAccessible) node = find (name);

  return node && atspi_accessible_get_child_count (node, NULL) > 0;
}

static void
click (const char *name)
{
  g_autoptr (AtspiAccessible) node = find (name);
  g_autoptr (AtspiAction) action = node ? atspi_accessible_get_action_iface (node) : NULL;

  g_assert_nonnull (action);
  g_assert_true (atspi_action_do_action (action, 0, NULL));
}

/* --- Waiting --- */

static gboolean
has_application (gpointer unused G_GNUC_UNUSED)
{
  g_autoptr (AtspiAccessible) desktop = atspi_get_desktop (0);
  int n;

  if (!desktop)
    return FALSE;
  atspi_accessible_clear_cache (desktop); /* no loop runs here that would hear of newcomers */
  n = atspi_accessible_get_child_count (desktop, NULL);
  for (int i = 0; i < n && !application; i++)
    {
      g_autoptr (AtspiAccessible) child = atspi_accessible_get_child_at_index (desktop, i, NULL);
      g_autofree char *name = child ? atspi_accessible_get_name (child, NULL) : NULL;

      if (name && g_ascii_strcasecmp (name, "hybridscope") == 0 &&
          atspi_accessible_get_child_count (child, NULL) > 0)
        application = g_steal_pointer (&child);
    }
  return application != NULL;
}

/* A program that connects while the accessibility bus is starting never becomes visible.  So the bus is started
 * first, and the program again if it does not appear. */
static gboolean
start_program (void)
{
  g_autoptr (AtspiAccessible) desktop = atspi_get_desktop (0);

  if (desktop)
    atspi_accessible_get_child_count (desktop, NULL);
  for (int turn = 0; turn < 6; turn++)
    {
      program = program_start (folder, NULL, "lenet-static", NULL);
      for (int i = 0; i < 200; i++, g_usleep (100000))
        if (has_application (NULL))
          return TRUE;
      g_free (program_end (program));
      g_clear_object (&program);
    }
  return FALSE;
}

/* --- Tests --- */

typedef struct
{
  guint n, n_buttons, n_nameless;
} Count;

static gboolean
count_node (AtspiAccessible *node, gpointer data)
{
  Count           *count = data;
  AtspiRole        role = atspi_accessible_get_role (node, NULL);
  g_autofree char *name = atspi_accessible_get_name (node, NULL);

  count->n++;
  if (role != ATSPI_ROLE_PUSH_BUTTON && role != ATSPI_ROLE_TOGGLE_BUTTON)
    return TRUE;
  count->n_buttons++;
  if (!name || *name == '\0' || g_str_has_prefix (name, "Gtk"))
    {
      g_autofree char *where = atspi_accessible_get_description (node, NULL);

      count->n_nameless++;
      g_test_message ("a button is called “%s” (%s)", name, where);
    }
  return TRUE;
}

static void
test_names (void)
{
  Count count = { 0 };
  g_autoptr (AtspiAccessible) graph = NULL;

  g_assert_true (program_wait (is_there, (gpointer) "Model graph"));
  graph = find ("Model graph");
  g_assert_cmpint (atspi_accessible_get_role (graph, NULL), ==, ATSPI_ROLE_IMAGE);
  with_start_page = TRUE;
  walk (application, count_node, &count, MAX_DEPTH);
  with_start_page = FALSE;
  g_test_message ("%u accessibles, %u buttons, %u without a name", count.n, count.n_buttons,
                  count.n_nameless);
  g_assert_cmpuint (count.n, >, 50);
  g_assert_cmpuint (count.n_buttons, >, 10);
  g_assert_cmpuint (count.n_nameless, ==, 0);
}

/* Nodes are not accessible in the canvas, but in the list. */
static void
test_list (void)
{
  g_assert_false (has_rows ((gpointer) "Nodes"));
  click ("List of nodes");
  g_assert_true (program_wait (has_rows, (gpointer) "Nodes"));
}

static void
test_panel (void)
{
  g_assert_false (is_pressed ((gpointer) "Panel"));
  click ("Panel");
  g_assert_true (program_wait (is_pressed, (gpointer) "Panel"));
}

static gboolean
has_bus (void)
{
  const char *address = g_getenv ("DBUS_SESSION_BUS_ADDRESS");

  return address && g_str_has_prefix (address, "unix:");
}

static void
test_nothing (void)
{
  g_test_skip ("no bus of its own, no display, or at-spi2-core is missing");
}

TEST_PROGRAM (smoke_reader)
{
  int status;

  g_test_init (&argc, &argv, NULL);
  if (!has_bus () || !g_getenv ("DISPLAY") || atspi_init () != 0)
    {
      g_test_add_func ("/app/reader/finds-names", test_nothing);
      return g_test_run ();
    }
  /* The library warns about programs that are not ready to answer. */
  g_log_set_always_fatal (G_LOG_FATAL_MASK);
  folder = program_folder_new ();
  g_assert_true (start_program ());
  g_test_add_func ("/app/reader/finds-names", test_names);
  g_test_add_func ("/app/reader/opens-the-list-of-nodes", test_list);
  g_test_add_func ("/app/reader/opens-the-panel", test_panel);
  status = g_test_run ();
  g_free (program_end (program));
  g_clear_object (&application);
  g_clear_object (&program);
  program_folder_free (folder);
  atspi_exit ();
  return status;
}

#else

static void
test_nothing (void)
{
  g_test_skip ("built without libatspi2.0-dev");
}

TEST_PROGRAM (smoke_reader)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/app/reader/finds-names", test_nothing);
  return g_test_run ();
}

#endif
