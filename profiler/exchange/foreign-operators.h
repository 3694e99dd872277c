/* foreign-operators.h — pairs operators of ONNX and PyTorch with ours.
 *
 * Operators are grouped in classes such as “matrix product”, because graphs of other tools write the
 * same layer with other operators.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/graph/graph.h"

/* An operator of ours, perhaps only with a certain attribute. */
typedef struct
{
  const char *op;
  const char *attribute, *value; /* NULL: with any attributes */
} ProfOwnOperator;

typedef struct
{
  const char            *name;    /* for messages: "matrix products" */
  const char *const     *foreign; /* names in ONNX and of PyTorch's aten; NULL-terminated */
  const ProfOwnOperator *own;     /* ends with an op of NULL */
} ProfOperatorClass;

/* The number of classes. */
guint prof_n_operator_classes (void);
/* A class by index. */
const ProfOperatorClass *prof_operator_class (guint index);
/* The class of another tool's operator; G_MAXUINT if it is in none. */
guint prof_class_of_foreign (const char *name);
/* The class of a node; G_MAXUINT if it is in none. */
guint prof_class_of_node (const HybNode *node);
/* Whether the name is one of PyTorch's functions that compute gradients. */
gboolean prof_is_foreign_gradient (const char *name);
