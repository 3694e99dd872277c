/* values.h — what every operator of a run gave, as hscope run --values tells it.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/tensor/tensor.h"

#include <gio/gio.h>

#define SCOPE_VALUE_BINS 32

typedef struct
{
  HybStatistics statistics;
  char         *shape; /* "35×32×128" */
  guint         n_bins;
  double        bins[SCOPE_VALUE_BINS];
} ScopeValue;

typedef struct _ScopeValues ScopeValues;

void scope_values_free (ScopeValues *values);
/* NULL: it did not run. */
const ScopeValue *scope_values_find (const ScopeValues *values, const char *node, guint output);
/* The node that first gave something that is not a number; NULL: none did. */
const char *scope_values_get_first_nan (const ScopeValues *values);

/* arguments: of hscope, NULL-terminated. */
void         scope_values_ask_async (const char *const  *arguments,
                                     GCancellable       *cancellable,
                                     GAsyncReadyCallback callback,
                                     gpointer            user_data);
ScopeValues *scope_values_ask_finish (GAsyncResult *result, GError **error);
