/* test-exit-codes.c — how every command ends: docs/exit-codes.md as a test.
 *
 * One row a command says how to run it, how to make it wait for Ctrl-C, and what it writes.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "hscope-fixture.h"
#include "tests/program.h"

#include <glib/gstdio.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* Lines are arguments of hscope.  OUT stands for the name of an output. */
typedef struct
{
  const char *done; /* ends with 0 and prints something */
  const char         *
      waits; /* runs until it is interrupted: reads stdin, opens a pipe, or measures; NULL: it never waits */
  gboolean    finishes; /* what was done until Ctrl-C is written and printed */
  const char *writes[6];
  const char *usage; /* ends with 2 */
  const char *model; /* ends with 4; NULL: the command has no such end */
  const char *no;    /* ends with 1 */
} Row;

#define SLOW_TRAIN "train gallery:mlp --epochs 1000000"

static const Row rows[] = {
  { "info m-symbol.json", "info -", .usage = "info",
    .model = "info m-symbol.json --limit-memory 1" },
  { "check m-symbol.json", "check -", .writes = { "check m-symbol.json --repair OUT" },
    .usage = "check a b c", .no = "check broken.json" },
  { "run m-symbol.json --init uniform", "run -",
    .writes = { "run m-symbol.json --init uniform --output OUT.npz",
                "run m-symbol.json --init uniform --aux OUT.npz",
                "run m-symbol.json --init uniform --backward --gradients OUT.npz" },
    .usage = "run m-symbol.json --head h.npz", .model = "run only-symbol.json" },
  { "profile m-symbol.json --repeat 1 --traced 1",
    "profile m-symbol.json --repeat 100000 --time-limit 1000 --progress json", TRUE,
    .writes = { "profile m-symbol.json --repeat 1 --traced 1 --capture OUT.hscope",
                "profile m-symbol.json --repeat 1 --traced 1 --csv OUT.csv",
                "profile m-symbol.json --repeat 1 --traced 1 --trace OUT.json",
                "profile m-symbol.json --repeat 1 --traced 1 --baseline c.hscope --markdown OUT.md",
                "profile m-symbol.json --repeat 1 --traced 1 --baseline c.hscope --junit OUT.xml" },
    .usage = "profile m-symbol.json --mode fast",
    .model = "profile m-symbol.json --shape data=3,3" },
  { "weights m-0000.params", "weights -",
    .writes = { "weights m-0000.params --to OUT.npz", "weights m-0000.params --to OUT.params" },
    .usage = "weights m-0000.params --to out.txt", .no = "weights m-0000.params r-0000.params" },
  { "render m-symbol.json --output a.svg", "render - --output a.svg",
    .writes = { "render m-symbol.json --output OUT.svg", "render m-symbol.json --output OUT.png",
                "render m-symbol.json --output OUT.pdf", "render m-symbol.json --output OUT.dot" },
    .usage = "render m-symbol.json --output a.gif",
    .model = "render m-symbol.json --output a.svg --limit-memory 1" },
  { "new mlp --output n", "new mlp --output pipe", .writes = { "new mlp --output OUT" },
    .usage = "new mlp", .model = "new mlp?depth=3 --output n" },
  { "trace gallery:mlp --output n", "trace gallery:mlp --output pipe",
    .writes = { "trace gallery:mlp --output OUT" }, .usage = "trace m-symbol.json --output n",
    .model = "trace MODULES/crash.so --output n" },
  { "train gallery:mlp --epochs 1", SLOW_TRAIN " --progress json", TRUE,
    .writes = { "train gallery:mlp --epochs 1 --output OUT",
                "train gallery:mlp --epochs 1 --log OUT.jsonl" },
    .usage = "train gallery:mlp --resume", .model = "train only-symbol.json --data b.npz" },
  { "bench --case rnn-infer-h8-t2-b1-cell --repeat 1",
    "bench --case rnn-infer-h8-t2-b1-cell --repeat 100000", .usage = "bench" },
  { "import t.json --symbol m-symbol.json", "import - --symbol m-symbol.json",
    .writes = { "import t.json --symbol m-symbol.json --capture OUT.hscope" },
    .usage = "import t.json" },
  { "compare m-symbol.json --repeat 1 --no-ladder",
    "compare m-symbol.json --repeat 100000 --time-limit 1000 --progress json", TRUE,
    .writes = { "compare m-symbol.json --repeat 1 --no-ladder --report OUT.html",
                "compare m-symbol.json --repeat 1 --no-ladder --report OUT.pdf",
                "compare m-symbol.json --repeat 1 --no-ladder --captures OUT",
                "compare c.hscope c.hscope --markdown OUT.md",
                "compare c.hscope c.hscope --junit OUT.xml" },
    .usage = "compare m-symbol.json --report a.txt",
    .model = "compare m-symbol.json --variants fused",
    .no = "compare m-symbol.json q-symbol.json --repeat 1 --no-ladder" },
  { "convert r-symbol.json --to unrolled --output u", "convert - --to unrolled --output u",
    .writes = { "convert r-symbol.json --to unrolled --output OUT" },
    .usage = "convert r-symbol.json --to other --output u",
    .model = "convert m-symbol.json --to fused --output u" },
  { "extract m-symbol.json --to hybridsequential0_dense0_fwd --output u",
    "extract - --to hybridsequential0_dense0_fwd --output u",
    .writes = { "extract m-symbol.json --to hybridsequential0_dense0_fwd --output OUT" },
    .usage = "extract m-symbol.json --output u",
    .model = "extract m-symbol.json --to fc9 --output u" },
  { "prove m-symbol.json m-symbol.json", "prove m-symbol.json -", .usage = "prove m-symbol.json",
    .model = "prove m-symbol.json m-symbol.json --shape data=3,3",
    .no = "prove m-symbol.json q-symbol.json" },
  { "report c.hscope", "report -",
    .writes = { "report c.hscope --output OUT.html", "report c.hscope --output OUT.svg",
                "report c.hscope --output OUT.pdf", "report c.hscope --html OUT.html" },
    .usage = "report c.hscope --output a.txt", .model = NULL },
  { "diff m-symbol.json m-symbol.json", "diff m-symbol.json -", .usage = "diff m-symbol.json",
    .model = "diff m-symbol.json m-symbol.json --limit-memory 1",
    .no = "diff m-symbol.json r-symbol.json" },
  { "sweep --models m-symbol.json --samples 1 --output s$$",
    "sweep --models m-symbol.json --samples 100000 --time-limit 1000 --progress json --output s$$",
    TRUE, .usage = "sweep --output s",
    .no = "sweep --models only-symbol.json --variants fused --output s$$" },
  { "targets", .usage = "targets frobnicate", .no = "targets check absent" },
};

/* "'PROGRAM' ARGUMENTS", with the modules of tests.  (transfer full) */
static char *
command_line (const char *arguments)
{
  g_autoptr (GString) line = g_string_new ("'" HSCOPE "' ");

  g_string_append (line, arguments);
  g_string_replace (line, "MODULES", HYB_MODULES, 0);
  return g_string_free (g_steal_pointer (&line), FALSE);
}

static void
run (Fixture *fixture, const char *arguments, const char *rest)
{
  g_autofree char *line = command_line (arguments);
  g_autofree char *whole = g_strconcat (line, " ", rest, NULL);

  fixture_run_line (fixture, whole);
}

static void
assert_code (const Fixture *fixture, const char *arguments, int code)
{
  if (fixture->code != code)
    fixture_complain ("%s: status %d, not %d: %s", arguments, fixture->code, code, fixture->err);
}

static void
set_up (Fixture *fixture, gconstpointer unused)
{
  g_autofree char *config = NULL;

  fixture_set_up (fixture, unused);
  config = in_folder (fixture, "config");
  g_setenv ("XDG_CONFIG_HOME", config, TRUE);
  fixture_run_line (fixture,
                    "mkdir -p config/hybridscope && printf '[absent]\\nlauncher = env\\nprogram = "
                    "no-such-program\\n' > config/hybridscope/targets.ini && "
                    "hscope new mlp --output m && hscope new foreach-rnn --output r && "
                    "hscope new mlp?hidden=8 --output q && cp m-symbol.json only-symbol.json && "
                    "echo '{\"nodes\": [' > broken.json && mkfifo pipe-symbol.json && "
                    "hscope run m-symbol.json --init uniform --output b.npz && "
                    "hscope profile m-symbol.json --repeat 1 --traced 1 --capture c.hscope "
                    "--trace t.json");
  g_assert_cmpint (fixture->code, ==, 0);
}

static void
test_codes (Fixture *fixture, gconstpointer unused G_GNUC_UNUSED)
{
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      const Row *row = &rows[i];

      run (fixture, row->done, "");
      assert_code (fixture, row->done, 0);
      g_assert_cmpstr (fixture->out, !=, "");
      run (fixture, row->usage, "");
      assert_code (fixture, row->usage, 2);
      if (row->no)
        {
          run (fixture, row->no, "");
          assert_code (fixture, row->no, 1);
        }
      if (row->model)
        {
          run (fixture, row->model, "");
          assert_code (fixture, row->model, 4);
        }
    }
}

/* --- stdout --- */

static void
test_full_output (Fixture *fixture, gconstpointer unused G_GNUC_UNUSED)
{
  static const char *const forms[] = { ">/dev/full", "--json >/dev/full", "--help >/dev/full" };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    for (guint k = 0; k < G_N_ELEMENTS (forms); k++)
      {
        run (fixture, rows[i].done, forms[k]);
        assert_code (fixture, rows[i].done, 3);
        g_assert_nonnull (strstr (fixture->err, "error: the output cannot be written: No space"));
      }
}

/* As with | head -1, once head has ended. */
static void
test_closed_pipe (Fixture *fixture, gconstpointer unused G_GNUC_UNUSED)
{
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      run (fixture, rows[i].done, "| true; echo");
      assert_code (fixture, rows[i].done, 0); /* of the last part */
      g_assert_null (strstr (fixture->err, "error"));
      /* The pipe on descriptor 3 has no reader when the program starts. */
      {
        g_autofree char *line = command_line (rows[i].done);
        g_autofree char *script =
            g_strdup_printf ("cd '%s' && exec >&3 3>&- && exec %s", fixture->folder, line);
        const char *arguments[] = { "/bin/sh", "-c", script, NULL };
        int         ends[2], target = 3, status;
        GPid        pid;

        g_assert_cmpint (pipe (ends), ==, 0);
        close (ends[0]);
        g_assert_true (g_spawn_async_with_pipes_and_fds (NULL, arguments, NULL,
                                                         G_SPAWN_DO_NOT_REAP_CHILD, NULL, NULL, -1,
                                                         -1, -1, &ends[1], &target, 1, &pid, NULL,
                                                         NULL, NULL, NULL));
        close (ends[1]);
        g_assert_cmpint (waitpid (pid, &status, 0), ==, pid);
        g_test_message ("%s: %d", rows[i].done, status);
        g_assert_true (WIFSIGNALED (status) && WTERMSIG (status) == SIGPIPE);
      }
    }
}

/* --- Outputs that cannot be written --- */

/* The arguments with a name for OUT.  (transfer full) */
static char *
name_output (const char *arguments, const char *name)
{
  g_autoptr (GString) text = g_string_new (arguments);

  g_string_replace (text, "OUT", name, 0);
  return g_string_free (g_steal_pointer (&text), FALSE);
}

/* The files to read do not exist, so the name of the output is looked at first. */
static void
test_outputs_first (Fixture *fixture, gconstpointer unused G_GNUC_UNUSED)
{
  static const char *const names[] = { "no/such/out", "m-symbol.json/out" };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    for (guint k = 0; k < G_N_ELEMENTS (rows[i].writes) && rows[i].writes[k]; k++)
      for (guint n = 0; n < G_N_ELEMENTS (names); n++)
        {
          g_autofree char *arguments = name_output (rows[i].writes[k], names[n]);
          g_autoptr (GString) text = g_string_new (arguments);

          g_string_replace (text, " m-symbol.json ", " absent.json ", 0);
          g_string_replace (text, " c.hscope", " absent.hscope", 0);
          run (fixture, text->str, "");
          assert_code (fixture, text->str, 3);
          g_assert_nonnull (strstr (fixture->err, names[n]));
          g_assert_nonnull (strstr (fixture->err, "the file cannot be written"));
        }
}

static void
test_endings_first (Fixture *fixture, gconstpointer unused G_GNUC_UNUSED)
{
  static const char *const lines[] = {
    "render absent.json --output a.gif",  "report absent.hscope --output a.txt",
    "compare absent.json --report a.txt", "weights absent.params --to a.txt",
    "render absent.json --output svg",
  };

  for (guint i = 0; i < G_N_ELEMENTS (lines); i++)
    {
      run (fixture, lines[i], "");
      assert_code (fixture, lines[i], 2);
      g_assert_nonnull (strstr (fixture->err, "the name must end in one of ."));
    }
}

/* Each command says what it wrote, and wrote it. */
static void
test_written (Fixture *fixture, gconstpointer unused G_GNUC_UNUSED)
{
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    for (guint k = 0; k < G_N_ELEMENTS (rows[i].writes) && rows[i].writes[k]; k++)
      {
        g_autofree char *name = g_strdup_printf ("written-%u-%u", i, k);
        g_autofree char *said = g_strconcat ("wrote ", name, NULL);
        g_autofree char *arguments = name_output (rows[i].writes[k], name);

        run (fixture, arguments, "");
        assert_code (fixture, arguments, 0);
        if (!strstr (fixture->out, said))
          fixture_complain ("%s does not say what it wrote: %s", arguments, fixture->out);
      }
}

/* --- JSON --- */

static void
assert_error (Fixture *fixture, const char *arguments, int code)
{
  g_autoptr (cJSON) json = NULL;
  const cJSON *error;

  run (fixture, arguments, "--json");
  assert_code (fixture, arguments, code);
  if (*fixture->out != '{')
    {
      fixture_complain ("%s --json prints no document: %s", arguments, fixture->out);
      return;
    }
  json = parse_output (fixture);
  error = cJSON_GetObjectItem (json, "error");
  if (!cJSON_IsString (cJSON_GetObjectItem (error, "message")) ||
      !cJSON_GetObjectItem (error, "place") || !cJSON_GetObjectItem (error, "hint"))
    fixture_complain ("%s --json: %s", arguments, fixture->out);
}

static void
test_errors_as_json (Fixture *fixture, gconstpointer unused G_GNUC_UNUSED)
{
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autofree char *unknown = g_strconcat (rows[i].done, " --no-such-option", NULL);

      assert_error (fixture, unknown, 2);
      assert_error (fixture, rows[i].usage, 2);
      if (rows[i].model)
        assert_error (fixture, rows[i].model, 4);
      if (rows[i].writes[0])
        {
          g_autofree char *unwritable = name_output (rows[i].writes[0], "no/such/out");

          assert_error (fixture, unwritable, 3);
        }
    }
}

/* --- Ctrl-C --- */

typedef struct
{
  GPid pid;
  int  in, err;
} Waiting;

static Waiting
start (Fixture *fixture, const char *arguments)
{
  Waiting          waiting;
  g_autofree char *line = command_line (arguments);
  g_autofree char *script = g_strdup_printf ("cd '%s' && exec %s", fixture->folder, line);
  char            *words[] = { (char *) "/bin/sh", (char *) "-c", script, NULL };

  g_assert_true (g_spawn_async_with_pipes (NULL, words, NULL,
                                           G_SPAWN_DO_NOT_REAP_CHILD | G_SPAWN_STDOUT_TO_DEV_NULL,
                                           NULL, NULL, &waiting.pid, &waiting.in, NULL,
                                           &waiting.err, NULL));
  return waiting;
}

/* The program runs and has nothing more to do without its input: it sleeps. */
static void
wait_until_asleep (const Waiting *waiting)
{
  g_autofree char *path = g_strdup_printf ("/proc/%d/stat", waiting->pid);
  gint64           end = g_get_monotonic_time () + 120 * G_TIME_SPAN_SECOND;

  for (guint n_asleep = 0; n_asleep < 20;)
    {
      g_autofree char *text = NULL;
      const char      *state;

      g_assert_cmpint (g_get_monotonic_time (), <, end);
      g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
      state = strrchr (text, ')');
      n_asleep = strstr (text, "(hscope)") && state && state[2] == 'S' ? n_asleep + 1 : 0;
      g_usleep (5000);
    }
}

static void
interrupt (Fixture *fixture, const Row *row, int number)
{
  Waiting waiting = start (fixture, row->waits);
  char    byte;
  int     status;

  /* Progress is shown, as JSON, once the handler is installed. */
  if (row->finishes)
    while (read (waiting.err, &byte, 1) == 1 && byte != '{')
      ;
  else if (strstr (row->waits, " -") && !strstr (row->waits, "--case"))
    wait_until_asleep (&waiting);
  g_assert_cmpint (kill (waiting.pid, number), ==, 0);
  if (row->finishes) /* nothing waits for a reader of stderr */
    while (read (waiting.err, &byte, 1) > 0)
      ;
  g_assert_cmpint (waitpid (waiting.pid, &status, 0), ==, waiting.pid);
  close (waiting.in);
  close (waiting.err);
  g_test_message ("%s: %d", row->waits, status);
  if (row->finishes)
    g_assert_true (WIFEXITED (status) && WEXITSTATUS (status) == 128 + number);
  else /* which a shell shows as the same number */
    g_assert_true (WIFSIGNALED (status) && WTERMSIG (status) == number);
}

static void
test_interrupted (Fixture *fixture, gconstpointer unused G_GNUC_UNUSED)
{
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      if (!rows[i].waits)
        continue;
      interrupt (fixture, &rows[i], SIGINT);
      if (rows[i].finishes)
        interrupt (fixture, &rows[i], SIGTERM);
    }
  /* Nothing is left in the folder for temporary files. */
  fixture_run_line (fixture, "ls tmp");
  g_assert_cmpstr (fixture->out, ==, "");
}

TEST_PROGRAM (test_exit_codes)
{
  g_setenv ("HYBRIDSCOPE_GALLERY", HYB_GALLERY, TRUE);
  g_test_init (&argc, &argv, NULL);
#define ADD(path, test) g_test_add (path, Fixture, NULL, set_up, test, fixture_tear_down)
  ADD ("/exit-codes/every-command-ends-as-documented", test_codes);
  ADD ("/exit-codes/full-output-is-noticed-by-every-command", test_full_output);
  ADD ("/exit-codes/closed-pipes-end-every-command-silently", test_closed_pipe);
  ADD ("/exit-codes/unwritable-outputs-are-found-before-the-work", test_outputs_first);
  ADD ("/exit-codes/unknown-endings-are-found-before-the-work", test_endings_first);
  ADD ("/exit-codes/every-command-says-what-it-wrote", test_written);
  ADD ("/exit-codes/errors-are-json-where-that-was-asked-for", test_errors_as_json);
  ADD ("/exit-codes/interrupted-commands-end-with-130", test_interrupted);
#undef ADD
  return g_test_run ();
}
