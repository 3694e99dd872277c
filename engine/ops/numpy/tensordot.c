/* tensordot.c — _np_dot, _npi_tensordot and _npi_tensordot_int_axes: sums of products over pairs of axes
 * of two tensors.
 *
 * Each side is brought into the form of a matrix, by a copy where its axes are in another order: lhs
 * (other axes, summed axes) and rhs (summed axes, other axes).  The product is one call of
 * hyb_gemm().  The three operators differ in how they say which axes are summed (Pairing).
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/gradient/by-formula.h"
#include "engine/kernels/matrix/gemm.h"
#include "engine/kernels/move.h"
#include "engine/op/dimensions.h"
#include "engine/op/rules.h"
#include "engine/op/run.h"

typedef struct
{
  HybInts a_axes_summed, b_axes_summed;
  gint64  axes;
} TensordotParams;

static const HybParam lists_params[] = {
  { HYB_FIELD (TensordotParams, a_axes_summed), HYB_PARAM_INTS, NULL, .doc = "axes of a" },
  { HYB_FIELD (TensordotParams, b_axes_summed), HYB_PARAM_INTS, NULL,
    .doc = "axes of b, paired with the axes of a" },
  { 0 },
};

static const HybParam count_params[] = {
  { HYB_FIELD (TensordotParams, axes), HYB_PARAM_INT, NULL, .low = 0, .high = HYB_MAX_RANK,
    .doc = "number of axes: the last ones of a and the first ones of b" },
  { 0 },
};

/* Axes in the order of the matrix: of a the others, then those summed; of b those summed first. */
typedef struct
{
  int n; /* pairs */
  int a[HYB_MAX_RANK], b[HYB_MAX_RANK];
} Pairing;

/* Sets pairing->a and ->b to the summed axes.  FALSE if they do not exist. */
typedef gboolean (*PairingRule) (gconstpointer   params,
                                 const HybShape *a,
                                 const HybShape *b,
                                 Pairing        *pairing,
                                 GError        **error);

static gboolean
lists_pairing (gconstpointer   values,
               const HybShape *a,
               const HybShape *b,
               Pairing        *pairing,
               GError        **error)
{
  const TensordotParams *params = values;

  pairing->n = params->a_axes_summed.n;
  if (pairing->n < 0 || pairing->n != params->b_axes_summed.n || pairing->n > HYB_MAX_RANK)
    return hyb_refuse_attribute (error, "Name as many axes of one side as of the other",
                                 "%d axes of a are summed with %d of b", params->a_axes_summed.n,
                                 params->b_axes_summed.n);
  for (int i = 0; i < pairing->n; i++)
    {
      pairing->a[i] = hyb_shape_axis (a, params->a_axes_summed.value[i], error);
      if (pairing->a[i] < 0)
        return FALSE;
      pairing->b[i] = hyb_shape_axis (b, params->b_axes_summed.value[i], error);
      if (pairing->b[i] < 0)
        return FALSE;
    }
  return TRUE;
}

static gboolean
count_pairing (gconstpointer   values,
               const HybShape *a,
               const HybShape *b,
               Pairing        *pairing,
               GError        **error)
{
  const TensordotParams *params = values;

  pairing->n = (int) params->axes;
  if (pairing->n > a->rank || pairing->n > b->rank)
    return hyb_refuse_types (error, NULL, "%d axes are summed, but the operands have %d and %d",
                             pairing->n, a->rank, b->rank);
  for (int i = 0; i < pairing->n; i++)
    {
      pairing->a[i] = a->rank - pairing->n + i;
      pairing->b[i] = i;
    }
  return TRUE;
}

/* The last axis of a and the last but one of b; numbers multiply everything. */
static gboolean
dot_pairing (gconstpointer   values,
             const HybShape *a,
             const HybShape *b,
             Pairing        *pairing,
             GError        **error)
{
  pairing->n = a->rank > 0 && b->rank > 0;
  pairing->a[0] = a->rank - 1;
  pairing->b[0] = MAX (0, b->rank - 2);
  return TRUE;
}

/* Completes a list of summed axes to an order of all axes: others before or after the summed. */
static gboolean
complete_order (int *order, int n, int rank, gboolean summed_first, GError **error)
{
  gboolean is_summed[HYB_MAX_RANK] = { FALSE };
  int      summed[HYB_MAX_RANK];
  int      at = summed_first ? n : 0;

  for (int i = 0; i < n; i++)
    {
      summed[i] = order[i];
      if (is_summed[order[i]])
        return hyb_refuse_attribute (error, NULL, "axis %d is summed twice", order[i]);
      is_summed[order[i]] = TRUE;
    }
  for (int i = 0; i < rank; i++)
    if (!is_summed[i])
      order[at++] = i;
  for (int i = 0; i < n; i++)
    order[summed_first ? i : at + i] = summed[i];
  return TRUE;
}

/* The orders of the axes of both sides, whose ranks are known. */
static gboolean
find_orders (gconstpointer   params,
             PairingRule     rule,
             const HybShape *sides,
             Pairing        *pairing,
             GError        **error)
{
  return rule (params, &sides[0], &sides[1], pairing, error) &&
         complete_order (pairing->a, pairing->n, sides[0].rank, FALSE, error) &&
         complete_order (pairing->b, pairing->n, sides[1].rank, TRUE, error);
}

static gboolean
infer_shape (HybCall *call, PairingRule rule, GError **error)
{
  HybShape *a = &call->input[0].shape, *b = &call->input[1].shape;
  HybShape  sides[] = { *a, *b }, out = { .rank = 0 };
  Pairing   pairing;
  int       n_others;

  if (a->rank == HYB_UNKNOWN || b->rank == HYB_UNKNOWN)
    return TRUE;
  if (!find_orders (call->params, rule, sides, &pairing, error))
    return FALSE;
  n_others = a->rank - pairing.n;
  if (n_others + b->rank - pairing.n > HYB_MAX_RANK)
    return hyb_refuse_types (error, NULL, "at most %d dimensions are supported", HYB_MAX_RANK);
  for (int i = 0; i < pairing.n; i++)
    if (!hyb_dim_unify (&a->dim[pairing.a[n_others + i]], &b->dim[pairing.b[i]],
                        "the sizes of the summed axes", error))
      return FALSE;
  for (int i = 0; i < n_others; i++)
    out.dim[out.rank++] = a->dim[pairing.a[i]];
  for (int i = pairing.n; i < b->rank; i++)
    out.dim[out.rank++] = b->dim[pairing.b[i]];
  return hyb_shape_assign (&call->output[0].shape, &out, error);
}

/* --- Computation --- */

/* The product as matrices: a is m × k, b is k × n. */
typedef struct
{
  Pairing pairing;
  gint64  m, n, k;
} Product;

static Product
find_product (gconstpointer params, PairingRule rule, const HybType *a, const HybType *b)
{
  HybShape sides[] = { a->shape, b->shape };
  Product  product = { .m = 1, .n = 1, .k = 1 };

  find_orders (params, rule, sides, &product.pairing, NULL);
  for (int i = 0; i < a->shape.rank; i++)
    *(i < a->shape.rank - product.pairing.n ? &product.m : &product.k) *=
        a->shape.dim[product.pairing.a[i]];
  for (int i = product.pairing.n; i < b->shape.rank; i++)
    product.n *= b->shape.dim[product.pairing.b[i]];
  return product;
}

/* The product of both sides, the gradient of a, which is g bᵀ, and the gradient of b, which is aᵀ g. */
static HybGemm
forward_gemm (const Product *product)
{
  return hyb_gemm_dense (product->m, product->n, product->k, FALSE, FALSE);
}

static HybGemm
lhs_gemm (const Product *product)
{
  return hyb_gemm_dense (product->m, product->k, product->n, FALSE, TRUE);
}

static HybGemm
rhs_gemm (const Product *product)
{
  return hyb_gemm_dense (product->k, product->n, product->m, TRUE, FALSE);
}

/* The kernel of one of them.  first: the input that is a. */
static const char *
product_note (const HybCall *call,
              PairingRule    rule,
              guint          first,
              HybGemm (*gemm_of) (const Product *product))
{
  Product product = find_product (call->params, rule, &call->input[first], &call->input[first + 1]);
  HybGemm gemm = gemm_of (&product);

  return hyb_gemm_note (&gemm, call->output[0].dtype);
}

/* Copies a side into the order of its matrix, or back. */
static void
reorder (const HybType *side, const int *order, gboolean back, gconstpointer from, gpointer to)
{
  HybMove move = { .item = hyb_dtype_size (side->dtype) };
  gint64  stride[HYB_MAX_RANK], inner = hyb_shape_size (&side->shape);

  hyb_dims_strides (&side->shape, stride);
  for (int i = 0; i < side->shape.rank && inner > 0; i++)
    {
      gint64 dim = side->shape.dim[order[i]];

      inner /= dim;
      hyb_move_axis (&move, dim, back ? inner : stride[order[i]], back ? stride[order[i]] : inner);
    }
  if (hyb_shape_size (&side->shape) > 0)
    hyb_move (&move, from, to);
}

static gboolean
is_in_order (const int *order, int rank)
{
  for (int i = 0; i < rank; i++)
    if (order[i] != i)
      return FALSE;
  return TRUE;
}

/* The matrix of a side: its own memory, or a copy in *room. */
static gconstpointer
matrix_of (const HybType *side, const int *order, gconstpointer data, char **room)
{
  gpointer copy = *room;

  if (is_in_order (order, side->shape.rank))
    return data;
  reorder (side, order, FALSE, data, copy);
  *room += (hyb_type_bytes (side) + HYB_ALIGNMENT - 1) / HYB_ALIGNMENT * HYB_ALIGNMENT;
  return copy;
}

/* Room for both sides, whichever are copied. */
static gsize
sides_workspace (const HybCall *call, guint first)
{
  gsize bytes = 0;

  hyb_workspace_take (&bytes, hyb_type_bytes (&call->input[first]));
  hyb_workspace_take (&bytes, hyb_type_bytes (&call->input[first + 1]));
  return bytes;
}

static gsize
forward_workspace (const HybCall *call)
{
  return sides_workspace (call, 0);
}

static gsize
backward_workspace (const HybCall *call)
{
  return sides_workspace (call, 1);
}

static void
forward (const HybCall *call, const HybRun *run, PairingRule rule)
{
  Product       product = find_product (call->params, rule, &call->input[0], &call->input[1]);
  char         *room = run->workspace;
  gconstpointer a = matrix_of (&call->input[0], product.pairing.a, run->input[0], &room);
  gconstpointer b = matrix_of (&call->input[1], product.pairing.b, run->input[1], &room);
  HybGemm       gemm = forward_gemm (&product);

  hyb_gemm (&gemm, call->output[0].dtype, a, b, run->output[0]);
}

/* Where the matrix of a gradient is computed: in the output, or in *room and then reordered. */
static gpointer
gradient_matrix (const HybCall *call, const HybRun *run, const int *order, char *room)
{
  return is_in_order (order, call->output[0].shape.rank) ? run->output[0] : room;
}

static void
finish_gradient (const HybCall *call, const HybRun *run, const int *order, gconstpointer matrix)
{
  if (matrix != run->output[0])
    reorder (&call->output[0], order, TRUE, matrix, run->output[0]);
}

/* Inputs: gradient g, a, b. */
static void
backward_lhs (const HybCall *call, const HybRun *run, PairingRule rule)
{
  Product       product = find_product (call->params, rule, &call->input[1], &call->input[2]);
  char         *room = run->workspace;
  gconstpointer b = matrix_of (&call->input[2], product.pairing.b, run->input[2], &room);
  gpointer      matrix = gradient_matrix (call, run, product.pairing.a, room);
  HybGemm       gemm = lhs_gemm (&product);

  hyb_gemm (&gemm, call->output[0].dtype, run->input[0], b, matrix);
  finish_gradient (call, run, product.pairing.a, matrix);
}

static void
backward_rhs (const HybCall *call, const HybRun *run, PairingRule rule)
{
  Product       product = find_product (call->params, rule, &call->input[1], &call->input[2]);
  char         *room = run->workspace;
  gconstpointer a = matrix_of (&call->input[1], product.pairing.a, run->input[1], &room);
  gpointer      matrix = gradient_matrix (call, run, product.pairing.b, room);
  HybGemm       gemm = rhs_gemm (&product);

  hyb_gemm (&gemm, call->output[0].dtype, a, run->input[0], matrix);
  finish_gradient (call, run, product.pairing.b, matrix);
}

static void
product_cost (const HybCall *call, PairingRule rule, HybCost *cost)
{
  Product product = find_product (call->params, rule, &call->input[0], &call->input[1]);

  cost->flops = 2.0 * (double) product.m * (double) product.n * (double) product.k;
  hyb_rule_cost_bytes (call, cost);
}

/* name in files, row name (also of its Pairing rule), attributes, description */
#define ROWS(ROW)                                                                         \
  ROW ("_np_dot", dot, NO_PARAMS, "Product of matrices, vectors or numbers.")             \
  ROW ("_npi_tensordot", lists, LISTS_PARAMS, "Sums products over pairs of listed axes.") \
  ROW ("_npi_tensordot_int_axes", count, COUNT_PARAMS,                                    \
       "Sums products over the last axes of one and the first of the other tensor.")

#define NO_PARAMS    .params = NULL
#define LISTS_PARAMS .params = lists_params, .params_size = sizeof (TensordotParams)
#define COUNT_PARAMS .params = count_params, .params_size = sizeof (TensordotParams)

#define ROW(text, id, table, summary)                                    \
  static gboolean id##_infer_shape (HybCall *call, GError **error)       \
  {                                                                      \
    return infer_shape (call, id##_pairing, error);                      \
  }                                                                      \
  static void id##_forward (const HybCall *call, const HybRun *run)      \
  {                                                                      \
    forward (call, run, id##_pairing);                                   \
  }                                                                      \
  static void id##_backward_lhs (const HybCall *call, const HybRun *run) \
  {                                                                      \
    backward_lhs (call, run, id##_pairing);                              \
  }                                                                      \
  static void id##_backward_rhs (const HybCall *call, const HybRun *run) \
  {                                                                      \
    backward_rhs (call, run, id##_pairing);                              \
  }                                                                      \
  static const char *id##_note (const HybCall *call)                     \
  {                                                                      \
    return product_note (call, id##_pairing, 0, forward_gemm);           \
  }                                                                      \
  static const char *id##_note_lhs (const HybCall *call)                 \
  {                                                                      \
    return product_note (call, id##_pairing, 1, lhs_gemm);               \
  }                                                                      \
  static const char *id##_note_rhs (const HybCall *call)                 \
  {                                                                      \
    return product_note (call, id##_pairing, 1, rhs_gemm);               \
  }                                                                      \
  static void id##_cost (const HybCall *call, HybCost *cost)             \
  {                                                                      \
    product_cost (call, id##_pairing, cost);                             \
  }
ROWS (ROW)
#undef ROW

static const char *const inputs[] = { "a", "b", NULL };
static const char *const backward_inputs[] = { "gradient", "a", "b", NULL };

#define BACKWARD(text, id, side, map, ...)                                                        \
  {                                                                                               \
    .name = "_backward" text "_" #side, .doc = "Gradient of " text ", of one operand.",           \
    .category = HYB_CATEGORY_LINEAR, .flags = HYB_OP_INTERNAL, .gradient_of = text,               \
    .operands = "g0 i0 i1 > " map, .inputs = backward_inputs, __VA_ARGS__,                        \
    .dtypes = HYB_DTYPES_FLOAT, .workspace = backward_workspace, .forward = id##_backward_##side, \
    .note = id##_note_##side,                                                                     \
  }

#define ROW(text, id, table, summary)                          \
  {                                                            \
    .name = text,                                              \
    .doc = summary,                                            \
    .category = HYB_CATEGORY_LINEAR,                           \
    .inputs = inputs,                                          \
    table,                                                     \
    .infer_shape = id##_infer_shape,                           \
    .dtypes = HYB_DTYPES_FLOAT,                                \
    .workspace = forward_workspace,                            \
    .forward = id##_forward,                                   \
    .note = id##_note,                                         \
    HYB_GRADIENT ("_backward" text "_lhs* (g0, i0, i1) > i0; " \
                  "_backward" text "_rhs* (g0, i0, i1) > i1"), \
    .cost = id##_cost,                                         \
  },                                                           \
      BACKWARD (text, id, lhs, "i0", table), BACKWARD (text, id, rhs, "i1", table),

const HybOp hyb_ops_tensordot[] = {
  ROWS (ROW) //
  { 0 },
};

#undef ROW
#undef BACKWARD
#undef ROWS
#undef NO_PARAMS
#undef LISTS_PARAMS
#undef COUNT_PARAMS
