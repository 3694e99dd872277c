/* variable.c — nodes that compute nothing: variables (operator “null” in files), and “_opaque”, the
 * placeholder for unknown operators, and “Custom”, the name for operators of plug-ins.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/op/op.h"

/* infer_shape and infer_dtype: the operands say nothing about each other. */
static gboolean
infer_nothing (HybCall *call, GError **error)
{
  return TRUE;
}

static const char *const no_inputs[] = { NULL };
static const char *const one_output[] = { "output", NULL };

const HybOp hyb_ops_variable[] = {
  {
      .name = "null",
      .doc = "A value given from outside: data, a parameter, a state, a label.",
      .category = HYB_CATEGORY_DATA,
      .inputs = no_inputs,
      .outputs = one_output,
      .infer_shape = infer_nothing,
      .infer_dtype = infer_nothing,
  },
  {
      .name = "_opaque",
      .doc = "An unknown operator: it is displayed but cannot run.",
      .category = HYB_CATEGORY_DATA,
      .flags = HYB_OP_OPAQUE | HYB_OP_INTERNAL,
      .infer_shape = infer_nothing,
      .infer_dtype = infer_nothing,
  },
  {
      .name = "Custom",
      .aliases = (const char *const[]){ "_npi_Custom", NULL },
      .doc = "An operator from outside of the file, named by its attribute op_type.",
      .category = HYB_CATEGORY_DATA,
      .flags = HYB_OP_OPAQUE | HYB_OP_INTERNAL | HYB_OP_NAMES_PLUGIN,
      .infer_shape = infer_nothing,
      .infer_dtype = infer_nothing,
  },
  { 0 },
};
