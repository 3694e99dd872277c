/* cell-function.h — the activation functions that a recurrent cell may have, over arrays of floats.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

typedef struct _HybCellFunctionKind HybCellFunctionKind;

/* A function with its numbers. */
typedef struct
{
  const HybCellFunctionKind *kind;
  double                     alpha, beta; /* where the kind has them */
} HybCellFunction;

/* The kind of this name, of `length` bytes; NULL if there is none. */
const HybCellFunctionKind *hyb_cell_function_find (const char *name, gsize length);
/* Replaces n numbers by the function of each. */
void hyb_cell_function_apply (const HybCellFunction *function, gint64 n, float *x);
