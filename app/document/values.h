/* values.h — what every operator of a run gave, as hscope run --values tells it.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "app/adapt/value-series.h"

#include <gio/gio.h>

typedef struct _ScopeValues ScopeValues;

/* The node that first gave something that is not a number. */
typedef struct
{
  char         *node, *body; /* body: NULL: in none */
  ScopeStepPath step;
} ScopeFirstNan;

void scope_values_free (ScopeValues *values);
/* body: (nullable) its name, see ScopeBody.  NULL: it did not run. */
const ScopeValueSeries *
scope_values_find (const ScopeValues *values, const char *body, const char *node, guint output);
/* What ran most often in a body, for its steps; NULL: nothing did. */
const ScopeValueSeries *scope_values_find_longest (const ScopeValues *values, const char *body);
/* NULL: none did. */
const ScopeFirstNan *scope_values_get_first_nan (const ScopeValues *values);

/* arguments: of hscope, NULL-terminated. */
void         scope_values_load_async (const char *const  *arguments,
                                      GCancellable       *cancellable,
                                      GAsyncReadyCallback callback,
                                      gpointer            user_data);
ScopeValues *scope_values_load_finish (GAsyncResult *result, GError **error);
