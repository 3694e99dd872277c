/* cells.h — recurrent cells that were found in a graph: gates, steps, and chains of steps.
 *
 * A step is a group of nodes that computes one time step of a cell.  Steps whose states feed each
 * other and that share their weights form a chain: one layer in one direction.  recognise.h finds
 * the cells.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/graph/graph.h"
#include "engine/kernels/recurrent/rnn-mode.h"

/* The kind of cell that a chain of steps computes.  More than HybRnnMode: not all of it can be fused. */
typedef enum
{
  HYB_CELL_NONE, /* a repeated body that is not a known cell and has no gates */
  HYB_CELL_RNN_RELU,
  HYB_CELL_RNN_TANH,
  HYB_CELL_LSTM,
  HYB_CELL_LSTMP, /* an LSTM whose state h is projected to another size */
  HYB_CELL_GRU,
  HYB_CELL_GRU_RESET_BEFORE, /* resets the state before the product, as no fused operator does */
  HYB_N_CELLS,
} HybCellKind;

/* "lstm"; "body" for HYB_CELL_NONE. */
const char *hyb_cell_kind_name (HybCellKind kind);
/* 1, 3 or 4; 0 for HYB_CELL_NONE. */
guint hyb_cell_kind_n_gates (HybCellKind kind);
/* The cell of a fused operator, with or without a projection. */
HybCellKind hyb_cell_kind_from_rnn_mode (HybRnnMode mode, gboolean is_projected);
/* The mode of a fused operator for this cell; FALSE if there is none. */
gboolean hyb_cell_kind_get_rnn_mode (HybCellKind kind, HybRnnMode *mode);

#define HYB_MAX_GATES  4
#define HYB_MAX_STATES 4 /* of a repeated body; known cells have one or two */

/* Which columns of a weight a value is multiplied with.  Where input and state are concatenated,
 * both share one weight. */
typedef enum
{
  HYB_COLUMNS_ALL,
  HYB_COLUMNS_FIRST,
  HYB_COLUMNS_LAST,
} HybColumns;

/* A product x Wᵀ + b, with some rows of W and b. */
typedef struct
{
  HybValueId x, weight, bias; /* bias HYB_NO_ID: none */
  gint64     begin, rows;     /* rows begin … begin + rows of weight */
  gint64     bias_begin;      /* the first element of bias */
  HybColumns columns;         /* of weight */
  gboolean   is_transposed;   /* the product is x W: rows and columns of weight are exchanged */
} HybTerm;

/* One gate: the activation of the sum of both terms. */
typedef struct
{
  HybTerm input, hidden;
} HybGate;

/* One time step.  Gates are in the order of the fused operator: input, forget, candidate, output of
 * an LSTM; reset, update, candidate of a GRU. */
typedef struct
{
  HybCellKind kind;
  guint       n_gates;
  HybGate     gate[HYB_MAX_GATES];
  HybTerm     projection;    /* makes h from the product of output gate and memory; rows 0: none */
  HybValueId  x, h_in, c_in; /* input and old states; c_in HYB_NO_ID: the cell has one state */
  HybValueId  h, c;          /* new states */
  HybValueId  more_in[HYB_MAX_STATES - 2], more[HYB_MAX_STATES - 2]; /* further states of a body */
  gboolean    is_decided;     /* it is certain which terms are input and which hidden */
  guint       previous, next; /* index in HybCells.steps; HYB_NO_ID: none */
} HybCellStep;

/* Steps that follow each other.  A chain that would continue an earlier one but for one node says
 * which node that is. */
typedef struct
{
  HybCellKind kind;
  gint64      hidden;     /* rows of a gate, the size of h without projection; 0 for a body */
  gint64      projection; /* size of a projected h; 0: h is not projected */
  guint       n_steps;
  guint      *steps;     /* index in HybCells.steps, in the order in which they run */
  guint       continues; /* the chain that it would continue; HYB_NO_ID: none */
  /* The node that separates this chain from the one it would continue, or a weight that only one
   * reads. */
  HybNodeId first_difference;
  gboolean  is_difference_inside; /* first_difference is inside a would-be step of the chain */
  /* Of HybNodeId *: one node of a repeated body by step, HYB_NO_ID where it is missing; NULL for
   * known cells. */
  GPtrArray *nodes;
} HybChain;

typedef struct
{
  HybGraph  *graph;
  GArray    *steps;         /* of HybCellStep */
  GPtrArray *chains;        /* of HybChain, in the order of their first steps; bodies last */
  guint32   *chain_of_node; /* index in chains by node; HYB_NO_ID: none */
  guint32   *step_of_node;  /* step of that chain by node */
} HybCells;

/* Frees cells; NULL is allowed. */
void hyb_cells_free (HybCells *cells);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HybCells, hyb_cells_free)

/* A step of a chain, counted from its first. */
const HybCellStep *hyb_chain_step (const HybCells *cells, const HybChain *chain, guint step);
/* 1 for h alone, 2 with c, up to HYB_MAX_STATES for bodies. */
guint hyb_step_n_states (const HybCellStep *step);
/* A state after the step: 0 is h, 1 is c. */
HybValueId hyb_step_state (const HybCellStep *step, guint state);
/* A state before the step. */
HybValueId hyb_step_state_in (const HybCellStep *step, guint state);
/* Why a chain is only a part of a longer sequence of steps, as the end of a sentence; NULL if it is
 * complete.  (transfer full) */
char *hyb_chain_dup_break (const HybCells *cells, guint chain);
