/* command.h — what a command of hscope is.
 *
 * A command is one const ScopeCommand at the bottom of one file in this folder,
 * named once in commands.c; help, completion and dispatch follow from it.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "app/command/common.h"

typedef struct
{
  const char *name;
  const char *arguments;  /* "MODEL [PARAMS]" */
  const char *summary;    /* one sentence */
  guint       n_files[2]; /* how many files it takes: at least, at most */
  ScopeGroups groups;     /* the common options that mean something here */

  /* Its own options: arg_data holds the offset into a struct of options_size bytes
   * (SCOPE_INTO), which run gets. */
  const GOptionEntry *options;
  gsize               options_size;

  /* The exit code; with an error set, that of the error. */
  int (*run) (const ScopeCommon *common, gpointer options, char **files, GError **error);
} ScopeCommand;

#define SCOPE_INTO(Struct, member) GSIZE_TO_POINTER (G_STRUCT_OFFSET (Struct, member))

/* NULL-terminated, in the order of help. */
const ScopeCommand *const *scope_commands (void);

int scope_main (int argc, char **argv);
