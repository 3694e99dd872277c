/* run-values.h — what every operator of a run gave, not only the outputs.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "app/command/inputs.h"
#include "app/command/json-writer.h"

typedef struct _ScopeRunValues ScopeRunValues;

/* Runs operator by operator, bodies of loops and branches included, and keeps statistics and
 * histograms; a value itself is freed as soon as nobody needs it.  Says which node was the first
 * to give something that is not a number. */
ScopeRunValues      *
scope_run_values_new (const ScopeInputs *inputs, const ScopeCommon *common, GError **error);
void scope_run_values_free (ScopeRunValues *values);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (ScopeRunValues, scope_run_values_free)

/* The members "values", one for each output of each operator, and "first_nan" of an open object. */
void scope_run_values_write (const ScopeRunValues *values, ScopeJson *json);
void scope_run_values_print (const ScopeRunValues *values);
