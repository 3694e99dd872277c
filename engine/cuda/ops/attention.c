/* attention.c — interleaved_matmul_… and their gradients by cuBLAS, in place on the interleaved arrays.
 *
 * The matrices are those of engine/ops/linear/attention.c: an interleaved array has the shape (time,
 * sample, heads × parts × d), scores have (sample × heads, queries, keys).  With q scaled by 1/√d:
 *
 *   qk:     S = q kᵀ         dq = dS k,  dk = dSᵀ q
 *   valatt: O = A v          dA = dO vᵀ, dv = Aᵀ dO
 *
 * Start with the array at the end.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/cuda/ops/attributes.h"
#include "engine/cuda/ops/op-lists.h"
#include "engine/cuda/ops/product.h"

#include <math.h>

/* An operand as one matrix for each sample and head, in the order of memory. */
typedef struct
{
  guint  number; /* of the input or output */
  gint64 start;  /* the first element */
  gint64 rows, columns;
  gint64 ld;     /* elements from row to row */
  gint64 matrix; /* elements from matrix to matrix */
  gint64 n;      /* matrices */
} Side;

/* Part `part` of `parts` of an interleaved array: time × d. */
static Side
part_of (const HybCall *call, const HybType *types, guint number, int parts, int part)
{
  const HybShape *shape = &types[number].shape;
  gint64          heads = hyb_cuda_get_int (call, "heads", 1), d = shape->dim[2] / heads / parts;

  return (Side){ .number = number,
                 .start = part * d,
                 .rows = shape->dim[0],
                 .columns = d,
                 .ld = shape->dim[1] * shape->dim[2],
                 .matrix = parts * d,
                 .n = shape->dim[1] * heads };
}

/* Scores, or their gradient: queries × keys. */
static Side
scores_of (const HybType *types, guint number)
{
  const HybShape *shape = &types[number].shape;

  return (Side){ .number = number,
                 .rows = shape->dim[1],
                 .columns = shape->dim[2],
                 .ld = shape->dim[2],
                 .matrix = shape->dim[1] * shape->dim[2],
                 .n = shape->dim[0] };
}

/* c = alpha a b for all matrices, in which a or b is transposed. */
typedef struct
{
  Side     a, b, c;
  gboolean transpose_a, transpose_b;
  double   alpha;
} Step;

/* The work of an operator: one product, or a gradient for each side. */
typedef struct
{
  Step  step[2];
  guint n;
  guint clears; /* bit i: output i has parts that are not written */
} Work;

static double
scale_of (Side queries)
{
  return 1 / sqrt ((double) queries.columns);
}

/* Self attention has queries, keys and values in one array; attention to an encoder has queries in one and
 * keys and values in another. */
static Side
queries_of (const HybCall *call, const HybType *types, guint first, gboolean is_self)
{
  return part_of (call, types, first, is_self ? 3 : 1, 0);
}

static Side
keys_of (const HybCall *call, const HybType *types, guint first, gboolean is_self)
{
  return is_self ? part_of (call, types, first, 3, 1) : part_of (call, types, first + 1, 2, 0);
}

static Work
qk_work (const HybCall *call)
{
  gboolean is_self = call->n_inputs == 1;
  Side     q = queries_of (call, call->input, 0, is_self);

  return (Work){ .step = { { .a = q,
                             .b = keys_of (call, call->input, 0, is_self),
                             .c = scores_of (call->output, 0),
                             .transpose_b = TRUE,
                             .alpha = scale_of (q) } },
                 .n = 1 };
}

static Work
valatt_work (const HybCall *call, int parts)
{
  return (Work){ .step = { { .a = scores_of (call->input, 1),
                             .b = part_of (call, call->input, 0, parts, parts - 1),
                             .c = part_of (call, call->output, 0, 1, 0),
                             .alpha = 1 } },
                 .n = 1 };
}

/* Inputs: the gradient of the scores, then those of the operator. */
static Work
qk_backward_work (const HybCall *call)
{
  gboolean is_self = call->n_inputs == 2;
  Side     q = queries_of (call, call->input, 1, is_self), s = scores_of (call->input, 0);

  return (Work){ .step = { { .a = s,
                             .b = keys_of (call, call->input, 1, is_self),
                             .c = queries_of (call, call->output, 0, is_self),
                             .alpha = scale_of (q) },
                           { .a = s,
                             .b = q,
                             .c = keys_of (call, call->output, 0, is_self),
                             .transpose_a = TRUE,
                             .alpha = scale_of (q) } },
                 .n = 2,
                 .clears = is_self ? 1 : 2 };
}

static Work
valatt_backward_work (const HybCall *call, int parts)
{
  Side gradient = part_of (call, call->input, 0, 1, 0);

  return (Work){ .step = { { .a = gradient,
                             .b = part_of (call, call->input, 1, parts, parts - 1),
                             .c = scores_of (call->output, 1),
                             .transpose_b = TRUE,
                             .alpha = 1 },
                           { .a = scores_of (call->input, 2),
                             .b = gradient,
                             .c = part_of (call, call->output, 0, parts, parts - 1),
                             .transpose_a = TRUE,
                             .alpha = 1 } },
                 .n = 2,
                 .clears = 1 };
}

static HybProduct
product_of (const HybCall *call, const Step *step)
{
  return (HybProduct){ .dtype = call->output[0].dtype,
                       .transpose_a = step->transpose_a,
                       .transpose_b = step->transpose_b,
                       .m = step->c.rows,
                       .n = step->c.columns,
                       .k = step->transpose_a ? step->a.rows : step->a.columns,
                       .lda = step->a.ld,
                       .ldb = step->b.ld,
                       .ldc = step->c.ld,
                       .batch = step->c.n,
                       .stride_a = step->a.matrix,
                       .stride_b = step->b.matrix,
                       .stride_c = step->c.matrix,
                       .alpha = step->alpha };
}

static const char *
refuse (const HybCall *call, Work work)
{
  const char *reason = NULL;

  for (guint i = 0; !reason && i < work.n; i++)
    {
      HybProduct product = product_of (call, &work.step[i]);

      reason = product.m == 0 || product.n == 0 || product.k == 0 || product.batch == 0
                   ? "its matrices are empty"
                   : hyb_product_refuses (&product);
    }
  return reason;
}

static void
launch (HybQueue *queue, const HybCall *call, const HybRun *run, Work work)
{
  gint64 item = (gint64) hyb_dtype_size (call->output[0].dtype);

  for (guint i = 0; i < call->n_outputs; i++)
    if (work.clears >> i & 1)
      hyb_cuda_queue_clear (queue, run->output[i], hyb_type_bytes (&call->output[i]));
  for (guint i = 0; i < work.n; i++)
    {
      const Step *step = &work.step[i];
      HybProduct  product = product_of (call, step);

      hyb_product_launch (queue, &product,
                          (const char *) run->input[step->a.number] + step->a.start * item,
                          (const char *) run->input[step->b.number] + step->b.start * item,
                          (char *) run->output[step->c.number] + step->c.start * item);
    }
}

#define FUNCTIONS(id, work)                                                         \
  static const char *id##_refuses (const HybCall *call)                             \
  {                                                                                 \
    return refuse (call, work);                                                     \
  }                                                                                 \
  static void id##_launch (HybQueue *queue, const HybCall *call, const HybRun *run, \
                           gpointer unused)                                         \
  {                                                                                 \
    launch (queue, call, run, work);                                                \
  }
FUNCTIONS (qk, qk_work (call))
FUNCTIONS (selfatt_valatt, valatt_work (call, 3))
FUNCTIONS (encdec_valatt, valatt_work (call, 2))
FUNCTIONS (qk_backward, qk_backward_work (call))
FUNCTIONS (selfatt_valatt_backward, valatt_backward_work (call, 3))
FUNCTIONS (encdec_valatt_backward, valatt_backward_work (call, 2))
#undef FUNCTIONS

#define FORWARD(symbol, stem)                                                 \
  {                                                                           \
    .name = "_contrib_interleaved_matmul_" symbol, .refuses = stem##_refuses, \
    .launch = stem##_launch                                                   \
  }
#define BACKWARD(symbol, stem)                                                 \
  {                                                                            \
    .name = "_backward_interleaved_matmul_" symbol, .refuses = stem##_refuses, \
    .launch = stem##_launch                                                    \
  }

const HybDeviceOp hyb_cuda_ops_attention[] = {
  FORWARD ("selfatt_qk", qk),
  FORWARD ("selfatt_valatt", selfatt_valatt),
  FORWARD ("encdec_qk", qk),
  FORWARD ("encdec_valatt", encdec_valatt),
  BACKWARD ("selfatt_qk", qk_backward),
  BACKWARD ("selfatt_valatt", selfatt_valatt_backward),
  BACKWARD ("encdec_qk", qk_backward),
  BACKWARD ("encdec_valatt", encdec_valatt_backward),
  { NULL },
};
