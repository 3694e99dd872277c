/* tensor-name.h — which tensor of a model: a parameter, or a value of the last run.
 *
 * scope_tensor_names() lists the tensors of a selected box for the user to choose from.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "app/document/document.h"

typedef struct
{
  char    *title; /* for display */
  char    *body;  /* NULL: the model's graph; see ScopeBody */
  char    *node;
  guint    output;
  gboolean is_parameter; /* of the model, with contents; otherwise a value of a run */
} ScopeTensorName;

/* Frees the name.  Accepts NULL. */
void scope_tensor_name_free (ScopeTensorName *name);
/* (transfer full) */
ScopeTensorName *scope_tensor_name_copy (const ScopeTensorName *name);
/* Whether both name the same tensor; titles do not matter. */
gboolean scope_tensor_name_equal (const ScopeTensorName *a, const ScopeTensorName *b);
/* The name as hscope run --value takes it.  step: (nullable) of a loop; NULL: the last one.  (transfer full) */
char *scope_tensor_name_to_string (const ScopeTensorName *name, const char *step);

/* Of a node its outputs and inputs, of outputs of the model the values that they show, of a group the parameters inside, and
 * otherwise all parameters of the model that have contents.
 * (transfer full) Array of ScopeTensorName *. */
GPtrArray *scope_tensor_names (ScopeDocument *document, guint32 box);
