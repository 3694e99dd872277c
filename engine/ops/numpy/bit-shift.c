/* bit-shift.c — _bit_shift: bits of integers moved to the left or right by a count of each element; both operands are
 * broadcast.
 *
 * Bits that are moved out are lost; zeros come in, from the left of a signed integer copies of its sign.  A negative count,
 * and one that is not below the number of bits, moves all bits out.  Start with shift_forward().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/kernels/each.h"
#include "engine/op/dimensions.h"
#include "engine/op/rules.h"
#include "engine/op/run.h"

#include "engine/kernels/vectorise.h"

#define TYPES(X)                     \
  X (HYB_U8, guint8, guint8, u8)     \
  X (HYB_U16, guint16, guint16, u16) \
  X (HYB_U32, guint32, guint32, u32) \
  X (HYB_U64, guint64, guint64, u64) \
  X (HYB_I8, gint8, guint8, i8)      \
  X (HYB_I16, gint16, guint16, i16)  \
  X (HYB_I32, gint32, guint32, i32)  \
  X (HYB_I64, gint64, guint64, i64)

typedef struct
{
  gboolean right;
} ShiftParams;

static const HybParam shift_params[] = {
  { HYB_FIELD (ShiftParams, right), HYB_PARAM_BOOL, "False", .doc = "move to the right" },
  { 0 },
};

typedef struct
{
  const char *x, *count;
  char       *y;
  gboolean    is_right;
} Shift;

#define SIMD_KERNEL "engine/ops/numpy/bit-shift-kernel.h"
#include "engine/kernels/simd/each-simd.h"

static void
shift_forward (const HybCall *call, const HybRun *run)
{
  const HybShape *shape = &call->output[0].shape;
  Shift           shift = {
              .x = run->input[0],
              .count = run->input[1],
              .y = run->output[0],
              .is_right = ((const ShiftParams *) call->params)->right,
  };
  HybEach each;

  hyb_each_init (&each, shape, 3,
                 (const HybShape *[]){ shape, &call->input[0].shape, &call->input[1].shape });
  hyb_each_rows_parallel (&each, HYB_EACH_GRAIN, HYB_SIMD_CHOOSE (rows)[call->output[0].dtype],
                          &shift);
}

/* Types are checked while planning: that of a variable that is not given yet is taken to be float32. */
static gboolean
shift_prepare (HybCall *call, GError **error)
{
  HybDType dtype = call->input[0].dtype;

  return (!hyb_dtype_is_float (dtype) && dtype != HYB_BOOL) ||
         hyb_refuse_types (error, "Convert the operands to an integer type first",
                           "this needs integers, but the operand has type %s",
                           hyb_dtype_name (dtype));
}

static const char *const inputs[] = { "data", "count", NULL };

#define SHIFTED                                                                 \
  (HYB_DTYPE_BIT (HYB_U8) | HYB_DTYPE_BIT (HYB_U16) | HYB_DTYPE_BIT (HYB_U32) | \
   HYB_DTYPE_BIT (HYB_U64) | HYB_DTYPE_BIT (HYB_I8) | HYB_DTYPE_BIT (HYB_I16) | \
   HYB_DTYPE_BIT (HYB_I32) | HYB_DTYPE_BIT (HYB_I64))

const HybOp hyb_ops_bit_shift[] = {
  {
      .name = "_bit_shift",
      .doc = "Bits moved to the left or right.",
      .category = HYB_CATEGORY_ELEMENTWISE,
      .flags = HYB_OP_NO_GRADIENT | HYB_OP_INTERNAL,
      .inputs = inputs,
      HYB_PARAMS (shift_params, ShiftParams),
      .infer_shape = hyb_rule_broadcast,
      .dtypes = SHIFTED,
      .prepare = shift_prepare,
      .forward = shift_forward,
  },
  { 0 },
};

#undef SHIFTED
