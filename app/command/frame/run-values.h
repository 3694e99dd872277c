/* run-values.h — statistics of every operator's outputs, not only the model's (hscope run --values), and copies of some
 * (--value).
 *
 * The run is a second one, operator by operator: times are measured without it.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "app/command/frame/inputs.h"
#include "app/command/frame/json-writer.h"

typedef struct _ScopeRunValues ScopeRunValues;

/* Runs the graph operator by operator, with bodies of loops and branches, and keeps statistics and
 * histograms of every value; the values are freed as in any run, but copies of the wanted ones are kept.  Warns
 * about the first node that produced a NaN.  wanted: (nullable) NULL-terminated names as
 * scope_run_values_print() writes them; of a value in a loop that of the last step, or of step 1.3 with "@1.3".
 * NULL and an error if the run fails, or has no value of such a name. */
ScopeRunValues *scope_run_values_new (const ScopeInputs        *inputs,
                                      const ScopeCommonOptions *common,
                                      const char *const        *wanted,
                                      GError                  **error);
/* Frees the statistics. */
void scope_run_values_free (ScopeRunValues *values);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (ScopeRunValues, scope_run_values_free)

/* The requested values by their names.  (transfer none) */
HybTensorList *scope_run_values_get_copies (const ScopeRunValues *values);
/* Appends "values", one entry per output of each operator, and "first_nan" to an open object. */
void scope_run_values_write (const ScopeRunValues *values, ScopeJson *json);
/* Prints one line per output of each operator on stdout. */
void scope_run_values_print (const ScopeRunValues *values);
