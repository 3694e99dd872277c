/* commands.c — the table of commands, their help, and the dispatch to them.
 *
 * Start at scope_main(), which finds the command in the table, parses its options and runs it.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/command/command.h"
#include "app/command/describe.h"
#include "app/command/terminal.h"

#include "engine/base/parallel.h"
#include "engine/formats/model-files.h"
#include "engine/kernels/matrix/gemm.h"

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

/* In the order of hscope --help. */
static const ScopeCommand *const commands[] = {
  &scope_command_info,    &scope_command_check,  &scope_command_run,    &scope_command_profile,
  &scope_command_weights, &scope_command_render, &scope_command_new,    &scope_command_trace,
  &scope_command_train,   &scope_command_bench,  &scope_command_import, &scope_command_compare,
  &scope_command_convert, &scope_command_prove,  &scope_command_report, &scope_command_diff,
};

/* One call of a command: its parsed options. */
typedef struct
{
  const ScopeCommand *command;
  ScopeCommonOptions  common;
  gpointer            options; /* command->options_size bytes */
  GArray             *entries; /* of GOptionEntry, with addresses in common and options */
} Invocation;

/* Turns the entry's offset into an address in base.  Strings are parsed as file names, which
 * GOption does not convert: in the C locale it would refuse any text that is not ASCII. */
static void
bind_entry (GOptionEntry *entry, gpointer base)
{
  if (entry->arg == G_OPTION_ARG_STRING)
    entry->arg = G_OPTION_ARG_FILENAME;
  else if (entry->arg == G_OPTION_ARG_STRING_ARRAY)
    entry->arg = G_OPTION_ARG_FILENAME_ARRAY;
  entry->arg_data = (char *) base + GPOINTER_TO_SIZE (entry->arg_data);
}

static void
free_value (const GOptionEntry *entry)
{
  if (entry->arg == G_OPTION_ARG_STRING || entry->arg == G_OPTION_ARG_FILENAME)
    g_clear_pointer ((char **) entry->arg_data, g_free);
  else if (entry->arg == G_OPTION_ARG_STRING_ARRAY || entry->arg == G_OPTION_ARG_FILENAME_ARRAY)
    g_clear_pointer ((char ***) entry->arg_data, g_strfreev);
}

/* The command's own options, then the common ones. */
static GArray *
collect_entries (Invocation *call)
{
  GArray *entries = g_array_new (TRUE, TRUE, sizeof (GOptionEntry));
  g_autoptr (GArray) common = scope_common_options_list (call->command->option_groups);

  for (guint i = 0; call->command->options && call->command->options[i].long_name; i++)
    {
      GOptionEntry entry = call->command->options[i];

      bind_entry (&entry, call->options);
      g_array_append_val (entries, entry);
    }
  for (guint i = 0; i < common->len; i++)
    {
      GOptionEntry entry = g_array_index (common, GOptionEntry, i);

      bind_entry (&entry, &call->common);
      g_array_append_val (entries, entry);
    }
  return entries;
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

/* With --json a failure is a document, too; arguments may be what failed to parse. */
static void
print_failure (char *const *argv, const GError *error)
{
  gboolean wants_json = FALSE;

  for (; *argv && strcmp (*argv, "--") != 0; argv++)
    wants_json |= strcmp (*argv, "--json") == 0;
  if (wants_json)
    {
      g_autoptr (ScopeJson) json = scope_json_new ();

      scope_describe_error (json, error->message);
      scope_json_print (json);
    }
  scope_print_message (HYB_SEVERITY_ERROR, "%s", error->message);
}

/* Parses argv into the invocation and runs the command. */
static int
parse_and_run (Invocation *call, int argc, char **argv)
{
  const ScopeCommand *command = call->command;
  g_autofree char   **given = g_memdup2 (argv, ((gsize) argc + 1) * sizeof *argv);
  g_autofree char    *usage = g_strconcat (command->arguments, " — ", command->summary, NULL);
  g_autofree char    *program = g_strconcat ("hscope ", command->name, NULL);
  g_autoptr (GOptionContext) context = g_option_context_new (usage);
  g_autoptr (GError) error = NULL;
  int code = SCOPE_EXIT_USAGE;

  g_set_prgname (program);
  g_option_context_set_description (context, command->notes);
  g_option_context_add_main_entries (context, (GOptionEntry *) call->entries->data, NULL);
  if (g_option_context_parse (context, &argc, &argv, &error) &&
      scope_common_options_set_limits (&call->common, &error) &&
      scope_common_options_check (&call->common, &error) &&
      check_files (command, argv + 1, &error) && scope_load_operators (&call->common, &error))
    {
      if (call->common.threads > 0)
        hyb_parallel_set_threads ((guint) call->common.threads);
      code = command->run (&call->common, call->options, argv + 1, &error);
    }

  if (error)
    {
      print_failure (given, error);
      code = scope_exit_of_error (error);
    }
  return code;
}

/* argv starts with the command's name. */
static int
run_command (const ScopeCommand *command, int argc, char **argv)
{
  g_autofree guint8 *options = g_malloc0 (MAX (command->options_size, 1));
  g_autofree char  **arguments = g_memdup2 (argv, ((gsize) argc + 1) * sizeof *argv);
  Invocation         call = { command, { .epoch = HYB_EPOCH_HIGHEST }, options, NULL };
  g_autoptr (GArray) entries = call.entries = collect_entries (&call);
  int code = parse_and_run (&call, argc, arguments);

  for (guint i = 0; i < entries->len; i++)
    free_value (&g_array_index (entries, GOptionEntry, i));
  return code;
}

static void
print_help (FILE *to)
{
  fprintf (to,
           "Usage: hscope COMMAND [OPTIONS] FILES\n\n"
           "Open, check, run, profile and convert recurrent and feed-forward models of MXNet.\n\n"
           "Commands:\n");
  for (guint i = 0; i < G_N_ELEMENTS (commands); i++)
    fprintf (to, "  %-9s %s\n", commands[i]->name, commands[i]->summary);
  fprintf (to,
           "\nhscope COMMAND --help describes a command; --json prints results as JSON.\n"
           "Exit status: 0 success, 1 the check failed, 2 wrong usage, 3 a file cannot be\n"
           "read or written, 4 the model cannot be planned or run.\n");
}

/* What determines how fast this program computes on this machine. */
static void
print_machine (void)
{
  g_autofree char *products = hyb_gemm_describe ();

  printf ("matrix products: %s%s\n",
          products,
          strstr (products, "Prescott")
              ? " (the slowest kernels of the library, which may not know this processor. Set "
                "OPENBLAS_CORETYPE to choose others)"
              : "");
  printf ("threads: %u\n", hyb_parallel_get_threads ());
}

static int
dispatch (int argc, char **argv)
{
  g_autoptr (GError) unknown = NULL;

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

  for (guint i = 0; i < G_N_ELEMENTS (commands); i++)
    if (strcmp (argv[1], commands[i]->name) == 0)
      return run_command (commands[i], argc - 1, argv + 1);

  g_set_error (&unknown,
               SCOPE_ERROR,
               SCOPE_ERROR_USAGE,
               "hscope has no command “%s”; hscope --help lists them",
               argv[1]);
  print_failure (argv, unknown);
  return SCOPE_EXIT_USAGE;
}

int
scope_main (int argc, char **argv)
{
  setlocale (LC_ALL, "");
  setlocale (LC_NUMERIC, "C");
  scope_terminal_protect (SCOPE_EXIT_FILE);
  return dispatch (argc, argv);
}
