/* test-parallel.c — every index is computed once, and the range is always split the same way.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/base/parallel.h"
#include "tests/program.h"

#include <string.h>
#include <sys/resource.h>

#define N 1000

typedef struct
{
  guint8 times[N];
  gint64 end_of[N]; /* by first index of a piece */
} Seen;

static void
note_piece (gint64 begin, gint64 end, gpointer data)
{
  Seen *seen = data;

  seen->end_of[begin] = end;
  for (gint64 i = begin; i < end; i++)
    seen->times[i]++;
}

static void
test_every_index_once (void)
{
  for (guint threads = 1; threads <= 7; threads++)
    {
      hyb_parallel_set_threads (threads);
      for (gint64 n = 0; n <= N; n += 37)
        for (gint64 grain = 1; grain < 200; grain *= 5)
          {
            Seen seen = { 0 };

            hyb_parallel_for (n, grain, note_piece, &seen);
            for (gint64 i = 0; i < N; i++)
              {
                g_assert_cmpuint (seen.times[i], ==, i < n ? 1 : 0);
                if (seen.end_of[i] > 0 && seen.end_of[i] < n)
                  g_assert_cmpint (seen.end_of[i] - i, >=, grain);
              }
          }
    }
  hyb_parallel_set_threads (0);
}

static void
test_the_same_cuts_every_time (void)
{
  Seen first = { 0 };

  hyb_parallel_set_threads (4);
  hyb_parallel_for (N, 1, note_piece, &first);
  for (int turn = 0; turn < 2000; turn++)
    {
      Seen again = { 0 };

      hyb_parallel_for (N, 1, note_piece, &again);
      g_assert_cmpmem (&first, sizeof first, &again, sizeof again);
    }
  hyb_parallel_set_threads (0);
}

static void
nested_piece (gint64 begin, gint64 end, gpointer data)
{
  Seen *seen = data;

  g_assert_true (hyb_parallel_is_inside ());
  for (gint64 i = begin; i < end; i++)
    hyb_parallel_for (N, 1, note_piece, &seen[i]);
}

static void
test_nested_calls_run_in_the_caller (void)
{
  Seen *seen = g_new0 (Seen, 8);
  Seen  alone = { 0 };

  hyb_parallel_set_threads (3);
  hyb_parallel_for (8, 1, nested_piece, seen);
  hyb_parallel_for (N, 1, note_piece, &alone);
  for (int i = 0; i < 8; i++)
    g_assert_cmpmem (&seen[i], sizeof seen[i], &alone, sizeof alone);
  g_assert_false (hyb_parallel_is_inside ());
  hyb_parallel_set_threads (0);
  g_free (seen);
}

static gpointer
hammer (gpointer data)
{
  for (int turn = 0; turn < 500; turn++)
    {
      Seen seen = { 0 };

      hyb_parallel_for (N, 10, note_piece, &seen);
      for (int i = 0; i < N; i++)
        g_assert_cmpuint (seen.times[i], ==, 1);
    }
  return NULL;
}

static void
test_two_threads_may_call_at_once (void)
{
  GThread *threads[3];

  hyb_parallel_set_threads (3);
  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    threads[i] = g_thread_new ("hammer", hammer, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    g_thread_join (threads[i]);
  hyb_parallel_set_threads (0);
}

static void
test_work_after_sleep (void)
{
  Seen seen = { 0 };

  hyb_parallel_set_threads (4);
  hyb_parallel_for (N, 1, note_piece, &seen);
  g_usleep (20000);
  hyb_parallel_for (N, 1, note_piece, &seen);
  for (int i = 0; i < N; i++)
    g_assert_cmpuint (seen.times[i], ==, 2);
  hyb_parallel_set_threads (0);
}

#define N_PIECES 3
#define N_JOBS   200

typedef struct
{
  guint         n_pieces;
  _Atomic guint n_begun;
  GThread      *threads[N_PIECES];
} Meeting;

/* Ends when all pieces have begun, so that each thread computes one. */
static void
meet (gint64 begin, gint64 end G_GNUC_UNUSED, gpointer data)
{
  Meeting *meeting = data;

  meeting->threads[begin] = g_thread_self ();
  meeting->n_begun++;
  while (meeting->n_begun < meeting->n_pieces)
    g_thread_yield ();
}

/* What a piece reads in every job stays in the cache of one core. */
static void
test_threads_keep_their_pieces (void)
{
  GThread *first[N_PIECES] = { NULL };
  guint    n_pieces;

  hyb_parallel_set_threads (N_PIECES);
  n_pieces = hyb_parallel_get_threads (); /* fewer where memory is limited */
  for (guint job = 0; job < N_JOBS; job++)
    {
      Meeting meeting = { .n_pieces = n_pieces };

      hyb_parallel_for (n_pieces, 1, meet, &meeting);
      if (job == 0)
        memcpy (first, meeting.threads, sizeof first);
      g_assert_cmpmem (meeting.threads, sizeof first, first, sizeof first);
    }
  hyb_parallel_set_threads (0);
}

/* --- More threads than cores --- */

#define N_MANY 40
/* As many as take less than a second. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define N_SHORT_JOBS 2000
#else
#define N_SHORT_JOBS 20000
#endif

typedef struct
{
  guint8 times[N_MANY];
} Short;

static void
count_numbers (gint64 begin, gint64 end, gpointer data)
{
  Short *seen = data;

  for (gint64 i = begin; i < end; i++)
    seen->times[i]++;
}

/* What is counted lies in a stack frame that ends with the job: a thread that is late counts in that of the next one. */
static G_GNUC_NO_INLINE void
run_short_job (guint turn)
{
  Short seen = { 0 };
  guint n = 2 + turn * 7 % (N_MANY - 1);

  hyb_parallel_for (n, 1, count_numbers, &seen);
  for (guint i = 0; i < N_MANY; i++)
    g_assert_cmpuint (seen.times[i], ==, i < n ? 1 : 0);
}

static void
test_short_jobs_on_many_threads (void)
{
  hyb_parallel_set_threads (N_MANY);
  for (guint turn = 0; turn < N_SHORT_JOBS; turn++)
    run_short_job (turn);
  hyb_parallel_set_threads (0);
}

/* Workers fall asleep in between. */
static void
test_short_jobs_after_pauses (void)
{
  hyb_parallel_set_threads (N_MANY);
  for (guint turn = 0; turn < N_SHORT_JOBS / 10; turn++)
    {
      if (turn % 100 == 0)
        g_usleep (300);
      run_short_job (turn);
    }
  hyb_parallel_set_threads (0);
}

/* --- Threads that cannot be made --- */

/* Sanitizers reserve more addresses than a limit may leave. */
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) && defined(__linux__)

#define N_WANTED 9

static void
do_nothing (gint64 begin G_GNUC_UNUSED, gint64 end G_GNUC_UNUSED, gpointer data G_GNUC_UNUSED)
{
}

static int
compare_names (gconstpointer a, gconstpointer b)
{
  return strcmp (*(char *const *) a, *(char *const *) b);
}

/* The numbers of all threads of the process.  (transfer full) */
static char *
list_threads (void)
{
  g_autoptr (GDir) folder = g_dir_open ("/proc/self/task", 0, NULL);
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  const char *name;

  while ((name = g_dir_read_name (folder)))
    g_ptr_array_add (names, g_strdup (name));
  g_ptr_array_sort (names, compare_names);
  g_ptr_array_add (names, NULL);
  return g_strjoinv (" ", (char **) names->pdata);
}

/* Those that there are stay, and no loop tries to make the others again. */
static void
test_missing_threads_are_not_made_again (void)
{
  struct rlimit    stack, before, limit;
  g_autofree char *status = NULL, *first = NULL, *last = NULL;
  guint64          kib;

  if (!g_test_subprocess ())
    {
      g_test_trap_subprocess (NULL, 0, G_TEST_SUBPROCESS_DEFAULT);
      g_test_trap_assert_passed ();
      return;
    }
  g_assert_true (g_file_get_contents ("/proc/self/status", &status, NULL, NULL));
  kib = g_ascii_strtoull (strstr (status, "VmSize:") + strlen ("VmSize:"), NULL, 10);
  hyb_parallel_set_threads (N_WANTED);
  if (hyb_parallel_get_threads () < N_WANTED || getrlimit (RLIMIT_STACK, &stack) != 0 ||
      getrlimit (RLIMIT_AS, &before) != 0)
    return;
  /* Room for the stacks of two threads. */
  limit = before;
  limit.rlim_cur = kib * 1024 + 5 * stack.rlim_cur / 2;
  g_assert_cmpint (setrlimit (RLIMIT_AS, &limit), ==, 0);
  hyb_parallel_for (N_WANTED * 10, 1, do_nothing, NULL);
  first = list_threads ();
  for (guint i = 0; i < 20; i++)
    hyb_parallel_for (N_WANTED * 10, 1, do_nothing, NULL);
  last = list_threads ();
  /* Threads of OpenBLAS wait for memory until the process ends. */
  g_assert_cmpint (setrlimit (RLIMIT_AS, &before), ==, 0);
  g_assert_cmpstr (first, ==, last);
}
#endif

TEST_PROGRAM (test_parallel)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/engine/base/parallel/every-index-once", test_every_index_once);
  g_test_add_func ("/engine/base/parallel/the-same-cuts-every-time", test_the_same_cuts_every_time);
  g_test_add_func ("/engine/base/parallel/nested-calls-run-in-the-caller",
                   test_nested_calls_run_in_the_caller);
  g_test_add_func ("/engine/base/parallel/two-threads-may-call-at-once",
                   test_two_threads_may_call_at_once);
  g_test_add_func ("/engine/base/parallel/work-after-sleep", test_work_after_sleep);
  g_test_add_func ("/engine/base/parallel/threads-keep-their-pieces",
                   test_threads_keep_their_pieces);
  g_test_add_func ("/engine/base/parallel/short-jobs-on-many-threads",
                   test_short_jobs_on_many_threads);
  g_test_add_func ("/engine/base/parallel/short-jobs-after-pauses", test_short_jobs_after_pauses);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) && defined(__linux__)
  g_test_add_func ("/engine/base/parallel/missing-threads-are-not-made-again",
                   test_missing_threads_are_not_made_again);
#endif

  return g_test_run ();
}
