/* einsum-contract.c — computes one sum of products of tensors; start with hyb_einsum_contract().
 *
 * Labels that lie alike in all tensors become one.  Then it is products of matrices if there are two float factors with
 * matrix strides, a copy or a reduction of a single factor, products of lines if nothing is summed, else one strided loop
 * over all labels.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/ops/numpy/einsum-contract.h"

#include "engine/base/parallel.h"
#include "engine/kernels/binary.h"
#include "engine/kernels/each.h"
#include "engine/kernels/matrix/gemm.h"
#include "engine/kernels/move.h"
#include "engine/kernels/reduction/reduction.h"
#include "engine/op/dimensions.h"

/* Drops labels that need no loop and puts the kept ones first.  Strides are given for all labels. */
static void
arrange (EinsumContraction *contraction, const EinsumLabels *labels)
{
  EinsumContraction all = *contraction;
  int               n = 0;

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
sum_line (const EinsumContraction *c, const gint64 *at, int innermost, gint64 length)
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
sum_products (const EinsumContraction *c, gint64 *at)
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
  const EinsumContraction *c = data;

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
is_one_run (const EinsumContraction *c, int outer, int inner)
{
  gint64 n = c->dim[inner];

  for (int k = 0; k < c->n_factors; k++)
    if (c->from[k][outer] != c->from[k][inner] * n)
      return FALSE;
  return c->to[outer] == c->to[inner] * n;
}

/* Removes a label, whose size label `into` takes over. */
static void
merge_label (EinsumContraction *c, int label, int into)
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
merge_labels (EinsumContraction *c)
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
find_roles (const EinsumContraction *c, Roles *roles)
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
find_product (const EinsumContraction *c, const Roles *roles, HybGemm *gemm)
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
  const EinsumContraction *contraction;
  Roles                    roles;
  HybGemm                  gemm;
} Products;

static void
multiply_slice (gint64 begin, gint64 end, gpointer data)
{
  const Products          *self = data;
  const EinsumContraction *c = self->contraction;
  const Roles             *roles = &self->roles;

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
multiply_matrices (const EinsumContraction *c)
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

/* --- A single factor --- */

/* Copies the factor, if nothing is summed: a transposition or a diagonal.  The axes of the copy are in the order of the
 * result, of which no two have the same stride. */
static gboolean
move_factor (const EinsumContraction *c)
{
  HybMove  move = { .item = hyb_dtype_size (c->dtype) };
  gboolean is_done[EINSUM_MAX_LABELS] = { FALSE };

  if (c->n_factors != 1 || c->n_summed > 0 || c->n_kept > HYB_MOVE_MAX_RANK)
    return FALSE;
  for (int turn = 0; turn < c->n_kept; turn++)
    {
      int next = HYB_UNKNOWN;

      for (int i = 0; i < c->n_kept; i++)
        if (!is_done[i] && (next == HYB_UNKNOWN || c->to[i] > c->to[next]))
          next = i;
      is_done[next] = TRUE;
      hyb_move_axis (&move, c->dim[next], c->from[0][next], c->to[next]);
    }
  hyb_move (&move, c->x[0], c->y);
  return TRUE;
}

/* The label that lies directly outside of `step` elements of the factor; HYB_UNKNOWN if there is none. */
static int
label_at (const EinsumContraction *c, gint64 step)
{
  for (int i = 0; i < c->n_kept + c->n_summed; i++)
    if (c->from[0][i] == step)
      return i;
  return HYB_UNKNOWN;
}

/* Sums the factor over some of its axes; FALSE if that is not all that happens to it. */
static gboolean
reduce_factor (const EinsumContraction *c)
{
  int          n = c->n_kept + c->n_summed, label;
  gint64       from = 1, to = 1;
  HybShape     shape = { .rank = n };
  HybReduction reduction = {
    .kind = HYB_REDUCE_SUM, .dtype = c->dtype, .shape = &shape, .x = c->x[0], .y = c->y
  };

  if (c->n_factors != 1 || n > HYB_MAX_RANK)
    return FALSE;
  for (int axis = n - 1; axis >= 0; axis--)
    {
      label = label_at (c, from);
      if (label == HYB_UNKNOWN || c->dim[label] < 2 || (label < c->n_kept && c->to[label] != to))
        return FALSE;
      shape.dim[axis] = c->dim[label];
      from *= c->dim[label];
      if (label < c->n_kept)
        to *= c->dim[label];
      else
        reduction.axes |= 1u << axis;
    }
  hyb_reduce (&reduction);
  return TRUE;
}

/* --- Two factors, nothing summed --- */

/* Products of lines along label `line`, of which the result is contiguous. */
typedef struct
{
  const EinsumContraction *contraction;
  int                      line;
} LineProducts;

/* Lines [begin, end), counted through the other labels. */
static void
multiply_lines (gint64 begin, gint64 end, gpointer data)
{
  const LineProducts      *self = data;
  const EinsumContraction *c = self->contraction;
  HybBinaryLoop            loop = hyb_binary_loop (HYB_BINARY_MUL, c->dtype);
  gint64                   item = (gint64) hyb_dtype_size (c->dtype);

  for (gint64 number = begin; number < end; number++)
    {
      gint64 at[2] = { 0 }, to = 0, rest = number;

      for (int i = c->n_kept - 1; i >= 0; i--)
        {
          gint64 n = i == self->line ? 1 : c->dim[i], index = rest % n;

          rest /= n;
          to += index * c->to[i];
          for (int k = 0; k < 2; k++)
            at[k] += index * c->from[k][i];
        }
      loop ((const char *) c->x[0] + at[0] * item, c->from[0][self->line],
            (const char *) c->x[1] + at[1] * item, c->from[1][self->line],
            (char *) c->y + to * item, c->dim[self->line]);
    }
}

/* Multiplies two factors element by element; FALSE if there is more to do. */
static gboolean
multiply_factors (const EinsumContraction *c)
{
  LineProducts self = { c, HYB_UNKNOWN };
  gint64       n = 1;

  if (c->n_factors != 2 || c->n_summed > 0)
    return FALSE;
  for (int i = 0; i < c->n_kept; i++)
    {
      if (c->to[i] == 1)
        self.line = i;
      else
        n *= c->dim[i];
    }
  if (self.line == HYB_UNKNOWN || c->from[0][self.line] > 1 || c->from[1][self.line] > 1)
    return FALSE;
  hyb_parallel_for (n, MAX (1, HYB_EACH_GRAIN / MAX (1, c->dim[self.line])), multiply_lines, &self);
  return TRUE;
}

void
hyb_einsum_contract (EinsumContraction *contraction, const EinsumLabels *labels)
{
  gint64 n = 1, work = 1;

  arrange (contraction, labels);
  merge_labels (contraction);
  if (multiply_matrices (contraction) || move_factor (contraction) || reduce_factor (contraction) ||
      multiply_factors (contraction))
    return;
  for (int i = 0; i < contraction->n_kept; i++)
    n *= contraction->dim[i];
  for (int i = 0; i < contraction->n_summed; i++)
    work = hyb_dim_multiply (work, MAX (1, contraction->dim[contraction->n_kept + i]));
  hyb_parallel_for (n, MAX (1, 4096 / work), contract_slice, contraction);
}
