/* test-manual.c — the man pages and completions that are made from the tables of options.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "hscope-fixture.h"
#include "tests/program.h"

#include <string.h>

/* Sources a completion script in bash and prints what completes the words; the last one is completed. */
static const char complete_in_bash[] = "complete_words () { COMP_WORDS=(\"$@\"); COMP_CWORD=$(($# "
                                       "- 1)); _hscope; echo \"${COMPREPLY[*]}\"; }\n"
                                       "hscope () { '" HSCOPE "' \"$@\"; }\n"
                                       ". " MANUAL "/hscope.bash\n";

static char *
read_manual (const char *name)
{
  g_autofree char *path = g_build_filename (MANUAL, name, NULL);
  g_autoptr (GError) error = NULL;
  char *text = NULL;

  g_file_get_contents (path, &text, NULL, &error);
  g_assert_no_error (error);
  return text;
}

/* The names of the commands, from hscope --help. */
static char **
list_commands (Fixture *fixture)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  g_auto (GStrv) lines = NULL;

  fixture_run_line (fixture, "hscope --help");
  lines = g_strsplit (strstr (fixture->out, "Commands:\n") + strlen ("Commands:\n"), "\n", 0);
  for (guint i = 0; lines[i] && *lines[i]; i++)
    g_ptr_array_add (names, g_strndup (lines[i] + 2, strcspn (lines[i] + 2, " ")));
  g_ptr_array_add (names, NULL);
  return (char **) g_ptr_array_steal (names, NULL);
}

/* The long options of a command, from its help, with their dashes. */
static char **
list_options (Fixture *fixture, const char *command)
{
  g_autofree char *line = g_strconcat ("hscope help ", command, NULL);
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  g_auto (GStrv) lines = NULL;

  fixture_run_line (fixture, line);
  lines = g_strsplit (strstr (fixture->out, "Application Options:\n"), "\n", 0);
  for (guint i = 1; lines[i] && *lines[i]; i++)
    {
      const char *name = strstr (lines[i], "--");

      g_ptr_array_add (names, g_strndup (name, strcspn (name, "= ")));
    }
  g_ptr_array_add (names, NULL);
  return (char **) g_ptr_array_steal (names, NULL);
}

/* name: with its dashes.  Text of roff has a backslash before each dash. */
static gboolean
page_names_option (const char *page, const char *name)
{
  g_auto (GStrv) parts = g_strsplit (name, "-", 0);
  g_autofree char *escaped = g_strjoinv ("\\-", parts);

  return strstr (page, escaped) != NULL;
}

static void
test_every_command_has_a_page_with_all_its_options (Fixture             *fixture,
                                                    gconstpointer unused G_GNUC_UNUSED)
{
  g_auto (GStrv) commands = list_commands (fixture);
  g_autofree char *overview = read_manual ("hscope.1");

  g_assert_cmpuint (g_strv_length (commands), >=, 16);
  for (char **command = commands; *command; command++)
    {
      g_autofree char *file = g_strdup_printf ("hscope-%s.1", *command);
      g_autofree char *entry = g_strdup_printf (".BR hscope\\-%s (1)", *command);
      g_autofree char *page = read_manual (file);
      g_auto (GStrv) options = list_options (fixture, *command);

      g_assert_nonnull (strstr (overview, entry));
      for (char **option = options; *option; option++)
        if (!page_names_option (page, *option))
          fixture_complain ("%s does not name %s", file, *option);
    }
}

static void
test_pages_have_the_usual_sections (Fixture *fixture, gconstpointer unused G_GNUC_UNUSED)
{
  g_auto (GStrv) commands = list_commands (fixture);
  g_autofree char *run = read_manual ("hscope-run.1");
  g_autofree char *bench = read_manual ("hscope-bench.1");

  g_assert_nonnull (strstr (run, "\n.SH FILES\n"));
  g_assert_nonnull (strstr (run, "targets.ini"));
  g_assert_null (strstr (bench, "targets.ini"));
  for (char **command = commands; *command; command++)
    {
      g_autofree char *file = g_strdup_printf ("hscope-%s.1", *command);
      g_autofree char *page = read_manual (file);

      g_assert_nonnull (strstr (page, "\n.SH ENVIRONMENT\n"));
      g_assert_nonnull (strstr (page, "\n.SH EXIT STATUS\n"));
    }
}

static void
test_groff_has_no_warning_about_the_pages (Fixture *fixture, gconstpointer unused G_GNUC_UNUSED)
{
  g_autofree char *groff = g_find_program_in_path ("groff");

  if (!groff)
    {
      g_test_skip ("groff is not installed");
      return;
    }
  fixture_run_line (fixture, "groff -K utf8 -T utf8 -man -ww -z " MANUAL "/*.1");
  g_assert_cmpstr (fixture->err, ==, "");
  g_assert_cmpint (fixture->code, ==, 0);
}

/* Runs complete_words with the words, which are quoted as the shell wants it. */
static void
complete (Fixture *fixture, const char *words)
{
  g_autofree char *file = in_folder (fixture, "complete.bash");
  g_autofree char *script = g_strconcat (complete_in_bash, "complete_words ", words, "\n", NULL);
  g_autoptr (GError) error = NULL;

  g_file_set_contents (file, script, -1, &error);
  g_assert_no_error (error);
  fixture_run_line (fixture, "bash complete.bash");
  g_assert_cmpstr (fixture->err, ==, "");
  g_strchomp (fixture->out);
}

static void
test_bash_completes_commands_options_and_their_words (Fixture             *fixture,
                                                      gconstpointer unused G_GNUC_UNUSED)
{
  static const struct
  {
    const char *words, *completed;
  } rows[] = {
    { "hscope con", "convert" },
    { "hscope help re", "render report" },
    { "hscope convert --pa", "--params" },
    { "hscope convert --to f", "foreach fused float" },
    { "hscope convert --to = un", "unrolled" },
    { "hscope convert --to = ''", "unrolled foreach while fused float" },
    { "hscope --sandbox = strict convert --to w", "while" },
    { "hscope convert --output x", "" },   /* a file: left to bash */
    { "hscope convert model.json x", "" }, /* another */
    { "hscope convert --mode x", "" },     /* not an option of this command */
    { "hscope run --mode h", "hybrid" },
    { "hscope run gallery : lstm-h", "lstm-hybrid" },
    { "hscope info ga", "gallery:" },
    { "hscope new lstm-h", "lstm-hybrid" },
    { "hscope info --operator SoftmaxA", "SoftmaxActivation" },
    { "hscope info --operator _sparse_nd", "" }, /* listed as missing */
    { "hscope run --plan-without fold-c", "fold-constants" },
    { "hscope run --dump-after drop", "drop-dead" },
    { "hscope run --target lo", "local" },
    { "hscope compare --variants un", "unrolled" },
    { "hscope compare --variants unrolled,fu", "unrolled,fused" },
    { "hscope bench --case rnn-infer-h256-t35-b1-f",
      "rnn-infer-h256-t35-b1-foreach rnn-infer-h256-t35-b1-fused" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      complete (fixture, rows[i].words);
      if (strcmp (fixture->out, rows[i].completed) != 0)
        fixture_complain ("%s: “%s” instead of “%s”", rows[i].words, fixture->out,
                          rows[i].completed);
    }
}

static void
test_bash_completes_every_option_of_every_command (Fixture             *fixture,
                                                   gconstpointer unused G_GNUC_UNUSED)
{
  g_auto (GStrv) commands = list_commands (fixture);

  for (char **command = commands; *command; command++)
    {
      g_autofree char *words = g_strdup_printf ("hscope %s --", *command);
      g_auto (GStrv) options = list_options (fixture, *command);
      g_auto (GStrv) completed = NULL;

      complete (fixture, words);
      completed = g_strsplit (fixture->out, " ", 0);
      for (char **option = options; *option; option++)
        if (!g_strv_contains ((const char *const *) completed, *option))
          fixture_complain ("%s %s is not completed", *command, *option);
    }
}

/* Each word that is offered for an option is one that the command knows. */
static void
test_the_words_of_an_option_are_accepted (Fixture *fixture, gconstpointer unused G_GNUC_UNUSED)
{
  static const struct
  {
    const char *words, *line; /* a line of the shell without the option's value at its end */
  } rows[] = {
    { "hscope convert --to ''",
      "hscope convert 'gallery:lstm-hybrid?length=2&hidden=4' --output out --to" },
    { "hscope render --theme ''", "hscope render gallery:mlp --output out.svg --theme" },
    { "hscope render --layout ''", "hscope render gallery:mlp --output out.svg --layout" },
    { "hscope run --mode ''", "hscope run gallery:mlp --mode" },
    { "hscope run --init ''", "hscope run gallery:mlp --init" },
    { "hscope run --progress ''", "hscope run gallery:mlp --progress" },
    { "hscope train --loss ''", "hscope train gallery:mlp --data missing.npz --loss" },
    { "hscope train --metric ''", "hscope train gallery:mlp --data missing.npz --metric" },
    { "hscope train --optimizer ''", "hscope train gallery:mlp --data missing.npz --optimizer" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_auto (GStrv) words = NULL;

      complete (fixture, rows[i].words);
      words = g_strsplit (fixture->out, " ", 0);
      g_assert_cmpuint (g_strv_length (words), >=, 3);
      for (char **word = words; *word; word++)
        {
          g_autofree char *line = g_strdup_printf ("%s %s", rows[i].line, *word);

          fixture_run_line (fixture, line);
          if (fixture->code == 2)
            fixture_complain ("%s: %s", line, fixture->err);
        }
    }
}

static void
check_syntax (Fixture *fixture, const char *shell, const char *script)
{
  g_autofree char *program = g_find_program_in_path (shell);
  g_autofree char *line = g_strdup_printf ("%s -n %s/%s", shell, MANUAL, script);

  if (!program)
    {
      g_test_skip ("the shell is not installed");
      return;
    }
  fixture_run_line (fixture, line);
  g_assert_cmpstr (fixture->err, ==, "");
  g_assert_cmpint (fixture->code, ==, 0);
}

static void
test_zsh_can_read_its_completions (Fixture *fixture, gconstpointer unused G_GNUC_UNUSED)
{
  check_syntax (fixture, "zsh", "_hscope");
}

static void
test_fish_can_read_its_completions (Fixture *fixture, gconstpointer unused G_GNUC_UNUSED)
{
  check_syntax (fixture, "fish", "hscope.fish");
}

static void
test_fish_completes_names (Fixture *fixture, gconstpointer unused G_GNUC_UNUSED)
{
  static const struct
  {
    const char *words, *completed;
  } rows[] = {
    { "hscope new lstm-h", "lstm-hybrid" },
    { "hscope info gallery:lstm-h", "gallery:lstm-hybrid" },
    { "hscope info --operator SoftmaxA", "SoftmaxActivation" },
    { "hscope run --plan-without fold-c", "fold-constants" },
    { "hscope compare --variants unrolled,fu", "unrolled,fused" },
  };
  g_autofree char *fish = g_find_program_in_path ("fish");

  if (!fish)
    {
      g_test_skip ("the shell is not installed");
      return;
    }
  fixture_run_line (fixture, "mkdir bin && ln -s '" HSCOPE "' bin/hscope");
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autofree char *line =
          g_strdup_printf ("HOME=$PWD PATH=$PWD/bin:$PATH fish -c \"source " MANUAL
                           "/hscope.fish; complete -C '%s'\" | cut -f1",
                           rows[i].words);

      fixture_run_line (fixture, line);
      g_strchomp (fixture->out);
      if (strcmp (fixture->out, rows[i].completed) != 0)
        fixture_complain ("%s: “%s” instead of “%s”", rows[i].words, fixture->out,
                          rows[i].completed);
    }
}

TEST_PROGRAM (test_manual)
{
  static const struct
  {
    const char *name;
    void (*run) (Fixture *fixture, gconstpointer unused);
  } tests[] = {
    { "every-command-has-a-page-with-all-its-options",
      test_every_command_has_a_page_with_all_its_options },
    { "pages-have-the-usual-sections", test_pages_have_the_usual_sections },
    { "groff-has-no-warning-about-the-pages", test_groff_has_no_warning_about_the_pages },
    { "bash-completes-commands-options-and-their-words",
      test_bash_completes_commands_options_and_their_words },
    { "bash-completes-every-option-of-every-command",
      test_bash_completes_every_option_of_every_command },
    { "the-words-of-an-option-are-accepted", test_the_words_of_an_option_are_accepted },
    { "zsh-can-read-its-completions", test_zsh_can_read_its_completions },
    { "fish-can-read-its-completions", test_fish_can_read_its_completions },
    { "fish-completes-names", test_fish_completes_names },
  };

  g_setenv ("HYBRIDSCOPE_GALLERY", HYB_GALLERY, TRUE);
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (tests); i++)
    {
      g_autofree char *path = g_strconcat ("/manual/", tests[i].name, NULL);

      g_test_add (path, Fixture, NULL, fixture_set_up, tests[i].run, fixture_tear_down);
    }
  return g_test_run ();
}
