/* inputs.h — a value for every variable that a run needs.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "app/command/common.h"
#include "engine/formats/tensor-list.h"

typedef struct
{
  HybModel        *model;
  HybGraph        *graph;
  guint            n_variables;
  const HybNodeId *variables;
  HybTensor      **values; /* by variable; NULL: not needed by any output */
  HybType         *types;  /* by value id, as inferred from what is given */
} ScopeInputs;

/* given wins over the model's parameters; what is missing is filled as --init says,
 * labels with zeros unless they are needed for a gradient.  FALSE: an error that
 * names everything that is missing. */
gboolean scope_inputs_fill (ScopeInputs       *inputs,
                            const ScopeCommon *common,
                            HybModel          *model,
                            HybTensorList     *given,
                            gboolean           needs_labels,
                            GError           **error);
void     scope_inputs_clear (ScopeInputs *inputs);
