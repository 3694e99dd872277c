/* recurrent-direction.h — one direction of one layer of recurrent cells, over all steps.  Private to recurrent-*.c.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/kernels/recurrent/recurrent-cell.h"

#include <string.h>

/* The run of one direction of one layer. */
typedef struct
{
  const HybRecurrent        *net;
  const HybCellMaths        *maths;
  const HybRecurrentForward *pass;
  HybCellSlot                slot;
  gint64                     R, GH;
  gint64   n_steps; /* steps in which some sequence has not ended; all of them when recording */
  gint64   begin, n_rows; /* the rows that it computes; all, unless shared out */
  gint64   weight_rows;   /* rows of all weights before this slot's */
  gboolean recording;
  gpointer kept; /* the slot's offsets count from here */
  gpointer input_panels, hidden_panels, projection_panels;
  gpointer bias, recurrent;
  gpointer y; /* (T, N, D R), starting at this direction's first column */
  gint64   y_stride;
  gpointer states;                   /* h of every step: y, or with lengths a separate array */
  gint64   state_stride, state_step; /* from row to row, from step to step */
  gconstpointer          first_state, first_cell; /* (N, R), (N, H) */
  const HybCellFunction *functions;               /* with a form */
  const float           *peepholes;               /* (3 H); NULL if there are none */

  /* The current step. */
  gint64        t;
  gint64        first;  /* the first step whose gates are in the buffer; 0 when recording */
  gconstpointer before; /* h' */
  gint64        before_stride;
  gconstpointer cell_before;
} HybRecurrentDirection;

/* Returns the address of element `index` of the data. */
static inline gpointer
hyb_direction_at (const HybRecurrentDirection *run, gconstpointer data, gint64 index)
{
  return hyb_cell_at (run->maths, data, index);
}

/* Copies elements, unless both are the same memory. */
static inline void
hyb_direction_copy (const HybRecurrentDirection *run, gpointer to, gconstpointer from, gint64 count)
{
  if (to != from)
    memcpy (to, from, (gsize) count * run->maths->size);
}

/* Returns the row of sequence n in the states before the current step. */
static inline gconstpointer
hyb_direction_before (const HybRecurrentDirection *run, gint64 n)
{
  return hyb_direction_at (run, run->before, n * run->before_stride);
}

/* Runs all steps; on return, before and cell_before are the final states. */
void hyb_recurrent_direction_run (HybRecurrentDirection *run, gconstpointer x, gboolean backwards);
