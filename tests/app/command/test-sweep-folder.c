/* test-sweep-folder.c — the folder of a sweep: a cell is done once, its result stays, and a killed process leaves nothing behind
 * that stops the next one.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/command/sweep/sweep-folder.h"
#include "tests/program.h"

#include <glib/gstdio.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct
{
  char *path;
} Place;

static void
set_up (Place *place, gconstpointer unused G_GNUC_UNUSED)
{
  place->path = g_dir_make_tmp ("sweep-XXXXXX", NULL);
}

static void
tear_down (Place *place, gconstpointer unused G_GNUC_UNUSED)
{
  char *argv[] = { (char *) "rm", (char *) "-rf", place->path, NULL };

  g_assert_true (
      g_spawn_sync (NULL, argv, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, NULL, NULL, NULL, NULL));
  g_free (place->path);
}

/* The cells first … end - 1; as one of several processes if is_shared. */
static ScopeSweepFolder *
open_part (const Place *place, guint first, guint end, gboolean is_shared, gboolean retries_failed)
{
  g_autoptr (GError) error = NULL;
  ScopeSweepPart    part = { first, end, is_shared, retries_failed };
  ScopeSweepFolder *folder = scope_sweep_folder_open (place->path, &part, &error);

  g_assert_no_error (error);
  return folder;
}

static void
create (const Place *place)
{
  g_autofree char *plan = g_build_filename (place->path, "plan.json", NULL);

  g_assert_true (scope_sweep_folder_create (place->path, NULL));
  g_assert_true (g_file_set_contents (plan, "{}", 2, NULL));
}

static void
finish (ScopeSweepFolder *folder, guint cell, gboolean is_done)
{
  g_autofree char *line =
      g_strdup_printf ("{\"cell\": %u, \"status\": \"%s\"}\n", cell, is_done ? "done" : "failed");

  g_assert_true (scope_sweep_folder_finish (folder, cell, line, NULL));
}

static void
assert_counts (ScopeSweepFolder *folder, guint n_cells, ScopeSweepCounts expected)
{
  ScopeSweepCounts counts = scope_sweep_folder_count (folder, n_cells);

  g_assert_cmpuint (counts.n_todo, ==, expected.n_todo);
  g_assert_cmpuint (counts.n_running, ==, expected.n_running);
  g_assert_cmpuint (counts.n_done, ==, expected.n_done);
  g_assert_cmpuint (counts.n_failed, ==, expected.n_failed);
}

static void
test_cells_are_done_in_order (Place *place, gconstpointer unused G_GNUC_UNUSED)
{
  g_autoptr (ScopeSweepFolder) folder = NULL;
  guint cell;

  create (place);
  folder = open_part (place, 0, 5, FALSE, FALSE);
  for (guint i = 0; i < 5; i++)
    {
      gboolean         is_done;
      g_autofree char *line = NULL;

      g_assert_true (scope_sweep_folder_take (folder, &cell));
      g_assert_cmpuint (cell, ==, i);
      g_assert_null (scope_sweep_folder_read (folder, cell, &is_done));
      finish (folder, cell, i != 3);
      line = scope_sweep_folder_read (folder, cell, &is_done);
      g_assert_nonnull (line);
      g_assert_cmpint (is_done, ==, i != 3);
    }
  g_assert_false (scope_sweep_folder_take (folder, &cell));
  assert_counts (folder, 5, (ScopeSweepCounts){ .n_done = 4, .n_failed = 1 });
}

static void
test_a_cell_that_is_given_back_is_done_by_another (Place *place, gconstpointer unused G_GNUC_UNUSED)
{
  g_autoptr (ScopeSweepFolder) first = NULL;
  g_autoptr (ScopeSweepFolder) second = NULL;
  g_autoptr (ScopeSweepFolder) third = NULL;
  guint cell;

  create (place);
  first = open_part (place, 0, 1, TRUE, FALSE);
  second = open_part (place, 0, 1, TRUE, FALSE);
  third = open_part (place, 0, 1, TRUE, FALSE);
  g_assert_true (scope_sweep_folder_take (first, &cell));
  g_assert_false (scope_sweep_folder_take (second, &cell));
  assert_counts (second, 1, (ScopeSweepCounts){ .n_running = 1 });
  scope_sweep_folder_release (first, 0);
  g_assert_true (scope_sweep_folder_take (third, &cell));
}

static void
test_the_whole_folder_has_one_process (Place *place, gconstpointer unused G_GNUC_UNUSED)
{
  g_autoptr (ScopeSweepFolder) folder = NULL;
  g_autoptr (GError) error = NULL;
  ScopeSweepPart whole = { .end = 1 }, part = { .end = 1, .is_shared = TRUE };

  create (place);
  folder = open_part (place, 0, 1, FALSE, FALSE);
  g_assert_null (scope_sweep_folder_open (place->path, &whole, NULL));
  g_assert_null (scope_sweep_folder_open (place->path, &part, &error));
  g_assert_error (error, G_FILE_ERROR, G_FILE_ERROR_AGAIN);
  g_assert_nonnull (strstr (error->message, "works on the sweep"));
}

static void
test_failures_are_retried_only_when_asked (Place *place, gconstpointer unused G_GNUC_UNUSED)
{
  guint cell;

  create (place);
  for (guint i = 0; i < 4; i++)
    {
      g_autoptr (ScopeSweepFolder) folder = open_part (place, 0, 1, FALSE, i >= 2);

      g_assert_cmpint (scope_sweep_folder_take (folder, &cell), ==, i == 0 || i == 2);
      if (i == 0 || i == 2)
        finish (folder, cell, i == 2);
      assert_counts (folder, 1, (ScopeSweepCounts){ .n_done = i >= 2, .n_failed = i < 2 });
    }
}

/* The first result stays when a second one is written. */
static void
test_a_result_is_written_once (Place *place, gconstpointer unused G_GNUC_UNUSED)
{
  static const char *const first = "{\"cell\": 0, \"status\": \"done\", \"median\": 7}";
  g_autofree char         *path = g_build_filename (place->path, "cells", "000000.json", NULL);
  g_autoptr (ScopeSweepFolder) folder = NULL;
  g_autofree char *line = NULL;
  gboolean         is_done;
  guint            cell;

  create (place);
  folder = open_part (place, 0, 1, FALSE, FALSE);
  g_assert_true (scope_sweep_folder_take (folder, &cell));
  g_assert_true (g_file_set_contents (path, first, -1, NULL));
  g_assert_false (scope_sweep_folder_finish (folder, cell, "{\"cell\": 0}\n", NULL));
  line = scope_sweep_folder_read (folder, cell, &is_done);
  g_assert_cmpstr (line, ==, first);
}

static guint
count_open_files (void)
{
  g_autoptr (GDir) dir = g_dir_open ("/proc/self/fd", 0, NULL);
  guint n = 0;

  while (g_dir_read_name (dir))
    n++;
  return n;
}

static void
test_cells_leave_no_file_open (Place *place, gconstpointer unused G_GNUC_UNUSED)
{
  guint             before = count_open_files (), cell;
  ScopeSweepFolder *folder;

  create (place);
  g_assert_cmpuint (count_open_files (), ==, before);
  folder = open_part (place, 0, 20, FALSE, FALSE);
  while (scope_sweep_folder_take (folder, &cell))
    if (cell % 2 == 0)
      finish (folder, cell, TRUE);
    else if (cell < 10)
      scope_sweep_folder_release (folder, cell);
  scope_sweep_folder_free (folder);
  g_assert_cmpuint (count_open_files (), ==, before);
}

static void
test_a_folder_that_is_not_there_is_an_error (Place *place, gconstpointer unused G_GNUC_UNUSED)
{
  g_autofree char *absent = g_build_filename (place->path, "absent", NULL);
  g_autoptr (GError) error = NULL;
  ScopeSweepPart part = { .end = 1 };

  g_assert_false (scope_sweep_folder_create (absent, &error));
  g_assert_error (error, G_FILE_ERROR, G_FILE_ERROR_NOENT);
  g_clear_error (&error);
  g_assert_null (scope_sweep_folder_open (place->path, &part, &error)); /* it is empty */
  g_assert_error (error, G_FILE_ERROR, G_FILE_ERROR_NOENT);
  g_assert_nonnull (strstr (error->message, "“cells”"));
}

/* Eight processes do overlapping parts of the cells and are killed in the middle of one, then once more without. */
static double
simulate (const Place *place, guint n_cells)
{
  guint *n_done = mmap (NULL, n_cells * sizeof (guint), PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  guint  cell;
  g_autoptr (ScopeSweepFolder) folder = NULL;

  g_assert_true (n_done != MAP_FAILED);
  create (place);
  for (guint round = 0; round < 2; round++)
    {
      for (guint worker = 0; worker < 8; worker++)
        if (fork () == 0)
          {
            guint first = worker * n_cells / 10;

            folder = open_part (place, first, MIN (first + n_cells * 3 / 10, n_cells), TRUE, FALSE);
            for (guint n = 0; scope_sweep_folder_take (folder, &cell); n++)
              {
                if (round == 0 && n == n_cells / 20)
                  raise (SIGKILL);
                __atomic_add_fetch (&n_done[cell], 1, __ATOMIC_SEQ_CST);
                finish (folder, cell, cell % 10 != 7);
              }
            _exit (0);
          }
      for (guint worker = 0; worker < 8; worker++)
        wait (NULL);
    }
  folder = open_part (place, 0, n_cells, FALSE, FALSE);
  g_assert_false (scope_sweep_folder_take (folder, &cell));
  for (cell = 0; cell < n_cells; cell++)
    g_assert_cmpuint (n_done[cell], ==, 1);
  assert_counts (folder, n_cells,
                 (ScopeSweepCounts){ .n_done = n_cells * 9 / 10, .n_failed = n_cells / 10 });
  munmap (n_done, n_cells * sizeof (guint));
  return (double) scope_sweep_folder_get_effort (folder).n_calls / n_cells;
}

static void
test_ten_thousand_cells_are_done_once (Place *place, gconstpointer unused G_GNUC_UNUSED)
{
  Place small = { g_build_filename (place->path, "small", NULL) };
  Place large = { g_build_filename (place->path, "large", NULL) };

  g_mkdir (small.path, 0700);
  g_mkdir (large.path, 0700);
  g_assert_cmpfloat (simulate (&small, 1000), ==, simulate (&large, 10000));
  g_free (small.path);
  g_free (large.path);
}

TEST_PROGRAM (test_sweep_folder)
{
  static const struct
  {
    const char *name;
    void (*run) (Place *place, gconstpointer unused);
  } tests[] = {
    { "cells-are-done-in-order", test_cells_are_done_in_order },
    { "a-cell-that-is-given-back-is-done-by-another",
      test_a_cell_that_is_given_back_is_done_by_another },
    { "the-whole-folder-has-one-process", test_the_whole_folder_has_one_process },
    { "failures-are-retried-only-when-asked", test_failures_are_retried_only_when_asked },
    { "a-result-is-written-once", test_a_result_is_written_once },
    { "cells-leave-no-file-open", test_cells_leave_no_file_open },
    { "a-folder-that-is-not-there-is-an-error", test_a_folder_that_is_not_there_is_an_error },
    { "ten-thousand-cells-are-done-once", test_ten_thousand_cells_are_done_once },
  };

  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (tests); i++)
    {
      g_autofree char *path = g_strconcat ("/sweep-folder/", tests[i].name, NULL);

      g_test_add (path, Place, NULL, set_up, tests[i].run, tear_down);
    }
  return g_test_run ();
}
