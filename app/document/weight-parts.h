/* weight-parts.h — a parameter as one or more matrices, with the rows that belong to each gate.
 *
 * Parameters of fused operators are packed vectors of many matrices; other parameters are one matrix.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/graph/model.h"

#define SCOPE_MAX_GATES 4

typedef struct
{
  char *
      title; /* of a matrix in a packed vector, "layer 0, from the input"; NULL: the whole parameter */
  gint64      offset, rows, columns;
  guint       n_gates;                   /* 0: not read by a recurrent cell with several gates */
  gint64      gate_row[SCOPE_MAX_GATES]; /* first row of each gate */
  gint64      gate_rows;                 /* rows per gate */
  const char *gate[SCOPE_MAX_GATES];     /* names, not translated */
} ScopeWeightPart;

/* Slow, because it recognises recurrent cells; to be called in a worker.  types: (nullable) of each value
 * of graph.  (transfer full) Array of ScopeWeightPart, empty only for an empty tensor. */
GArray *
scope_weight_parts (HybGraph *graph, const HybType *types, const char *name, HybTensor *tensor);

/* The name of a gate of a cell with 4 (LSTM) or 3 (GRU) gates, not translated; "" for other cells. */
const char *scope_gate_name (guint n_gates, guint gate);
/* Sets the gates of part from the first cell, in graph or its bodies, that reads the variable.  FALSE:
 * there is none. */
gboolean scope_weight_find_gates (HybGraph        *graph,
                                  const HybType   *types,
                                  const char      *name,
                                  ScopeWeightPart *part);
