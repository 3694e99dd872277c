/* run-values.h — what every operator of a run gave, not only the outputs.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "app/command/inputs.h"
#include "app/command/json-writer.h"

/* Runs operator by operator and writes the members "values", one for each, and "first_nan" into an
 * open object: statistics and a histogram; a value is freed as soon as nobody needs it. */
gboolean scope_run_describe_values (ScopeJson         *json,
                                    const ScopeInputs *inputs,
                                    const ScopeCommon *common,
                                    GError           **error);
