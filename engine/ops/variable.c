/* variable.c — what stands in a graph without computing: variables (“null” in
 * files), and opaque nodes for operators we do not have.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/op/op.h"

static gboolean
nothing_follows (HybCall *call, GError **error)
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
      .infer_shape = nothing_follows,
      .infer_dtype = nothing_follows,
  },
  {
      .name = "_opaque",
      .doc = "An operator that Hybridscope does not know: it can be looked at, not run.",
      .category = HYB_CATEGORY_DATA,
      .flags = HYB_OP_OPAQUE | HYB_OP_INTERNAL,
      .infer_shape = nothing_follows,
      .infer_dtype = nothing_follows,
  },
  { 0 },
};
