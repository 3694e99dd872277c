/* command.h — the struct of a command of hscope.
 *
 * A command is one const ScopeCommand at the bottom of one file in this folder, listed once in
 * commands.c.  Help and dispatch are derived from it.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "app/command/frame/common-options.h"
#include "app/command/frame/messages.h"

/* An option that names a file to write. */
typedef struct
{
  const char *option;
  const char *ending;  /* of the file if “-” is given (streams.h); NULL: several files */
  const char *endings; /* allowed endings of its name, separated by spaces; NULL: any */
} ScopeOutput;

/* Endings of the files that hyb_weights_write_file() writes. */
#define SCOPE_ARRAY_ENDINGS ".npz .npy .params .csv .safetensors"

typedef struct
{
  const char       *name;
  const char       *arguments;     /* for the usage line: "MODEL [PARAMS]" */
  const char       *summary;       /* one sentence */
  const char       *notes;         /* shown below the options by --help; NULL: nothing */
  guint             n_files[2];    /* fewest and most file arguments */
  ScopeOptionGroups option_groups; /* the common options that this command uses, … */
  const char *unused_options; /* … but these, separated by spaces, which it refuses; NULL: none */

  const char *const *examples; /* NULL-terminated; they can be run in this order */
  const ScopeOutput *outputs;  /* ends with an empty one; (nullable) */

  /* Options of this command alone.  arg_data is an offset (SCOPE_OPTION_FIELD) into a struct of
   * options_size bytes, which is zeroed, filled by the parser and passed to run. */
  const GOptionEntry *options;
  gsize               options_size;
  const ScopeRange   *ranges;  /* of its numbers, ends with an empty one; (nullable) */
  const ScopeChoices *choices; /* of its options that take one of a few words; (nullable) */

  /* For the sandbox, besides outputs: whether all GPUs are opened, without --device; whether the last
   * of several file arguments may be written; a file in the user's cache that is written, in a folder
   * of its own (transfer full); and the program that is started with these options (transfer full), or
   * NULL. */
  gboolean opens_gpus;
  gboolean (*needs_gpus) (gconstpointer options); /* whether these options name one; may be NULL */
  gboolean writes_last_file;
  gboolean starts_others; /* opens no model itself: the commands that it starts enter the sandbox */
  char *(*dup_cache_file) (void);
  char *(*dup_program) (gconstpointer options);

  /* Returns the exit code; SCOPE_EXIT_FAILED if error is set. */
  int (*run) (const ScopeCommonOptions *common, gpointer options, char **files, GError **error);
} ScopeCommand;

/* The output that an option of the command names; NULL: it names none. */
const ScopeOutput *scope_command_find_output (const ScopeCommand *command, const char *option);
/* Runs the command that argv names.  Returns the exit code. */
int scope_main (int argc, char **argv);
