/* panels-private.h — the kernels of products with packed weights: what panels.c hands to them, and their table.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/tensor/dtype.h"

#define HYB_PANEL_KERNEL_ROWS 12 /* rows of X that one kernel call multiplies */
/* Kernels for parts of a panel, and panels that one row is multiplied with. */
#define HYB_PANEL_MAX_LAST    4
#define HYB_PANEL_MAX_ONE_ROW 5

/* Weights of the next piece or block that a kernel prefetches while it multiplies: n_rows rows, one
 * cache line of each for every HYB_LINE_FLOATS steps of k. */
typedef struct
{
  const float *from;
  gint64       stride, n_rows;
} HybPanelPrefetch;

/* Some rows of X, and as many rows (k) of one or more panels, which start `pitch` floats apart. */
typedef struct
{
  gint64       k, ldx, ldy, pitch, n_panels;
  gint64       columns; /* that Y has from the first one of these panels on */
  const float *x, *panel;
  const float *bias; /* may be NULL */
  gboolean     adds; /* to what Y contains */
  float       *y;
  gint64
      ahead; /* floats from these weights to those of the same panel that are prefetched; 0: none */
  HybPanelPrefetch prefetch;
} HybPanelOperands;

/* Multiplies a fixed number of rows of X with a fixed number of panels; see panels-kernel.h. */
typedef void (*HybPanelMultiply) (const HybPanelOperands *operands);

/* Kernels for one panel, of which only the first columns are multiplied: rows[r] for r rows, 1 ≤ r ≤ max_rows. */
typedef struct
{
  gint64           n_columns, max_rows;
  HybPanelMultiply rows[HYB_PANEL_KERNEL_ROWS + 1];
} HybPanelKernels;

/* A kernel for several panels at once. */
typedef struct
{
  gint64           n_panels;
  HybPanelMultiply multiply; /* NULL: no kernel for this number of rows */
  /* Reads lines of the weights more than once, which is slow where they come from memory. */
  gboolean in_parts;
} HybWidePanelKernel;

/* Converts `rows` rows of `columns` ≤ HYB_PANEL_WIDTH half floats, `stride` apart, to rows of a panel, and prefetches
 * what lies `ahead` halves behind each; 0: nothing. */
typedef void (*HybPanelWiden) (gint64         rows,
                               gint64         columns,
                               const guint16 *from,
                               gint64         stride,
                               gint64         ahead,
                               float         *panel);

/* The kernels of one instruction set: wide[r] multiplies r rows with several panels, 1 ≤ r ≤ max_wide_rows, one_row[p]
 * one row with p panels (NULL: no kernel). */
typedef struct
{
  HybPanelWiden   widen_f16, widen_bf16;
  gint64          max_wide_rows;
  HybPanelKernels whole; /* for a panel all of whose columns Y has */
  HybPanelKernels
      last[HYB_PANEL_MAX_LAST]; /* for the last one; by n_columns, up to HYB_PANEL_WIDTH */
  HybWidePanelKernel wide[HYB_PANEL_KERNEL_ROWS + 1];
  HybPanelMultiply   one_row[HYB_PANEL_MAX_ONE_ROW + 1];
} HybPanelKernelSet;

/* Returns the kernels for this processor. */
const HybPanelKernelSet *hyb_panel_kernels (void);
