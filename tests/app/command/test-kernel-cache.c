/* test-kernel-cache.c — compiled kernels in files: written for chips that are not there, used instead of compiling, and not
 * used where somebody else could have written them.
 *
 * HYB_GPU_PATH and HYB_GPU_MODULE are set by meson.build.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/app/hscope-fixture.h"
#include "tests/program.h"

#include <string.h>
#include <unistd.h>

#define RUN "hscope selftest --quick --operator relu "

/* The pretended chip is 13.0, for which NVRTC gives PTX; 7.5 and 12.0 are not there. */
#define MAKE                                                     \
  "umask 002; XDG_CACHE_HOME=$PWD/one HYB_GPU_CHIPS=75,120,130 " \
  "HYB_GPU_KERNELS=$PWD/kernels " RUN
#define USE "XDG_CACHE_HOME=$PWD/two HYB_GPU_KERNELS=$PWD/kernels " RUN

/* FALSE: NVRTC is not installed. */
static gboolean
make_kernels (Fixture *fixture)
{
  fixture_run_line (fixture, MAKE);
  if (strstr (fixture->err, "libnvrtc"))
    {
      g_test_skip ("libnvrtc.so.13 is not installed");
      return FALSE;
    }
  g_assert_cmpint (fixture->code, ==, 0);
  return TRUE;
}

static void
test_other_chips (Fixture *fixture, gconstpointer unused)
{
  g_auto (GStrv) counts = NULL;
  int n;

  if (!make_kernels (fixture))
    return;
  fixture_run_line (fixture, "ls kernels | wc -l; "
                             "grep -l --binary-files=text '^.ELF' kernels/* | wc -l; "
                             "stat -c %a kernels kernels/* | sort -u | tr '\\n' ' '");
  counts = g_strsplit (fixture->out, "\n", -1);
  g_assert_cmpuint (g_strv_length (counts), ==, 3);
  n = atoi (counts[0]);
  g_assert_cmpint (n, >, 0);
  g_assert_cmpint (n % 3, ==, 0);
  g_assert_cmpint (atoi (counts[1]), ==, n / 3 * 2); /* machine code; the third is PTX */
  g_assert_cmpstr (counts[2], ==, "600 700 ");

  /* Nothing is compiled where they are, and nothing is compiled twice. */
  fixture_run_line (fixture, USE "&& ls two/hybridscope/kernels");
  g_assert_cmpint (fixture->code, !=, 0);
  g_assert_nonnull (strstr (fixture->err, "two/hybridscope/kernels"));
  fixture_run_line (fixture,
                    "touch -d yesterday kernels/*; " MAKE "&& find kernels -mmin -600 -type f");
  g_assert_null (strstr (fixture->out, ".kernel"));
}

static void
test_strangers (Fixture *fixture, gconstpointer unused)
{
  static const char *const deeds[] = {
    "chmod 777 kernels",
    "chmod 770 kernels",
    "chmod 666 kernels/*",
    "chmod 660 kernels/*",
    "chown 65534 kernels",
    "chown 65534 kernels/*",
    "mv kernels real && mkdir -m 700 kernels && ln -s ../real/* kernels/",
    "for file in kernels/*; do printf x >>$file; done",
    "for file in kernels/*; do sed -i '2s/./X/' $file; done",
    "for file in kernels/*; do : >$file; done",
    "for file in kernels/*; do rm $file && mkfifo -m 600 $file; done",
  };

  if (!make_kernels (fixture))
    return;
  fixture_run_line (fixture, "mv kernels kept");
  for (guint i = 0; i < G_N_ELEMENTS (deeds); i++)
    {
      g_autofree char *line =
          g_strconcat ("rm -rf kernels real two && cp -rp kept kernels && ", deeds[i],
                       " && " USE "&& ls two/hybridscope/kernels/*.kernel", NULL);

      if (g_str_has_prefix (deeds[i], "chown") && geteuid () != 0)
        continue;
      fixture_run_line (fixture, line);
      if (fixture->code != 0 || !strstr (fixture->out, ".kernel"))
        fixture_complain ("%s: exit %d, %s%s", deeds[i], fixture->code, fixture->out, fixture->err);
    }
}

#define ADD(name, function) \
  g_test_add ("/app/kernel-cache/" name, Fixture, NULL, fixture_set_up, function, fixture_tear_down)

TEST_PROGRAM (test_kernel_cache)
{
  g_test_init (&argc, &argv, NULL);
  ADD ("kernels-travel-to-other-chips", test_other_chips);
  ADD ("kernels-of-strangers-are-not-loaded", test_strangers);
  return g_test_run ();
}
