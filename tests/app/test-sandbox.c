/* test-sandbox.c — what a process in the sandbox cannot do, and that every command works inside.
 *
 * Where the kernel offers a part of the sandbox not, hscope --sandbox --version says so, and what that part
 * would refuse is not expected.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "hscope-fixture.h"
#include "tests/program.h"

#include <glib/gstdio.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define ATTEMPTS APP_MODULES "/attempts.so"
#define SHAPES   "--shape data0=5,2,64 --shape data1=2,64 --shape data2=2,64"

/* Runs a line of the shell, in which $H is hscope and $F the folder. */
static void
run_line (Fixture *fixture, const char *line)
{
  g_autofree char *script =
      g_strdup_printf ("H='%s' F='%s'; cd $F; %s", HSCOPE, fixture->folder, line);

  g_test_message ("%s", line);
  fixture_run (fixture, (char *[]){ (char *) "/bin/sh", (char *) "-c", script, NULL });
}

/* A part of the sandbox, as --version names it. */
static gboolean
is_active (Fixture *fixture, const char *part)
{
  g_autofree char *missing = g_strdup_printf ("  %-15s not protected", part);

  run_line (fixture, "$H --sandbox --version");
  g_assert_cmpint (fixture->code, ==, 0);
  g_assert_nonnull (strstr (fixture->out, part));
  return !strstr (fixture->out, missing);
}

/* Whether a process may filter its calls here; asked of a child, which keeps its filter. */
static gboolean
kernel_filters_calls (void)
{
#if defined(__x86_64__) || defined(__aarch64__)
  struct sock_filter allow = BPF_STMT (BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
  struct sock_fprog  program = { 1, &allow };
  int                status = -1;
  pid_t              child = fork ();

  if (child == 0)
    _exit (prctl (PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
           syscall (__NR_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program) !=
               0);
  g_assert_cmpint (waitpid (child, &status, 0), ==, child);
  return WIFEXITED (status) && WEXITSTATUS (status) == 0;
#else
  return FALSE; /* there is no filter for this processor */
#endif
}

static gboolean
kernel_has_landlock (void)
{
  return syscall (__NR_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION) > 0;
}

/* The other tests expect nothing of a part that is said to be missing. */
static void
test_active_parts (Fixture *fixture, gconstpointer unused G_GNUC_UNUSED)
{
  g_assert_cmpint (is_active (fixture, "system calls"), ==, kernel_filters_calls ());
  g_assert_cmpint (is_active (fixture, "files"), ==, kernel_has_landlock ());
  g_assert_true (is_active (fixture, "privileges"));
  g_assert_true (is_active (fixture, "processor time"));
}

/* Makes the folder that no command writes to. */
static char *
make_place (void)
{
  char            *place = g_dir_make_tmp ("hscope-place-XXXXXX", NULL);
  g_autofree char *victim = g_build_filename (place, "victim", NULL);
  g_autofree char *second = g_build_filename (place, "second", NULL);

  g_assert_true (g_file_set_contents (victim, "whole", -1, NULL));
  g_assert_true (g_file_set_contents (second, "whole", -1, NULL));
  g_assert_cmpint (g_chmod (victim, 0600), ==, 0);
  g_setenv ("HYB_TEST_PLACE", place, TRUE);
  return place;
}

static void
remove_place (char *place)
{
  static const char *const names[] = { "victim", "second", "new", "thread", "folder" };

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autofree char *path = g_build_filename (place, names[i], NULL);

      g_remove (path);
    }
  g_assert_cmpint (g_rmdir (place), ==, 0);
  g_free (place);
}

/* --- A plug-in that tries --- */

static void
assert_refused (const Fixture *fixture, const char *const *names)
{
  for (; *names; names++)
    {
      g_autofree char *line = g_strdup_printf ("\n%s: refused\n", *names);
      g_autofree char *all = g_strdup_printf ("\n%s", fixture->err);

      if (!strstr (all, line))
        g_error ("%s is not refused: %s", *names, fixture->err);
    }
}

static void
test_plugin (Fixture *fixture, gconstpointer unused G_GNUC_UNUSED)
{
  static const char *const calls[] = { "process",      "program",  "internet",
                                       "local-socket", "mode",     "signal",
                                       "trace",        "mount",    "module",
                                       "bpf",          "keys",     "io-uring",
                                       "namespace",    "truncate", "unfiltered-thread",
                                       "control",      NULL };
  static const char *const files[] = { "file",   "change", "rename", "remove",
                                       "folder", "thread", NULL };
  static const char *const memory[] = { "memory", NULL };
  g_autofree char         *place = make_place ();
  g_autofree char         *victim = g_build_filename (place, "victim", NULL);
  g_autofree char         *contents = NULL;
  gboolean                 has_files = is_active (fixture, "files"),
           has_calls = is_active (fixture, "system calls");
  GStatBuf status;

  run_line (fixture, "$H --sandbox trace " ATTEMPTS ":trying --output out");
  g_assert_cmpint (fixture->code, ==, 0);
  if (has_calls)
    assert_refused (fixture, calls);
  if (has_files)
    assert_refused (fixture, files);
#ifndef __SANITIZE_ADDRESS__
  assert_refused (fixture, memory);
#else
  (void) memory;
#endif
  if (has_files && has_calls)
    {
      g_assert_true (g_file_get_contents (victim, &contents, NULL, NULL));
      g_assert_cmpstr (contents, ==, "whole");
      g_assert_cmpint (g_stat (victim, &status), ==, 0);
      g_assert_cmpint (status.st_mode & 0777, ==, 0600);
    }
  remove_place (g_steal_pointer (&place));
}

/* What a stranger wrote into the environment takes nothing away. */
static void
test_forged_stage (Fixture *fixture, gconstpointer unused G_GNUC_UNUSED)
{
  static const char *const stages[] = {
    "\"$(printf '0+a\\n1+forged\\n2+c\\n3+d\\n')\"",
    "0",
    "3",
    "3 3<stage",
    "99",
    "-1",
    "''",
    "3x",
    "4294967299",
  };
  static const char *const files[] = { "file",   "change", "rename", "remove",
                                       "folder", "thread", NULL };
  gboolean                 has_files = is_active (fixture, "files");

  run_line (fixture, "printf '0+a\\n1+forged\\n2+c\\n3+d\\n' >stage");
  for (guint i = 0; i < G_N_ELEMENTS (stages); i++)
    {
      char *place = make_place ();
      g_auto (GStrv) parts = g_strsplit (stages[i], " 3<", 2);
      const char      *value = strchr (stages[i], '$') ? stages[i] : parts[0];
      const char      *file = !strchr (stages[i], '$') && parts[1] ? "3<stage" : "";
      g_autofree char *line =
          g_strdup_printf ("HYBRIDSCOPE_SANDBOX_STAGE=%s $H --sandbox trace " ATTEMPTS
                           ":trying --output out %s",
                           value, file);
      g_autofree char *version =
          g_strdup_printf ("HYBRIDSCOPE_SANDBOX_STAGE=%s $H --sandbox --version %s", value, file);

      run_line (fixture, line);
      g_assert_cmpint (fixture->code, ==, 0);
      if (has_files)
        assert_refused (fixture, files);
      run_line (fixture, version);
      g_assert_null (strstr (fixture->out, "forged"));
      remove_place (place);
    }
}

/* A link in the folder of a stranger, at a name that is written, does not open the folder that it leads to. */
static void
test_output_that_is_a_link (Fixture *fixture, gconstpointer unused G_GNUC_UNUSED)
{
  static const char *const rows[][2] = {
    { "out.npz", "weights m-0000.params --to out.npz" },
    { "out-symbol.json", "new gallery:mlp --output out" },
    { "out-0000.params", "new gallery:mlp --output out" },
    { "out.svg", "render m-symbol.json --output out.svg" },
  };

  run_line (fixture,
            "mkdir home stranger; cd stranger; $H new gallery:mlp --output m; mkfifo ../home/pipe");
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autofree char *line =
          g_strdup_printf ("cd stranger; echo whole >../home/.bashrc; ln -sf ../home/.bashrc %s; "
                           "$H --sandbox %s; code=$?; cat ../home/.bashrc; rm -f %s; exit $code",
                           rows[i][0], rows[i][1], rows[i][0]);

      run_line (fixture, line);
      g_assert_cmpint (fixture->code, ==, 3);
      g_assert_cmpstr (fixture->out, ==, "whole\n");
      g_assert_nonnull (strstr (fixture->err, rows[i][0]));
      g_assert_nonnull (strstr (fixture->err, "a link out of its folder"));
    }
  /* The user who asks for no sandbox is obeyed. */
  run_line (fixture,
            "cd stranger; ln -sf ../home/.bashrc out.npz; $H weights m-0000.params --to out.npz && "
            "$H weights ../home/.bashrc; rm out.npz");
  g_assert_cmpint (fixture->code, ==, 0);
}

/* The same attempts succeed outside, so the test above can fail. */
static void
test_plugin_outside (Fixture *fixture, gconstpointer unused G_GNUC_UNUSED)
{
  static const char *const done[] = { "file: done",    "change: done",       "truncate: done",
                                      "mode: done",    "rename: done",       "remove: done",
                                      "folder: done",  "thread: done",       "process: done",
                                      "program: done", "local-socket: done", "signal: done" };
  char                    *place = make_place ();

  run_line (fixture, "$H trace " ATTEMPTS ":trying --output out");
  g_assert_cmpint (fixture->code, ==, 0);
  for (guint i = 0; i < G_N_ELEMENTS (done); i++)
    if (!strstr (fixture->err, done[i]))
      g_error ("“%s” is missing: %s", done[i], fixture->err);
  remove_place (place);
}

static void
test_time (Fixture *fixture, gconstpointer unused G_GNUC_UNUSED)
{
  g_autoptr (cJSON) json = NULL;

  run_line (fixture, "$H --sandbox trace " ATTEMPTS ":endless --output out --limit-cpu 1");
  g_assert_cmpint (fixture->code, ==, 4);
  g_assert_nonnull (strstr (fixture->err, "error: the process was stopped after 1 seconds of "
                                          "processor time, the limit. Raise it with --limit-cpu"));
  run_line (fixture, "$H trace " ATTEMPTS ":endless --output out --limit-cpu 1");
  g_assert_cmpint (fixture->code, ==, 4);
  run_line (fixture, "$H trace " ATTEMPTS ":endless --output out --limit-cpu 1 --json");
  g_assert_cmpint (fixture->code, ==, 4);
  json = parse_output (fixture);
  g_assert_true (cJSON_HasObjectItem (json, "error"));
}

/* --- Commands --- */

static void
test_commands (Fixture *fixture, gconstpointer unused G_GNUC_UNUSED)
{
  static const char *const lines[] = {
    "new gallery:foreach-rnn --output m",
    "trace gallery:foreach-rnn --output n",
    "new --list",
    "info m-symbol.json",
    "info m-0000.params",
    "check m-symbol.json --repair fixed",
    "weights m-0000.params m-0000.params",
    "weights m-0000.params --to w.npz",
    "run m-symbol.json " SHAPES " --init uniform --output o.npz",
    "run m-symbol.json " SHAPES " --init uniform --backward --gradients g.npz --aux x.npz --values",
    "render m-symbol.json --output a.svg",
    "render m-symbol.json --output a.png",
    "render m-symbol.json --output a.pdf",
    "render m-symbol.json --output a.dot",
    "render m-symbol.json --layout dot --output b.svg",
    "profile m-symbol.json " SHAPES
    " --init uniform --repeat 3 --capture c.hscope --csv c.csv --trace t.json",
    "render m-symbol.json --overlay c.hscope --output o.svg",
    "report c.hscope",
    "report c.hscope --output r.html",
    "report c.hscope --html second.html",
    "import t.json --symbol m-symbol.json --capture i.hscope",
    "convert m-symbol.json --to unrolled " SHAPES " --output u",
    "diff m-symbol.json m-symbol.json",
    "compare m-symbol.json --variants as-is,unrolled " SHAPES
    " --init uniform --repeat 3 --report k.html "
    "--captures k",
    "extract m-symbol.json --to foreachrnn0__foreach0 --output x",
    "prove m-symbol.json m-symbol.json --input g.npz",
    "train gallery:mlp --epochs 1 --sample -1 --output t --log t.jsonl",
    "bench --list",
    "bench --case rnn-infer-h8-t2-b1-cell --repeat 1",
    "info - < m-symbol.json",
    "check m-symbol.json - < m-0000.params",
    "run - " SHAPES " --init uniform --output - < m-symbol.json > piped.npz",
    "weights piped.npz",
    "render - --output - < m-symbol.json > piped.svg",
    "render - --layout dot --output - < m-symbol.json > piped-dot.svg",
    "weights - --to - < m-0000.params > piped-weights.npz",
    "weights piped-weights.npz m-0000.params",
    "profile - " SHAPES " --init uniform --repeat 3 --capture - < m-symbol.json > piped.hscope",
    "report - --output - < piped.hscope > piped.html",
    "import - --symbol m-symbol.json --capture - < t.json > piped-import.hscope",
    "run m-symbol.json " SHAPES " --init uniform --output /dev/null",
    "run m-symbol.json " SHAPES " --init uniform --output /dev/stdout",
  };

  for (guint i = 0; i < G_N_ELEMENTS (lines); i++)
    {
      g_autofree char *line = g_strdup_printf ("$H --sandbox %s", lines[i]);

      run_line (fixture, line);
      if (fixture->code != 0)
        g_error ("%s: %d, %s", lines[i], fixture->code, fixture->err);
    }
  run_line (fixture, "ls o.npz g.npz x.npz a.svg b.svg c.hscope r.html second.html t.jsonl w.npz");
  g_assert_cmpint (fixture->code, ==, 0);
}

/* A file is replaced with its mode, and a link stays one, although modes cannot be changed inside. */
static void
test_replacing (Fixture *fixture, gconstpointer unused G_GNUC_UNUSED)
{
  static const char *const modes[] = { "600", "664", "640" };

  for (guint i = 0; i < G_N_ELEMENTS (modes); i++)
    {
      g_autofree char *line =
          g_strdup_printf ("umask 022; mkdir -p other; rm -f other/*; echo old > other/w.npz; "
                           "chmod %s other/w.npz; ln -sf other/w.npz w.npz; "
                           "$H new gallery:mlp --output m >&2 && "
                           "$H --sandbox weights m-0000.params --to w.npz >&2 && "
                           "test -L w.npz && stat -c %%a other/w.npz && rm -r other w.npz",
                           modes[i]);
      g_autofree char *expected = g_strdup_printf ("%s\n", modes[i]);

      run_line (fixture, line);
      if (strcmp (fixture->out, expected) != 0)
        g_error ("%s, not %s: %s", fixture->out, expected, fixture->err);
    }
}

static void
test_options (Fixture *fixture, gconstpointer unused G_GNUC_UNUSED)
{
  gboolean is_whole = is_active (fixture, "files") && is_active (fixture, "system calls") &&
                      is_active (fixture, "privileges") && is_active (fixture, "memory") &&
                      is_active (fixture, "processor time");

  run_line (fixture, "$H --sandbox=strict sweep --output s --resume");
  g_assert_cmpint (fixture->code, ==, 2);
  g_assert_nonnull (strstr (fixture->err, "starts other commands"));
  run_line (fixture, "$H --sandbox=strict new --list");
  g_assert_cmpint (fixture->code, ==, is_whole ? 0 : 3);
  run_line (fixture, "$H --sandbox=loose new --list");
  g_assert_cmpint (fixture->code, ==, 2);
  g_assert_nonnull (strstr (fixture->err, "--sandbox=strict"));
  run_line (fixture, "$H --version");
  g_assert_null (strstr (fixture->out, "sandbox"));
}

TEST_PROGRAM (test_sandbox)
{
  g_test_init (&argc, &argv, NULL);
  /* The sanitizer looks for leaks with ptrace. */
  g_setenv ("ASAN_OPTIONS", "detect_leaks=0:allocator_may_return_null=1", TRUE);
  g_setenv ("HYBRIDSCOPE_GALLERY", HYB_GALLERY, FALSE);
#define ADD(path, test) g_test_add (path, Fixture, NULL, fixture_set_up, test, fixture_tear_down)
  ADD ("/app/sandbox/what-the-kernel-offers-is-active", test_active_parts);
  ADD ("/app/sandbox/plug-in-is-refused-what-it-tries", test_plugin);
  ADD ("/app/sandbox/plug-in-outside-does-what-it-tries", test_plugin_outside);
  ADD ("/app/sandbox/a-forged-stage-is-not-believed", test_forged_stage);
  ADD ("/app/sandbox/an-output-that-is-a-link-is-refused", test_output_that_is_a_link);
  ADD ("/app/sandbox/processor-time-is-limited", test_time);
  ADD ("/app/sandbox/every-command-works-inside", test_commands);
  ADD ("/app/sandbox/replaced-files-keep-mode-and-links", test_replacing);
  ADD ("/app/sandbox/strict-sandbox-is-whole-or-refuses", test_options);
#undef ADD
  return g_test_run ();
}
