/* integer-matmul.c — _integer_matmul: exact products of matrices of 8-bit integers with zero points, as int32, floats or
 * 8-bit integers.
 *
 * ONNX's MatMulInteger and QLinearMatMul: (a − a_zero)(b − b_zero), sums wrapping modulo 2³².  Floats are the sums times
 * scale, plus a bias; 8-bit integers are the sums times scale, rounded, plus a zero point, with a bias: int32 is added
 * before scaling, float32 before rounding.  A matrix b
 * that no run changes is packed once.  The loops are in engine/kernels/integers.  Start with matmul_forward().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/op/rules.h"
#include "engine/op/run.h"
#include "engine/ops/numpy/matrix-pairs.h"
#include "engine/ops/quantised/integer-operands.h"

static const HybParam matmul_params[] = {
  HYB_INTEGER_OUT_PARAMS,
  { 0 },
};

/* --- Types --- */

static gboolean
matmul_infer_shape (HybCall *call, GError **error)
{
  const HybShape *a = &call->input[HYB_INTEGER_LEFT].shape;
  const HybShape *b = &call->input[HYB_INTEGER_RIGHT].shape;

  if (!hyb_matrix_pairs_infer (call, error))
    return FALSE;
  return a->rank < 1 || b->rank < 1 ||
         hyb_integer_expect_vectors (call, a->rank == 1 ? 1 : a->dim[a->rank - 2],
                                     b->rank == 1 ? 1 : b->dim[b->rank - 1], error);
}

/* --- Running --- */

/* Packed constants. */
typedef struct
{
  HybIntegerPanels panels;
} MatmulPlan;

static HybMatrixPairs
find_pairs (const HybCall *call)
{
  HybMatrixPairs pairs = hyb_matrix_pairs_find (&call->input[HYB_INTEGER_LEFT].shape,
                                                &call->input[HYB_INTEGER_RIGHT].shape);

  /* Rows of several matrices are those of one if all meet the same matrix. */
  if (call->input[HYB_INTEGER_RIGHT].shape.rank <= 2 &&
      hyb_shape_size (&call->input[HYB_INTEGER_LEFT_ZERO].shape) == 1)
    {
      pairs.m *= hyb_matrix_pairs_count (&pairs);
      pairs.rank = 0;
    }
  return pairs;
}

static void
pack (const HybIntegerPanels *panels, gconstpointer b)
{
  hyb_integer_panels_pack (panels, &(HybIntegerMatrix){ panels->dtype, b, MAX (1, panels->n), 1 });
}

static void
matmul_release (HybCall *call)
{
  MatmulPlan *plan = call->prepared;

  if (plan)
    g_aligned_free (plan->panels.bytes);
  g_clear_pointer (&call->prepared, g_free);
}

/* Packs b now if no run changes it. */
static gboolean
matmul_prepare (HybCall *call, GError **error)
{
  HybMatrixPairs pairs = find_pairs (call);
  MatmulPlan    *plan;

  if (!call->constants || !call->constants[HYB_INTEGER_RIGHT] ||
      call->input[HYB_INTEGER_RIGHT].shape.rank > 2 || pairs.n < 1)
    return TRUE;
  call->prepared = plan = g_new0 (MatmulPlan, 1);
  plan->panels =
      hyb_integer_panels (call->input[HYB_INTEGER_RIGHT].dtype, pairs.n, pairs.k, pairs.m);
  plan->panels.bytes = g_aligned_alloc (1, hyb_integer_panels_size (&plan->panels), HYB_ALIGNMENT);
  pack (&plan->panels, hyb_tensor_get_data (call->constants[HYB_INTEGER_RIGHT]));
  return TRUE;
}

/* Parts of the workspace. */
typedef struct
{
  gsize zeros;   /* of a, then of b */
  gsize product; /* what hyb_integer_multiply() needs */
  gsize panels;  /* of b, if it was not packed before */
  gsize size;
} Parts;

static Parts
divide_workspace (const HybCall *call, const HybMatrixPairs *pairs, const HybIntegerPanels *panels)
{
  Parts parts = { 0 };

  parts.zeros =
      hyb_workspace_take (&parts.size, (gsize) hyb_integer_n_zeros (call) * sizeof (gint32));
  parts.product = hyb_workspace_take (&parts.size, hyb_integer_workspace (panels, pairs->m));
  parts.panels =
      hyb_workspace_take (&parts.size, call->prepared ? 0 : hyb_integer_panels_size (panels));
  return parts;
}

static HybIntegerPanels
panels_of (const HybCall *call, const HybMatrixPairs *pairs)
{
  const MatmulPlan *plan = call->prepared;

  return plan ? plan->panels
              : hyb_integer_panels (call->input[HYB_INTEGER_RIGHT].dtype, pairs->n, pairs->k,
                                    pairs->m);
}

static gsize
matmul_workspace (const HybCall *call)
{
  HybMatrixPairs   pairs = find_pairs (call);
  HybIntegerPanels panels = panels_of (call, &pairs);

  return divide_workspace (call, &pairs, &panels).size;
}

static void
matmul_forward (const HybCall *call, const HybRun *run)
{
  HybMatrixPairs   pairs = find_pairs (call);
  HybIntegerPanels panels = panels_of (call, &pairs);
  HybIntegerResult result = hyb_integer_make_result (call, run);
  Parts            parts = divide_workspace (call, &pairs, &panels);
  gint64           stride[HYB_MAX_RANK], count = hyb_matrix_pairs_count (&pairs);
  gint64           item = (gint64) hyb_dtype_size (call->output[0].dtype);
  char            *workspace = run->workspace;
  gint32          *zeros = (gint32 *) (gpointer) (workspace + parts.zeros);
  HybIntegerRows   rows = {
      .matrix = { .dtype = call->input[HYB_INTEGER_LEFT].dtype, .row = pairs.k, .column = 1 },
      .m = pairs.m,
      .a_zero = zeros,
      .b_zero = hyb_integer_read_zeros (call, run, HYB_INTEGER_LEFT_ZERO, zeros),
      .a_zero_stride = hyb_integer_stride (call, HYB_INTEGER_LEFT_ZERO),
      .b_zero_stride = hyb_integer_stride (call, HYB_INTEGER_RIGHT_ZERO),
  };

  if (pairs.m < 1 || pairs.n < 1)
    return;
  result.ldy = pairs.n;
  hyb_integer_read_zeros (call, run, HYB_INTEGER_RIGHT_ZERO, (gint32 *) rows.b_zero);
  hyb_matrix_pairs_result (&pairs, stride);
  if (!call->prepared)
    panels.bytes = (gint8 *) workspace + parts.panels;
  for (gint64 i = 0; i < count; i++)
    {
      if (!call->prepared)
        pack (&panels, (const char *) run->input[HYB_INTEGER_RIGHT] +
                           hyb_matrix_pairs_offset (&pairs, pairs.b, i));
      rows.matrix.bytes = (const char *) run->input[HYB_INTEGER_LEFT] +
                          hyb_matrix_pairs_offset (&pairs, pairs.a, i);
      result.y = (char *) run->output[0] + hyb_matrix_pairs_offset (&pairs, stride, i) * item;
      hyb_integer_multiply (&rows, &panels, &result, workspace + parts.product);
    }
}

static const char *
matmul_note (const HybCall *call)
{
  return hyb_integer_note ();
}

static void
matmul_cost (const HybCall *call, HybCost *cost)
{
  HybMatrixPairs pairs = find_pairs (call);

  cost->flops = 2.0 * (double) pairs.m * (double) pairs.n * (double) pairs.k *
                (double) hyb_matrix_pairs_count (&pairs);
  hyb_rule_cost_bytes (call, cost);
}

static const char *const inputs[] = {
  "a", "b", "a_zero", "b_zero", "scale", "offset", "bias", NULL
};

const HybOp hyb_ops_integer_matmul[] = {
  { .name = "_integer_matmul",
    .doc =
        "Products of matrices of 8-bit integers, as int32, or scaled to floats or 8-bit integers.",
    .category = HYB_CATEGORY_LINEAR,
    .flags = HYB_OP_NO_GRADIENT | HYB_OP_INTERNAL,
    .inputs = inputs,
    HYB_PARAMS (matmul_params, HybIntegerOut),
    .arity = hyb_integer_arity,
    .infer_shape = matmul_infer_shape,
    .infer_dtype = hyb_integer_infer_dtype,
    .dtypes = HYB_DTYPE_BIT (HYB_F32) | HYB_DTYPE_BIT (HYB_I8) | HYB_DTYPE_BIT (HYB_U8) |
              HYB_DTYPE_BIT (HYB_I32),
    .prepare = matmul_prepare,
    .release = matmul_release,
    .workspace = matmul_workspace,
    .forward = matmul_forward,
    .note = matmul_note,
    .cost = matmul_cost },
  { 0 },
};
