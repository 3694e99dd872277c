/* convert-weights.h — hscope convert --weights: the model with narrower weights.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "app/command/frame/command.h"
#include "engine/formats/tensor-list.h"
#include "engine/graph/model.h"

typedef struct
{
  const char    *type;      /* of the weights */
  HybTensorList *inputs;    /* (nullable) fixes shapes, and is compared */
  gboolean       is_made;   /* inputs only fixes shapes */
  double         tolerance; /* of outputs; 0: the type's */
  const char    *output;    /* the prefix of the files to write */
  gboolean       force;     /* write also if the outputs differ by more */
  gboolean       json;
} ScopeConvertWeights;

/* Converts, compares the result with the model, writes it and prints the result.  Returns the exit
 * status. */
int scope_convert_weights (HybModel *model, const ScopeConvertWeights *options, GError **error);
