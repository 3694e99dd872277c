/* control-flow.h — the control flow benchmark: one recurrent cell, its loop written in four forms.
 *
 * All forms have the same weights, so they compute the same numbers.
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

/* "unrolled", "foreach", "while" or "fused". */
const char *scope_form_name (ScopeForm form);
/* "rnn", "gru" or "lstm". */
const char *scope_cell_kind_name (ScopeCellKind kind);

typedef struct
{
  ScopeCellKind cell;
  ScopeForm     form;
  gint64        inputs; /* features of the input */
  gint64        hidden, length, batch;
  gboolean      training;
} ScopeLoop;

/* Traces the loop into a graph.  values: (out) (transfer full) array of HybTensor by variable, the
 * same in every form.  (transfer full) */
HybGraph *scope_loop_trace (const ScopeLoop *loop, GPtrArray **values, GError **error);
