/* einsum.c — _npi_einsum: sums of products of tensors, with one letter for each axis.
 *
 * “ij,jk->ik” names the axes of each operand and those of the result; letters that the result does
 * not have are summed.  Both the result and each gradient are a Contraction: products of matrices if there are two float
 * factors with matrix strides, else one strided loop over all labels.  Start with contract().
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/base/parallel.h"
#include "engine/gradient/by-operands.h"
#include "engine/kernels/matrix/gemm.h"
#include "engine/op/dimensions.h"
#include "engine/op/layer-rules.h"
#include "engine/op/rules.h"
#include "engine/op/run.h"
#include "engine/ops/numpy/einsum-terms.h"

#include <string.h>

static const HybParam einsum_params[] = {
  { HYB_FIELD (EinsumParams, num_args), HYB_PARAM_INT, .low = 1, .high = EINSUM_MAX_OPERANDS,
    .doc = "number of operands" },
  { HYB_FIELD (EinsumParams, subscripts), HYB_PARAM_STRING, "",
    .doc = "the axes of the operands and of the result" },
  { HYB_FIELD (EinsumParams, optimize), HYB_PARAM_INT, "0",
    .doc = "whether MXNet looks for a faster order; not used" },
  { 0 },
};

static gboolean
einsum_check (gconstpointer params, GError **error)
{
  EinsumTerms terms;

  return hyb_einsum_read (params, &terms, error);
}

static gboolean
einsum_infer_shape (HybCall *call, GError **error)
{
  EinsumLabels labels;
  int          label[2 * HYB_MAX_RANK];
  HybShape     out;

  for (guint i = 0; i < call->n_inputs; i++)
    if (!hyb_shape_is_known (&call->input[i].shape))
      return TRUE;
  if (!hyb_einsum_labels (call->params, call->input, &labels, error))
    return FALSE;
  out.rank = hyb_einsum_result_rank (&labels);
  if (out.rank > HYB_MAX_RANK)
    return hyb_refuse_types (error, NULL, "the result has more than %d axes", HYB_MAX_RANK);
  hyb_einsum_axes (&labels, &labels.terms.result, out.rank, label);
  for (int i = 0; i < out.rank; i++)
    out.dim[i] = labels.dim[label[i]];
  return hyb_shape_assign (&call->output[0].shape, &out, error);
}

static void
einsum_arity (gconstpointer values, guint *n_inputs, guint *n_outputs)
{
  *n_inputs = (guint) ((const EinsumParams *) values)->num_args;
  *n_outputs = 1;
}

/* --- Computation --- */

/* target[kept labels] = the sum over the other labels of the product of the factors. */
typedef struct
{
  HybDType      dtype;
  int           n_kept, n_summed, n_factors;
  gint64        dim[EINSUM_MAX_LABELS]; /* kept labels first, then summed ones */
  gint64        to[EINSUM_MAX_LABELS];
  gint64        from[EINSUM_MAX_OPERANDS][EINSUM_MAX_LABELS];
  gconstpointer x[EINSUM_MAX_OPERANDS];
  gpointer      y;
} Contraction;

/* Drops labels that need no loop and puts the kept ones first.  Strides are given for all labels. */
static void
arrange (Contraction *contraction, const EinsumLabels *labels)
{
  Contraction all = *contraction;
  int         n = 0;

  contraction->n_kept = 0;
  for (int summed = 0; summed < 2; summed++)
    for (int i = 0; i < EINSUM_MAX_LABELS; i++)
      if (labels->dim[i] != HYB_UNKNOWN && labels->dim[i] != 1 && (all.to[i] == 0) == summed)
        {
          contraction->dim[n] = labels->dim[i];
          contraction->to[n] = all.to[i];
          for (int k = 0; k < all.n_factors; k++)
            contraction->from[k][n] = all.from[k][i];
          contraction->n_kept += !summed;
          n++;
        }
  contraction->n_summed = n - contraction->n_kept;
}

/* The sum of products along the innermost summed label. */
#define LINE(T)                                                                       \
  for (gint64 i = 0; i < length; i++)                                                 \
    {                                                                                 \
      double product = 1;                                                             \
                                                                                      \
      for (int k = 0; k < c->n_factors; k++)                                          \
        product *= (double) ((const T *) c->x[k])[at[k] + i * c->from[k][innermost]]; \
      sum += product;                                                                 \
    }

static double
sum_line (const Contraction *c, const gint64 *at, int innermost, gint64 length)
{
  double sum = 0;

  if (c->dtype == HYB_F64)
    LINE (double)
  else
    LINE (float)
  return sum;
}
#undef LINE

/* The sum for one element of the target; at: where the factors begin. */
static double
sum_products (const Contraction *c, gint64 *at)
{
  int    innermost = c->n_kept + c->n_summed - 1;
  gint64 index[EINSUM_MAX_LABELS] = { 0 };
  double sum = 0;
  int    axis;

  if (c->n_summed == 0)
    return sum_line (c, at, 0, 1);
  for (int i = 0; i < c->n_summed; i++)
    if (c->dim[c->n_kept + i] == 0)
      return 0;
  do
    {
      sum += sum_line (c, at, innermost, c->dim[innermost]);
      for (axis = innermost - 1; axis >= c->n_kept; axis--)
        {
          gint64 back = ++index[axis] == c->dim[axis] ? c->dim[axis] : 0;

          for (int k = 0; k < c->n_factors; k++)
            at[k] += c->from[k][axis] * (1 - back);
          if (back == 0)
            break;
          index[axis] = 0;
        }
    }
  while (axis >= c->n_kept);
  return sum;
}

/* Elements [begin, end) of the target. */
static void
contract_slice (gint64 begin, gint64 end, gpointer data)
{
  const Contraction *c = data;

  for (gint64 element = begin; element < end; element++)
    {
      gint64 at[EINSUM_MAX_OPERANDS] = { 0 }, to = 0, rest = element;

      for (int i = c->n_kept - 1; i >= 0; i--)
        {
          gint64 index = rest % c->dim[i];

          rest /= c->dim[i];
          to += index * c->to[i];
          for (int k = 0; k < c->n_factors; k++)
            at[k] += index * c->from[k][i];
        }
      hyb_dtype_set_double (c->y, c->dtype, (gsize) to, sum_products (c, at));
    }
}

/* --- As products of matrices --- */

/* Whether label `outer` is one step of a run along label `inner` in all tensors, so that both count as one label. */
static gboolean
is_one_run (const Contraction *c, int outer, int inner)
{
  gint64 n = c->dim[inner];

  for (int k = 0; k < c->n_factors; k++)
    if (c->from[k][outer] != c->from[k][inner] * n)
      return FALSE;
  return c->to[outer] == c->to[inner] * n;
}

/* Removes a label, whose size label `into` takes over. */
static void
merge_label (Contraction *c, int label, int into)
{
  int n = c->n_kept + c->n_summed;

  c->dim[into] *= c->dim[label];
  if (label < c->n_kept)
    c->n_kept--;
  else
    c->n_summed--;
  for (int i = label; i < n - 1; i++)
    {
      c->dim[i] = c->dim[i + 1];
      c->to[i] = c->to[i + 1];
      for (int k = 0; k < c->n_factors; k++)
        c->from[k][i] = c->from[k][i + 1];
    }
}

/* Merges kept labels with each other, and summed ones, where all tensors allow it. */
static void
merge_labels (Contraction *c)
{
  for (int i = 0; i < c->n_kept + c->n_summed; i++)
    for (int j = 0; j < c->n_kept + c->n_summed; j++)
      if (i != j && (i < c->n_kept) == (j < c->n_kept) && is_one_run (c, i, j))
        {
          merge_label (c, i, j);
          i = -1;
          break;
        }
}

/* The roles of labels and factors in a product of matrices; row: HYB_UNKNOWN if the left matrix is one row. */
typedef struct
{
  int left, right; /* factors */
  int row, column, summed;
} Roles;

/* The label along which the result is contiguous is the columns of the right matrix; the longest one that only the other
 * factor has is the rows of the left matrix. */
static gboolean
find_roles (const Contraction *c, Roles *roles)
{
  if (c->n_factors != 2 || c->n_summed != 1 || c->dtype != HYB_F32)
    return FALSE;
  *roles = (Roles){ .row = HYB_UNKNOWN, .column = HYB_UNKNOWN, .summed = c->n_kept };
  for (int i = 0; i < c->n_kept; i++)
    if (c->to[i] == 1 && (c->from[0][i] == 0) != (c->from[1][i] == 0))
      roles->column = i;
  if (roles->column == HYB_UNKNOWN)
    return FALSE;
  roles->right = c->from[0][roles->column] == 0;
  roles->left = !roles->right;
  for (int i = 0; i < c->n_kept; i++)
    if (c->from[roles->right][i] == 0 && c->from[roles->left][i] != 0 &&
        (roles->row == HYB_UNKNOWN || c->dim[i] > c->dim[roles->row]))
      roles->row = i;
  return TRUE;
}

/* The rows or the columns of a matrix: their number, and the elements from one to the next. */
typedef struct
{
  gint64 n, stride;
} Side;

/* How a matrix lies: one of its strides must be 1.  FALSE if neither is, or if rows overlap. */
static gboolean
find_layout (Side row, Side column, gboolean *is_transposed, gint64 *step)
{
  *is_transposed = column.stride != 1;
  *step = *is_transposed ? column.stride : row.stride;
  return (*is_transposed ? row.stride : column.stride) == 1 &&
         *step >= (*is_transposed ? row.n : column.n);
}

/* The product of matrices for one index of all other labels; FALSE if the tensors do not lie as matrices. */
static gboolean
find_product (const Contraction *c, const Roles *roles, HybGemm *gemm)
{
  const gint64 *left = c->from[roles->left], *right = c->from[roles->right];
  gboolean      has_row = roles->row != HYB_UNKNOWN;
  Side          row, summed = { c->dim[roles->summed], left[roles->summed] };

  *gemm = (HybGemm){ .m = has_row ? c->dim[roles->row] : 1,
                     .n = c->dim[roles->column],
                     .k = c->dim[roles->summed],
                     .alpha = 1 };
  gemm->ldc = has_row ? c->to[roles->row] : gemm->n;
  row.n = gemm->m;
  row.stride = has_row ? left[roles->row] : summed.stride == 1 ? gemm->k : 1;
  return gemm->ldc >= gemm->n && find_layout (row, summed, &gemm->transpose_a, &gemm->lda) &&
         find_layout ((Side){ gemm->k, right[roles->summed] },
                      (Side){ gemm->n, right[roles->column] }, &gemm->transpose_b, &gemm->ldb);
}

/* Products of matrices, for each index of the labels that are not part of them. */
typedef struct
{
  const Contraction *contraction;
  Roles              roles;
  HybGemm            gemm;
} Products;

static void
multiply_slice (gint64 begin, gint64 end, gpointer data)
{
  const Products    *self = data;
  const Contraction *c = self->contraction;
  const Roles       *roles = &self->roles;

  for (gint64 index = begin; index < end; index++)
    {
      gint64 at[2] = { 0 }, to = 0, rest = index;

      for (int i = c->n_kept - 1; i >= 0; i--)
        {
          gint64 n = i == roles->row || i == roles->column ? 1 : c->dim[i], step = rest % n;

          rest /= n;
          to += step * c->to[i];
          for (int k = 0; k < 2; k++)
            at[k] += step * c->from[k][i];
        }
      hyb_gemm_f32 (&self->gemm, (const float *) c->x[roles->left] + at[roles->left],
                    (const float *) c->x[roles->right] + at[roles->right], (float *) c->y + to);
    }
}

/* Computes products of matrices; FALSE if that is impossible.  Threads share the products if there are enough, else each
 * product. */
static gboolean
multiply_matrices (const Contraction *c)
{
  Products self = { .contraction = c };
  gint64   n = 1;

  if (!find_roles (c, &self.roles) || !find_product (c, &self.roles, &self.gemm))
    return FALSE;
  for (int i = 0; i < c->n_kept; i++)
    n *= i == self.roles.row || i == self.roles.column ? 1 : c->dim[i];
  hyb_gemm_share (&self.gemm, n, multiply_slice, &self);
  return TRUE;
}

static void
contract (Contraction *contraction)
{
  gint64 n = 1, work = 1;

  merge_labels (contraction);
  if (multiply_matrices (contraction))
    return;
  for (int i = 0; i < contraction->n_kept; i++)
    n *= contraction->dim[i];
  for (int i = 0; i < contraction->n_summed; i++)
    work = hyb_dim_multiply (work, MAX (1, contraction->dim[contraction->n_kept + i]));
  hyb_parallel_for (n, MAX (1, 4096 / work), contract_slice, contraction);
}

static void
einsum_forward (const HybCall *call, const HybRun *run)
{
  Contraction  contraction = { .dtype = call->output[0].dtype,
                               .n_factors = (int) call->n_inputs,
                               .y = run->output[0] };
  EinsumLabels labels;

  hyb_einsum_labels (call->params, call->input, &labels, NULL);
  for (int k = 0; k < contraction.n_factors; k++)
    {
      contraction.x[k] = run->input[k];
      hyb_einsum_strides (&labels, &labels.terms.operand[k], &call->input[k].shape,
                          contraction.from[k]);
    }
  hyb_einsum_strides (&labels, &labels.terms.result, &call->output[0].shape, contraction.to);
  arrange (&contraction, &labels);
  contract (&contraction);
}

/* Inputs: gradient, operands.  The gradient of an operand is the same sum, in which it and the result
 * have changed places; off a diagonal that it names twice it is zero. */
static void
einsum_backward (const HybCall *call, const HybRun *run)
{
  EinsumLabels labels;

  hyb_einsum_labels (call->params, call->input + 1, &labels, NULL);
  for (int target = 0; target < labels.terms.n; target++)
    {
      Contraction contraction = { .dtype = call->output[0].dtype,
                                  .n_factors = labels.terms.n,
                                  .y = run->output[target] };

      for (int k = 0; k < labels.terms.n; k++)
        {
          gboolean is_target = k == target;

          contraction.x[k] = run->input[is_target ? 0 : k + 1];
          hyb_einsum_strides (&labels, is_target ? &labels.terms.result : &labels.terms.operand[k],
                              &call->input[is_target ? 0 : k + 1].shape, contraction.from[k]);
        }
      hyb_einsum_strides (&labels, &labels.terms.operand[target], &call->output[target].shape,
                          contraction.to);
      memset (run->output[target], 0, hyb_type_bytes (&call->output[target]));
      arrange (&contraction, &labels);
      contract (&contraction);
    }
}

static void
backward_arity (gconstpointer values, guint *n_inputs, guint *n_outputs)
{
  *n_outputs = (guint) ((const EinsumParams *) values)->num_args;
  *n_inputs = *n_outputs + 1;
}

/* A multiplication for each factor and an addition for each combination of all labels. */
static void
einsum_cost (const HybCall *call, HybCost *cost)
{
  EinsumLabels labels;

  hyb_rule_cost_bytes (call, cost);
  cost->flops = (double) call->n_inputs;
  if (!hyb_einsum_labels (call->params, call->input, &labels, NULL))
    return;
  for (int i = 0; i < EINSUM_MAX_LABELS; i++)
    if (labels.dim[i] != HYB_UNKNOWN)
      cost->flops *= (double) labels.dim[i];
}

static const char *const inputs[] = { "data", NULL };
static const char *const backward_inputs[] = { "gradient", "data", NULL };
static const char *const backward_outputs[] = { "data", NULL };

const HybOp hyb_ops_einsum[] = {
  {
      .name = "_npi_einsum",
      .doc = "Sums of products of tensors whose axes are named by letters.",
      .category = HYB_CATEGORY_LINEAR,
      .inputs = inputs,
      HYB_PARAMS (einsum_params, EinsumParams),
      .arity = einsum_arity,
      .check = einsum_check,
      .infer_shape = einsum_infer_shape,
      .dtypes = HYB_DTYPES_FLOAT,
      .forward = einsum_forward,
      .gradient = hyb_gradient_by_operands,
      .cost = einsum_cost,
  },
  {
      .name = "_backward_np_einsum",
      .doc = "Gradients of _npi_einsum.",
      .category = HYB_CATEGORY_LINEAR,
      .flags = HYB_OP_INTERNAL,
      .inputs = backward_inputs,
      .outputs = backward_outputs,
      HYB_PARAMS (einsum_params, EinsumParams),
      .arity = backward_arity,
      .gradient_of = "_npi_einsum",
      .operands = "g0 i* > i*",
      .dtypes = HYB_DTYPES_FLOAT,
      .forward = einsum_backward,
  },
  { 0 },
};
