/* control-flow.h — the classic benchmark of control flow: one cell, written as a loop in
 * each of the ways there are, with the same weights.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/graph/graph.h"
#include "engine/tensor/tensor.h"

typedef enum
{
  SCOPE_FORM_UNROLLED,
  SCOPE_FORM_FOREACH,
  SCOPE_FORM_WHILE,
  SCOPE_FORM_FUSED,
  SCOPE_N_FORMS,
} ScopeForm;

typedef enum
{
  SCOPE_CELL_RNN,
  SCOPE_CELL_GRU,
  SCOPE_CELL_LSTM,
  SCOPE_N_CELLS,
} ScopeCellKind;

const char *scope_form_name (ScopeForm form);
const char *scope_cell_kind_name (ScopeCellKind kind);

typedef struct
{
  ScopeCellKind cell;
  ScopeForm     form;
  gint64        inputs, hidden, length, batch;
  gboolean      training;
} ScopeLoop;

/* The traced graph, and values for all its variables (of HybTensor): equal in every form. */
HybGraph *scope_loop_trace (const ScopeLoop *loop, GPtrArray **values, GError **error);
