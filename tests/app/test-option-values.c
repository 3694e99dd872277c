/* test-option-values.c — values of options that make no sense are refused, for every option of every command.
 *
 * The options are those that --help lists, so a new one is tested without being named here.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "hscope-fixture.h"
#include "tests/program.h"

#include <stdio.h>
#include <string.h>

/* A command and the files that it needs to get as far as its options. */
static const struct
{
  const char *name, *files;
} commands[] = {
  { "info", "m-symbol.json" },
  { "check", "m-symbol.json" },
  { "run", "m-symbol.json --init uniform" },
  { "profile", "m-symbol.json" },
  { "weights", "m-0000.params" },
  { "render", "m-symbol.json --output x.svg" },
  { "new", "mlp --output x" },
  { "trace", "x.so --output x" },
  { "train", "gallery:mlp" },
  { "bench", "--case rnn-infer-h8-t2-b1-cell" },
  { "import", "m-symbol.json --symbol m-symbol.json" },
  { "compare", "m-symbol.json" },
  { "convert", "r-symbol.json --to unrolled --output x" },
  { "prove", "m-symbol.json m-symbol.json" },
  { "report", "c.hscope" },
  { "diff", "m-symbol.json m-symbol.json" },
};

/* Numbers: the names that --help gives them, and what none of them may be. */
static const char *const numbers[] = { "N", "R", "T", "X", "SECONDS" };
static const char *const nonsense[] = { "nan",   "inf", "-2",
                                        "1e400", "two", "1x",
                                        "",      " ",   "99999999999999999999" };
/* Options that take any whole number, or words of the user. */
static const char *const any_number[] = { "seed" };
static const char *const any_word[] = { "collapse", "expand", "find", "set", "carry", "case" };

typedef struct
{
  char *name, *value;
} Option;

static void
clear_option (gpointer data)
{
  Option *option = data;

  g_free (option->name);
  g_free (option->value);
}

/* The options with a value in what --help has printed. */
static GArray *
list_options (const char *help)
{
  GArray *options = g_array_new (FALSE, FALSE, sizeof (Option));
  g_auto (GStrv) lines = g_strsplit (help, "\n", -1);

  g_array_set_clear_func (options, clear_option);
  for (guint i = 0; lines[i] && !g_str_has_prefix (lines[i], "Examples:"); i++)
    {
      const char *begin = g_str_has_prefix (lines[i], "  -") ? strstr (lines[i], "--") : NULL;
      const char *equals = begin ? strchr (begin, '=') : NULL;
      const char *space = begin ? strchr (begin, ' ') : NULL;
      Option      option;

      if (!equals || (space && space < equals))
        continue;
      option.name = g_strndup (begin + 2, (gsize) (equals - begin - 2));
      option.value = g_strndup (equals + 1, strcspn (equals + 1, " "));
      g_array_append_val (options, option);
    }
  return options;
}

static gboolean
is_in (const char *word, const char *const *words, gsize n)
{
  for (gsize i = 0; i < n; i++)
    if (strcmp (word, words[i]) == 0)
      return TRUE;
  return FALSE;
}

static void
assert_refused (Fixture *fixture, guint command, const char *option, const char *value)
{
  g_autofree char *line = g_strdup_printf ("hscope %s %s '--%s=%s'", commands[command].name,
                                           commands[command].files, option, value);
  g_autofree char *name = g_strconcat ("--", option, NULL);

  fixture_run_line (fixture, line);
  if (fixture->code != 2 || !strstr (fixture->err, name))
    fixture_complain ("%s: %d %s", line, fixture->code, fixture->err);
}

static void
set_up (Fixture *fixture, gconstpointer unused)
{
  fixture_set_up (fixture, unused);
  fixture_run_line (fixture,
                    "hscope new mlp --output m && hscope new foreach-rnn --output r && "
                    "hscope profile m-symbol.json --repeat 1 --traced 1 --capture c.hscope");
  g_assert_cmpint (fixture->code, ==, 0);
}

/* Calls function with every option of every command that takes a value. */
static void
for_each_option (Fixture *fixture, void (*function) (Fixture *, guint, const Option *))
{
  for (guint c = 0; c < G_N_ELEMENTS (commands); c++)
    {
      g_autofree char *line = g_strdup_printf ("hscope %s --help", commands[c].name);
      g_autoptr (GArray) options = NULL;

      fixture_run_line (fixture, line);
      options = list_options (fixture->out);
      g_assert_cmpuint (options->len, >=, 3);
      for (guint i = 0; i < options->len; i++)
        function (fixture, c, &g_array_index (options, Option, i));
    }
}

static void
try_numbers (Fixture *fixture, guint command, const Option *option)
{
  if (!is_in (option->value, numbers, G_N_ELEMENTS (numbers)))
    return;
  for (guint i = 0; i < G_N_ELEMENTS (nonsense); i++)
    if (!is_in (option->name, any_number, G_N_ELEMENTS (any_number)) ||
        strcmp (nonsense[i], "-2") != 0)
      assert_refused (fixture, command, option->name, nonsense[i]);
}

static void
test_numbers (Fixture *fixture, gconstpointer unused G_GNUC_UNUSED)
{
  for_each_option (fixture, try_numbers);
}

static void
try_words (Fixture *fixture, guint command, const Option *option)
{
  if (is_in (option->value, numbers, G_N_ELEMENTS (numbers)) ||
      is_in (option->name, any_word, G_N_ELEMENTS (any_word)) ||
      g_str_has_prefix (option->value, "FILE") || g_str_has_suffix (option->value, ".npz") ||
      g_str_has_suffix (option->value, ".json") || strcmp (option->value, "PREFIX") == 0 ||
      strcmp (option->value, "CAPTURE") == 0 || strcmp (option->value, "MODEL") == 0 ||
      strchr (option->value, '|'))
    return;
  assert_refused (fixture, command, option->name, "no-such-value");
}

static void
test_words (Fixture *fixture, gconstpointer unused G_GNUC_UNUSED)
{
  for_each_option (fixture, try_words);
}

/* At the ends of ranges, and zeros. */
static void
test_limits (Fixture *fixture, gconstpointer unused G_GNUC_UNUSED)
{
  static const struct
  {
    const char *line;
    int         code;
  } lines[] = {
    { "hscope train gallery:mlp --epochs 0", 2 },
    { "hscope train gallery:mlp --epochs 1 --clip-global-norm 0", 2 },
    { "hscope train gallery:mlp --epochs 1 --sample 0", 0 },
    { "hscope train gallery:mlp --epochs 1 --sample -1", 0 },
    { "hscope render m-symbol.json --output a.svg --scale 0", 2 },
    { "hscope render m-symbol.json --output a.svg --depth 0", 0 },
    { "hscope render m-symbol.json --output a.svg --max-pixels 0", 2 },
    { "hscope profile m-symbol.json --repeat 0", 2 },
    { "hscope profile m-symbol.json --repeat 100001", 2 },
    { "hscope profile m-symbol.json --repeat 1 --warmup 0 --traced 1", 0 },
    { "hscope profile m-symbol.json --traced 0", 2 },
    { "hscope compare m-symbol.json --repeat 0", 2 },
    { "hscope compare m-symbol.json --batch 0", 2 },
    { "hscope compare m-symbol.json --length 1,-3", 2 },
    { "hscope bench --case rnn-infer-h8-t2-b1-cell --repeat 0", 2 },
    { "hscope run m-symbol.json --init uniform --threads 4097", 2 },
    { "hscope run m-symbol.json --init uniform --threads 100000", 2 },
    { "hscope run m-symbol.json --init uniform --threads 0", 2 },
    { "hscope run m-symbol.json --init uniform --threads 1", 0 },
    { "hscope run m-symbol.json --init uniform --seed -5", 0 },
    { "hscope run m-symbol.json --init uniform --seed 9223372036854775807", 0 },
    { "hscope run m-symbol.json --init uniform --seed 9223372036854775808", 2 },
    { "hscope run m-symbol.json --init uniform --time-limit 0", 2 },
    { "hscope run m-symbol.json --init uniform --limit-work 0", 2 },
    { "hscope run m-symbol.json --init uniform --limit-cpu 0", 2 },
    { "hscope run m-symbol.json --init uniform --limit-memory 0", 2 },
    { "hscope run m-symbol.json --init uniform --epoch 0", 0 },
    { "hscope run m-symbol.json --init uniform --epoch -1", 2 },
    { "hscope run m-symbol.json --init uniform --shape data=-1,512", 2 },
    { "hscope convert r-symbol.json --to unrolled --length 0 --output u", 2 },
    { "hscope weights m-0000.params --unpack --cell lstm --hidden 0", 2 },
    { "hscope weights m-0000.params --unpack --cell lstm --hidden 4 --layers -1", 2 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (lines); i++)
    {
      fixture_run_line (fixture, lines[i].line);
      if (fixture->code != lines[i].code)
        fixture_complain ("%s: %d %s", lines[i].line, fixture->code, fixture->err);
    }
  fixture_run_line (fixture, "hscope run m-symbol.json --threads 100000");
  g_assert_nonnull (
      strstr (fixture->err, "--threads 100000: the value must be a whole number from 1 to 4096"));
  fixture_run_line (fixture, "hscope run m-symbol.json --time-limit nan --json");
  g_assert_nonnull (strstr (fixture->out, "the value must be a number above 0"));
}

TEST_PROGRAM (test_option_values)
{
  g_setenv ("HYBRIDSCOPE_GALLERY", HYB_GALLERY, TRUE);
  g_test_init (&argc, &argv, NULL);
#define ADD(path, test) g_test_add (path, Fixture, NULL, set_up, test, fixture_tear_down)
  if (g_test_slow ())
    ADD ("/option-values/numbers-that-make-no-sense-are-refused-by-every-command", test_numbers);
  ADD ("/option-values/words-that-are-no-choice-are-refused-by-every-command", test_words);
  ADD ("/option-values/numbers-at-the-ends-of-their-ranges", test_limits);
#undef ADD
  return g_test_run ();
}
