/* integer-matmul.c — _integer_matmul: exact products of matrices of 8-bit integers with zero points, as int32, floats or
 * 8-bit integers.
 *
 * ONNX's MatMulInteger and QLinearMatMul: (a − a_zero)(b − b_zero), sums wrapping modulo 2³².  Floats are the sums times
 * scale, plus a bias; 8-bit integers are the sums plus an int32 bias, times scale, rounded, plus a zero point.  A matrix b
 * that no run changes is packed once.  The loops are in engine/kernels/integers.  Start with matmul_forward().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/kernels/integers/product.h"
#include "engine/op/dimensions.h"
#include "engine/op/layer-rules.h"
#include "engine/op/rules.h"
#include "engine/op/run.h"
#include "engine/ops/numpy/matrix-pairs.h"

enum
{
  OUT_INT8,
  OUT_UINT8,
  OUT_INT32,
  OUT_FLOAT32,
};

enum
{
  INPUT_A,
  INPUT_B,
  INPUT_A_ZERO,
  INPUT_B_ZERO,
  INPUT_SCALE,
  INPUT_REST, /* the bias of floats; of bytes the zero point and their bias */
};

typedef struct
{
  int      out_type;
  gboolean has_bias;
} MatmulParams;

static const char *const out_types[] = { "int8", "uint8", "int32", "float32", NULL };

static const HybParam matmul_params[] = {
  { HYB_FIELD (MatmulParams, out_type), HYB_PARAM_ENUM, "int32", .choices = out_types,
    .doc = "type of the result" },
  { HYB_FIELD (MatmulParams, has_bias), HYB_PARAM_BOOL, "False",
    .doc = "whether there is a bias, by column" },
  { 0 },
};

static const HybDType dtypes[] = { HYB_I8, HYB_U8, HYB_I32, HYB_F32 };

static gboolean
makes_bytes (const MatmulParams *params)
{
  return params->out_type == OUT_INT8 || params->out_type == OUT_UINT8;
}

static void
matmul_arity (gconstpointer params, guint *n_inputs, guint *n_outputs)
{
  const MatmulParams *own = params;

  *n_inputs = own->out_type == OUT_INT32 ? INPUT_SCALE
                                         : (guint) (INPUT_REST + makes_bytes (own) + own->has_bias);
  *n_outputs = 1;
}

/* --- Types --- */

/* An operand is one number, or one for each row or column: n of them. */
static gboolean
expect_one_or (const HybCall *call, guint input, gint64 n, GError **error)
{
  const HybShape *shape = &call->input[input].shape;
  gint64          size = hyb_shape_is_known (shape) ? hyb_shape_size (shape) : 1;

  if (size == 1 || n == HYB_UNKNOWN || size == n)
    return TRUE;
  return hyb_refuse_types (error, NULL,
                           "its %s has %" G_GINT64_FORMAT
                           " elements, but there are %" G_GINT64_FORMAT " rows or columns",
                           call->op->inputs[input], size, n);
}

static gboolean
matmul_infer_shape (HybCall *call, GError **error)
{
  const HybShape *a = &call->input[INPUT_A].shape, *b = &call->input[INPUT_B].shape;
  gint64          m, n;

  if (!hyb_matrix_pairs_infer (call, error))
    return FALSE;
  if (a->rank < 1 || b->rank < 1)
    return TRUE;
  m = a->rank == 1 ? 1 : a->dim[a->rank - 2];
  n = b->rank == 1 ? 1 : b->dim[b->rank - 1];
  if (!expect_one_or (call, INPUT_A_ZERO, m, error) ||
      !expect_one_or (call, INPUT_B_ZERO, n, error))
    return FALSE;
  for (guint i = INPUT_SCALE; i < call->n_inputs; i++)
    if (!expect_one_or (call, i, i == INPUT_REST && makes_bytes (call->params) ? 1 : n, error))
      return FALSE;
  return TRUE;
}

static gboolean
expect_bytes (const HybCall *call, guint input, GError **error)
{
  HybDType dtype = call->input[input].dtype;

  return dtype == HYB_DTYPE_UNKNOWN || dtype == HYB_I8 || dtype == HYB_U8 ||
         hyb_refuse_types (error, NULL, "its %s is %s, but it takes int8 and uint8",
                           call->op->inputs[input], hyb_dtype_name (dtype));
}

static gboolean
matmul_infer_dtype (HybCall *call, GError **error)
{
  const MatmulParams *params = call->params;

  for (guint i = INPUT_A; i <= INPUT_B; i++)
    if (!expect_bytes (call, i, error) ||
        (call->input[i].dtype != HYB_DTYPE_UNKNOWN &&
         !hyb_dtype_assign (&call->input[i + 2].dtype, call->input[i].dtype, error)))
      return FALSE;
  for (guint i = INPUT_SCALE; i < call->n_inputs; i++)
    if (!hyb_dtype_assign (&call->input[i].dtype,
                           i > INPUT_REST && makes_bytes (params) ? HYB_I32 : HYB_F32, error))
      return FALSE;
  return hyb_dtype_assign (&call->output[0].dtype, dtypes[params->out_type], error);
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
  HybMatrixPairs pairs =
      hyb_matrix_pairs_find (&call->input[INPUT_A].shape, &call->input[INPUT_B].shape);

  /* Rows of several matrices are those of one if all meet the same matrix. */
  if (call->input[INPUT_B].shape.rank <= 2 &&
      hyb_shape_size (&call->input[INPUT_A_ZERO].shape) == 1)
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

  if (!call->constants || !call->constants[INPUT_B] || call->input[INPUT_B].shape.rank > 2 ||
      pairs.n < 1)
    return TRUE;
  call->prepared = plan = g_new0 (MatmulPlan, 1);
  plan->panels = hyb_integer_panels (call->input[INPUT_B].dtype, pairs.n, pairs.k);
  plan->panels.bytes = g_aligned_alloc (1, hyb_integer_panels_size (&plan->panels), HYB_ALIGNMENT);
  pack (&plan->panels, hyb_tensor_get_data (call->constants[INPUT_B]));
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
  gsize n_zeros = (gsize) (hyb_shape_size (&call->input[INPUT_A_ZERO].shape) +
                           hyb_shape_size (&call->input[INPUT_B_ZERO].shape));

  parts.zeros = hyb_workspace_take (&parts.size, n_zeros * sizeof (gint32));
  parts.product = hyb_workspace_take (&parts.size, hyb_integer_workspace (panels, pairs->m));
  parts.panels =
      hyb_workspace_take (&parts.size, call->prepared ? 0 : hyb_integer_panels_size (panels));
  return parts;
}

static HybIntegerPanels
panels_of (const HybCall *call, const HybMatrixPairs *pairs)
{
  const MatmulPlan *plan = call->prepared;

  return plan ? plan->panels : hyb_integer_panels (call->input[INPUT_B].dtype, pairs->n, pairs->k);
}

static gsize
matmul_workspace (const HybCall *call)
{
  HybMatrixPairs   pairs = find_pairs (call);
  HybIntegerPanels panels = panels_of (call, &pairs);

  return divide_workspace (call, &pairs, &panels).size;
}

/* Writes zero points as int32 and returns what follows them. */
static gint32 *
read_zeros (const HybCall *call, const HybRun *run, guint input, gint32 *to)
{
  gint64        n = hyb_shape_size (&call->input[input].shape);
  const guint8 *from = run->input[input];

  for (gint64 i = 0; i < n; i++)
    to[i] = call->input[input].dtype == HYB_I8 ? (gint8) from[i] : from[i];
  return to + n;
}

static gint64
stride_of (const HybCall *call, guint input)
{
  return hyb_shape_size (&call->input[input].shape) == 1 ? 0 : 1;
}

static HybIntegerResult
make_result (const HybCall *call, const HybRun *run, gint64 n)
{
  const MatmulParams *params = call->params;
  HybIntegerResult    result = { .dtype = dtypes[params->out_type], .ldy = n };

  if (params->out_type == OUT_INT32)
    return result;
  result.scale = run->input[INPUT_SCALE];
  result.scale_stride = stride_of (call, INPUT_SCALE);
  if (makes_bytes (params))
    result.zero = (gint32) CLAMP (((const float *) run->input[INPUT_REST])[0], -128, 255);
  if (params->has_bias && makes_bytes (params))
    result.sum_bias = run->input[INPUT_REST + 1];
  else if (params->has_bias)
    result.bias = run->input[INPUT_REST];
  return result;
}

static void
matmul_forward (const HybCall *call, const HybRun *run)
{
  HybMatrixPairs   pairs = find_pairs (call);
  HybIntegerPanels panels = panels_of (call, &pairs);
  HybIntegerResult result = make_result (call, run, pairs.n);
  Parts            parts = divide_workspace (call, &pairs, &panels);
  gint64           stride[HYB_MAX_RANK], count = hyb_matrix_pairs_count (&pairs);
  gint64           item = (gint64) hyb_dtype_size (call->output[0].dtype);
  char            *workspace = run->workspace;
  gint32          *zeros = (gint32 *) (gpointer) (workspace + parts.zeros);
  HybIntegerRows   rows = {
      .matrix = { .dtype = call->input[INPUT_A].dtype, .row = pairs.k, .column = 1 },
      .m = pairs.m,
      .a_zero = zeros,
      .b_zero = read_zeros (call, run, INPUT_A_ZERO, zeros),
      .a_zero_stride = stride_of (call, INPUT_A_ZERO),
      .b_zero_stride = stride_of (call, INPUT_B_ZERO),
  };

  if (pairs.m < 1 || pairs.n < 1)
    return;
  read_zeros (call, run, INPUT_B_ZERO, (gint32 *) rows.b_zero);
  hyb_matrix_pairs_result (&pairs, stride);
  if (!call->prepared)
    panels.bytes = (gint8 *) workspace + parts.panels;
  for (gint64 i = 0; i < count; i++)
    {
      if (!call->prepared)
        pack (&panels,
              (const char *) run->input[INPUT_B] + hyb_matrix_pairs_offset (&pairs, pairs.b, i));
      rows.matrix.bytes =
          (const char *) run->input[INPUT_A] + hyb_matrix_pairs_offset (&pairs, pairs.a, i);
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
    HYB_PARAMS (matmul_params, MatmulParams),
    .arity = matmul_arity,
    .infer_shape = matmul_infer_shape,
    .infer_dtype = matmul_infer_dtype,
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
