/* binary-function.h — the functions of binary.h, and the type of their loops.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

typedef enum
{
  HYB_BINARY_ADD,
  HYB_BINARY_SUB,
  HYB_BINARY_MUL,
  HYB_BINARY_DIV,
  HYB_BINARY_MOD, /* has the sign of the divisor, as in Python; 0 if the divisor is 0 */
  HYB_BINARY_POWER,
  HYB_BINARY_MAXIMUM, /* NaN if either is */
  HYB_BINARY_MINIMUM,
  HYB_BINARY_HYPOT,
  HYB_BINARY_EQUAL,
  HYB_BINARY_NOT_EQUAL,
  HYB_BINARY_GREATER,
  HYB_BINARY_GREATER_EQUAL,
  HYB_BINARY_LESSER,
  HYB_BINARY_LESSER_EQUAL,
  HYB_BINARY_LOGICAL_AND,
  HYB_BINARY_LOGICAL_OR,
  HYB_BINARY_LOGICAL_XOR,
  HYB_BINARY_COPYSIGN,
  HYB_BINARY_ARCTAN2,
  HYB_BINARY_LDEXP, /* a 2^b */
  /* The following have loops for integers and bool only. */
  HYB_BINARY_BITWISE_AND,
  HYB_BINARY_BITWISE_OR,
  HYB_BINARY_BITWISE_XOR,
  HYB_BINARY_LCM, /* least common multiple; 0 if an operand is 0 */
  HYB_N_BINARY,
} HybBinary;

/* y[i] = f (a[i stride_a], b[i stride_b]) for i < n; strides are 0 or 1.  y is a, b or an array
 * that overlaps neither. */
typedef void (*HybBinaryLoop) (gconstpointer a,
                               gint64        stride_a,
                               gconstpointer b,
                               gint64        stride_b,
                               gpointer      y,
                               gint64        n);
