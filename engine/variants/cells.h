/* cells.h — recurrent cells that were found in a graph: gates, steps and chains of steps.
 *
 * A step is a group of nodes that computes one time step of a cell.  Steps whose states feed each other
 * and that share their weights form a chain: one layer in one direction.  recognise.h finds the cells.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/graph/graph.h"
#include "engine/kernels/recurrent/rnn-mode.h"

typedef enum
{
  HYB_CELL_NONE, /* a body that is repeated, but no known cell: it has no gates */
  HYB_CELL_RNN_RELU,
  HYB_CELL_RNN_TANH,
  HYB_CELL_LSTM,
  HYB_CELL_GRU,
  HYB_CELL_GRU_RESET_BEFORE, /* resets the state before the product: no fused operator does */
  HYB_N_CELLS,
} HybCellKind;

#define HYB_MAX_GATES  4
#define HYB_MAX_STATES 4 /* known cells have one or two */

/* Which columns of a weight a value meets: two values side by side share one product. */
typedef enum
{
  HYB_COLUMNS_ALL,
  HYB_COLUMNS_FIRST,
  HYB_COLUMNS_LAST,
} HybColumns;

/* Rows of a weight that a value is multiplied with, and of a bias that is added. */
typedef struct
{
  HybValueId x, weight, bias; /* bias HYB_NO_ID: none */
  gint64     begin, rows;
  gint64     bias_begin;
  HybColumns columns;
  gboolean   is_transposed; /* x W instead of x Wᵀ: rows and columns change places */
} HybTerm;

/* One gate, in the order of the fused operator: LSTM input, forget, candidate, output;
 * GRU reset, update, candidate. */
typedef struct
{
  HybTerm input, hidden;
} HybGate;

typedef struct
{
  HybCellKind kind;
  guint       n_gates;
  HybGate     gate[HYB_MAX_GATES];
  HybValueId  x, h_in, c_in; /* c_in HYB_NO_ID: the cell has one state */
  HybValueId  h, c;
  HybValueId  more_in[HYB_MAX_STATES - 2], more[HYB_MAX_STATES - 2]; /* of a body */
  gboolean    is_decided;     /* which of the two terms is the state's */
  guint       previous, next; /* steps by index; HYB_NO_ID */
} HybCellStep;

typedef struct
{
  HybCellKind kind;
  gint64      hidden;
  guint       n_steps;
  guint      *steps;   /* indices, in the order of time as the chain runs */
  guint       goes_on; /* the chain that this one would continue if odd were not; HYB_NO_ID */
  HybNodeId   odd;     /* the node that breaks the two apart, or reads other weights */
  GPtrArray  *nodes; /* of a body: HybNodeId *, a node of it by step, HYB_NO_ID: not there; NULL */
  gboolean    is_within; /* odd lies within what would be a step of the chain */
} HybChain;

typedef struct
{
  HybGraph  *graph;
  GArray    *steps;         /* of HybCellStep */
  GPtrArray *chains;        /* of HybChain, in the order of their first steps; bodies last */
  guint32   *chain_of_node; /* HYB_NO_ID: none */
  guint32   *step_of_node;  /* number in its chain */
} HybCells;

void hyb_cells_free (HybCells *cells);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HybCells, hyb_cells_free)

const HybCellStep *hyb_chain_step (const HybCells *cells, const HybChain *chain, guint step);
guint              hyb_step_n_states (const HybCellStep *step);
HybValueId         hyb_step_state (const HybCellStep *step, guint state); /* h, c, … */
HybValueId hyb_step_state_in (const HybCellStep *step, guint state);      /* of the step before */
/* Why a chain is only a part of a sequence of steps; (transfer full), NULL: it is whole. */
char       *hyb_chain_dup_break (const HybCells *cells, guint chain);
const char *hyb_cell_kind_name (HybCellKind kind); /* "lstm" */
guint       hyb_cell_kind_n_gates (HybCellKind kind);
