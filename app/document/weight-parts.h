/* weight-parts.h — a parameter as matrices, with the rows of each gate of a recurrent cell.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/graph/model.h"

#define SCOPE_MAX_GATES 4

typedef struct
{
  char       *title; /* of a part of a packed vector: "layer 0, input"; NULL: all of it */
  gint64      offset, rows, columns;
  guint       n_gates; /* 0: no recurrent cell reads it, or it has one gate only */
  gint64      gate_row[SCOPE_MAX_GATES]; /* where each begins; all have as many */
  gint64      gate_rows;
  const char *gate[SCOPE_MAX_GATES]; /* not translated */
} ScopeWeightPart;

/* For a worker: finds cells.  types: by value of graph; NULL: not known.  GArray of ScopeWeightPart,
 * at least one unless the tensor is empty. */
GArray *
scope_weight_parts (HybGraph *graph, const HybType *types, const char *name, HybTensor *tensor);

/* weight-gates.c */
const char *scope_gate_name (guint n_gates, guint gate); /* not translated */
/* TRUE: some cell in graph or below it reads the variable, gate by gate. */
gboolean scope_weight_find_gates (HybGraph        *graph,
                                  const HybType   *types,
                                  const char      *name,
                                  ScopeWeightPart *part);
