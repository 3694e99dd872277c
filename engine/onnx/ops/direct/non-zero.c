/* non-zero.c — NonZero: the indices of elements that are not zero.
 *
 * How many there are depends on data, so that usually compute_non_zero() runs.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/onnx/ops/direct.h"

#include "engine/kernels/simd/vector-integers.h"
#include "engine/onnx/ops/pieces.h"

/* Elements that are tested at once. */
#define PIECE 4096

/* Sets flags to 1 where one of the n elements from `at` on is not zero, elsewhere to 0, and returns their sum. */
static gint64
find_flags (const HybTensor *x, gint64 at, gint64 n, guint8 *flags)
{
  HybDType    dtype = hyb_tensor_get_type (x)->dtype;
  const char *from = (const char *) hyb_tensor_get_data (x) + (gsize) at * hyb_dtype_size (dtype);
  guint32     sum = 0;

  if (!hyb_vector_convert (flags, HYB_BOOL, from, dtype, (gsize) n))
    hyb_dtype_convert (flags, HYB_BOOL, from, dtype, (gsize) n);
  for (gint64 i = 0; i < n; i++)
    sum += flags[i] = flags[i] != 0;
  return sum;
}

static gint64
count_non_zero (const HybTensor *x)
{
  gint64 size = hyb_tensor_get_size (x), n = 0;
  guint8 flags[PIECE];

  for (gint64 at = 0; at < size; at += PIECE)
    n += find_flags (x, at, MIN (PIECE, size - at), flags);
  return n;
}

/* Writes the places of those elements in the array; there is room for one more. */
static void
list_places (const HybTensor *x, gint64 *places)
{
  gint64 size = hyb_tensor_get_size (x);
  guint8 flags[PIECE];

  for (gint64 at = 0; at < size; at += PIECE)
    {
      gint64 n = MIN (PIECE, size - at);

      find_flags (x, at, n, flags);
      for (gint64 i = 0; i < n; i++)
        {
          *places = at + i;
          places += flags[i];
        }
    }
}

/* The index along an axis of each place: place / step modulo dim. */
static void
write_axis (const gint64 *places, gint64 n, gint64 step, gint64 dim, gint64 *to)
{
  if (step * dim <= G_MAXUINT32)
    for (gint64 i = 0; i < n; i++)
      to[i] = (guint32) places[i] / (guint32) step % (guint32) dim;
  else
    for (gint64 i = 0; i < n; i++)
      to[i] = places[i] / step % dim;
}

static gboolean
compute_non_zero (HybCall          *call,
                  const HybRun     *run,
                  HybTensor *const *inputs,
                  HybTensor       **outputs,
                  GError          **error)
{
  HybTensor         *x = onnx_direct_input (call, inputs, 0);
  const HybShape    *shape = x ? hyb_tensor_get_shape (x) : NULL;
  HybType            type = { .dtype = HYB_I64 };
  gint64             n, step = 1;
  g_autofree gint64 *places = NULL;

  if (!x)
    return onnx_direct_refuse (error, "its input is left out");
  n = count_non_zero (x);
  type.shape = hyb_shape_2d (MAX (1, shape->rank), n);
  outputs[0] = hyb_tensor_new (&type, error);
  places = outputs[0] ? g_try_new (gint64, n + 1) : NULL;
  if (!places)
    {
      g_clear_pointer (&outputs[0], hyb_tensor_unref);
      return error && *error ? FALSE
                             : onnx_direct_refuse (error, "memory is short for its indices");
    }
  list_places (x, places);
  for (int axis = (int) type.shape.dim[0] - 1; axis >= 0; axis--)
    {
      gint64 dim = axis < shape->rank ? shape->dim[axis] : 1;

      if (n > 0)
        write_axis (places, n, step, dim, (gint64 *) hyb_tensor_get_data (outputs[0]) + axis * n);
      step *= dim;
    }
  return TRUE;
}

/* Where the contents are known while planning.  A number is an array of one element. */
static void
lower_non_zero (HybLowering *lowering)
{
  static const gint64 swapped[] = { 1, 0 };
  HybValueId          x = hyb_onnx_input (lowering, 0), y;
  int                 rank = hyb_onnx_type (lowering, 0)->shape.rank;
  HybType             type = { hyb_shape_2d (rank == 0 ? 1 : rank, HYB_UNKNOWN), HYB_I64 };

  if (rank == 0)
    x = hyb_onnx_reshape (lowering, x, 1, (gint64[]){ 1 });
  y = hyb_onnx_unary (lowering, "_npi_nonzero", x);
  if (y != HYB_NO_ID && hyb_type_is_known (hyb_lowering_get_type (lowering, y)))
    hyb_lowering_set_output (lowering, 0,
                             hyb_onnx_cast (lowering, hyb_onnx_transpose (lowering, y, 2, swapped),
                                            HYB_I64));
  else
    hyb_lowering_set_type (lowering, 0, &type);
}

static const char *const inputs[] = { "X", NULL };
static const char *const outputs[] = { "Y", NULL };

const HybOnnxOp hyb_onnx_ops_non_zero[] = {
  { .op = { HYB_ONNX_BODIES_ROW, .name = "NonZero", .doc = "Indices of elements that are not zero.",
            .category = HYB_CATEGORY_DATA, .inputs = inputs, .outputs = outputs,
            .lower = lower_non_zero, .compute = compute_non_zero },
    .since = 9 },
  { .since = 0 },
};
