/* test-ignored-options.c — a command accepts the common options that it uses, and refuses all others.
 *
 * A row names what a command uses.  Options that need another option are refused without it.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/command/frame/command-list.h"
#include "tests/app/hscope-fixture.h"
#include "tests/program.h"

#include <string.h>

/* Options that no group is without: they limit and report every command. */
#define ALWAYS " json quiet progress limit-memory limit-work limit-cpu "
#define MODEL  " params epoch plugin "
#define TYPES  " shape dim no-guess dtype "
#define FIXED  " shape dim dtype "
#define DEVICE " device math threads "
#define PLANS  " mode plan-without dump-after "
#define FOLDS  " fold-parameters freeze-parameters "

static const struct
{
  const char *command, *used;
} rows[] = {
  { "info", MODEL FIXED " each jobs " },
  { "check", MODEL FIXED " each jobs " },
  { "run", MODEL TYPES DEVICE PLANS " seed train init random-values each jobs target " FOLDS },
  { "profile", MODEL TYPES DEVICE PLANS " seed train init random-values target " FOLDS },
  { "train", MODEL FIXED DEVICE PLANS " seed init target " },
  { "render", MODEL TYPES },
  { "convert", MODEL TYPES " each jobs target " },
  { "extract", MODEL FIXED },
  { "prove", MODEL TYPES DEVICE " mode plan-without seed train init each jobs target " },
  { "compare",
    MODEL TYPES DEVICE " mode plan-without seed train init random-values target " FOLDS },
  { "diff", MODEL TYPES },
  { "import", MODEL FIXED },
  { "trace", " plugin " },
  { "bench", DEVICE PLANS },
  { "selftest", DEVICE " seed " },
};

static const char *const common[] = {
  "params",
  "epoch",
  "plugin",
  "shape",
  "dim",
  "no-guess",
  "dtype",
  "device",
  "math",
  "threads",
  "seed",
  "mode",
  "train",
  "init",
  "random-values",
  "each",
  "plan-without",
  "dump-after",
  "fold-parameters",
  "jobs",
  "target",
  "freeze-parameters",
};

/* Options of a command's own that are called like a common one. */
static gboolean
has_own (const ScopeCommand *command, const char *option)
{
  for (guint i = 0; command->options && command->options[i].long_name; i++)
    if (strcmp (command->options[i].long_name, option) == 0)
      return TRUE;
  return FALSE;
}

static const char *
find_row (const char *command)
{
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    if (strcmp (rows[i].command, command) == 0)
      return rows[i].used;
  return "";
}

static void
test_options (void)
{
  guint n_refused = 0;

  for (guint c = 0; scope_commands[c]; c++)
    {
      const ScopeCommand *command = scope_commands[c];
      g_autoptr (GArray) entries =
          scope_common_options_list (command->option_groups, command->unused_options);

      for (guint o = 0; o < G_N_ELEMENTS (common); o++)
        {
          g_autofree char *word = g_strconcat (" ", common[o], " ", NULL);
          gboolean         is_used = strstr (find_row (command->name), word) != NULL;
          gboolean         is_accepted = FALSE;

          for (guint e = 0; e < entries->len; e++)
            is_accepted |=
                strcmp (g_array_index (entries, GOptionEntry, e).long_name, common[o]) == 0;
          if (has_own (command, common[o]))
            continue;
          if (is_accepted != is_used)
            fixture_complain ("hscope %s: --%s is %s", command->name, common[o],
                              is_accepted ? "accepted, but no row says that it is used"
                                          : "refused, but a row says that it is used");
          n_refused += !is_accepted;
        }
    }
  g_assert_cmpuint (n_refused, >, 100);
}

/* Each line ends with 2. */
static void
test_lines (Fixture *fixture, gconstpointer unused G_GNUC_UNUSED)
{
  static const char *const lines[] = {
    "hscope info gallery:mlp --no-guess",
    "hscope check gallery:mlp --train",
    "hscope prove gallery:mlp gallery:mlp --dump-after fold",
    "hscope prove gallery:mlp gallery:mlp --random-values",
    "hscope prove gallery:mlp gallery:mlp --init zeros",
    "hscope bench --seed 3 --list",
    "hscope selftest --mode static",
    "hscope compare gallery:mlp --dump-after fold",
    "hscope info gallery:mlp --dtype float64",
    "hscope info gallery:mlp --jobs 2",
  };

  for (guint i = 0; i < G_N_ELEMENTS (lines); i++)
    {
      fixture_run_line (fixture, lines[i]);
      if (fixture->code != 2)
        fixture_complain ("%s ends with %d:\n%s", lines[i], fixture->code, fixture->err);
    }
  fixture_run_line (fixture, "hscope info gallery:mlp --epoch 3");
  g_assert_cmpint (fixture->code, ==, 3);
}

TEST_PROGRAM (test_ignored_options)
{
  g_test_init (&argc, &argv, NULL);
  g_test_set_nonfatal_assertions ();
  g_test_add_func ("/ignored-options/every-command", test_options);
  g_test_add ("/ignored-options/lines", Fixture, NULL, fixture_set_up, test_lines,
              fixture_tear_down);
  return g_test_run ();
}
