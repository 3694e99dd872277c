/* inputs.h — the inputs of a model: their shapes from the file, and guesses for the rest.
 *
 * Inputs are the variables for which a run needs values and that are not parameters: data, labels and
 * initial states.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/graph/model.h"
#include "engine/graph/roles.h"

typedef struct
{
  const char *name;     /* owned by the graph */
  HybShape    known;    /* dimensions that the file gives; the others are open */
  HybType     type;     /* the used types: with given and guessed dimensions */
  char       *reason;   /* why an open dimension was guessed; NULL: no guess */
  gboolean    is_given; /* the caller gave the shape */
  HybRole     role;
} ScopeInput;

/* Sets the given shapes ("NAME=1,3", nullable) in types, the types of the model's values, and guesses the
 * shapes that stay open.  Names that the graph lacks and texts that are not shapes are ignored.  Takes
 * long for large graphs.  (transfer full) array of ScopeInput in the order of the variables. */
GArray *scope_inputs_find (HybModel *model, HybType *types, const char *const *given);
/* The number of parameters that a run needs and for which the model has no values. */
guint scope_inputs_count_missing (HybModel *model);

/* "NAME=1,3", as the commands of hscope expect a shape.  NULL: a dimension is open.  (transfer full) */
char *scope_input_to_option (const ScopeInput *input);
/* Parses "NAME=1,?,3".  FALSE: the text has another format.  name: (out) (transfer full) */
gboolean scope_input_parse (const char *text, char **name, HybShape *shape);
