/* test-sweep-folder.c — the folder of a sweep: cells are claimed once, results stay, and what workers left is recovered.
 *
 * Workers are processes of this test, which sleep, fail, are killed and store a result twice.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/command/sweep/sweep-folder.h"
#include "app/command/sweep/sweep-worker.h"
#include "tests/program.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
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

static ScopeSweepFolder *
open_as (const Place *place, guint n_cells, const char *worker)
{
  g_autoptr (GError) error = NULL;
  ScopeSweepFolder *folder = scope_sweep_folder_open (place->path, n_cells, worker, &error);

  g_assert_no_error (error);
  return folder;
}

static ScopeSweepFolder *
open_here (const Place *place, guint n_cells)
{
  g_autofree char *worker = scope_sweep_worker_dup_name ();

  return open_as (place, n_cells, worker);
}

static void
finish (ScopeSweepFolder *folder, guint cell, gboolean is_done)
{
  g_autofree char *line = g_strdup_printf ("{\"cell\": %u}\n", cell);

  g_assert_true (scope_sweep_folder_finish (folder, cell, line, is_done, NULL));
}

static void
assert_counts (ScopeSweepFolder *folder, ScopeSweepCounts expected)
{
  ScopeSweepCounts counts = scope_sweep_folder_count (folder);

  g_assert_cmpuint (counts.n_todo, ==, expected.n_todo);
  g_assert_cmpuint (counts.n_claimed, ==, expected.n_claimed);
  g_assert_cmpuint (counts.n_done, ==, expected.n_done);
  g_assert_cmpuint (counts.n_failed, ==, expected.n_failed);
}

static void
test_one_worker_does_the_cells_in_order (Place *place, gconstpointer unused G_GNUC_UNUSED)
{
  g_autoptr (ScopeSweepFolder) folder = NULL;
  guint cell;

  g_assert_true (scope_sweep_folder_create (place->path, 5, NULL));
  folder = open_here (place, 5);
  for (guint i = 0; i < 5; i++)
    {
      gboolean         is_done;
      g_autofree char *line = NULL;

      g_assert_true (scope_sweep_folder_claim (folder, &cell));
      g_assert_cmpuint (cell, ==, i);
      g_assert_null (scope_sweep_folder_read (folder, cell, &is_done));
      finish (folder, cell, i != 3);
      line = scope_sweep_folder_read (folder, cell, &is_done);
      g_assert_nonnull (line);
      g_assert_cmpint (is_done, ==, i != 3);
    }
  g_assert_false (scope_sweep_folder_claim (folder, &cell));
  assert_counts (folder, (ScopeSweepCounts){ .n_done = 4, .n_failed = 1 });
}

static void
test_a_released_cell_is_done_by_another (Place *place, gconstpointer unused G_GNUC_UNUSED)
{
  g_autoptr (ScopeSweepFolder) first = NULL;
  g_autoptr (ScopeSweepFolder) second = NULL;
  guint cell;

  g_assert_true (scope_sweep_folder_create (place->path, 1, NULL));
  first = open_as (place, 1, "a.1.1");
  second = open_as (place, 1, "b.1.1");
  g_assert_true (scope_sweep_folder_claim (first, &cell));
  g_assert_false (scope_sweep_folder_claim (second, &cell));
  scope_sweep_folder_release (first, 0);
  g_assert_true (scope_sweep_folder_claim (second, &cell));
}

/* A worker of this machine that has ended, and one of another machine that has been silent for long. */
static void
test_cells_of_workers_that_are_gone_are_recovered (Place *place, gconstpointer unused G_GNUC_UNUSED)
{
  g_autofree char  *self = scope_sweep_worker_dup_name ();
  g_autofree char  *host = g_strndup (self, strcspn (self, "."));
  g_autofree char  *ended = g_strdup_printf ("%s.%u.1", host, (guint) getpid ());
  const char       *workers[] = { self, ended, "elsewhere.1.1", "nowhere.1.1" };
  ScopeSweepFolder *folders[G_N_ELEMENTS (workers)];
  struct timespec   old[2] = { { .tv_sec = 1000 }, { .tv_sec = 1000 } };
  g_autofree char  *silent = g_build_filename (place->path, "workers", "nowhere.1.1", NULL);
  guint             cell;

  g_assert_true (scope_sweep_folder_create (place->path, 4, NULL));
  for (guint i = 0; i < G_N_ELEMENTS (workers); i++)
    {
      folders[i] = open_as (place, 4, workers[i]);
      g_assert_true (scope_sweep_folder_claim (folders[i], &cell));
    }
  g_usleep (50000); /* until the threads have touched their files */
  g_assert_cmpint (utimensat (AT_FDCWD, silent, old, 0), ==, 0);
  g_assert_cmpuint (scope_sweep_folder_recover (folders[0], FALSE), ==, 2);
  assert_counts (folders[0], (ScopeSweepCounts){ .n_todo = 2, .n_claimed = 2 });
  for (guint i = 0; i < G_N_ELEMENTS (workers); i++)
    scope_sweep_folder_free (folders[i]);
}

/* The worker was killed after it had stored its result. */
static void
test_a_claimed_cell_with_a_result_is_not_done_again (Place               *place,
                                                     gconstpointer unused G_GNUC_UNUSED)
{
  g_autoptr (ScopeSweepFolder) folder = NULL;
  g_autofree char *claim = g_build_filename (place->path, "claimed", "000000.gone.1.1", NULL);
  guint            cell;

  g_assert_true (scope_sweep_folder_create (place->path, 1, NULL));
  folder = open_here (place, 1);
  g_assert_true (scope_sweep_folder_claim (folder, &cell));
  finish (folder, cell, TRUE);
  g_assert_true (g_file_set_contents (claim, "", 0, NULL));
  g_assert_cmpuint (scope_sweep_folder_recover (folder, TRUE), ==, 0);
  assert_counts (folder, (ScopeSweepCounts){ .n_done = 1 });
  g_assert_false (g_file_test (claim, G_FILE_TEST_EXISTS));
}

static void
test_failures_are_retried_only_when_asked (Place *place, gconstpointer unused G_GNUC_UNUSED)
{
  g_autoptr (ScopeSweepFolder) folder = NULL;
  g_autofree char *line = NULL;
  gboolean         is_done;
  guint            cell;

  g_assert_true (scope_sweep_folder_create (place->path, 1, NULL));
  folder = open_here (place, 1);
  g_assert_true (scope_sweep_folder_claim (folder, &cell));
  finish (folder, cell, FALSE);
  g_assert_cmpuint (scope_sweep_folder_recover (folder, FALSE), ==, 0);
  g_assert_cmpuint (scope_sweep_folder_recover (folder, TRUE), ==, 1);
  /* The reason stays until there is another result. */
  line = scope_sweep_folder_read (folder, cell, &is_done);
  g_assert_nonnull (line);
  g_assert_false (is_done);
  g_assert_true (scope_sweep_folder_claim (folder, &cell));
  finish (folder, cell, TRUE);
  assert_counts (folder, (ScopeSweepCounts){ .n_done = 1 });
}

static void
test_lost_and_foreign_files_do_no_harm (Place *place, gconstpointer unused G_GNUC_UNUSED)
{
  static const char *const foreign[] = { "todo/abc",      "todo/99999999", "todo/-1", "done/.x",
                                         "claimed/7.a.b", "claimed/zzz",   "todo/1 " };
  g_autoptr (ScopeSweepFolder) folder = NULL;
  g_autofree char *lost = g_build_filename (place->path, "todo", "000001", NULL);
  guint            cell, n = 0;

  g_assert_true (scope_sweep_folder_create (place->path, 3, NULL));
  for (guint i = 0; i < G_N_ELEMENTS (foreign); i++)
    {
      g_autofree char *path = g_build_filename (place->path, foreign[i], NULL);

      g_assert_true (g_file_set_contents (path, "", 0, NULL));
    }
  g_assert_cmpint (g_remove (lost), ==, 0);
  folder = open_here (place, 3);
  g_assert_cmpuint (scope_sweep_folder_recover (folder, FALSE), ==, 1);
  for (; scope_sweep_folder_claim (folder, &cell); n++)
    finish (folder, cell, TRUE);
  g_assert_cmpuint (n, ==, 3);
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
  guint before = count_open_files ();
  g_autoptr (ScopeSweepFolder) folder = NULL;

  g_assert_true (scope_sweep_folder_create (place->path, 20, NULL));
  g_assert_cmpuint (count_open_files (), ==, before);
  folder = open_here (place, 20);
  g_assert_cmpuint (count_open_files (), ==, before + 1); /* the folder itself */
  g_clear_pointer (&folder, scope_sweep_folder_free);
  g_assert_cmpuint (count_open_files (), ==, before);
}

static void
test_a_folder_that_is_not_there_is_an_error (Place *place, gconstpointer unused G_GNUC_UNUSED)
{
  g_autofree char *absent = g_build_filename (place->path, "absent", NULL);
  g_autoptr (GError) error = NULL;

  g_assert_false (scope_sweep_folder_create (absent, 1, &error));
  g_assert_error (error, G_FILE_ERROR, G_FILE_ERROR_NOENT);
  g_clear_error (&error);
  g_assert_null (scope_sweep_folder_open (absent, 1, "a.1.1", &error));
  g_assert_error (error, G_FILE_ERROR, G_FILE_ERROR_NOENT);
  g_assert_nonnull (strstr (error->message, "the folder cannot be opened"));
  g_clear_error (&error);
  g_assert_null (scope_sweep_folder_open (place->path, 1, "a.1.1", &error)); /* it is empty */
  g_assert_error (error, G_FILE_ERROR, G_FILE_ERROR_NOENT);
  g_assert_nonnull (strstr (error->message, "in its folder “workers”"));
}

/* --- A simulation --- */

#define N_WORKERS 8
#define N_ROUNDS  4 /* in which workers are killed; then they are not */

/* In memory that all processes share. */
typedef struct
{
  guint            n_started; /* cells that some worker began */
  guint            n_deaths;
  ScopeSweepEffort effort;
} Shared;

static void
add_effort (Shared *shared, ScopeSweepEffort effort)
{
  __atomic_add_fetch (&shared->effort.n_calls, effort.n_calls, __ATOMIC_SEQ_CST);
  __atomic_add_fetch (&shared->effort.n_entries, effort.n_entries, __ATOMIC_SEQ_CST);
}

/* Works until no cell is to do, or until it is killed after this many cells, in the middle of the next. */
static void
be_worker (const Place *place, guint n_cells, guint life, Shared *shared)
{
  ScopeSweepFolder *folder = open_here (place, n_cells);
  g_autoptr (GRand) random = g_rand_new_with_seed ((guint32) getpid ());
  guint cell;

  for (guint n = 0; scope_sweep_folder_claim (folder, &cell); n++)
    {
      guint fate = (guint) g_rand_int_range (random, 0, 100);

      __atomic_add_fetch (&shared->n_started, 1, __ATOMIC_SEQ_CST);
      if (n == life)
        {
          add_effort (shared, scope_sweep_folder_get_effort (folder));
          __atomic_add_fetch (&shared->n_deaths, 1, __ATOMIC_SEQ_CST);
          raise (SIGKILL);
        }
      if (fate < 5)
        g_usleep (1000);
      finish (folder, cell, fate % 10 != 7);
      if (fate > 95) /* the launcher has run the command twice */
        finish (folder, cell, fate % 10 != 7);
    }
  add_effort (shared, scope_sweep_folder_get_effort (folder));
  scope_sweep_folder_free (folder);
  _exit (0);
}

static void
run_round (const Place *place, guint n_cells, guint life, Shared *shared)
{
  pid_t             pids[N_WORKERS];
  ScopeSweepFolder *folder = open_here (place, n_cells);

  scope_sweep_folder_recover (folder, FALSE);
  add_effort (shared, scope_sweep_folder_get_effort (folder));
  scope_sweep_folder_free (folder);
  for (guint i = 0; i < N_WORKERS; i++)
    {
      pids[i] = fork ();
      if (pids[i] == 0)
        be_worker (place, n_cells, life, shared);
    }
  for (guint i = 0; i < N_WORKERS; i++)
    g_assert_cmpint (waitpid (pids[i], NULL, 0), ==, pids[i]);
}

/* Returns what it took for each cell. */
static void
simulate (const Place *place, guint n_cells, double *calls, double *entries)
{
  Shared *shared =
      mmap (NULL, sizeof (Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  g_autoptr (ScopeSweepFolder) folder = NULL;
  ScopeSweepCounts counts;

  g_assert_true (shared != MAP_FAILED);
  g_assert_true (scope_sweep_folder_create (place->path, n_cells, NULL));
  for (guint i = 0; i < N_ROUNDS; i++)
    run_round (place, n_cells, n_cells / (2 * N_WORKERS * N_ROUNDS), shared);
  run_round (place, n_cells, G_MAXUINT, shared);
  g_assert_cmpuint (shared->n_deaths, ==, N_WORKERS * N_ROUNDS);
  /* None was begun twice, except those at which a worker died. */
  g_assert_cmpuint (shared->n_started, >=, n_cells);
  g_assert_cmpuint (shared->n_started, <=, n_cells + shared->n_deaths);
  folder = open_here (place, n_cells);
  counts = scope_sweep_folder_count (folder);
  g_assert_cmpuint (counts.n_done + counts.n_failed, ==, n_cells);
  for (guint cell = 0; cell < n_cells; cell++)
    {
      gboolean         is_done;
      g_autofree char *line = scope_sweep_folder_read (folder, cell, &is_done);
      g_autofree char *expected = g_strdup_printf ("{\"cell\": %u}", cell);

      g_assert_cmpstr (line, ==, expected);
    }
  *calls = (double) shared->effort.n_calls / n_cells;
  *entries = (double) shared->effort.n_entries / n_cells;
  munmap (shared, sizeof (Shared));
}

static void
test_ten_thousand_cells_are_done_once (Place *place, gconstpointer unused G_GNUC_UNUSED)
{
  double calls[2], entries[2];
  Place  small = { g_build_filename (place->path, "small", NULL) };
  Place  large = { g_build_filename (place->path, "large", NULL) };

  g_mkdir (small.path, 0700);
  g_mkdir (large.path, 0700);
  simulate (&small, 1000, &calls[0], &entries[0]);
  simulate (&large, 10000, &calls[1], &entries[1]);
  g_test_message ("for each cell: %.2f and %.2f calls, %.2f and %.2f names",
                  calls[0],
                  calls[1],
                  entries[0],
                  entries[1]);
  /* At best six for a cell: rename, look for a result, write (2), remove an old failure, remove the claim. */
  g_assert_cmpfloat (calls[1], <, 10);
  g_assert_cmpfloat (calls[1], <, 1.5 * calls[0]);
  g_assert_cmpfloat (entries[1], <, 3 * N_WORKERS * (N_ROUNDS + 1));
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
    { "one-worker-does-the-cells-in-order", test_one_worker_does_the_cells_in_order },
    { "a-released-cell-is-done-by-another", test_a_released_cell_is_done_by_another },
    { "cells-of-workers-that-are-gone-are-recovered",
      test_cells_of_workers_that_are_gone_are_recovered },
    { "a-claimed-cell-with-a-result-is-not-done-again",
      test_a_claimed_cell_with_a_result_is_not_done_again },
    { "failures-are-retried-only-when-asked", test_failures_are_retried_only_when_asked },
    { "lost-and-foreign-files-do-no-harm", test_lost_and_foreign_files_do_no_harm },
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
