/* test-machine.c — what is said about the machine that a recording was made on.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "profiler/base/machine.h"
#include "profiler/summary/roofline.h"
#include "tests/program.h"

#include <string.h>

static void
test_governor (void)
{
  static const struct
  {
    const char *governor, *warning;
  } cases[] = {
    { "performance", NULL },
    { "powersave", "The clock governor is not “performance”" },
    { "not available", "The clock frequency is not available" },
    { "not told", "The clock frequency is not available" }, /* in older captures */
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (ProfFacts) facts = prof_facts_new ();
      g_auto (GStrv) warnings = NULL;

      prof_facts_set (facts, "cpu.governor", cases[i].governor);
      warnings = prof_machine_warnings (facts);
      g_assert_cmpuint (g_strv_length (warnings), ==, cases[i].warning ? 1 : 0);
      if (cases[i].warning)
        g_assert_true (g_str_has_prefix (warnings[0], cases[i].warning));
    }
}

/* Times depend on them, so a recording names them. */
static void
test_libraries (void)
{
  static const char *const names[] = { "library.glib", "library.openblas", "library.openblas core",
                                       "cpu.governor", "system.kernel",    "system.host" };
  g_autoptr (ProfFacts) facts = prof_facts_new ();

  prof_machine_describe (facts);
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      const char *text = prof_facts_get_text (facts, names[i]);

      if (!text || !*text)
        g_error ("nothing is said about %s", names[i]);
    }
  g_assert_nonnull (strstr (prof_facts_get_text (facts, "library.openblas"), "OpenBLAS"));
}

/* A home that several machines share holds the peaks of each. */
static void
test_peaks_belong_to_a_machine (void)
{
  static const char *const hosts[] = { "ada", "grace", "ada" };
  static const char *const processors[] = { "Example 3000", "Example 3000", "Example [9000]" };
  g_autoptr (GHashTable) names = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);

  for (guint i = 0; i < G_N_ELEMENTS (hosts); i++)
    {
      g_autoptr (ProfFacts) facts = prof_facts_new ();
      char *name;

      prof_facts_set (facts, "system.host", hosts[i]);
      prof_facts_set (facts, "cpu.model", processors[i]);
      name = prof_roofline_dup_machine (facts);
      g_assert_true (g_hash_table_add (names, name));
    }
}

TEST_PROGRAM (test_machine)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/profiler/machine/a-clock-that-may-change-is-named", test_governor);
  g_test_add_func ("/profiler/machine/libraries-and-system-are-named", test_libraries);
  g_test_add_func ("/profiler/machine/peaks-belong-to-a-machine", test_peaks_belong_to_a_machine);
  return g_test_run ();
}
