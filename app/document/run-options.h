/* run-options.h — how a model is run, and the hscope commands that do so.
 *
 * The run panel fills the options, settings keep them, and the workspace turns them into a command
 * with scope_run_options_command().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

/* Default of ScopeRunOptions.patience, in seconds. */
#define SCOPE_RUN_PATIENCE 60

typedef struct
{
  char    *device;   /* "cpu", "gpu", "gpu:1" */
  char    *mode;     /* "imperative", "hybrid", "static" */
  char    *init;     /* how missing parameters are filled: "uniform", "zeros", "xavier" */
  char    *input;    /* path of an npz file; NULL or "": random input */
  char    *launcher; /* put before the command, "ssh host"; NULL or "": none */
  char    *target;   /* of the list of targets; NULL or "": this computer */
  int      threads;  /* 0: all cores */
  int      seconds;  /* time limit of the whole run */
  int      patience; /* seconds without progress after which the run is stopped; 0: no limit */
  gboolean train, backward;
  gboolean fold; /* compute values from parameters alone once, where possible */
} ScopeRunOptions;

/* Whether parameters can be folded; hscope refuses the option elsewhere: in training, and without a plan. */
gboolean scope_run_options_may_fold (const char *mode, gboolean trains);

/* The remembered options, or defaults.  (transfer full) */
ScopeRunOptions *scope_run_options_load (void);
/* Remembers all options. */
void scope_run_options_save (const ScopeRunOptions *options);
/* A deep copy; (transfer full) */
ScopeRunOptions *scope_run_options_copy (const ScopeRunOptions *options);
/* Frees options.  Accepts NULL. */
void scope_run_options_free (ScopeRunOptions *options);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (ScopeRunOptions, scope_run_options_free)

/* The model of a command. */
typedef struct
{
  const char        *name;   /* a path, or "gallery:NAME" */
  const char        *params; /* (nullable) path of the parameter file */
  const char *const *shapes; /* (nullable) NULL-terminated, "NAME=1,3" */
  gboolean           fills;  /* parameters are random, or become so: to be noted in the capture */
} ScopeRunModel;

/* Whether runs happen elsewhere, through a launcher or on a target. */
gboolean scope_run_options_are_remote (const ScopeRunOptions *options);

/* The whole command line of a measured run: launcher, program, arguments.  A target takes the place of a launcher.  capture:
 * the file to write.  (transfer full) NULL and an error: the launcher has unbalanced quotes. */
char **scope_run_options_command (const ScopeRunOptions *options,
                                  const char            *program,
                                  const ScopeRunModel   *model,
                                  const char            *capture,
                                  GError               **error);

/* The arguments of hscope, without the program, for the run that records values.  (transfer full)
 * NULL: the run is on another host or device, where values cannot be recorded. */
char **scope_run_options_values (const ScopeRunOptions *options, const ScopeRunModel *model);
