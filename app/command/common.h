/* common.h — options that several commands share, and how all of them speak.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/graph/model.h"
#include "engine/tensor/tensor.h"

#include <gio/gio.h>

typedef enum
{
  SCOPE_EXIT_DONE = 0,
  SCOPE_EXIT_NO = 1, /* done, and the answer is no */
  SCOPE_EXIT_USAGE = 2,
  SCOPE_EXIT_FILE = 3,  /* cannot be read or written */
  SCOPE_EXIT_MODEL = 4, /* cannot be planned or run */
} ScopeExit;

#define SCOPE_ERROR (scope_error_quark ())
GQuark scope_error_quark (void);
typedef enum
{
  SCOPE_ERROR_USAGE,
  SCOPE_ERROR_FAILED,
} ScopeError;

typedef enum
{
  SCOPE_GROUP_MODEL = 1 << 0, /* --params, --epoch */
  SCOPE_GROUP_TYPES = 1 << 1, /* --shape, --dtype */
  SCOPE_GROUP_RUN =
      1 << 2, /* --device, --threads, --seed, --mode, --train, --init, --plan-without … */
} ScopeGroups;

typedef struct
{
  gboolean json;
  char    *progress;
  char    *params;
  gint64   epoch; /* HYB_EPOCH_HIGHEST: not given */
  char   **shapes;
  char    *dtype;
  char    *device;
  int      threads;
  gint64   seed;
  char    *mode;
  gboolean train;
  char    *init;
  char   **without;
  char    *dump_after;
} ScopeCommon;

/* NULL and an error: a model that can be worked with.  Says what was noticed. */
HybModel *scope_open_model (const ScopeCommon *common, char **files, GError **error);
/* The same, but what is wrong stays among the findings (check). */
HybModel *scope_open_model_tolerant (const ScopeCommon *common, char **files, GError **error);

/* FALSE and an error: --device names one that is not here. */
gboolean scope_check_device (const ScopeCommon *common, GError **error);

/* Whether a file holds arrays and no graph, by its first bytes. */
gboolean scope_holds_weights (const char *file);

/* --shape NAME=1,3,224,224: one entry each; a dimension “?” is unknown. */
gboolean scope_parse_shape (const char *text, char **name, HybShape *shape, GError **error);
/* Types by value id: --shape and --dtype for inputs, the file's parameters.  FALSE:
 * a name that no variable has, or text that is no shape. */
gboolean
scope_fill_types (const ScopeCommon *common, HybModel *model, HybType *types, GError **error);

/* On stderr: “warning: …”, in colour on a terminal. */
void scope_say (HybSeverity severity, const char *format, ...) G_GNUC_PRINTF (2, 3);
void scope_say_findings (HybModel *model, HybSeverity least);

ScopeExit scope_exit_of_error (const GError *error);
