/* test-run-commands.c — commands that the window starts: the limit of time of a run, and the forms of a conversion.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/document/run-options.h"
#include "app/process/conversion.h"
#include "tests/program.h"

#include <string.h>

static const char *
value_of (char **arguments, const char *option)
{
  for (guint i = 0; arguments[i]; i++)
    if (strcmp (arguments[i], option) == 0)
      return arguments[i + 1];
  return NULL;
}

static void
test_patience (void)
{
  static const struct
  {
    int         patience;
    const char *limit;
  } cases[] = { { 0, NULL }, { 1, "1" }, { 60, "60" } };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      ScopeRunOptions options = { .device = (char *) "cpu", .patience = cases[i].patience };
      g_auto (GStrv) arguments =
          scope_run_options_values (&options, &(ScopeRunModel){ .name = "net-symbol.json" });

      g_assert_cmpstr (arguments[0], ==, "run");
      g_assert_cmpstr (value_of (arguments, "--time-limit"), ==, cases[i].limit);
    }
}

static void
test_folding (void)
{
  static const struct
  {
    const char *mode;
    gboolean    fold, train, backward, is_asked;
  } cases[] = {
    { "static", FALSE, FALSE, FALSE, FALSE }, { "static", TRUE, FALSE, FALSE, TRUE },
    { "hybrid", TRUE, FALSE, FALSE, TRUE },   { "imperative", TRUE, FALSE, FALSE, FALSE },
    { "static", TRUE, TRUE, FALSE, FALSE },   { "static", TRUE, FALSE, TRUE, FALSE },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      ScopeRunOptions options = { .device = (char *) "cpu",
                                  .mode = (char *) cases[i].mode,
                                  .fold = cases[i].fold,
                                  .train = cases[i].train,
                                  .backward = cases[i].backward };
      g_autoptr (GError) error = NULL;
      g_auto (GStrv) command =
          scope_run_options_command (&options, "hscope",
                                     &(ScopeRunModel){ .name = "net-symbol.json" }, "net.hscope",
                                     &error);

      g_assert_no_error (error);
      g_assert_cmpint (g_strv_contains ((const char *const *) command, "--fold-parameters"), ==,
                       cases[i].is_asked);
    }
}

static void
test_forms (void)
{
  const char *const *forms = scope_conversion_forms ();

  for (guint i = 0; i < 4; i++)
    g_assert_nonnull (forms[i]);
  g_assert_null (forms[4]); /* read here and not by GLib, so that a sanitizer sees it */
  g_assert_true (g_strv_contains (forms, "unrolled"));
  g_assert_true (g_strv_contains (forms, "fused"));
}

TEST_PROGRAM (test_run_commands)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/app/run-commands/no-patience-is-no-limit", test_patience);
  g_test_add_func ("/app/run-commands/only-plans-for-inference-are-folded", test_folding);
  g_test_add_func ("/app/run-commands/a-model-has-four-forms", test_forms);
  return g_test_run ();
}
