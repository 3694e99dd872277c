/* test-faults.c — commands whose disk is full, or that are killed, at each call that changes a file.
 *
 * The short and deterministic part of tests/fuzz/faults.py.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "hscope-fixture.h"
#include "tests/program.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#define MAX_CALLS 400

typedef struct
{
  const char *arguments;
  const char *outputs[4];
  gboolean    is_pair; /* the outputs belong together */
} Case;

static const Case cases[] = {
  { "new gallery:mlp --output out", { "out-symbol.json", "out-0000.params" }, TRUE },
  { "check m-symbol.json --repair out", { "out-symbol.json", "out-0000.params" }, TRUE },
  { "weights m-0000.params --to out.npz", { "out.npz" }, FALSE },
  { "render m-symbol.json --output out.svg", { "out.svg" }, FALSE },
  { "run m-symbol.json --shape data=2,512 --init uniform --output out.npz", { "out.npz" }, FALSE },
  { "train gallery:mlp --epochs 1 --sample -1 --output out --log out.jsonl",
    { "out-symbol.json", "out-0001.params", "out.jsonl" },
    FALSE },
};

static char *
dup_old (const char *name)
{
  return g_strdup_printf ("old %s", name);
}

/* Old files, and nothing else, in the folder of the outputs. */
static void
prepare (const Case *one, const char *folder)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name;

  while ((name = g_dir_read_name (dir)))
    {
      g_autofree char *path = g_build_filename (folder, name, NULL);

      g_assert_cmpint (remove (path), ==, 0);
    }
  for (guint i = 0; one->outputs[i]; i++)
    {
      g_autofree char *path = g_build_filename (folder, one->outputs[i], NULL);
      g_autofree char *text = dup_old (one->outputs[i]);

      g_assert_true (g_file_set_contents (path, text, -1, NULL));
    }
}

static GBytes *
read_file (const char *folder, const char *name)
{
  g_autofree char *path = g_build_filename (folder, name, NULL);
  char            *text;
  gsize            length;

  g_assert_true (g_file_get_contents (path, &text, &length, NULL));
  return g_bytes_new_take (text, length);
}

/* Runs the command; call number at fails, or the process is killed there.  Returns its status as waitpid()
 * does. */
static int
run_case (const Fixture *fixture, const Case *one, guint at, const char *how)
{
  g_autofree char *line =
      g_strdup_printf ("cd '%s/out'; FAIL_AT=%u FAIL_HOW=%s FAIL_UNDER='%s/out' "
                       "FAIL_MARK='%s/mark' LD_PRELOAD='" APP_MODULES
                       "/fail-write.so' exec '" HSCOPE "' %s",
                       fixture->folder, at, how, fixture->folder, fixture->folder, one->arguments);
  char *arguments[] = { (char *) "/bin/sh", (char *) "-c", line, NULL };
  int   status;

  g_assert_true (g_spawn_sync (NULL, arguments, NULL,
                               G_SPAWN_STDOUT_TO_DEV_NULL | G_SPAWN_STDERR_TO_DEV_NULL, NULL, NULL,
                               NULL, NULL, &status, NULL));
  return status;
}

/* Whether these are the first lines of the new file, all of them whole: a slow training replaces its log every few seconds. */
static gboolean
is_beginning (GBytes *now, GBytes *whole)
{
  gsize       length, all;
  const char *text = g_bytes_get_data (now, &length), *lines = g_bytes_get_data (whole, &all);

  return length > 0 && length < all && text[length - 1] == '\n' &&
         memcmp (text, lines, length) == 0;
}

/* How many outputs are the new ones; each is either the old or the new file, or a log the beginning of the new one. */
static guint
count_new (const Case *one, const char *folder, GBytes *const *whole)
{
  guint n = 0;

  for (guint i = 0; one->outputs[i]; i++)
    {
      g_autoptr (GBytes) now = read_file (folder, one->outputs[i]);
      g_autofree char *text = dup_old (one->outputs[i]);
      g_autoptr (GBytes) old = g_bytes_new (text, strlen (text));

      if (g_bytes_equal (now, whole[i]))
        n++;
      else if (!g_bytes_equal (now, old) &&
               !(g_str_has_suffix (one->outputs[i], ".jsonl") && is_beginning (now, whole[i])))
        g_error ("%s: %s is neither the old nor the new file", one->arguments, one->outputs[i]);
    }
  return n;
}

static guint
count_files (const char *folder)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  guint n = 0;

  while (g_dir_read_name (dir))
    n++;
  return n;
}

/* Both models that the commands read lie beside the folder of the outputs. */
static char *
set_up_folder (Fixture *fixture)
{
  char            *folder = in_folder (fixture, "out");
  g_autofree char *line =
      g_strdup_printf ("mkdir '%s' && cd '%s' && '" HSCOPE "' new gallery:mlp --output m >&2",
                       folder, fixture->folder);

  fixture_run (fixture, (char *[]){ (char *) "/bin/sh", (char *) "-c", line, NULL });
  g_assert_cmpint (fixture->code, ==, 0);
  return folder;
}

static void
remove_folder (char *folder)
{
  prepare (&(Case){ .arguments = "" }, folder);
  g_assert_cmpint (remove (folder), ==, 0);
  g_free (folder);
}

/* Replaces "m-" by "../m-", where the models are. */
static Case
beside (const Case *one, char **arguments)
{
  Case moved = *one;
  g_autoptr (GString) text = g_string_new (one->arguments);

  g_string_replace (text, " m-", " ../m-", 0);
  *arguments = g_string_free (g_steal_pointer (&text), FALSE);
  moved.arguments = *arguments;
  return moved;
}

static void
try_calls (Fixture *fixture, const Case *given, const char *folder, const char *how)
{
  g_autofree char *arguments = NULL;
  g_autofree char *mark = in_folder (fixture, "mark");
  Case             one = beside (given, &arguments);
  gboolean         is_kill = strcmp (how, "kill") == 0;
  GBytes          *whole[4] = { NULL };
  guint            n_outputs = 0, n_calls = 0;

  prepare (&one, folder);
  g_assert_cmpint (run_case (fixture, &one, 0, "full"), ==, 0);
  for (; one.outputs[n_outputs]; n_outputs++)
    whole[n_outputs] = read_file (folder, one.outputs[n_outputs]);
  for (guint at = 1; at < MAX_CALLS; at++)
    {
      int   status;
      guint n_new;

      prepare (&one, folder);
      status = run_case (fixture, &one, at, how);
      n_new = count_new (&one, folder, whole);
      if (remove (mark) != 0)
        break;
      n_calls++;
      g_test_message ("%s, %s at call %u: status %d, %u new", one.arguments, how, at, status,
                      n_new);
      /* Killed between its two renames, a command leaves a new file beside an old one. */
      if (one.is_pair && !is_kill)
        g_assert_true (n_new == 0 || n_new == n_outputs);
      if (is_kill)
        g_assert_true (WIFSIGNALED (status) && WTERMSIG (status) == SIGKILL);
      else /* exchanging names may fail where renaming works */
        g_assert_true (WIFEXITED (status) && (WEXITSTATUS (status) == 3 ||
                                              (WEXITSTATUS (status) == 0 && n_new == n_outputs)));
      /* What a killed process left is removed by the next one. */
      if (is_kill)
        g_assert_cmpint (run_case (fixture, &one, 0, how), ==, 0);
      g_assert_cmpuint (count_files (folder), <=,
                        n_outputs + (strstr (one.arguments, "train") ? 1 : 0)); /* the states */
    }
  g_assert_cmpuint (n_calls, >=, 4 * n_outputs);
  g_assert_cmpuint (n_calls, <, MAX_CALLS - 1);
  for (guint i = 0; i < n_outputs; i++)
    g_bytes_unref (whole[i]);
}

static void
test_full_disk (Fixture *fixture, gconstpointer unused G_GNUC_UNUSED)
{
  char *folder = set_up_folder (fixture);

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    try_calls (fixture, &cases[i], folder, "full");
  remove_folder (folder);
}

static void
test_killed (Fixture *fixture, gconstpointer unused G_GNUC_UNUSED)
{
  char *folder = set_up_folder (fixture);

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    try_calls (fixture, &cases[i], folder, "kill");
  remove_folder (folder);
}

TEST_PROGRAM (test_faults)
{
  g_test_init (&argc, &argv, NULL);
#define ADD(path, test) g_test_add (path, Fixture, NULL, fixture_set_up, test, fixture_tear_down)
  ADD ("/app/faults/full-disk-leaves-old-or-new-files-and-pairs-match", test_full_disk);
  ADD ("/app/faults/killed-commands-leave-old-or-new-files", test_killed);
#undef ADD
  return g_test_run ();
}
