/* test-output-links.c — files that are named after a prefix are not written through links out of their folder.
 *
 * A folder may be a stranger's, and so may links in it be; the user has named a prefix, and none of these files.  An output whose
 * whole name was given is written through a link.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/app/hscope-fixture.h"
#include "tests/program.h"

#include <string.h>

static const struct
{
  const char *name; /* of a link to ../mine */
  const char *line; /* in the folder of the link */
} refused[] = {
  { "out-symbol.json", "hscope new mlp --output out" },
  { "out-0000.params", "hscope new mlp --output out" },
  { "out-symbol.json", "hscope convert ../net-symbol.json --weights float16 --output out" },
  { "out-0000.params", "hscope check ../net-symbol.json --repair out" },
  { "out-0000.params", "hscope extract ../net-symbol.json --output out" },
  { "out-0001.params", "hscope train gallery:mlp --epochs 1 --output out" },
  { "out-0001.states", "hscope train gallery:mlp --epochs 1 --output out" },
  { "out-0-as-is-static.hscope",
    "hscope compare gallery:mlp --modes static,hybrid --repeat 1 --no-ladder --captures out" },
  { "out-0001.states",
    "mkdir -p ../c/hybridscope ../far && printf '[far]\\nlauncher = env\\nprogram = %s\\n"
    "folder = %s\\n' " HSCOPE " \"$PWD/../far\" >../c/hybridscope/targets.ini && "
    "export XDG_CONFIG_HOME=\"$PWD/../c\" && "
    "hscope train gallery:mlp --epochs 1 --output out --target far" },
  { "set", "hscope convert --each .. --weights float16 --output ." },
  { "net-symbol.json", "hscope convert --each .. --weights float16 --output ." },
};

static void
test_refused (Fixture *fixture, gconstpointer unused G_GNUC_UNUSED)
{
  fixture_run_line (fixture,
                    "hscope new mlp --output net && mkdir set && hscope new mlp --output set/net");
  for (guint i = 0; i < G_N_ELEMENTS (refused); i++)
    {
      g_autofree char *line =
          g_strdup_printf ("rm -rf here mine; mkdir here mine-folder; echo whole >mine; cd here; "
                           "ln -s ../%s %s; %s 2>&1; code=$?; cd ..; cat mine; ls mine-folder; "
                           "rmdir mine-folder; exit $code",
                           g_str_equal (refused[i].name, "set") ? "mine-folder" : "mine",
                           refused[i].name, refused[i].line);

      fixture_run_line (fixture, line);
      if (fixture->code != 3 || !strstr (fixture->out, "a link out of its folder") ||
          !g_str_has_suffix (fixture->out, "whole\n"))
        fixture_complain ("%s -> ../mine\n%s\nends with %d and says:\n%s", refused[i].name,
                          refused[i].line, fixture->code, fixture->out);
    }
}

/* A link within the folder is kept, and one that was named is followed. */
static void
test_followed (Fixture *fixture, gconstpointer unused G_GNUC_UNUSED)
{
  fixture_run_line (fixture, "ln -s kept.json out-symbol.json && hscope new mlp --output out && "
                             "test -L out-symbol.json && hscope info kept.json");
  g_assert_cmpint (fixture->code, ==, 0);
  fixture_run_line (fixture, "mkdir here && cd here && ln -s ../far.npz out.npz && "
                             "hscope weights ../out-0000.params --to out.npz && test -L out.npz && "
                             "hscope info ../far.npz");
  g_assert_cmpint (fixture->code, ==, 0);
}

TEST_PROGRAM (test_output_links)
{
  g_test_init (&argc, &argv, NULL);
  g_test_set_nonfatal_assertions ();
  g_test_add ("/output-links/a-prefix-is-not-written-through-links", Fixture, NULL, fixture_set_up,
              test_refused, fixture_tear_down);
  g_test_add ("/output-links/a-link-in-its-folder-and-a-named-one-are-followed", Fixture, NULL,
              fixture_set_up, test_followed, fixture_tear_down);
  return g_test_run ();
}
