/* bad-operators.c — a plug-in whose operator has the name of one that exists.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include <hybridscope/hybrid.h>

static void
forward (const HybCall *call, const HybRun *run)
{
}

static const char *const inputs[] = { "data", NULL };

static const HybOp relu = {
  .name = "relu",
  .doc = "Not the relu of the program.",
  .inputs = inputs,
  .infer_shape = hyb_rule_same_shape,
  .forward = forward,
};

HYB_OPERATORS (&relu);
