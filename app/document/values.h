/* values.h — statistics of every operator's outputs in one run, recorded by hscope run --values.
 *
 * scope_values_load_async() runs hscope; the workspace keeps the result until the next run.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "app/adapt/value-series.h"

#include <gio/gio.h>

typedef struct _ScopeValues ScopeValues;

/* The first node, in order of execution, whose output had a NaN or infinity. */
typedef struct
{
  char         *node, *body; /* body: NULL for the model's graph */
  ScopeStepPath step;
} ScopeFirstNan;

/* Frees values.  Accepts NULL. */
void scope_values_free (ScopeValues *values);
/* Statistics of one output of a node.  body: (nullable) see ScopeBody.  NULL: the node did not run. */
const ScopeValueSeries *
scope_values_find (const ScopeValues *values, const char *body, const char *node, guint output);
/* The series with the most runs in a body, which has all its steps; NULL: the body did not run. */
const ScopeValueSeries *scope_values_find_longest (const ScopeValues *values, const char *body);
/* NULL: all outputs are finite. */
const ScopeFirstNan *scope_values_get_first_nan (const ScopeValues *values);

/* Runs hscope with arguments (NULL-terminated) and parses its output in a worker. */
void scope_values_load_async (const char *const  *arguments,
                              GCancellable       *cancellable,
                              GAsyncReadyCallback callback,
                              gpointer            user_data);
/* (transfer full) NULL and an error: hscope failed, or its output is not JSON. */
ScopeValues *scope_values_load_finish (GAsyncResult *result, GError **error);
