/* test-targets.c — hscope targets, and --target: commands on a target that a local launcher stands for.
 *
 * The launchers are “sh -c” and “env”, so that the whole way is there except the network; tests/cluster/ssh.sh adds that.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/app/hscope-fixture.h"
#include "tests/program.h"

#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define TARGETS                                                    \
  "[env]\nlauncher = env NOTHING=1\nprogram = " HSCOPE "\n"        \
  "folder = FOLDER/there\n"                                        \
  "[noisy]\nlauncher = sh -c 'echo welcome; exec \"$0\" \"$@\"'\n" \
  "program = " HSCOPE "\n"                                         \
  "[plain]\nlauncher = env\nprogram = no-such-hscope\n"            \
  "[cut]\nlauncher = sh -c '\"$0\" \"$@\" & sleep 1000'\n"         \
  "program = " HSCOPE "\n"                                         \
  "[silent]\nlauncher = sh -c 'exit 7'\n"                          \
  "[home]\nlauncher = env HOME=FOLDER/home sh -c '\"$0\" \"$@\"'\n"

/* For the shell: the folders in /proc of processes of hscope that belong to this test. */
#define MY_PROCESSES                                                         \
  "$(for p in /proc/[0-9]*; do test \"$(readlink $p/exe)\" = " HSCOPE " && " \
  "grep -qas \"$PWD\" $p/environ && echo $p; done)"

static void
write_targets (Fixture *fixture, const char *text)
{
  g_autofree char *path = in_folder (fixture, "config/hybridscope/targets.ini");
  g_autoptr (GString) whole = g_string_new (text);

  g_string_replace (whole, "FOLDER", fixture->folder, 0);
  g_assert_true (g_file_set_contents (path, whole->str, -1, NULL));
}

static void
set_up (Fixture *fixture, gconstpointer unused)
{
  g_autofree char *config = NULL;

  fixture_set_up (fixture, unused);
  config = in_folder (fixture, "config");
  g_setenv ("XDG_CONFIG_HOME", config, TRUE);
  fixture_run_line (fixture,
                    "mkdir -p config/hybridscope there home models/deep && hscope new mlp --output "
                    "models/deep/net && touch empty");
  g_assert_cmpint (fixture->code, ==, 0);
  write_targets (fixture, TARGETS);
}

static void
run_and_expect (Fixture *fixture, int code, const char *line)
{
  fixture_run_line (fixture, line);
  if (fixture->code != code)
    fixture_complain ("%s: status %d, not %d: %s", line, fixture->code, code, fixture->err);
}

/* No folder of a run is left, in none of the places. */
static void
assert_nothing_left (Fixture *fixture)
{
  run_and_expect (fixture, 0, "ls tmp there");
  g_assert_null (strstr (fixture->out, "hscope-"));
}

/* --- The list --- */

static void
test_the_list_has_this_machine_and_the_file (Fixture *fixture, gconstpointer unused G_GNUC_UNUSED)
{
  g_autoptr (cJSON) json = NULL;
  const cJSON *targets;

  run_and_expect (fixture, 0, "hscope targets");
  g_assert_true (g_str_has_prefix (fixture->out, "local "));
  g_assert_nonnull (strstr (fixture->out, "\nenv "));
  run_and_expect (fixture, 0, "hscope targets --json");
  json = parse_output (fixture);
  targets = cJSON_GetObjectItem (json, "targets");
  g_assert_cmpint (cJSON_GetArraySize (targets), ==, 7);
  g_assert_true (cJSON_IsNull (cJSON_GetObjectItem (cJSON_GetArrayItem (targets, 0), "launcher")));
  g_assert_cmpstr (cJSON_GetStringValue (
                       cJSON_GetObjectItem (cJSON_GetArrayItem (targets, 1), "launcher")),
                   ==, "env NOTHING=1");
  run_and_expect (fixture, 0, "rm config/hybridscope/targets.ini && hscope targets");
  g_assert_nonnull (strstr (fixture->out, "\n0 in "));
}

static void
test_a_list_that_makes_no_sense_is_refused (Fixture *fixture, gconstpointer unused G_GNUC_UNUSED)
{
  static const char *const texts[][2] = {
    { "launcher = ssh a\n", "cannot be read" },
    { "[a b]\nlauncher = ssh a\n", "a name that an option cannot take" },
    { "[-a]\nlauncher = ssh a\n", "a name that an option cannot take" },
    { "[../a]\nlauncher = ssh a\n", "a name that an option cannot take" },
    { "[local]\nlauncher = ssh a\n", "provides itself" },
    { "[slurm]\nlauncher = ssh a\n", "provides itself" },
    { "[a]\nprogram = x\n", "no launcher" },
    { "[a]\nlauncher = \\s\\t\\s\n", "no launcher" },
    { "[a]\nlauncher = ssh 'a\n", "quotes are not closed" },
    { "[a]\nlauncher = ssh a\nprogram = x; rm -rf y\n", "a shell might change" },
    { "[a]\nlauncher = ssh a\nprogram = -x\n", "a shell might change" },
    { "[a]\nlauncher = ssh a\nfolder = here\n", "not absolute" },
    { "[a]\nlauncher = ssh a\nfolder = /$(reboot)\n", "a shell might change" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    {
      write_targets (fixture, texts[i][0]);
      run_and_expect (fixture, 3, "hscope targets");
      if (!strstr (fixture->err, texts[i][1]))
        fixture_complain ("%s: %s", texts[i][0], fixture->err);
    }
  run_and_expect (fixture, 4,
                  "head -c 300000 /dev/zero | tr '\\0' '#' > config/hybridscope/targets.ini && "
                  "hscope targets");
}

static void
test_a_target_that_is_not_there_is_a_usage_error (Fixture             *fixture,
                                                  gconstpointer unused G_GNUC_UNUSED)
{
  run_and_expect (fixture, 2, "hscope run gallery:mlp --init uniform --target noisi");
  g_assert_nonnull (strstr (fixture->err, "did you mean “noisy”?"));
  run_and_expect (fixture, 2, "hscope targets check nowhere");
  run_and_expect (fixture, 2, "hscope targets frobnicate");
  run_and_expect (fixture, 2, "hscope sweep --models gallery:mlp --output s --target nowhere");
  run_and_expect (fixture, 0, "! test -e s");
}

/* --- Checking --- */

static void
test_a_check_says_what_is_there (Fixture *fixture, gconstpointer unused G_GNUC_UNUSED)
{
  g_autoptr (cJSON) json = NULL;

  run_and_expect (fixture, 0, "hscope targets check env");
  g_assert_nonnull (strstr (fixture->out, "answers  hscope "));
  g_assert_nonnull (strstr (fixture->out, "\nclock "));
  g_assert_nonnull (strstr (fixture->out, "\ncpu "));
  g_assert_nonnull (strstr (fixture->out, "\ngpu"));
  run_and_expect (fixture, 0, "hscope targets check noisy --json");
  g_assert_nonnull (strstr (fixture->err, "noisy: welcome"));
  json = parse_output (fixture);
  g_assert_true (cJSON_IsTrue (cJSON_GetObjectItem (json, "usable")));
  g_assert_true (cJSON_IsNumber (cJSON_GetObjectItem (json, "clock_ahead")));
  g_assert_true (
      cJSON_IsArray (cJSON_GetObjectItem (cJSON_GetObjectItem (json, "machine"), "devices")));
}

static void
test_a_check_says_how_to_install (Fixture *fixture, gconstpointer unused G_GNUC_UNUSED)
{
  g_autoptr (cJSON) json = NULL;

  run_and_expect (fixture, 1, "hscope targets check plain");
  g_assert_nonnull (strstr (fixture->out, "there is no program “no-such-hscope”"));
  g_assert_nonnull (strstr (fixture->out, "install  hscope targets install plain"));
  run_and_expect (fixture, 1, "hscope targets check silent --json");
  json = parse_output (fixture);
  g_assert_true (cJSON_IsFalse (cJSON_GetObjectItem (json, "usable")));
  g_assert_nonnull (strstr (cJSON_GetStringValue (cJSON_GetObjectItem (json, "reason")),
                            "the launcher ended with status 7"));
}

/* --- Running --- */

static void
test_results_are_those_of_this_machine (Fixture *fixture, gconstpointer unused G_GNUC_UNUSED)
{
  run_and_expect (fixture, 0,
                  "hscope run models/deep/net-symbol.json --init uniform --output here.npz && "
                  "hscope run models/deep/net-symbol.json --init uniform --target env --output "
                  "models/there.npz > log && cmp here.npz models/there.npz && "
                  "hscope run models/deep/net-symbol.json --init uniform --target local --output "
                  "local.npz && cmp here.npz local.npz");
  run_and_expect (fixture, 0, "cat log");
  g_assert_nonnull (strstr (fixture->out, "wrote models/there.npz\n"));
  g_assert_null (strstr (fixture->out, "hscope-file"));
  assert_nothing_left (fixture);
}

static void
test_inputs_and_streams_go_over (Fixture *fixture, gconstpointer unused G_GNUC_UNUSED)
{
  run_and_expect (
      fixture, 0,
      "hscope run models/deep/net-symbol.json --init uniform --output in.npz > log && "
      "hscope weights models/deep/net-0000.params --to w.npz > log && "
      "hscope run - models/deep/net-0000.params --input w.npz --init uniform --target env "
      "--output - < models/deep/net-symbol.json > piped.npz 2> err && "
      "hscope run models/deep/net-symbol.json --init uniform --output here.npz > log && "
      "cmp here.npz piped.npz");
  assert_nothing_left (fixture);
}

static void
test_a_capture_knows_its_machine_and_its_model (Fixture             *fixture,
                                                gconstpointer unused G_GNUC_UNUSED)
{
  g_autofree char *model = in_folder (fixture, "models/deep/net-symbol.json");
  g_autofree char *line =
      g_strdup_printf ("hscope profile %s --repeat 1 --traced 1 --target env --capture c.hscope "
                       "--json && grep -aq '%s' c.hscope && ! grep -aq hscope-file c.hscope",
                       model, model);
  g_autoptr (cJSON) json = NULL;

  run_and_expect (fixture, 0, line);
  json = parse_output (fixture);
  g_assert_cmpstr (cJSON_GetStringValue (cJSON_GetObjectItem (json, "capture")), ==, "c.hscope");
  run_and_expect (fixture, 0, "hscope report c.hscope");
  g_assert_nonnull (strstr (fixture->out, "\ntarget            env\n"));
  g_assert_nonnull (strstr (fixture->out, "\nmachine "));
  assert_nothing_left (fixture);
}

/* Neither before its greeting, nor in a question, nor in a file may a target keep hscope waiting without end. */
static void
test_a_silent_target_is_given_up (Fixture *fixture, gconstpointer unused G_GNUC_UNUSED)
{
  static const char *const rows[][2] = {
    { "", "targets check silent" },
    { "echo Welcome; ", "targets check silent" },
    { "echo $token {}; ", "targets check silent" },
    { "", "run models/deep/net-symbol.json --init uniform --target silent --output o.npz" },
    { "echo $token {}; echo $token '{\"status\": 0, \"signal\": 0, \"files\": [{\"name\": "
      "\"hscope-file-0/o.npz\", \"size\": 9}]}'; ",
      "run models/deep/net-symbol.json --init uniform --target silent --output o.npz" },
  };

  write_targets (fixture, "[silent]\nlauncher = sh FOLDER/silent.sh\n");
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autofree char *line =
          g_strdup_printf ("cat >silent.sh <<'END'\nread -r line; token=${line#*token\\\": \\\"}; "
                           "token=${token%%%%\\\"*}; %sexec sleep 1000\nEND\n"
                           "HYBRIDSCOPE_TARGET_SILENCE=1 timeout 60 " HSCOPE
                           " %s; echo $?; ! test -e "
                           "o.npz",
                           rows[i][0], rows[i][1]);

      run_and_expect (fixture, 0, line);
      if (!strstr (i < 3 ? fixture->out : fixture->err, "nothing came for 1 seconds") ||
          !g_str_has_suffix (fixture->out, i < 3 ? "\n1\n" : "4\n"))
        fixture_complain ("%u: %s%s", i, fixture->out, fixture->err);
    }
}

static void
test_every_command_that_takes_a_target_runs_there (Fixture             *fixture,
                                                   gconstpointer unused G_GNUC_UNUSED)
{
  run_and_expect (fixture, 0,
                  "hscope prove models/deep/net-symbol.json models/deep/net-symbol.json --target "
                  "env");
  run_and_expect (fixture, 0,
                  "hscope compare 'gallery:lstm-hybrid?length=2&hidden=4' --variants "
                  "unrolled,fused "
                  "--repeat 1 --no-ladder --target env --captures pair --report pair.html && "
                  "test -s pair-0-fused-static.hscope && test -s pair-0-unrolled-static.hscope && "
                  "test -s pair.html");
  run_and_expect (
      fixture, 0,
      "hscope train gallery:mlp --epochs 1 --output trained --log log.jsonl --target env "
      "&& hscope train gallery:mlp --epochs 2 --resume --output trained --target env && "
      "test -s trained-0002.params && test -s log.jsonl");
  g_assert_nonnull (strstr (fixture->err, "resumed from trained-0001.states"));
  run_and_expect (fixture, 0,
                  "hscope convert 'gallery:lstm-hybrid?length=2&hidden=4' --to unrolled --output "
                  "models/flat --target env && test -s models/flat-0000.params");
  run_and_expect (fixture, 0,
                  "hscope sweep --models models/deep/net-symbol.json --batch 1,2 --samples 1 "
                  "--output "
                  "cells --target env && test -s cells/captures/000001.hscope && "
                  "grep -c '\"target\": \"env\"' cells/cells.jsonl");
  g_assert_true (g_str_has_suffix (fixture->out, "\n2\n"));
  assert_nothing_left (fixture);
}

/* Files of an earlier training go over, and come back only if the one that continues it writes them. */
static void
test_what_was_not_written_there_stays_as_it_is (Fixture             *fixture,
                                                gconstpointer unused G_GNUC_UNUSED)
{
  run_and_expect (fixture, 0,
                  "hscope train gallery:mlp --epochs 1 --output trained && "
                  "touch -d 2001-02-03 trained-0001.* && "
                  "hscope train gallery:mlp --epochs 2 --resume --output trained --target env && "
                  "test -s trained-0002.params && "
                  "find . -name 'trained-*' ! -newermt 2001-02-04 | sort");
  g_assert_nonnull (strstr (fixture->out, "./trained-0001.params\n./trained-0001.states\n"));
}

static void
test_failures_there_are_failures_here (Fixture *fixture, gconstpointer unused G_GNUC_UNUSED)
{
  g_autoptr (cJSON) json = NULL;

  run_and_expect (fixture, 4,
                  "hscope run models/deep/net-symbol.json --init uniform --target env --shape "
                  "data=1,2,3,4");
  run_and_expect (fixture, 3, "hscope run models/deep/none.json --init uniform --target env");
  g_assert_nonnull (strstr (fixture->err, "models/deep/none.json"));
  g_assert_null (strstr (fixture->err, "hscope-file"));
  run_and_expect (fixture, 3, "hscope run empty --init uniform --target env --json");
  json = parse_output (fixture);
  g_assert_nonnull (cJSON_GetObjectItem (json, "error"));
  run_and_expect (fixture, 3,
                  "mkfifo pipe && hscope run models/deep/net-symbol.json pipe --target env");
  g_assert_nonnull (strstr (fixture->err, "only regular files"));
  run_and_expect (fixture, 4, "hscope run gallery:mlp --init uniform --target silent");
  g_assert_nonnull (strstr (fixture->err, "hscope does not answer"));
  assert_nothing_left (fixture);
}

/* --- Endings --- */

/* Starts training on a target and waits until the first step is done there.  Returns the process of hscope here. */
static GPid
start_training (Fixture *fixture, const char *target)
{
  g_autofree char *line =
      g_strdup_printf ("cd '%s' && TMPDIR=$PWD/tmp && export TMPDIR && exec '" HSCOPE
                       "' train gallery:mlp --epochs 1000000 --output trained --progress json "
                       "--target %s "
                       "> out 2> err",
                       fixture->folder, target);
  char *words[] = { (char *) "/bin/sh", (char *) "-c", line, NULL };
  GPid  pid;

  g_assert_true (
      g_spawn_async (NULL, words, NULL, G_SPAWN_DO_NOT_REAP_CHILD, NULL, NULL, &pid, NULL));
  for (guint i = 0;; i++)
    {
      fixture_run_line (fixture, "ls there tmp | grep -q hscope-target && grep -q '\"train\"' err");
      if (fixture->code == 0)
        return pid;
      g_assert_cmpuint (i, <, 3000);
      g_usleep (20000);
    }
}

/* Within a minute, no folder and no process is left. */
static void
wait_until_nothing_is_left (Fixture *fixture)
{
  for (guint i = 0;; i++)
    {
      fixture_run_line (fixture,
                        "! ls there tmp | grep -q hscope- && test -z \"" MY_PROCESSES "\"");
      if (fixture->code == 0)
        return;
      g_assert_cmpuint (i, <, 600);
      g_usleep (100000);
    }
}

static void
test_ctrl_c_writes_what_there_is (Fixture *fixture, gconstpointer unused G_GNUC_UNUSED)
{
  GPid pid = start_training (fixture, "env");
  int  status;

  g_assert_cmpint (kill (pid, SIGINT), ==, 0);
  g_assert_cmpint (waitpid (pid, &status, 0), ==, pid);
  g_assert_true (WIFEXITED (status) && WEXITSTATUS (status) == 130);
  run_and_expect (fixture, 0, "ls trained-*.params && grep 'wrote trained-.*.params' out");
  wait_until_nothing_is_left (fixture);
}

static void
test_a_killed_hscope_leaves_nothing_there (Fixture *fixture, gconstpointer unused G_GNUC_UNUSED)
{
  GPid pid = start_training (fixture, "env");
  int  status;

  g_assert_cmpint (kill (pid, SIGKILL), ==, 0);
  g_assert_cmpint (waitpid (pid, &status, 0), ==, pid);
  wait_until_nothing_is_left (fixture);
}

/* The process there is ended, as when a machine is switched off. */
static void
test_a_lost_connection_is_a_sentence (Fixture *fixture, gconstpointer unused G_GNUC_UNUSED)
{
  GPid pid;
  int  status;

  run_and_expect (fixture, 0, "echo old > trained-0000.params");
  pid = start_training (fixture, "noisy");
  run_and_expect (fixture, 0,
                  "for p in " MY_PROCESSES
                  "; do tr '\\0' ' ' < $p/cmdline | grep -q 'targets serve' && "
                  "kill -KILL ${p#/proc/}; done; true");
  g_assert_cmpint (waitpid (pid, &status, 0), ==, pid);
  g_assert_true (WIFEXITED (status) && WEXITSTATUS (status) == 4);
  run_and_expect (fixture, 0,
                  "cat err && cat trained-0000.params && ! ls trained-interrupted.params");
  g_assert_nonnull (strstr (fixture->out, "noisy: the connection was lost"));
  g_assert_nonnull (strstr (fixture->out, "\nold\n"));
  /* The killed process could not remove its folder, and later runs leave it alone. */
  run_and_expect (fixture, 0, "rm -r tmp/hscope-target-*");
  wait_until_nothing_is_left (fixture);
}

/* --- Installing --- */

static void
test_a_bundle_is_installed_through_stdin (Fixture *fixture, gconstpointer unused G_GNUC_UNUSED)
{
  run_and_expect (fixture, 2, "hscope targets install home");
  run_and_expect (fixture, 0,
                  "mkdir -p bundle/bin && printf '#!/bin/sh\\nexec " HSCOPE " \"$@\"\\n' > "
                  "bundle/bin/hscope && chmod +x bundle/bin/hscope && tar -czf bundle.tar.gz "
                  "bundle && "
                  "hscope targets install home --bundle bundle.tar.gz");
  g_assert_nonnull (strstr (fixture->out, "installed hscope "));
  run_and_expect (fixture, 0,
                  "test -x home/.local/lib/hybridscope/bin/hscope && hscope targets check home && "
                  "grep '^program=.*/home/.local/lib/hybridscope/bin/hscope$' "
                  "config/hybridscope/targets.ini");
  /* Again, in its place; but never in the place of something else, and a folder beside it stays. */
  run_and_expect (
      fixture, 0,
      "mkdir home/.local/lib/hybridscope.old && touch home/.local/lib/hybridscope.old/mine "
      "&& hscope targets install home --bundle bundle.tar.gz && "
      "rm home/.local/lib/hybridscope.old/mine && rmdir home/.local/lib/hybridscope.old");
  run_and_expect (fixture, 4,
                  "mkdir precious && touch precious/file && hscope targets install home --bundle "
                  "bundle.tar.gz --to $PWD/precious");
  g_assert_nonnull (strstr (fixture->err, "the folder holds something else"));
  run_and_expect (fixture, 4, "hscope targets install home --bundle empty --to $PWD/new");
  run_and_expect (fixture, 0, "test -e precious/file && ls home/.local/lib && ! ls -d new*");
  g_assert_cmpstr (fixture->out, ==, "hybridscope\n");
}

/* Folders of others that look like one of a run are left alone. */
static void
test_folders_of_others_stay (Fixture *fixture, gconstpointer unused G_GNUC_UNUSED)
{
  run_and_expect (fixture, 0,
                  "mkdir -p there/hscope-target-results/sub && "
                  "echo mine >there/hscope-target-results/sub/table.csv && "
                  "touch -d '1 hour ago' there/hscope-target-results && "
                  "hscope run models/deep/net-symbol.json --init uniform --target env && "
                  "cat there/hscope-target-results/sub/table.csv && ls there | wc -l");
  g_assert_true (g_str_has_suffix (fixture->out, "mine\n1\n"));
}

TEST_PROGRAM (test_targets)
{
  g_setenv ("HYBRIDSCOPE_GALLERY", HYB_GALLERY, TRUE);
  g_test_init (&argc, &argv, NULL);
#define ADD(path, test) \
  g_test_add ("/targets/" path, Fixture, NULL, set_up, test, fixture_tear_down)
  ADD ("the-list-has-this-machine-and-the-file", test_the_list_has_this_machine_and_the_file);
  ADD ("a-list-that-makes-no-sense-is-refused", test_a_list_that_makes_no_sense_is_refused);
  ADD ("a-target-that-is-not-there-is-a-usage-error",
       test_a_target_that_is_not_there_is_a_usage_error);
  ADD ("a-check-says-what-is-there", test_a_check_says_what_is_there);
  ADD ("a-check-says-how-to-install", test_a_check_says_how_to_install);
  ADD ("results-are-those-of-this-machine", test_results_are_those_of_this_machine);
  ADD ("inputs-and-streams-go-over", test_inputs_and_streams_go_over);
  ADD ("a-capture-knows-its-machine-and-its-model", test_a_capture_knows_its_machine_and_its_model);
  ADD ("every-command-that-takes-a-target-runs-there",
       test_every_command_that_takes_a_target_runs_there);
  ADD ("what-was-not-written-there-stays-as-it-is", test_what_was_not_written_there_stays_as_it_is);
  ADD ("failures-there-are-failures-here", test_failures_there_are_failures_here);
  ADD ("ctrl-c-writes-what-there-is", test_ctrl_c_writes_what_there_is);
  ADD ("a-silent-target-is-given-up", test_a_silent_target_is_given_up);
  ADD ("folders-of-others-stay", test_folders_of_others_stay);
  ADD ("a-killed-hscope-leaves-nothing-there", test_a_killed_hscope_leaves_nothing_there);
  ADD ("a-lost-connection-is-a-sentence", test_a_lost_connection_is_a_sentence);
  ADD ("a-bundle-is-installed-through-stdin", test_a_bundle_is_installed_through_stdin);
#undef ADD
  return g_test_run ();
}
