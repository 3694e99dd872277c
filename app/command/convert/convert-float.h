/* convert-float.h — hscope convert --to float: the float model of a quantised one.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "app/command/frame/command.h"
#include "engine/formats/tensor-list.h"
#include "engine/graph/model.h"

typedef struct
{
  HybTensorList *inputs; /* (nullable) fixes shapes, and is compared */
  const char    *output; /* the prefix of the files to write */
  gboolean       force;  /* write also if the models cannot be compared */
  gboolean       json;
} ScopeConvertFloat;

/* Converts, compares the result with the quantised model, writes it and prints the result.
 * Returns the exit status; an error if it is not SCOPE_EXIT_DONE. */
int scope_convert_to_float (HybModel *model, const ScopeConvertFloat *options, GError **error);
