/* test-machine-facts.c — sizes of caches are found in rates that drop, and nothing where they do not.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "profiler/machine/machine-facts.h"

#include "engine/kernels/simd/processor.h"
#include "tests/program.h"

#include <math.h>
#include <string.h>

/* A machine as the rates show it, whose caches end at these sizes. */
static void
make_view (ProfMachineView *view, const double *ends, const double *rates)
{
  *view = (ProfMachineView){ 0 };
  for (double bytes = 4096; bytes < 1e9 && view->n_sizes < PROF_MAX_SIZES; bytes *= G_SQRT2)
    {
      guint level = 0;

      while (level < 3 && bytes > ends[level] * 1.01)
        level++;
      view->sizes[view->n_sizes] = (gsize) bytes;
      view->reads[view->n_sizes++] = rates[level];
    }
}

/* Fills the machine as prof_machine_facts_find() does. */
static void
find (const ProfMachineView *view, HybMachine *machine)
{
  *machine = (HybMachine){ 0 };
  for (guint i = 0; i < PROF_N_MACHINE_FACTS; i++)
    prof_machine_fact_set (&prof_machine_facts[i], machine,
                           prof_machine_facts[i].get (view, machine));
}

static void
assert_size (double got, double want)
{
  g_assert_cmpfloat (got, <=, want * 1.02);
  g_assert_cmpfloat (got * 1.5, >=, want);
}

/* What the processor reports, and caches a quarter as large, as in a virtual machine that reports others. */
static void
test_sizes (void)
{
  const HybProcessor *processor = hyb_processor ();

  for (double part = 1; part >= 0.25; part /= 4)
    {
      const double    ends[] = { (double) processor->first_cache * part,
                                 (double) processor->second_cache * part,
                                 (double) processor->last_cache * part };
      ProfMachineView view;
      HybMachine      machine;

      if (ends[2] < 8 * ends[1] || ends[1] < 8 * ends[0] || ends[2] > 2e8)
        {
          g_test_skip ("the caches of this processor lie too near to each other, or are too large");
          return;
        }
      make_view (&view, ends, (double[]){ 4e11, 2e11, 1e11, 3e10 });
      find (&view, &machine);
      assert_size (machine.first_cache, ends[0]);
      assert_size (machine.second_cache, ends[1]);
      assert_size (machine.last_cache, ends[2]);
      g_assert_cmpfloat (machine.first_rate, ==, 4e11);
      g_assert_cmpfloat (machine.second_rate, ==, 2e11);
      g_assert_cmpfloat (machine.last_rate, ==, 1e11);
      g_assert_cmpfloat (machine.memory_rate, ==, 3e10);
    }
}

/* Time may end, and the largest set may be, just behind the last cache. */
static void
test_a_drop_at_the_end (void)
{
  const HybProcessor *processor = hyb_processor ();
  const double        ends[] = { (double) processor->first_cache, (double) processor->second_cache,
                                 (double) processor->last_cache };
  ProfMachineView     view;
  HybMachine          machine;

  if (ends[2] > 2e8 || ends[2] < 4 * ends[1])
    {
      g_test_skip ("the last-level cache of this processor is too large or too small");
      return;
    }
  make_view (&view, ends, (double[]){ 4e11, 2e11, 1e11, 3e10 });
  while ((double) view.sizes[view.n_sizes - 2] > ends[2] * 1.01)
    view.reads[--view.n_sizes] = 0;
  find (&view, &machine);
  assert_size (machine.last_cache, ends[2]);
}

static void
test_no_drop (void)
{
  ProfMachineView view;
  HybMachine      machine;

  make_view (&view, (double[]){ 1e5, 1e6, 1e7 }, (double[]){ 1e11, 0.95e11, 0.9e11, 0.85e11 });
  find (&view, &machine);
  g_assert_cmpfloat (machine.first_cache, ==, 0);
  g_assert_cmpfloat (machine.second_cache, ==, 0);
  g_assert_cmpfloat (machine.last_cache, ==, 0);

  view = (ProfMachineView){ 0 };
  find (&view, &machine);
  for (guint i = 0; i < PROF_N_MACHINE_FACTS; i++)
    g_assert_cmpfloat (prof_machine_fact_get (&prof_machine_facts[i], &machine), ==, 0);
}

/* Loads are those of a cycle. */
static void
test_loads (void)
{
  ProfMachineView view = { .rates = { [PROF_RATE_CLOCK] = 4e9, [PROF_RATE_LOADS] = 8e9 } };
  HybMachine      machine;

  find (&view, &machine);
  g_assert_cmpfloat (machine.clock, ==, 4e9);
  g_assert_cmpfloat (machine.loads, ==, 2);
}

static void
test_bounds (void)
{
  g_assert_true (prof_machine_facts_are_possible (&(HybMachine){ 0 }));
  for (guint i = 0; i < PROF_N_MACHINE_FACTS; i++)
    {
      const ProfMachineFact *fact = &prof_machine_facts[i];
      HybMachine             machine = { 0 };

      prof_machine_fact_set (fact, &machine, fact->stored.low);
      g_assert_true (prof_machine_facts_are_possible (&machine));
      prof_machine_fact_set (fact, &machine, fact->stored.low * 0.999);
      g_assert_false (prof_machine_facts_are_possible (&machine));
      prof_machine_fact_set (fact, &machine, fact->stored.high * 1.001);
      g_assert_false (prof_machine_facts_are_possible (&machine));
      prof_machine_fact_set (fact, &machine, NAN);
      g_assert_false (prof_machine_facts_are_possible (&machine));
      for (guint other = 0; other < i; other++)
        {
          g_assert_cmpstr (fact->stored.key, !=, prof_machine_facts[other].stored.key);
          g_assert_cmpuint (fact->offset, !=, prof_machine_facts[other].offset);
        }
    }
}

/* Without time nothing is measured, and kernels choose as before. */
static void
test_deadline (void)
{
  g_autoptr (ProfMachineSamples) samples = prof_machine_samples_new (0);
  HybMachine machine;

  hyb_machine_use (&(HybMachine){ .second_cache = 77777 });
  g_assert_nonnull (samples);
  g_assert_false (prof_machine_samples_add_round (samples));
  g_assert_cmpfloat (hyb_machine_get ()->second_cache, ==, 77777);
  hyb_machine_use (NULL);
  prof_machine_facts_find (samples, &machine);
  for (guint i = 0; i < PROF_N_MACHINE_FACTS; i++)
    g_assert_cmpfloat (prof_machine_fact_get (&prof_machine_facts[i], &machine), ==, 0);
}

TEST_PROGRAM (test_machine_facts)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/profiler/machine-facts/caches-end-where-rates-drop", test_sizes);
  g_test_add_func ("/profiler/machine-facts/no-drop-is-no-cache", test_no_drop);
  g_test_add_func ("/profiler/machine-facts/a-drop-at-the-end-is-found", test_a_drop_at_the_end);
  g_test_add_func ("/profiler/machine-facts/loads-are-counted-in-cycles", test_loads);
  g_test_add_func ("/profiler/machine-facts/each-fact-has-bounds-and-a-place", test_bounds);
  g_test_add_func ("/profiler/machine-facts/no-time-is-no-fact", test_deadline);
  return g_test_run ();
}
