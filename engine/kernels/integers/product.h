/* product.h — exact products of matrices of 8-bit integers: S[m,n] = sum_k (A[m,k] − za[m]) (B[k,n] − zb[n]).
 *
 * Sums are 32-bit integers that wrap modulo 2³², as ONNX defines them.  B is packed once into panels of columns
 * (hyb_integer_panels_pack()); products then write the sums, floats or rounded 8-bit integers.  Results are exact, so
 * they have the same bytes with every instruction set and any number of threads.  Start with hyb_integer_multiply().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/tensor/dtype.h"

/* The inner loops of one instruction set (product-private.h). */
typedef struct _HybIntegerKernels HybIntegerKernels;

/* A packed matrix B of k × n integers. */
typedef struct
{
  const HybIntegerKernels *kernels; /* that multiply it */
  HybDType                 dtype;   /* HYB_I8 or HYB_U8 */
  gint64                   n, k;
  gint64                   m; /* rows that are multiplied with it, about */
  gint8 *bytes;               /* hyb_integer_panels_size() bytes of the caller, 64-byte aligned */
} HybIntegerPanels;

/* A matrix of HYB_I8 or HYB_U8; element (i, j) is number i · row + j · column. */
typedef struct
{
  HybDType      dtype;
  gconstpointer bytes;
  gint64        row, column;
} HybIntegerMatrix;

/* The left factor: m rows of k integers, with a zero point for all of them or for each, and those of B, one or n. */
typedef struct
{
  HybIntegerMatrix matrix; /* with column 1 */
  gint64           m;
  const gint32    *a_zero, *b_zero;              /* NULL: 0 */
  gint64           a_zero_stride, b_zero_stride; /* 0 or 1 */
} HybIntegerRows;

/* What becomes of the sums:
 *
 *   HYB_I32          S + sum_bias
 *   HYB_F32          (S + sum_bias) scale + bias
 *   HYB_I8, HYB_U8   round ((S + sum_bias) scale + bias) + zero, halves to even, saturated
 */
typedef struct
{
  HybDType      dtype;
  gpointer      y; /* m × n, ldy elements from row to row */
  gint64        ldy;
  const gint32 *sum_bias;     /* (n); NULL: 0 */
  const float  *scale;        /* one or n */
  gint64        scale_stride; /* 0 or 1 */
  const float  *bias;         /* (n); NULL: 0 */
  gint32        zero;
} HybIntegerResult;

/* Returns the panels of k × n integers of a type for this processor, n ≥ 1, k ≥ 0, without memory.  m: rows that will be
 * multiplied with them; for many, panels may be larger. */
HybIntegerPanels hyb_integer_panels (HybDType dtype, gint64 n, gint64 k, gint64 m);
/* Changes the kernels of panels without memory to number `index` of those that this processor can run, the best first;
 * FALSE if it has fewer.  For tests. */
gboolean hyb_integer_panels_use (HybIntegerPanels *panels, guint index);
/* Returns the number of bytes that the panels take. */
gsize hyb_integer_panels_size (const HybIntegerPanels *panels);
/* Packs B, k × n and of the type of the panels, into the memory of the panels. */
void hyb_integer_panels_pack (const HybIntegerPanels *panels, const HybIntegerMatrix *b);

/* Returns the bytes of scratch memory that products of m rows need, 64-byte aligned. */
gsize hyb_integer_workspace (const HybIntegerPanels *panels, gint64 m);
/* Computes the product.  Threads share its rows and columns. */
void hyb_integer_multiply (const HybIntegerRows   *rows,
                           const HybIntegerPanels *panels,
                           const HybIntegerResult *result,
                           gpointer                workspace);

/* Returns in a few words how products are computed on this processor, as a constant text. */
const char *hyb_integer_note (void);
