/* inputs.h — a value for every variable that a run needs.
 *
 * Values come from the arrays given (--input), then from the model's parameters and examples, and
 * are otherwise generated as --init says.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "app/command/frame/common-options.h"
#include "engine/formats/tensor-list.h"
#include "engine/graph/model.h"

typedef struct
{
  /* Set by the caller. */
  HybModel      *model;
  HybTensorList *given;        /* (nullable) arrays by variable name, which win over parameters */
  gboolean       needs_labels; /* FALSE: labels that are missing become zeros */

  /* Set by scope_inputs_fill(). */
  HybGraph        *graph; /* the model's */
  guint            n_variables;
  const HybNodeId *variables;
  HybTensor      **values; /* by variable; NULL if no output depends on it */
  HybType         *types;  /* by value id, inferred from the values */
  GHashTable
      *constants; /* (nullable) names of variables whose values are constants of the file, as the
                               * initializers of ONNX are, or frozen; NULL: parameters may change between runs */
} ScopeInputs;

/* Finds or generates the values.  FALSE and an error that names everything that is missing; the
 * caller clears inputs in either case. */
gboolean scope_inputs_fill (ScopeInputs *inputs, const ScopeCommonOptions *common, GError **error);
/* The constants that a run may fold into its plan: none in training, of gradients, or without a plan.
 * (nullable) (transfer none) */
GHashTable *scope_inputs_get_constants (const ScopeInputs        *inputs,
                                        const ScopeCommonOptions *common,
                                        gboolean                  backward);
/* Frees the members set by scope_inputs_fill(). */
void scope_inputs_clear (ScopeInputs *inputs);

/* For measuring, which needs no particular data: sets common->init to "uniform" if it is not set
 * and all parameters have values, so that inputs, states and labels are generated.  The string is
 * static: do not free it. */
void scope_common_options_set_default_init (ScopeCommonOptions *common, HybModel *model);

/* Gives arrays of bits for bfloat16 inputs of the model that type: NumPy lacks it and writes uint16. */
void scope_set_declared_types (HybTensorList *given, HybModel *model);
