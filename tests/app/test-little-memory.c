/* test-little-memory.c — commands in a process that may have little memory end with a sentence.
 *
 * They neither crash nor wait without end for memory that does not come.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "hscope-fixture.h"
#include "tests/program.h"

#include <string.h>

#define OUT_OF_SPACE 127 /* the dynamic loader has no room for libraries */

static void
test_little_memory (Fixture *fixture, gconstpointer unused G_GNUC_UNUSED)
{
#ifdef __SANITIZE_ADDRESS__ /* the sanitizer reserves terabytes of addresses */
  (void) fixture;
#else
  static const char *const commands[] = {
    "run m-symbol.json --shape data=2,512 --init uniform",
    "train gallery:mlp --epochs 1 --sample -1",
    "profile m-symbol.json --shape data=2,512 --init uniform --repeat 3",
    "render m-symbol.json --output m.svg",
    "info m-symbol.json",
  };
  static const guint mebibytes[] = { 60, 90, 120, 160, 200, 300, 1000 };

  for (guint c = 0; c < G_N_ELEMENTS (commands); c++)
    for (guint m = 0; m < G_N_ELEMENTS (mebibytes); m++)
      {
        g_autofree char *line =
            g_strdup_printf ("cd '%s'; test -f m-symbol.json || '" HSCOPE
                             "' new gallery:mlp --output m; ulimit -v %u; '" HSCOPE "' %s",
                             fixture->folder, mebibytes[m] * 1024, commands[c]);

        /* A signal shows as a status of 128 and more. */
        fixture_run (fixture, (char *[]){ (char *) "/bin/sh", (char *) "-c", line, NULL });
        g_test_message ("%s, %u MiB: %d, %s", commands[c], mebibytes[m], fixture->code,
                        fixture->err);
        g_assert_true (fixture->code == 0 || fixture->code == 4 || fixture->code == OUT_OF_SPACE);
        if (fixture->code != 0)
          g_assert_nonnull (strstr (fixture->err, "error"));
        if (mebibytes[m] == 1000)
          g_assert_cmpint (fixture->code, ==, 0);
      }
#endif
}

TEST_PROGRAM (test_little_memory)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add ("/app/little-memory/commands-end-with-a-sentence", Fixture, NULL, fixture_set_up,
              test_little_memory, fixture_tear_down);
  return g_test_run ();
}
