/* test-counters.c — hardware and kernel counters.
 *
 * Decoding is tested on made-up words; the rest runs with the counters that this machine has.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "profiler/base/clock.h"
#include "profiler/record/counters.h"
#include "tests/program.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

static void
compute_for (guint64 nanoseconds)
{
  guint64 end = prof_clock_now () + nanoseconds;

  while (prof_clock_now () < end)
    ;
}

/* The values of a group that ran half of the time are doubled. */
static void
test_turns_are_scaled (void)
{
  static const guint64 words[] = { 2, 1000, 500, 30, 8 };
  static const guint64 never[] = { 2, 1000, 0, 0, 0 };
  static const guint64 others[] = { 3, 1000, 1000, 30, 8, 1 };
  double               values[2] = { -1, -1 };

  g_assert_true (prof_counters_decode (words, G_N_ELEMENTS (words), 2, values));
  g_assert_cmpfloat (values[0], ==, 60);
  g_assert_cmpfloat (values[1], ==, 16);
  values[0] = -1;
  g_assert_false (prof_counters_decode (words, 4, 2, values));
  g_assert_false (prof_counters_decode (words, 2, 2, values));
  g_assert_false (prof_counters_decode (never, G_N_ELEMENTS (never), 2, values));
  g_assert_false (prof_counters_decode (others, G_N_ELEMENTS (others), 2, values));
  g_assert_cmpfloat (values[0], ==, -1);
}

static void
test_page_faults_are_counted (void)
{
  g_autoptr (ProfCounters) counters = prof_counters_new ();
  gsize          page = (gsize) sysconf (_SC_PAGESIZE), n = 500;
  double         counts[PROF_N_COUNTS];
  char          *memory;
  volatile char *touched;

  prof_counters_begin (counters);
  memory = g_malloc (n * page);
  touched = memory;
  for (gsize i = 0; i < n; i++)
    touched[i * page] = 1;
  prof_counters_end (counters, counts);
  g_free (memory);
  /* With huge pages one fault may map many pages. */
  g_assert_cmpfloat (counts[PROF_COUNT_PAGE_FAULTS], >=, 1);
  for (guint i = 0; i < PROF_N_COUNTS; i++)
    {
      g_assert_cmpuint (strlen (prof_count_name (i)), >, 0);
      g_assert_true (isnan (counts[i]) || counts[i] >= 0);
    }
  /* Either there are hardware counters, or a reason why not. */
  g_assert_true (isfinite (counts[PROF_COUNT_CYCLES]) || prof_counters_get_reason (counters));
}

typedef struct
{
  gint is_going, is_ready;
} Worker;

static gpointer
work (gpointer data)
{
  Worker *worker = data;

  g_atomic_int_set (&worker->is_ready, TRUE);
  while (g_atomic_int_get (&worker->is_going))
    ;
  return NULL;
}

/* Threads that exist when the counters are opened are counted, too. */
static void
test_other_threads_are_counted (void)
{
  Worker   worker = { .is_going = TRUE };
  GThread *thread = g_thread_new ("worker", work, &worker);
  double   alone[PROF_N_COUNTS], both[PROF_N_COUNTS];
  gboolean is_available;

  while (!g_atomic_int_get (&worker.is_ready))
    g_usleep (100);
  {
    g_autoptr (ProfCounters) counters = prof_counters_new ();

    /* Only the worker computes while this thread sleeps. */
    prof_counters_begin (counters);
    g_usleep (100000);
    prof_counters_end (counters, both);
  }
  g_atomic_int_set (&worker.is_going, FALSE);
  g_thread_join (thread);
  {
    g_autoptr (ProfCounters) counters = prof_counters_new ();

    prof_counters_begin (counters);
    compute_for (5000000);
    prof_counters_end (counters, alone);
  }
  is_available = isfinite (both[PROF_COUNT_PROCESSOR_TIME]);
  if (!is_available)
    {
      g_test_skip ("the kernel counts nothing for this process");
      return;
    }
  g_assert_cmpfloat (both[PROF_COUNT_PROCESSOR_TIME], >, 1e-3);
  g_assert_cmpfloat (alone[PROF_COUNT_PROCESSOR_TIME], >, 1e-4);
  g_assert_true (isfinite (both[PROF_COUNT_MIGRATIONS]));
}

TEST_PROGRAM (test_counters)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/profiler/counters/turns-are-scaled", test_turns_are_scaled);
  g_test_add_func ("/profiler/counters/page-faults-are-counted", test_page_faults_are_counted);
  g_test_add_func ("/profiler/counters/other-threads-are-counted", test_other_threads_are_counted);
  return g_test_run ();
}
