/* commands.c — the table of commands, their help, and the way to them.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/command/command.h"

#include "engine/analysis/pass.h"
#include "engine/base/parallel.h"
#include "engine/kernels/matrix/gemm.h"
#include "engine/open/open.h"

#include <locale.h>
#include <stdio.h>
#include <string.h>

extern const ScopeCommand scope_command_info;
extern const ScopeCommand scope_command_check;
extern const ScopeCommand scope_command_run;
extern const ScopeCommand scope_command_profile;
extern const ScopeCommand scope_command_import;
extern const ScopeCommand scope_command_report;
extern const ScopeCommand scope_command_compare;
extern const ScopeCommand scope_command_convert;
extern const ScopeCommand scope_command_prove;
extern const ScopeCommand scope_command_diff;
extern const ScopeCommand scope_command_weights;
extern const ScopeCommand scope_command_bench;
extern const ScopeCommand scope_command_render;

extern const ScopeCommand scope_command_new;
extern const ScopeCommand scope_command_trace;
extern const ScopeCommand scope_command_train;

static const ScopeCommand *const commands[] = {
  &scope_command_info,
  &scope_command_check,
  &scope_command_run,
  &scope_command_profile,
  &scope_command_weights,
  &scope_command_render,
  &scope_command_new,
  &scope_command_trace,
  &scope_command_train,
  &scope_command_bench,
  &scope_command_import,
  &scope_command_compare,
  &scope_command_convert,
  &scope_command_prove,
  &scope_command_report,
  &scope_command_diff,
  NULL,
};

typedef struct
{
  ScopeGroups  group; /* 0: every command */
  GOptionEntry entry;
} CommonOption;

#define INTO(member) SCOPE_INTO (ScopeCommon, member)

static const CommonOption common_options[] = {
  { 0,
    { "json",
      0,
      0,
      G_OPTION_ARG_NONE,
      INTO (json),
      "Print one JSON document and nothing else",
      NULL } },
  { 0,
    { "progress",
      0,
      0,
      G_OPTION_ARG_STRING,
      INTO (progress),
      "How progress is told on stderr: json, bar, none",
      "HOW" } },
  { SCOPE_GROUP_MODEL,
    { "params",
      0,
      0,
      G_OPTION_ARG_FILENAME,
      INTO (params),
      "Parameters; without it those beside the model",
      "FILE" } },
  { SCOPE_GROUP_MODEL,
    { "epoch",
      0,
      0,
      G_OPTION_ARG_INT64,
      INTO (epoch),
      "Which of the parameter files beside the model; without it the highest",
      "N" } },
  { SCOPE_GROUP_TYPES,
    { "shape",
      0,
      0,
      G_OPTION_ARG_STRING_ARRAY,
      INTO (shapes),
      "Shape of an input (repeatable)",
      "NAME=1,3,224,224" } },
  { SCOPE_GROUP_TYPES,
    { "dtype",
      0,
      0,
      G_OPTION_ARG_STRING,
      INTO (dtype),
      "Element type of inputs given by --shape",
      "TYPE" } },
  { SCOPE_GROUP_RUN,
    { "device", 0, 0, G_OPTION_ARG_STRING, INTO (device), "cpu, or gpu[:N]", "DEVICE" } },
  { SCOPE_GROUP_RUN,
    { "threads",
      0,
      0,
      G_OPTION_ARG_INT,
      INTO (threads),
      "Threads to compute with (default: all cores)",
      "N" } },
  { SCOPE_GROUP_RUN,
    { "seed", 0, 0, G_OPTION_ARG_INT64, INTO (seed), "Seed of random numbers", "N" } },
  { SCOPE_GROUP_RUN,
    { "mode",
      0,
      0,
      G_OPTION_ARG_STRING,
      INTO (mode),
      "imperative: operator by operator; hybrid: planned; static: planned, with memory kept",
      "MODE" } },
  { SCOPE_GROUP_RUN,
    { "train",
      0,
      0,
      G_OPTION_ARG_NONE,
      INTO (train),
      "Run the forward pass as in training",
      NULL } },
  { SCOPE_GROUP_RUN,
    { "init",
      0,
      0,
      G_OPTION_ARG_STRING,
      INTO (init),
      "Fill what no file gives: zeros, uniform, xavier",
      "HOW" } },
  { SCOPE_GROUP_RUN,
    { "plan-without",
      0,
      0,
      G_OPTION_ARG_STRING_ARRAY,
      INTO (without),
      "Leave an optimisation out (repeatable; hscope info --passes lists them)",
      "PASS" } },
  { SCOPE_GROUP_RUN,
    { "dump-after",
      0,
      0,
      G_OPTION_ARG_STRING,
      INTO (dump_after),
      "Print the graph to stderr after this pass",
      "PASS" } },
};

#undef INTO

const ScopeCommand *const *
scope_commands (void)
{
  return commands;
}

/* Entries hold offsets; the parser wants addresses.  Text is taken as it comes, as file
 * names are: a plain locale would refuse all that is not ASCII. */
static GOptionEntry
bind_entry (const GOptionEntry *entry, gpointer base)
{
  GOptionEntry bound = *entry;

  if (bound.arg == G_OPTION_ARG_STRING)
    bound.arg = G_OPTION_ARG_FILENAME;
  else if (bound.arg == G_OPTION_ARG_STRING_ARRAY)
    bound.arg = G_OPTION_ARG_FILENAME_ARRAY;
  bound.arg_data = (char *) base + GPOINTER_TO_SIZE (entry->arg_data);
  return bound;
}

static void
free_value (const GOptionEntry *entry)
{
  if (entry->arg == G_OPTION_ARG_STRING || entry->arg == G_OPTION_ARG_FILENAME)
    g_clear_pointer ((char **) entry->arg_data, g_free);
  else if (entry->arg == G_OPTION_ARG_STRING_ARRAY || entry->arg == G_OPTION_ARG_FILENAME_ARRAY)
    g_clear_pointer ((char ***) entry->arg_data, g_strfreev);
}

static GArray *
collect_entries (const ScopeCommand *command, ScopeCommon *common, gpointer own)
{
  GArray *entries = g_array_new (TRUE, TRUE, sizeof (GOptionEntry));

  for (guint i = 0; command->options && command->options[i].long_name; i++)
    {
      GOptionEntry entry = bind_entry (&command->options[i], own);

      g_array_append_val (entries, entry);
    }
  for (guint i = 0; i < G_N_ELEMENTS (common_options); i++)
    if (common_options[i].group == 0 || command->groups & common_options[i].group)
      {
        GOptionEntry entry = bind_entry (&common_options[i].entry, common);

        g_array_append_val (entries, entry);
      }

  return entries;
}

static gboolean
check_pass (const char *option, const char *name, GError **error)
{
  if (!name || hyb_pass_find (name))
    return TRUE;

  g_set_error (error,
               SCOPE_ERROR,
               SCOPE_ERROR_USAGE,
               "--%s %s: there is no such pass; hscope info --passes lists them",
               option,
               name);
  return FALSE;
}

static gboolean
check_passes (const ScopeCommon *common, GError **error)
{
  for (guint i = 0; common->without && common->without[i]; i++)
    if (!check_pass ("plan-without", common->without[i], error))
      return FALSE;
  return check_pass ("dump-after", common->dump_after, error);
}

static gboolean
check_common (const ScopeCommon *common, GError **error)
{
  static const char *const choices[][4] = {
    { "imperative", "hybrid", "static", NULL },
    { "zeros", "uniform", "xavier", NULL },
    { "json", "bar", "none", NULL },
  };
  const struct
  {
    const char *option, *value;
  } given[] = {
    { "mode", common->mode },
    { "init", common->init },
    { "progress", common->progress },
  };

  for (guint i = 0; i < G_N_ELEMENTS (given); i++)
    if (given[i].value && !g_strv_contains (choices[i], given[i].value))
      {
        g_autofree char *list = g_strjoinv (", ", (char **) choices[i]);

        g_set_error (error,
                     SCOPE_ERROR,
                     SCOPE_ERROR_USAGE,
                     "--%s %s: one of %s is possible",
                     given[i].option,
                     given[i].value,
                     list);
        return FALSE;
      }

  if (common->device && strcmp (common->device, "cpu") != 0 &&
      !g_str_has_prefix (common->device, "gpu"))
    {
      g_set_error (error,
                   SCOPE_ERROR,
                   SCOPE_ERROR_USAGE,
                   "--device %s: cpu or gpu[:N] is possible",
                   common->device);
      return FALSE;
    }
  if (common->threads < 0 || common->threads > 4096)
    {
      g_set_error (error,
                   SCOPE_ERROR,
                   SCOPE_ERROR_USAGE,
                   "--threads %d is no number of threads",
                   common->threads);
      return FALSE;
    }
  return check_passes (common, error);
}

static gboolean
check_files (const ScopeCommand *command, char **files, GError **error)
{
  guint n = g_strv_length (files);

  if (n >= command->n_files[0] && n <= command->n_files[1])
    return TRUE;

  g_set_error (error,
               SCOPE_ERROR,
               SCOPE_ERROR_USAGE,
               "hscope %s takes %s; see hscope %s --help",
               command->name,
               *command->arguments ? command->arguments : "no file",
               command->name);
  return FALSE;
}

static int
run_with (const ScopeCommand *command,
          int                 argc,
          char              **argv,
          GArray             *entries,
          ScopeCommon        *common,
          gpointer            own)
{
  g_autofree char *usage = g_strconcat (command->arguments, " — ", command->summary, NULL);
  g_autofree char *program = g_strconcat ("hscope ", command->name, NULL);
  g_autoptr (GOptionContext) context = g_option_context_new (usage);
  g_autoptr (GError) error = NULL;
  int code = SCOPE_EXIT_USAGE;

  g_set_prgname (program);
  g_option_context_add_main_entries (context, (GOptionEntry *) entries->data, NULL);
  if (g_option_context_parse (context, &argc, &argv, &error) && check_common (common, &error) &&
      check_files (command, argv + 1, &error))
    {
      if (common->threads > 0)
        hyb_parallel_set_threads ((guint) common->threads);
      code = command->run (common, own, argv + 1, &error);
    }

  if (error)
    {
      scope_say (HYB_SEVERITY_ERROR, "%s", error->message);
      code = scope_exit_of_error (error);
    }
  return code;
}

/* argv starts with the command's name. */
static int
run_command (const ScopeCommand *command, int argc, char **argv)
{
  ScopeCommon        common = { .epoch = HYB_EPOCH_HIGHEST };
  g_autofree guint8 *own = g_malloc0 (MAX (command->options_size, 1));
  g_autoptr (GArray) entries = collect_entries (command, &common, own);
  g_autofree char **arguments = g_memdup2 (argv, ((gsize) argc + 1) * sizeof *argv);
  int               code = run_with (command, argc, arguments, entries, &common, own);

  for (guint i = 0; i < entries->len; i++)
    free_value (&g_array_index (entries, GOptionEntry, i));
  return code;
}

static void
print_help (FILE *to)
{
  fprintf (to,
           "Usage: hscope COMMAND [OPTIONS] FILES\n\n"
           "Opens, checks, runs and converts recurrent and feed-forward models of MXNet.\n\n"
           "Commands:\n");
  for (guint i = 0; commands[i]; i++)
    fprintf (to, "  %-9s %s\n", commands[i]->name, commands[i]->summary);
  fprintf (to,
           "\nhscope COMMAND --help tells more; --json prints results for programs.\n"
           "Exit status: 0 done, 1 done and the answer is no, 2 wrong usage, 3 a file cannot be\n"
           "read or written, 4 the model cannot be planned or run.\n");
}

/* What decides how fast this program computes here. */
static void
print_machine (void)
{
  g_autofree char *products = hyb_gemm_describe ();

  printf ("matrix products: %s%s\n",
          products,
          strstr (products, "Prescott")
              ? " (the slowest there are: is this processor newer than the library? Set "
                "OPENBLAS_CORETYPE)"
              : "");
  printf ("threads: %u\n", hyb_parallel_get_threads ());
}

int
scope_main (int argc, char **argv)
{
  setlocale (LC_ALL, "");
  setlocale (LC_NUMERIC, "C");

  if (argc < 2 || strcmp (argv[1], "--help") == 0 || strcmp (argv[1], "-h") == 0 ||
      strcmp (argv[1], "help") == 0)
    {
      print_help (argc < 2 ? stderr : stdout);
      return argc < 2 ? SCOPE_EXIT_USAGE : SCOPE_EXIT_DONE;
    }
  if (strcmp (argv[1], "--version") == 0)
    {
      printf ("hscope %s\n", SCOPE_VERSION);
      if (argc > 2 && strcmp (argv[2], "--verbose") == 0)
        print_machine ();
      return SCOPE_EXIT_DONE;
    }

  for (guint i = 0; commands[i]; i++)
    if (strcmp (argv[1], commands[i]->name) == 0)
      return run_command (commands[i], argc - 1, argv + 1);

  scope_say (HYB_SEVERITY_ERROR, "hscope has no command “%s”; hscope --help lists them", argv[1]);
  return SCOPE_EXIT_USAGE;
}
