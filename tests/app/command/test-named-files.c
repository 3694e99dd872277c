/* test-named-files.c — a parameter file that is named is the one that is read, or the command fails.
 *
 * Each row is a line of the shell in a folder with two models, its status, and a sentence.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/app/hscope-fixture.h"
#include "tests/program.h"

#include <string.h>

typedef struct
{
  const char *line;
  int         code;
  const char *says;     /* in stdout or stderr; NULL: anything */
  const char *does_not; /* must not occur there; NULL: nothing */
} Row;

static const Row rows[] = {
  /* Parameters of another model that are named stay, though a file beside them fits; nothing is written. */
  { "hscope check net-symbol.json other-0000.params --repair out/fixed", 1, "net-0000.params",
    "took the parameters" },
  { "hscope check net-symbol.json --params other-0000.params --repair out/fixed", 1,
    "net-0000.params", "took the parameters" },
  { "test ! -e out/fixed-0000.params", 0, NULL, NULL },
  /* Those that were found by their epoch are replaced by the only file that fits … */
  { "cp other-0000.params net-0003.params && hscope check net-symbol.json --repair out/fixed", 1,
    "took the parameters from", NULL },
  /* … but by none of two. */
  { "cp net-0000.params net-0001.params && hscope check net-symbol.json --repair out/fixed", 1,
    "2 files beside it fit, so none is taken", "took the parameters" },
  { "hscope check net-symbol.json", 1, "net-0001.params", NULL },
  /* One of two names would be ignored. */
  { "hscope info net-symbol.json net-0000.params --params other-0000.params", 2,
    "two parameter files", NULL },
  { "hscope run net-symbol.json net-0000.params --epoch 3", 2, "--epoch 3", NULL },
  { "hscope check net-symbol.json --params net-0000.params --epoch 0", 2, "--epoch 0", NULL },
  { "hscope info net-symbol.json --params absent.params", 3, "absent.params", NULL },
  /* Of prove, the epoch is that of the model whose parameters are not named. */
  { "hscope prove net-symbol.json net-symbol.json --params net-0000.params --epoch 1", 0, "equal",
    NULL },
  { "hscope prove net-symbol.json net-symbol.json --params-b net-0000.params --epoch 1", 0, "equal",
    NULL },
  { "hscope prove net-symbol.json net-symbol.json --params net-0000.params --params-b "
    "net-0001.params --epoch 1",
    2, "--epoch 1", NULL },
};

static void
test_named_files (Fixture *fixture, gconstpointer unused G_GNUC_UNUSED)
{
  fixture_run_line (fixture,
                    "hscope new mlp --output net && hscope new lenet --output other && mkdir out");
  g_assert_cmpint (fixture->code, ==, 0);
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      const Row       *row = &rows[i];
      g_autofree char *text = NULL;

      fixture_run_line (fixture, row->line);
      text = g_strconcat (fixture->out, fixture->err, NULL);
      if (fixture->code != row->code || (row->says && !strstr (text, row->says)) ||
          (row->does_not && strstr (text, row->does_not)))
        fixture_complain ("%s\nends with %d and says:\n%s", row->line, fixture->code, text);
    }
}

TEST_PROGRAM (test_named_files)
{
  g_test_init (&argc, &argv, NULL);
  g_test_set_nonfatal_assertions ();
  g_test_add ("/named-files/rows", Fixture, NULL, fixture_set_up, test_named_files,
              fixture_tear_down);
  return g_test_run ();
}
