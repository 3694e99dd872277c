/* common-options.h — options that several commands share.
 *
 * A command chooses groups of them (ScopeCommand.option_groups); commands.c parses them into
 * one ScopeCommonOptions before it calls the command.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "app/command/frame/option-values.h"
#include "engine/device/gpu.h"
#include "engine/exec/executor.h"
#include "engine/tensor/shape.h"

typedef enum
{
  SCOPE_OPTIONS_MODEL = 1 << 0, /* --params, --epoch, --plugin */
  SCOPE_OPTIONS_TYPES = 1 << 1, /* --shape, --no-guess, --dtype */
  SCOPE_OPTIONS_RUN = 1 << 2,   /* --device, --threads, --seed, --mode, --train, --init … */
  SCOPE_OPTIONS_EACH =
      1
      << 3, /* --each, --jobs: the command can do the same for every model of a folder (each/each.h) */
  SCOPE_OPTIONS_TARGET = 1 << 4, /* --target: the command can run on another machine */
  SCOPE_OPTIONS_FOLD =
      1 << 5, /* --fold-parameters, --freeze-parameters: the command runs a model many times */
} ScopeOptionGroups;

/* Values of the options; a member is NULL or 0 if its option was not given. */
typedef struct
{
  gboolean json, quiet;
  char    *progress;
  char   **plugins; /* modules with operators */
  char    *limit_memory;
  double   limit_work; /* seconds; 0: the default */
  gint64   limit_cpu;  /* seconds; 0: no limit */
  char    *params;
  gint64   epoch; /* HYB_EPOCH_HIGHEST if not given */
  char   **shapes;
  char   **dims;
  gboolean no_guess;
  char    *dtype;
  char    *device;
  char    *math; /* precise or fast, of a GPU */
  int      threads;
  gint64   seed;
  char    *mode;
  gboolean train;
  char    *init;
  gboolean random_values;
  char   **without; /* names of passes, from --plan-without */
  char    *dump_after;
  gboolean fold_parameters;   /* they do not change between runs */
  gboolean freeze_parameters; /* nor need results keep their last bits */
  char    *each;              /* a folder of models; NULL: the models are named */
  int      jobs;              /* 0: one for each processor */
  char    *target;            /* where to run (targets/remote-run.h); NULL: here */
} ScopeCommonOptions;

/* For GOptionEntry.arg_data: the offset of a member, which commands.c turns into an address. */
#define SCOPE_OPTION_FIELD(Struct, member) GSIZE_TO_POINTER (G_STRUCT_OFFSET (Struct, member))

/* The first members of a GOptionEntry that has no short name: kind is the end of a GOptionArg, as STRING. */
#define SCOPE_OPTION(Struct, kind, name, member) \
  name, 0, 0, G_OPTION_ARG_##kind, SCOPE_OPTION_FIELD (Struct, member)

/* Entries of --json, --quiet, --progress, the limits and the groups given, with offsets into ScopeCommonOptions as
 * arg_data.  unused: (nullable) names that are left out, separated by spaces.  Array of GOptionEntry;
 * (transfer full). */
GArray *scope_common_options_list (ScopeOptionGroups groups, const char *unused);

/* Ranges of the numeric options; ends with an empty one. */
extern const ScopeRange scope_common_ranges[];

/* The words that others take; ends with an empty one. */
extern const ScopeChoices scope_common_choices[];

/* Loads the operators of --plugin and of HYBRIDSCOPE_OPERATORS.  FALSE: a module cannot be used. */
gboolean scope_load_operators (const ScopeCommonOptions *common, GError **error);

/* Checks values that have a fixed set of choices, and names of passes.  FALSE: a usage error. */
gboolean scope_common_options_check (const ScopeCommonOptions *common, GError **error);

/* Sets the limits of the engine from --limit-memory and --limit-work.  FALSE: a usage error. */
gboolean scope_common_options_set_limits (const ScopeCommonOptions *common, GError **error);

/* The mode of --mode; static if it was not given. */
HybMode scope_common_options_get_mode (const ScopeCommonOptions *common);

/* FALSE and a usage error if --fold-parameters or --freeze-parameters was given to a run with gradients. */
gboolean scope_check_folding (const ScopeCommonOptions *common, gboolean backward, GError **error);

/* Parses one --dim, "NAME=4", in which the name may contain “=”.  FALSE if it has another form.  name: (out) (nullable)
 * (transfer full). */
gboolean scope_parse_dim (const char *text, char **name, gint64 *size);
/* Parses one --shape, "NAME=1,3,224,224"; the dimension "?" is unknown.  FALSE: a usage error.
 * name: (out) (transfer full). */
gboolean scope_parse_shape (const char *text, char **name, HybShape *shape, GError **error);
