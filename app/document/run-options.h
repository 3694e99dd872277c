/* run-options.h — how a model is to be run, as the user last said it.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

typedef struct
{
  char    *device;   /* "cpu", "gpu", "gpu:1" */
  char    *mode;     /* imperative, hybrid, static */
  char    *init;     /* what no file gives: uniform, zeros, xavier */
  char    *input;    /* an npz file; NULL or "": none */
  char    *shapes;   /* "data0=35,32 data1=32,128"; what the model does not say itself */
  char    *launcher; /* "ssh host", put before the command; NULL or "": none */
  int      threads;  /* 0: all cores */
  int      seconds;  /* for all of it */
  gboolean train, backward;
} ScopeRunOptions;

ScopeRunOptions *scope_run_options_load (void);
void             scope_run_options_save (const ScopeRunOptions *options);
ScopeRunOptions *scope_run_options_copy (const ScopeRunOptions *options);
void             scope_run_options_free (ScopeRunOptions *options);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (ScopeRunOptions, scope_run_options_free)

/* The command line: launcher, program, arguments; NULL-terminated.  shapes: (nullable) further
 * ones.  NULL and an error: the launcher's quotes do not close. */
char **scope_run_options_command (const ScopeRunOptions *options,
                                  const char            *program,
                                  const char            *model,
                                  const char            *params,
                                  const char *const     *shapes,
                                  const char            *capture,
                                  GError               **error);

/* The arguments of hscope for one more run that tells every value; NULL: it runs on another host. */
char **scope_run_options_values (const ScopeRunOptions *options,
                                 const char            *model,
                                 const char            *params,
                                 const char *const     *shapes);
