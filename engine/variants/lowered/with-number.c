/* with-number.c — which operators have a form with a number in the place of an input.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/variants/lowered/with-number.h"

const char *
hyb_op_with_number (const HybOp *op, guint at)
{
  static const struct
  {
    const char *op, *with_number[2]; /* by place of the number */
  } rows[] = {
    { "broadcast_add", { "_plus_scalar", "_plus_scalar" } },
    { "broadcast_sub", { "_rminus_scalar", "_minus_scalar" } },
    { "broadcast_mul", { "_mul_scalar", "_mul_scalar" } },
    { "broadcast_div", { "_rdiv_scalar", "_div_scalar" } },
  };

  for (guint row = 0; row < G_N_ELEMENTS (rows); row++)
    if (hyb_op_find (rows[row].op) == op)
      return rows[row].with_number[at];
  return NULL;
}
