/* commands.c — the dispatch to the commands of hscope.
 *
 * Start at scope_main(), which finds the command in the table of command-list.c, parses its options and runs it.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/command/describe/describe.h"
#include "app/command/each/each.h"
#include "app/command/frame/command-list.h"
#include "app/command/frame/command-text.h"
#include "app/command/frame/crash.h"
#include "app/command/frame/enter-sandbox.h"
#include "app/command/frame/outputs.h"
#include "app/command/frame/progress.h"
#include "app/command/frame/streams.h"
#include "app/command/frame/terminal.h"
#include "app/command/targets/original-name.h"
#include "app/command/targets/remote-run.h"
#include "app/sandbox/resources.h"

#include "engine/base/cores.h"
#include "engine/base/limits.h"
#include "engine/base/parallel.h"
#include "engine/formats/mapped-file.h"
#include "engine/formats/model-files.h"
#include "engine/kernels/matrix/gemm.h"
#include "engine/kernels/simd/machine-model.h"
#include "engine/kernels/simd/processor.h"
#include "engine/kernels/simd/simd.h"
#include "engine/op/suggest.h"
#include "profiler/machine/measured-machine.h"

#include <locale.h>
#include <malloc.h>
#include <stdio.h>
#include <string.h>

#define MIN_ROOM    ((guint64) 128 << 20) /* bytes; threads of the libraries for text need some, too */
#define LITTLE_ROOM ((guint64) 1 << 30) /* bytes */

/* One call of a command: its parsed options. */
typedef struct
{
  const ScopeCommand *command;
  ScopeCommonOptions  common;
  gpointer            options; /* command->options_size bytes */
  GArray             *entries; /* of GOptionEntry, with addresses in common and options */
  GArray             *files;   /* the ones that name a file */
  GArray             *numbers; /* of ScopeNumber; the ones that take a number */
  char *const        *argv;    /* of main() */
  ScopeSandboxMode    sandbox;
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

/* For GOptionArgFunc; data: an Invocation. */
static gboolean
parse_number (const char *option, const char *text, gpointer data, GError **error)
{
  const Invocation *call = data;

  for (guint i = 0; i < call->numbers->len; i++)
    {
      const ScopeNumber *number = &g_array_index (call->numbers, ScopeNumber, i);

      if (strcmp (option + strspn (option, "-"), number->option) == 0)
        return scope_number_parse (number, text, error);
    }
  g_return_val_if_reached (FALSE);
}

static void
add_entry (Invocation *call, GOptionEntry entry, gpointer base, const ScopeRange *ranges)
{
  gboolean names_file =
      entry.arg == G_OPTION_ARG_FILENAME || entry.arg == G_OPTION_ARG_FILENAME_ARRAY;
  GOptionArgFunc parser = parse_number;
  ScopeNumber    number;

  bind_entry (&entry, base);
  if (scope_number_init (&number, &entry, ranges))
    {
      g_array_append_val (call->numbers, number);
      entry.arg = G_OPTION_ARG_CALLBACK;
      memcpy (&entry.arg_data, &parser, sizeof parser);
      entry.flags |= G_OPTION_FLAG_FILENAME; /* no conversion */
    }
  g_array_append_val (call->entries, entry);
  if (names_file)
    g_array_append_val (call->files, entry);
}

/* The command's own options, then the common ones. */
static void
collect_entries (Invocation *call)
{
  g_autoptr (GArray) common =
      scope_common_options_list (call->command->option_groups, call->command->unused_options);

  for (guint i = 0; call->command->options && call->command->options[i].long_name; i++)
    add_entry (call, call->command->options[i], call->options, call->command->ranges);
  for (guint i = 0; i < common->len; i++)
    add_entry (call, g_array_index (common, GOptionEntry, i), &call->common, scope_common_ranges);
}

static gboolean
check_files (const Invocation *call, char **files, GError **error)
{
  const ScopeCommand *command = call->command;
  guint               n = g_strv_length (files);

  if (call->common.each ? n == scope_each_n_files (command)
                        : n >= command->n_files[0] && n <= command->n_files[1])
    return TRUE;

  if (call->common.each)
    scope_usage_error (error, "hscope %s --each FOLDER takes %s", command->name,
                       scope_each_n_files (command) > 0 ? "one more folder, with the second models"
                                                        : "no other model");
  else
    scope_usage_error (error, "hscope %s takes %s; see hscope %s --help", command->name,
                       *command->arguments ? command->arguments : "no file", command->name);
  return FALSE;
}

/* With --json a failure is a document, too, even if the arguments failed to parse. */
static void
print_failure (char *const *argv, const GError *error)
{
  g_autofree char *text = scope_error_dup_text (error);
  gboolean         is_json = FALSE;

  for (; *argv && strcmp (*argv, "--") != 0; argv++)
    is_json |= strcmp (*argv, "--json") == 0;
  if (is_json)
    {
      g_autoptr (ScopeJson) json = scope_json_new ();

      scope_describe_error (json, text);
      scope_json_print (json);
    }
  scope_print_error (error);
}

/* An option that does not exist: suggests the nearest one, or where all are listed. */
static void
suggest_option (const Invocation *call, GError *error)
{
  const char *name = strstr (error->message, "--");
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  g_autofree char *word = name ? g_strndup (name + 2, strcspn (name + 2, "= ")) : NULL;
  const char      *meant;
  char            *message;

  if (!word || !g_error_matches (error, G_OPTION_ERROR, G_OPTION_ERROR_UNKNOWN_OPTION))
    return;
  for (guint i = 0; i < call->entries->len; i++)
    g_ptr_array_add (names, (gpointer) g_array_index (call->entries, GOptionEntry, i).long_name);
  g_ptr_array_add (names, (gpointer) "help");
  meant = hyb_suggest_name ((const char *const *) names->pdata, names->len, word);
  message = meant ? g_strdup_printf ("%s; did you mean --%s?", error->message, meant)
                  : g_strdup_printf ("%s; hscope %s --help lists them", error->message,
                                     call->command->name);
  g_free (error->message);
  error->message = message;
}

static ScopeEachCall
describe_call (const Invocation *call, char *const *files)
{
  return (ScopeEachCall){ .command = call->command,
                          .common = &call->common,
                          .entries = call->entries,
                          .numbers = call->numbers,
                          .files = files,
                          .sandbox = call->sandbox };
}

/* Runs the command here or on its target. */
static int
run_streams (const Invocation *call, char **files, GError **error)
{
  ScopeEachCall remote = describe_call (call, files);

  return scope_is_remote (&call->common)
             ? scope_remote_run (&remote, call->files, error)
             : call->command->run (&call->common, call->options, files, error);
}

/* Runs the command on parsed options. */
static int
run_parsed (Invocation *call, char **files, GError **error)
{
  ScopeStreams streams = SCOPE_STREAMS_NONE;
  g_autoptr (GError) overwritten = NULL;
  int      code = SCOPE_EXIT_FAILED;
  gboolean is_done;

  streams.has_json = call->common.json;

  if (scope_streams_open (&streams, call->command, files, call->files, error))
    code = run_streams (call, files, error);
  /* The document of --json is printed by now, so that the error is not a second one. */
  if (!*error && !hyb_mapped_file_check_past (&overwritten))
    {
      scope_print_error (overwritten);
      code = SCOPE_EXIT_FILE;
    }
  is_done = !*error && (code == SCOPE_EXIT_DONE || code == SCOPE_EXIT_CHECK_FAILED);
  /* On a target nothing is said: it is said where the files go. */
  if (is_done && !call->common.json && !g_getenv (SCOPE_TARGET_VARIABLE))
    scope_outputs_print (call->command, call->options, files, streams.output_name);
  if (!scope_streams_close (&streams, is_done, *error ? NULL : error))
    return is_done ? SCOPE_EXIT_FILE : code;
  /* Results up to that point are printed and written. */
  return scope_get_signal () != 0 ? 128 + scope_get_signal () : code;
}

/* Restricts the process from here on. */
static gboolean
protect (const Invocation *call, char *const *files, GError **error)
{
  ScopeSandboxedCall sandboxed = { .command = call->command,
                                   .common = &call->common,
                                   .options = call->options,
                                   .files = files,
                                   .argv = call->argv,
                                   .mode = call->sandbox };

  if (call->common.json)
    scope_resources_set_json ();
  if (call->common.limit_cpu > 0)
    scope_resources_limit_time ((guint64) call->common.limit_cpu, SCOPE_EXIT_MODEL);
  return scope_enter_sandbox (&sandboxed, error);
}

/* Runs the command on the models of a folder.  This process opens none of them and loads no operators: its children enter the
 * sandbox, set the limits and so on. */
static int
run_each (const Invocation *call, char *const *files, GError **error)
{
  ScopeEachCall each = describe_call (call, files);

  return scope_each_run (&each, error);
}

/* Enters the sandbox and runs the command on the models that are named.  For a target this process opens none, and the sandbox is
 * there. */
static int
run_here (Invocation *call, char **files, GError **error)
{
  if (call->command->starts_others && call->sandbox == SCOPE_SANDBOX_STRICT)
    {
      scope_usage_error (error,
                         "--sandbox=strict: hscope %s starts other commands and is in no sandbox "
                         "itself. Leave the option out",
                         call->command->name);
      return SCOPE_EXIT_FAILED;
    }
  if (call->command->option_groups & SCOPE_OPTIONS_RUN && !scope_is_remote (&call->common))
    prof_machine_use_stored ();
  if (!call->command->starts_others && !scope_is_remote (&call->common) &&
      (!protect (call, files, error) || !scope_load_operators (&call->common, error)))
    return SCOPE_EXIT_FAILED;
  if (call->common.json)
    scope_crash_set_json ();
  if (call->common.quiet)
    scope_messages_set_quiet ();
  scope_crash_guard_files ();
  if (call->common.threads > 0)
    hyb_parallel_set_threads ((guint) call->common.threads);
  return run_parsed (call, files, error);
}

/* GOption leaves “--” among the files if one that follows begins with “-”. */
static void
drop_separator (char **files)
{
  while (*files && strcmp (*files, "--") != 0)
    files++;
  for (; *files; files++)
    *files = files[1];
}

/* Parses argv into the invocation and runs the command. */
static int
parse_and_run (Invocation *call, int argc, char **argv)
{
  const ScopeCommand *command = call->command;
  g_autofree char   **given = g_memdup2 (argv, ((gsize) argc + 1) * sizeof *argv);
  g_autofree char    *usage = g_strconcat (command->arguments, " — ", command->summary, NULL);
  g_autofree char    *description = scope_command_dup_help (command);
  g_autofree char    *program = g_strconcat ("hscope ", command->name, NULL);
  g_autoptr (GOptionContext) context = g_option_context_new (usage);
  GOptionGroup *group = g_option_group_new (NULL, NULL, NULL, call, NULL);
  g_autoptr (GError) error = NULL;
  int      code = SCOPE_EXIT_FAILED;
  gboolean is_parsed;

  g_set_prgname (program);
  g_option_context_set_description (context, description);
  g_option_group_add_entries (group, (gpointer) call->entries->data);
  g_option_context_set_main_group (context, group);
  is_parsed = g_option_context_parse (context, &argc, &argv, &error);
  drop_separator (argv + 1);
  if (is_parsed && scope_common_options_set_limits (&call->common, &error) &&
      scope_common_options_check (&call->common, &error) && check_files (call, argv + 1, &error) &&
      scope_outputs_check (command, call->options, argv + 1, &error))
    code =
        call->common.each ? run_each (call, argv + 1, &error) : run_here (call, argv + 1, &error);

  if (error)
    {
      suggest_option (call, error);
      print_failure (given, error);
      if (code < 128)
        code = scope_exit_of_error (error);
    }
  return code == SCOPE_EXIT_FAILED ? SCOPE_EXIT_MODEL : code;
}

/* argv starts with the command's name; whole: argv of main(). */
static int
run_command (const ScopeCommand *command, char **argv, char *const *whole, ScopeSandboxMode sandbox)
{
  int                argc = (int) g_strv_length (argv);
  g_autofree guint8 *options = g_malloc0 (MAX (command->options_size, 1));
  g_autofree char  **arguments = g_memdup2 (argv, ((gsize) argc + 1) * sizeof *argv);
  g_autoptr (GArray) entries = g_array_new (TRUE, TRUE, sizeof (GOptionEntry));
  g_autoptr (GArray) names = g_array_new (TRUE, TRUE, sizeof (GOptionEntry));
  g_autoptr (GArray) numbers = g_array_new (FALSE, FALSE, sizeof (ScopeNumber));
  Invocation call = { .command = command,
                      .options = options,
                      .entries = entries,
                      .files = names,
                      .numbers = numbers,
                      .argv = whole,
                      .sandbox = sandbox };
  int        code;

  collect_entries (&call);
  code = parse_and_run (&call, argc, arguments);

  for (guint i = 0; i < entries->len; i++)
    free_value (&g_array_index (entries, GOptionEntry, i));
  return code;
}

static void
print_help (FILE *to)
{
  fprintf (to, "Usage: hscope COMMAND [OPTIONS] FILES\n\n%s\n\nCommands:\n",
           scope_commands_summary);
  for (guint i = 0; scope_commands[i]; i++)
    fprintf (to, "  %-9s %s\n", scope_commands[i]->name, scope_commands[i]->summary);
  fprintf (to,
           "\n%s\n"
           "hscope FILE is hscope info FILE.  hscope help COMMAND describes a command; --json "
           "prints\n"
           "results as JSON; what follows -- is a file, whatever its name looks like.\n"
           "Exit status: 0 success, 1 the check failed, 2 wrong usage, 3 a file cannot be\n"
           "read or written, 4 the model cannot be planned or run.\n",
           scope_sandbox_text);
}

/* The settings and hardware that determine the speed of this program. */
static void
print_machine (void)
{
  g_autofree char    *vectors = hyb_simd_describe ();
  g_autofree char    *products = hyb_gemm_describe ();
  g_autofree char    *caches = hyb_processor_describe ();
  ProfMeasuredMachine measured;
  g_autofree char    *facts = NULL, *weights = NULL;

  prof_machine_use_measured (&measured);
  facts = prof_machine_describe_measured (&measured);
  weights = hyb_machine_describe ();

  printf ("vector instructions: %s\n", vectors);
  printf ("matrix products: of floats by kernels of hscope, of doubles by %s%s\n", products,
          strstr (products, "Prescott") && hyb_simd_level () != HYB_SIMD_PLAIN
              ? " (the slowest kernels of the library, which may not support this processor. Set "
                "OPENBLAS_CORETYPE to choose others)"
              : "");
  printf ("caches, as reported: %s\n", caches);
  printf ("%s", facts);
  printf ("reading: %s\n", weights);
  printf ("threads: %u", hyb_parallel_get_threads ());
  if (hyb_cores_count () < g_get_num_processors ())
    printf ("; %u processors share %u cores", g_get_num_processors (), hyb_cores_count ());
  printf ("\n");
}

/* The only command that begins with this word, or NULL. */
static const char *
find_abbreviated (const GPtrArray *names, const char *word)
{
  const char *found = NULL;
  guint       n = 0;

  for (guint i = 0; i < names->len; i++)
    if (*word != '\0' && g_str_has_prefix (names->pdata[i], word))
      {
        found = names->pdata[i];
        n++;
      }
  return n == 1 ? found : NULL;
}

/* There is no such command: suggests the nearest one. */
static int
refuse_command (char **argv, const char *name)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  g_autoptr (GError) error = NULL;
  const char *meant;

  for (guint i = 0; scope_commands[i]; i++)
    g_ptr_array_add (names, (gpointer) scope_commands[i]->name);
  g_ptr_array_add (names, (gpointer) "help");
  meant = find_abbreviated (names, name);
  if (!meant)
    meant = hyb_suggest_name ((const char *const *) names->pdata, names->len, name);
  scope_usage_error (&error, "hscope has no command “%s”; %s%s%s", name,
                     meant ? "did you mean “" : "hscope --help lists them", meant ? meant : "",
                     meant ? "”?" : "");
  print_failure (argv, error);
  return SCOPE_EXIT_USAGE;
}

/* hscope help [COMMAND]: argv starts with “help”. */
static int
help (char **argv)
{
  char  help_option[] = "--help";
  char *arguments[] = { argv[1], help_option, NULL };

  if (!argv[1])
    {
      print_help (stdout);
      return SCOPE_EXIT_DONE;
    }
  if (!scope_command_find (argv[1]))
    return refuse_command (argv, argv[1]);
  return run_command (scope_command_find (argv[1]), arguments, argv, SCOPE_SANDBOX_NONE);
}

/* Prints --version; the sandbox is entered to find the parts of it that work here. */
static int
print_version (const ScopeSandboxedCall *nothing, gboolean is_verbose)
{
  g_autoptr (GError) error = NULL;
  gboolean         is_inside = scope_enter_sandbox (nothing, &error);
  g_autofree char *parts = scope_sandbox_describe ();

  printf ("hscope %s\n", SCOPE_VERSION);
  if (is_verbose)
    print_machine ();
  if (nothing->mode != SCOPE_SANDBOX_NONE)
    printf ("sandbox:\n%s", parts);
  if (!is_inside)
    scope_print_message (HYB_SEVERITY_ERROR, "%s", error->message);
  return is_inside ? SCOPE_EXIT_DONE : SCOPE_EXIT_FILE;
}

/* TRUE if a word in the place of a command is a model: there is such a file, or it looks like the name of one, or “--” says
 * so. */
static gboolean
names_model (const char *word)
{
  return strcmp (word, "--") == 0 ||
         (!scope_command_find (word) && *word != '-' &&
          (strpbrk (word, "./:") || g_file_test (word, G_FILE_TEST_EXISTS)));
}

/* hscope FILE: the same as hscope info FILE. */
static int
describe_model (char **argv, char *const *whole, ScopeSandboxMode sandbox)
{
  guint             n = g_strv_length (argv);
  g_autofree char **arguments = g_new0 (char *, n + 1);
  char              name[] = "info";

  arguments[0] = name;
  memcpy (arguments + 1, argv + 1, (n - 1) * sizeof *argv);
  return run_command (scope_command_find (name), arguments, whole, sandbox);
}

/* argv is followed by NULL. */
static int
dispatch (char **whole)
{
  g_autoptr (GError) error = NULL;
  ScopeSandboxMode sandbox;
  guint            skip;
  char           **argv;

  if (!scope_take_sandbox_option (whole, &sandbox, &skip, &error))
    {
      print_failure (whole, error);
      return SCOPE_EXIT_USAGE;
    }
  argv = whole + skip;
  if (argv[0] && argv[1] && strcmp (argv[1], "help") == 0)
    return help (argv + 1);
  if (!argv[0] || !argv[1] || strcmp (argv[1], "--help") == 0 || strcmp (argv[1], "-h") == 0)
    {
      gboolean is_asked = argv[0] && argv[1];

      print_help (is_asked ? stdout : stderr);
      return is_asked ? SCOPE_EXIT_DONE : SCOPE_EXIT_USAGE;
    }
  if (strcmp (argv[1], "--version") == 0)
    return print_version (&(ScopeSandboxedCall){ .argv = whole, .mode = sandbox },
                          argv[2] && strcmp (argv[2], "--verbose") == 0);

  if (names_model (argv[1]))
    return describe_model (argv, whole, sandbox);
  if (!scope_command_find (argv[1]))
    return refuse_command (argv, argv[1]);
  return run_command (scope_command_find (argv[1]), argv + 1, whole, sandbox);
}

/* With less, libraries end the process when they cannot start a thread. */
static gboolean
check_room (GError **error)
{
  guint64          room = hyb_limits_get_room ();
  g_autofree char *text = g_format_size_full (room, G_FORMAT_SIZE_IEC_UNITS);

  /* Otherwise each thread reserves 64 MiB of addresses. */
  if (room < LITTLE_ROOM)
    mallopt (M_ARENA_MAX, 1);
  if (room >= MIN_ROOM)
    return TRUE;
  g_set_error (error, SCOPE_ERROR, SCOPE_ERROR_FAILED,
               "a limit of the process (ulimit -v) leaves %s of memory; hscope needs 128 MiB. "
               "Raise it",
               text);
  return FALSE;
}

int
scope_main (int argc G_GNUC_UNUSED, char **argv)
{
  g_autoptr (GError) error = NULL;

  setlocale (LC_ALL, "");
  setlocale (LC_NUMERIC, "C");
  setlocale (LC_MESSAGES, "C"); /* the messages of libraries are English, too */
  scope_terminal_protect (SCOPE_EXIT_FILE);
  if (!check_room (&error))
    {
      print_failure (argv, error);
      return SCOPE_EXIT_MODEL;
    }
  return dispatch (argv);
}
