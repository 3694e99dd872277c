/* integer-operands.h — what products and convolutions of 8-bit integers share: their operands, types and results.
 *
 * Operands are two factors, their zero points and, unless the result is int32, a scale; then for floats a bias, for bytes
 * the zero point of the result and a bias: int32 is added to the sums, float32 to the scaled sums.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/kernels/integers/product.h"
#include "engine/op/op.h"

typedef enum
{
  HYB_INTEGER_LEFT,
  HYB_INTEGER_RIGHT,
  HYB_INTEGER_LEFT_ZERO,
  HYB_INTEGER_RIGHT_ZERO,
  HYB_INTEGER_SCALE,
  HYB_INTEGER_REST, /* the bias of floats; of bytes the zero point, then their bias */
} HybIntegerOperand;

/* The first member of the params of these operators. */
typedef struct
{
  int      out_type;
  gboolean has_bias;
} HybIntegerOut;

extern const char *const hyb_integer_out_types[];

/* The entries of the table of attributes for these members. */
#define HYB_INTEGER_OUT_PARAMS                                       \
  { HYB_FIELD (HybIntegerOut, out_type), HYB_PARAM_ENUM, "int32",    \
    .choices = hyb_integer_out_types, .doc = "type of the result" }, \
  {                                                                  \
    HYB_FIELD (HybIntegerOut, has_bias), HYB_PARAM_BOOL, "False",    \
        .doc = "whether there is a bias, by column or channel"       \
  }

/* HybOp.arity for params that begin with HybIntegerOut. */
void hyb_integer_arity (gconstpointer params, guint *n_inputs, guint *n_outputs);
/* HybOp.infer_dtype likewise. */
gboolean hyb_integer_infer_dtype (HybCall *call, GError **error);
/* FALSE if the zero point of the left factor has neither one nor n_left elements, or another operand neither one nor
 * n_right; either may be HYB_UNKNOWN. */
gboolean
hyb_integer_expect_vectors (const HybCall *call, gint64 n_left, gint64 n_right, GError **error);

/* Returns how many zero points there are. */
gint64 hyb_integer_n_zeros (const HybCall *call);
/* Writes the zero points of a factor as int32 and returns what follows them. */
gint32 *hyb_integer_read_zeros (const HybCall *call, const HybRun *run, guint input, gint32 *to);
/* Returns 0 if an operand is one number, else 1. */
gint64 hyb_integer_stride (const HybCall *call, guint input);
/* Returns the result of a call; ldy is left 0. */
HybIntegerResult hyb_integer_make_result (const HybCall *call, const HybRun *run);
