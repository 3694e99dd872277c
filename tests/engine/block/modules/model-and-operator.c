/* model-and-operator.c — a plug-in with an operator and a model that calls it; valid C and C++.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include <hybridscope/hybrid.h>

static void
double_forward (const HybCall *call, const HybRun *run)
{
  HybDType dtype = call->output[0].dtype;
  gsize    n = (gsize) hyb_shape_size (&call->output[0].shape);

  for (gsize i = 0; i < n; i++)
    hyb_dtype_set_double (run->output[0], dtype, i,
                          2 * hyb_dtype_get_double (run->input[0], dtype, i));
}

static HybValue *
forward (HybF *F, HybValue *x)
{
  return hyb_unary (F, "test_double", x);
}

static HybBlock *
build (gconstpointer options)
{
  return options ? NULL : hyb_lambda_new (forward, NULL);
}

static const char *const inputs[] = { "data", NULL };

HYB_LEAVES_OUT_MEMBERS (static const HybOp test_double = {
                            .name = "test_double",
                            .doc = "Twice its input.",
                            .category = HYB_CATEGORY_ELEMENTWISE,
                            .inputs = inputs,
                            .infer_shape = hyb_rule_same_shape,
                            .dtypes = HYB_DTYPES_FLOAT,
                            .forward = double_forward,
                        };)

HYB_OPERATORS (&test_double);
HYB_MODEL (.name = "doubled", .doc = "Twice its input", .inputs = "float32(2, 3)", .build = build);
