/* each-arguments.h — the command line for one model of a folder.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "app/command/frame/command.h"
#include "app/sandbox/sandbox.h"

/* One call of a command whose options are parsed. */
typedef struct
{
  const ScopeCommand       *command;
  const ScopeCommonOptions *common;
  const GArray    *entries; /* of GOptionEntry, whose arg_data is the address of the value */
  const GArray    *numbers; /* of ScopeNumber: the values of entries that are callbacks */
  char *const     *files;
  ScopeSandboxMode sandbox;
} ScopeEachCall;

/* The number of file arguments that the command takes with --each: the folder of the second models, if it takes two. */
guint scope_each_n_files (const ScopeCommand *command);

/* FALSE and a usage error: an option is “-”, which the processes of several models cannot share. */
gboolean scope_each_check_options (const ScopeEachCall *call, GError **error);

/* The folder that the outputs of all models go to: the value of the option that names a prefix.  NULL: it was not given, or the
 * command writes nothing. */
const char *scope_each_get_output (const ScopeEachCall *call);

/* Appends the option as --NAME=VALUE if it was given; several times if it has several values. */
void scope_each_add_option (GPtrArray *argv, const ScopeEachCall *call, const GOptionEntry *entry);

/* hscope in a sandbox with the options of the call, for a model in common->each.  prefix: (nullable) of the files to write.
 * (transfer full) */
char **scope_each_arguments (const ScopeEachCall *call, const char *model, const char *prefix);
