/* schema.h — the specification of a version of an operator: the number and types of its inputs and outputs, and
 * the names and kinds of its attributes.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/onnx/document.h"

/* The newest operator set of ai.onnx whose schemas are known. */
#define HYB_ONNX_NEWEST_OPSET 28

typedef struct
{
  const char *domain; /* "" for ai.onnx */
  const char *name;
  gint64      since;
  guint       min_inputs, max_inputs;
  guint       min_outputs, max_outputs;
  gboolean    is_removed;
  const char *attributes; /* “axis:i=0 perm:I” */
  const char *types; /* “0012;acd;gh;m”: which inputs share a type, and the types allowed for
                      * each */
} HybOnnxSchema;

/* The version of an operator that an operator set has; NULL if it has none. */
const HybOnnxSchema *hyb_onnx_schema_find (const char *domain, const char *name, gint64 opset);
/* The operator set closest to `opset` that has the operator; 0 if none has. */
gint64 hyb_onnx_schema_find_version (const char *domain, const char *name, gint64 opset);
/* A name of the domain that is close to one that it lacks; NULL if there is none. */
const char *hyb_onnx_schema_suggest (const char *domain, const char *name);
/* The default of an attribute as text; NULL if it has none.  (transfer full) */
char *hyb_onnx_schema_dup_default (const HybOnnxSchema *schema, const char *attribute);
/* The fault of a node according to a schema, as a sentence; NULL: none.  *code: of a finding, static.
 * (transfer full) */
char *
hyb_onnx_schema_check (const HybOnnxSchema *schema, const HybOnnxNode *node, const char **code);
/* Likewise with the element types of the node's inputs, those left out being unknown. */
char *hyb_onnx_schema_check_types (const HybOnnxSchema *schema,
                                   const HybOnnxNode   *node,
                                   const HybDType      *dtypes);
