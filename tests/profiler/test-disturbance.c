/* test-disturbance.c — which samples count, and what the kernel is asked about them.
 *
 * The selection is tested on made-up facts.  Facts of real samples depend on the machine, so only
 * what holds on every machine is asserted.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "profiler/capture/capture-builder.h"
#include "profiler/capture/capture-format.h"
#include "profiler/record/kernel-watch.h"
#include "tests/profiler/profile-run.h"
#include "tests/program.h"

#include <math.h>
#include <string.h>

/* A sample of one second that waited this long. */
static ProfSampleFacts
waited (double seconds)
{
  return (ProfSampleFacts){ .wall = 1, .cpu = 1, .wait = seconds };
}

static void
test_waiting_decides (void)
{
  ProfSampleFacts facts = waited (PROF_MAX_WAIT);

  facts.involuntary = 100; /* the processor was given back at once */
  g_assert_false (prof_sample_is_disturbed (&facts));
  facts.wait = PROF_MAX_WAIT * 1.01;
  g_assert_true (prof_sample_is_disturbed (&facts));
  /* The same wait within a longer sample. */
  facts.wall = 2;
  g_assert_false (prof_sample_is_disturbed (&facts));

  /* Waits are not reported: every lost processor counts. */
  facts = waited (NAN);
  g_assert_false (prof_sample_is_disturbed (&facts));
  facts.involuntary = 1;
  g_assert_true (prof_sample_is_disturbed (&facts));
}

static void
test_disturbed_samples_are_left_out (void)
{
  ProfSampleFacts        facts[PROF_MIN_UNDISTURBED + 2];
  const ProfSampleFacts *series = facts;
  guint                  n = G_N_ELEMENTS (facts), index[G_N_ELEMENTS (facts)];
  ProfDisturbance        disturbance;
  g_autofree char       *sentence = NULL;

  for (guint i = 0; i < n; i++)
    facts[i] = waited (i == 0 || i == 3 ? 0.5 : 0);
  g_assert_cmpuint (prof_select_undisturbed (&series, 1, n, index, &disturbance), ==, n - 2);
  g_assert_cmpuint (index[0], ==, 1);
  g_assert_cmpuint (index[1], ==, 2);
  g_assert_cmpuint (index[2], ==, 4);
  g_assert_true (disturbance.is_known);
  g_assert_false (disturbance.uses_all);
  g_assert_cmpuint (disturbance.n_disturbed, ==, 2);
  sentence = prof_disturbance_sentence (&disturbance);
  g_assert_nonnull (strstr (sentence, "2 of 8"));
}

static void
test_too_few_undisturbed_samples_use_all (void)
{
  ProfSampleFacts        facts[PROF_MIN_UNDISTURBED];
  const ProfSampleFacts *series = facts;
  guint                  n = G_N_ELEMENTS (facts), index[G_N_ELEMENTS (facts)];
  ProfDisturbance        disturbance;
  g_autofree char       *sentence = NULL;

  for (guint i = 0; i < n; i++)
    facts[i] = waited (i == 2 ? 0.5 : 0);
  g_assert_cmpuint (prof_select_undisturbed (&series, 1, n, index, &disturbance), ==, n);
  for (guint i = 0; i < n; i++)
    g_assert_cmpuint (index[i], ==, i);
  g_assert_true (disturbance.uses_all);
  sentence = prof_disturbance_sentence (&disturbance);
  g_assert_nonnull (strstr (sentence, "uses all"));

  /* Few samples, all undisturbed: nothing to say. */
  facts[2] = waited (0);
  g_assert_cmpuint (prof_select_undisturbed (&series, 1, 2, index, &disturbance), ==, 2);
  g_assert_false (disturbance.uses_all);
  g_assert_null (prof_disturbance_sentence (&disturbance));
}

static void
test_pairs_need_both_samples (void)
{
  ProfSampleFacts        a[PROF_MIN_UNDISTURBED + 2], b[PROF_MIN_UNDISTURBED + 2];
  const ProfSampleFacts *series[] = { a, b, NULL };
  guint                  n = G_N_ELEMENTS (a), index[G_N_ELEMENTS (a)];
  ProfDisturbance        disturbance;

  for (guint i = 0; i < n; i++)
    {
      a[i] = waited (i == 1 ? 0.5 : 0);
      b[i] = waited (i == 6 ? 0.5 : 0);
    }
  g_assert_cmpuint (prof_select_undisturbed (series, 3, n, index, &disturbance), ==, n - 2);
  g_assert_cmpuint (index[1], ==, 2);
  g_assert_cmpuint (index[4], ==, 5);
  g_assert_cmpuint (index[5], ==, 7);
  g_assert_true (disturbance.is_known);

  /* Nothing is known about the samples of older captures. */
  g_assert_cmpuint (prof_select_undisturbed (&series[2], 1, n, index, &disturbance), ==, n);
  g_assert_false (disturbance.is_known);
}

static void
test_samples_have_facts (void)
{
  g_autoptr (TestModel) model = test_model_unrolled (4, 16, 2);
  g_autoptr (ProfCapture) capture = test_model_capture (model, HYB_MODE_STATIC, FALSE);
  static const ProfSampleKind kinds[] = { PROF_SAMPLE_CLEAN, PROF_SAMPLE_TRACED,
                                          PROF_SAMPLE_EXACT };

  for (guint k = 0; k < G_N_ELEMENTS (kinds); k++)
    {
      guint                       n;
      g_autofree double          *samples = prof_capture_dup_samples (capture, kinds[k], &n);
      g_autofree ProfSampleFacts *facts = prof_capture_dup_sample_facts (capture, kinds[k]);

      g_assert_cmpuint (n, >, 0);
      g_assert_nonnull (facts);
      for (guint i = 0; i < n; i++)
        {
          g_assert_cmpfloat (facts[i].wall, >=, samples[i]);
          g_assert_cmpfloat (facts[i].cpu, >=, 0);
          g_assert_true (isnan (facts[i].wait) || facts[i].wait >= 0);
        }
    }
  g_assert_null (prof_capture_dup_sample_facts (capture, PROF_SAMPLE_WARM));
}

/* Captures of earlier versions have neither this section nor its row in the table of sections. */
static void
test_captures_without_facts_open (void)
{
  g_autoptr (ProfBuilder) builder = prof_builder_new ();
  g_autoptr (GBytes) bytes = NULL;
  g_autoptr (GBytes) written = NULL;
  ProfHeader *header;
  gsize       size;
  g_autoptr (ProfCapture) capture = NULL;
  g_autoptr (GError) error = NULL;
  g_autofree double *samples = NULL;
  ProfDisturbance    disturbance;
  guint              n;

  for (guint i = 0; i < 3; i++)
    prof_builder_add_sample (builder, PROF_SAMPLE_CLEAN, i, 1 + i);
  written = prof_builder_finish (builder);
  header = g_bytes_unref_to_data (g_steal_pointer (&written), &size);
  header->n_sections = PROF_SECTION_FACTS;
  bytes = g_bytes_new_take (header, size);
  capture = prof_capture_new (bytes, "test", &error);
  g_assert_no_error (error);
  samples = prof_capture_dup_undisturbed (capture, &n, &disturbance);
  g_assert_cmpuint (n, ==, 3);
  g_assert_false (disturbance.is_known);
}

/* Sets *stop when the test ends. */
static gpointer
burn (gpointer stop)
{
  while (!g_atomic_int_get ((gint *) stop))
    ;
  return NULL;
}

static void
test_work_of_other_threads_is_counted (void)
{
  g_autoptr (ProfKernelWatch) watch = prof_kernel_watch_new ();
  gint            stop = 0;
  ProfSampleFacts facts;
  GThread        *thread;

  /* The watch was made before the thread. */
  thread = g_thread_new ("burn", burn, &stop);
  prof_kernel_watch_begin (watch, TRUE);
  g_usleep (50000);
  prof_kernel_watch_end (watch, 0.05, &facts);
  g_atomic_int_set (&stop, 1);
  g_thread_join (thread);
  g_assert_cmpfloat (facts.cpu, >, 0);
  g_assert_cmpuint (facts.voluntary, >, 0); /* sleeping gives the processor back */

  /* The thread is gone, and another one has its place. */
  prof_kernel_watch_begin (watch, TRUE);
  prof_kernel_watch_end (watch, 1, &facts);
  g_assert_cmpfloat (facts.wall, ==, 1);
}

TEST_PROGRAM (test_disturbance)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/profiler/disturbance/waiting-decides", test_waiting_decides);
  g_test_add_func ("/profiler/disturbance/disturbed-samples-are-left-out",
                   test_disturbed_samples_are_left_out);
  g_test_add_func ("/profiler/disturbance/too-few-undisturbed-samples-use-all",
                   test_too_few_undisturbed_samples_use_all);
  g_test_add_func ("/profiler/disturbance/pairs-need-both-samples", test_pairs_need_both_samples);
  g_test_add_func ("/profiler/disturbance/samples-have-facts", test_samples_have_facts);
  g_test_add_func ("/profiler/disturbance/captures-without-facts-open",
                   test_captures_without_facts_open);
  g_test_add_func ("/profiler/disturbance/work-of-other-threads-is-counted",
                   test_work_of_other_threads_is_counted);

  return g_test_run ();
}
