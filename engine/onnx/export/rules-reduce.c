/* rules-reduce.c — sums, means and extremes over axes.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/onnx/export/export.h"

#include <string.h>

/* The axes that are reduced, as numbers from 0: all without the attribute, and also with an empty one under MXNet's legacy
 * rules (rule->number). */
static guint
read_axes (OnnxExport *export, gint64 axes[HYB_MAX_RANK])
{
  int           rank = onnx_input_type (export, 0).shape.rank;
  gboolean      excludes = onnx_param_bool (export, "exclude");
  guint         n, n_axes = 0;
  const gint64 *given = onnx_param_ints (export, "axis", &n);
  gboolean      is_all = !given || (n == 0 && onnx_rule (export)->number == 0);

  for (int axis = 0; axis < rank; axis++)
    {
      gboolean is_given = FALSE;

      for (guint i = 0; i < n; i++)
        is_given |= given[i] == axis || given[i] + rank == axis;
      if (is_all ? !excludes || n == 0 : is_given != excludes)
        axes[n_axes++] = axis;
    }
  return n_axes;
}

/* x reduced along axes.  n of them; whether they stay as axes of size 1 is the node's attribute. */
static OnnxValue
reduce (OnnxExport *export, const char *op, OnnxValue x, guint n, const gint64 *axes)
{
  gboolean keeps = onnx_param_bool (export, "keepdims");

  return onnx_with_axes (export, x,
                         &(OnnxAxes){ op, strcmp (op, "ReduceSum") == 0 ? 13 : 18, n, axes,
                                      ONNX_ATTRIBUTES (ONNX_INT ("keepdims", keeps)) });
}

/* The type of sums: ONNX has no sums of narrow integers. */
static HybDType
inner_type (HybDType dtype)
{
  return hyb_dtype_is_float (dtype) || hyb_dtype_size (dtype) >= 4 ? dtype : HYB_I64;
}

static void
write_reduction (OnnxExport *export)
{
  gint64    axes[HYB_MAX_RANK];
  guint     n = read_axes (export, axes);
  HybDType  dtype = onnx_output_type (export, 0).dtype, from = onnx_input_type (export, 0).dtype;
  HybDType  inner = inner_type (dtype);
  HybType   whole = onnx_input_type (export, 0);
  OnnxValue x = onnx_cast (export, onnx_input (export, 0), from, inner);

  if (n == 0)
    {
      onnx_set_output (export, 0,
                       onnx_unary (export, "Identity", onnx_cast (export, x, inner, dtype)));
      return;
    }
  for (int i = 0; i < whole.shape.rank; i++)
    if (whole.shape.dim[i] == 0 && onnx_rule (export)->needs_elements)
      onnx_fail (export, "ONNX does not define the result of no elements");
  x = reduce (export, onnx_rule (export)->onnx, x, n, axes);
  x = onnx_cast (export, x, inner, dtype);
  /* Under MXNet's legacy rules, a sum of everything has one axis. */
  if (onnx_output_type (export, 0).shape.rank == 1 &&
      (int) n == onnx_input_type (export, 0).shape.rank && !onnx_param_bool (export, "keepdims"))
    x = onnx_reshape (export, x, 1, (gint64[]){ 1 });
  onnx_set_output (export, 0, x);
}

static void
write_norm (OnnxExport *export)
{
  gint64    axes[HYB_MAX_RANK];
  guint     n = read_axes (export, axes);
  gint64    order = onnx_param_int (export, "ord", 2);
  int       rank = onnx_input_type (export, 0).shape.rank;
  HybDType  dtype = onnx_output_type (export, 0).dtype;
  OnnxValue x =
      reduce (export, order == 1 ? "ReduceL1" : "ReduceL2",
              onnx_cast (export, onnx_input (export, 0), onnx_input_type (export, 0).dtype, dtype),
              n, axes);

  if (onnx_output_type (export, 0).shape.rank == 1 && (int) n == rank &&
      !onnx_param_bool (export, "keepdims"))
    x = onnx_reshape (export, x, 1, (gint64[]){ 1 });
  onnx_set_output (export, 0, x);
}

/* The place of the extreme of an axis; the engine's is a float. */
static void
write_arg (OnnxExport *export)
{
  gint64    axis = onnx_param_int (export, "axis", HYB_NONE);
  OnnxValue x = onnx_input (export, 0);
  gboolean  keeps = onnx_param_bool (export, "keepdims"), is_flat = FALSE;

  if (axis == HYB_NONE)
    {
      x = onnx_reshape (export, x, 1, (gint64[]){ -1 });
      axis = 0;
      keeps = onnx_output_type (export, 0).shape.rank == 1;
      is_flat = onnx_output_type (export, 0).shape.rank > 1;
    }
  x = onnx_emit (export, onnx_rule (export)->onnx, 1, &x,
                 ONNX_ATTRIBUTES (ONNX_INT ("axis", axis), ONNX_INT ("keepdims", keeps)));
  if (is_flat)
    x = onnx_binary (export, "Reshape", x, onnx_output_shape (export, 0));
  onnx_set_output (export, 0, onnx_cast (export, x, HYB_I64, onnx_output_type (export, 0).dtype));
}

static void
write_cumsum (OnnxExport *export)
{
  gint64    axis = onnx_param_int (export, "axis", HYB_NONE);
  HybDType  inner = inner_type (onnx_output_type (export, 0).dtype);
  OnnxValue x = onnx_input (export, 0);

  if (axis == HYB_NONE)
    {
      x = onnx_reshape (export, x, 1, (gint64[]){ -1 });
      axis = 0;
    }
  x = onnx_cast (export, x, onnx_input_type (export, 0).dtype, inner);
  x = onnx_emit (export, "CumSum", 2,
                 (OnnxValue[]){ x, onnx_number (export, (double) axis, HYB_I64) },
                 ONNX_ATTRIBUTES (ONNX_INT ("exclusive", onnx_param_bool (export, "exclusive")),
                                  ONNX_INT ("reverse", onnx_param_bool (export, "reverse"))));
  onnx_set_output (export, 0, onnx_cast (export, x, inner, onnx_output_type (export, 0).dtype));
}

/* An operator; whether it has NumPy's rules; whether its result needs an element. */
#define REDUCTION(op_, onnx_, is_numpy, needs)                                    \
  {                                                                               \
    .op = (op_), .write = write_reduction, .onnx = (onnx_), .number = (is_numpy), \
    .needs_elements = (needs)                                                     \
  }

const HybOnnxRule hyb_onnx_rules_reduce[] = {
  REDUCTION ("sum", "ReduceSum", 0, FALSE),
  REDUCTION ("mean", "ReduceMean", 0, TRUE),
  REDUCTION ("max", "ReduceMax", 0, TRUE),
  REDUCTION ("min", "ReduceMin", 0, TRUE),
  REDUCTION ("prod", "ReduceProd", 0, FALSE),
  REDUCTION ("_np_sum", "ReduceSum", 1, FALSE),
  REDUCTION ("_npi_mean", "ReduceMean", 1, TRUE),
  REDUCTION ("_np_max", "ReduceMax", 1, TRUE),
  REDUCTION ("_np_min", "ReduceMin", 1, TRUE),
  REDUCTION ("_np_prod", "ReduceProd", 1, TRUE),
  REDUCTION ("_square_sum", "ReduceSumSquare", 0, FALSE),
  { .op = "norm", .write = write_norm },
  { .op = "argmax", .write = write_arg, .onnx = "ArgMax" },
  { .op = "argmin", .write = write_arg, .onnx = "ArgMin" },
  { .op = "_npi_argmax", .write = write_arg, .onnx = "ArgMax" },
  { .op = "_npi_argmin", .write = write_arg, .onnx = "ArgMin" },
  { .op = "cumsum", .write = write_cumsum },
  { .op = "_running_sum", .write = write_cumsum },
  { .op = NULL },
};
