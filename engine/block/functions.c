/* functions.c — common operators as functions, such as hyb_add() and hyb_reshape().
 *
 * Hints for node names and the spelling of attributes are those of MXNet's front end, so that
 * traced graphs match its exports.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/block/layers-private.h"

HybValue *
hyb_zeros (HybF *F, const char *shape)
{
  g_return_val_if_fail (F, NULL);
  return HYB_OP (F, "_zeros", .attributes = HYB_WITH ("shape", shape));
}

HybValue *
hyb_ones (HybF *F, const char *shape)
{
  g_return_val_if_fail (F, NULL);
  return HYB_OP (F, "_ones", .attributes = HYB_WITH ("shape", shape));
}

#define ARITHMETIC(function, op, as)                     \
  HybValue *function (HybF *F, HybValue *a, HybValue *b) \
  {                                                      \
    g_return_val_if_fail (F, NULL);                      \
    return HYB_OP (F, op, .hint = as, .in = { a, b });   \
  }

ARITHMETIC (hyb_add, "elemwise_add", "_plus")
ARITHMETIC (hyb_sub, "elemwise_sub", "_minus")
ARITHMETIC (hyb_mul, "elemwise_mul", "_mul")
ARITHMETIC (hyb_div, "elemwise_div", "_div")

#undef ARITHMETIC

HybValue *
hyb_broadcast (HybF *F, const char *op, HybValue *a, HybValue *b)
{
  g_return_val_if_fail (F && op, NULL);
  return HYB_OP (F, op, .in = { a, b });
}

static HybValue *
with_scalar (HybF *F, const char *op, const char *hint, HybValue *x, double scalar)
{
  return HYB_OP (F, op, .hint = hint, .in = { x },
                 .attributes = HYB_WITH ("scalar", hyb_gluon_number (F, scalar)));
}

#define SCALAR_ARITHMETIC(function, op, hint)              \
  HybValue *function (HybF *F, HybValue *x, double scalar) \
  {                                                        \
    g_return_val_if_fail (F, NULL);                        \
    return with_scalar (F, op, hint, x, scalar);           \
  }

SCALAR_ARITHMETIC (hyb_add_scalar, "_plus_scalar", "_plusscalar")
SCALAR_ARITHMETIC (hyb_mul_scalar, "_mul_scalar", "_mulscalar")
SCALAR_ARITHMETIC (hyb_sub_scalar, "_minus_scalar", "_minusscalar")
SCALAR_ARITHMETIC (hyb_rsub_scalar, "_rminus_scalar", "_rminusscalar")
SCALAR_ARITHMETIC (hyb_div_scalar, "_div_scalar", "_divscalar")
SCALAR_ARITHMETIC (hyb_power_scalar, "_power_scalar", "_powerscalar")
SCALAR_ARITHMETIC (hyb_maximum_scalar, "_maximum_scalar", "_maximumscalar")
SCALAR_ARITHMETIC (hyb_minimum_scalar, "_minimum_scalar", "_minimumscalar")

#undef SCALAR_ARITHMETIC

/* The operators of each comparison, of two arrays and of an array and a number. */
static const struct
{
  const char *arrays, *scalar, *hint;
} comparisons[] = {
  [HYB_EQUAL] = { "_equal", "_equal_scalar", "_equalscalar" },
  [HYB_NOT_EQUAL] = { "_not_equal", "_not_equal_scalar", "_notequalscalar" },
  [HYB_LESS] = { "_lesser", "_lesser_scalar", "_lesserscalar" },
  [HYB_LESS_EQUAL] = { "_lesser_equal", "_lesser_equal_scalar", "_lesserequalscalar" },
  [HYB_GREATER] = { "_greater", "_greater_scalar", "_greaterscalar" },
  [HYB_GREATER_EQUAL] = { "_greater_equal", "_greater_equal_scalar", "_greaterequalscalar" },
};

HybValue *
hyb_compare (HybF *F, HybValue *a, HybComparison how, HybValue *b)
{
  g_return_val_if_fail (F, NULL);
  g_return_val_if_fail ((guint) how < G_N_ELEMENTS (comparisons), NULL);

  return HYB_OP (F, comparisons[how].arrays, .in = { a, b });
}

HybValue *
hyb_compare_scalar (HybF *F, HybValue *x, HybComparison how, double scalar)
{
  g_return_val_if_fail (F, NULL);
  g_return_val_if_fail ((guint) how < G_N_ELEMENTS (comparisons), NULL);

  return with_scalar (F, comparisons[how].scalar, comparisons[how].hint, x, scalar);
}

HybValue *
hyb_unary (HybF *F, const char *op, HybValue *x)
{
  g_return_val_if_fail (F && op, NULL);
  return HYB_OP (F, op, .in = { x });
}

HybValue *
hyb_activation (HybF *F, HybValue *x, const char *act_type, const char *name)
{
  g_return_val_if_fail (F, NULL);
  return HYB_OP (F, "Activation", .name = name, .in = { x },
                 .attributes = HYB_WITH ("act_type", act_type));
}

static const char *
integer (HybF *F, gint64 x)
{
  return x == HYB_NONE ? "None" : hyb_f_text (F, "%" G_GINT64_FORMAT, x);
}

HybValue *
hyb_softmax (HybF *F, HybValue *x, int axis)
{
  g_return_val_if_fail (F, NULL);
  return HYB_OP (F, "softmax", .in = { x }, .attributes = HYB_WITH ("axis", integer (F, axis)));
}

HybValue *
hyb_log_softmax (HybF *F, HybValue *x, int axis)
{
  g_return_val_if_fail (F, NULL);
  return HYB_OP (F, "log_softmax", .in = { x }, .attributes = HYB_WITH ("axis", integer (F, axis)));
}

HybValue *
hyb_reshape (HybF *F, HybValue *x, const char *shape)
{
  g_return_val_if_fail (F, NULL);
  return HYB_OP (F, "Reshape", .hint = "reshape", .in = { x },
                 .attributes = HYB_WITH ("shape", shape));
}

HybValue *
hyb_transpose (HybF *F, HybValue *x, const char *axes)
{
  g_return_val_if_fail (F, NULL);
  return HYB_OP (F, "transpose", .in = { x }, .attributes = HYB_WITH ("axes", axes));
}

HybValue *
hyb_swap_axes (HybF *F, HybValue *x, int a, int b)
{
  g_return_val_if_fail (F, NULL);
  return HYB_OP (F, "SwapAxis", .hint = "swapaxes", .in = { x },
                 .attributes = HYB_WITH ("dim1", integer (F, a), "dim2", integer (F, b)));
}

HybValue *
hyb_expand_dims (HybF *F, HybValue *x, int axis)
{
  g_return_val_if_fail (F, NULL);
  return HYB_OP (F, "expand_dims", .in = { x }, .attributes = HYB_WITH ("axis", integer (F, axis)));
}

HybValue *
hyb_squeeze (HybF *F, HybValue *x, int axis)
{
  g_return_val_if_fail (F, NULL);
  return HYB_OP (F, "squeeze", .in = { x }, .attributes = HYB_WITH ("axis", integer (F, axis)));
}

HybValue *
hyb_slice_axis (HybF *F, HybValue *x, int axis, gint64 begin, gint64 end)
{
  g_return_val_if_fail (F, NULL);
  return HYB_OP (F, "slice_axis", .in = { x },
                 .attributes = HYB_WITH ("axis", integer (F, axis), "begin", integer (F, begin),
                                         "end", integer (F, end)));
}

HybValue *
hyb_split (HybF *F, HybValue *x, guint n, int axis, gboolean squeeze)
{
  g_return_val_if_fail (F, NULL);

  HybValue *parts =
      HYB_OP (F, "SliceChannel", .hint = "split", .in = { x },
              .attributes = HYB_WITH ("axis", integer (F, axis), "num_outputs", integer (F, n),
                                      "squeeze_axis", squeeze ? "True" : NULL));

  return hyb_is_list (parts) || hyb_value_is_failed (parts) ? parts : hyb_list (F, 1, &parts);
}

static HybValue *
join (HybF *F, const char *op, HybValue *list, const char *key, int axis)
{
  return HYB_OP (F, op, .in = { list },
                 .attributes = HYB_WITH (key, integer (F, axis), "num_args",
                                         integer (F, hyb_n_items (list))));
}

HybValue *
hyb_concat (HybF *F, HybValue *list, int axis)
{
  g_return_val_if_fail (F, NULL);
  return join (F, "Concat", list, "dim", axis);
}

HybValue *
hyb_stack (HybF *F, HybValue *list, int axis)
{
  g_return_val_if_fail (F, NULL);
  return join (F, "stack", list, "axis", axis);
}

HybValue *
hyb_dot (HybF *F, HybValue *a, HybValue *b, gboolean transpose_b)
{
  g_return_val_if_fail (F, NULL);
  return HYB_OP (F, "dot", .in = { a, b },
                 .attributes = HYB_WITH ("transpose_b", transpose_b ? "True" : NULL));
}

HybValue *
hyb_sum (HybF *F, HybValue *x, const char *axis)
{
  g_return_val_if_fail (F, NULL);
  return HYB_OP (F, "sum", .in = { x }, .attributes = HYB_WITH ("axis", axis));
}

HybValue *
hyb_mean (HybF *F, HybValue *x, const char *axis)
{
  g_return_val_if_fail (F, NULL);
  return HYB_OP (F, "mean", .in = { x }, .attributes = HYB_WITH ("axis", axis));
}

HybValue *
hyb_where (HybF *F, HybValue *condition, HybValue *x, HybValue *y)
{
  g_return_val_if_fail (F, NULL);
  return HYB_OP (F, "where", .in = { condition, x, y });
}
