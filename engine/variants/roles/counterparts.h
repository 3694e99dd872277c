/* counterparts.h — nodes of two models that have the same role, N to M.
 *
 * Exporters write one model in many ways: as a layer, as steps, in a loop, with or without nodes that compute sizes.  Both
 * models are written in one form, in which their nodes can be paired, and the pairs lead back to the nodes of both files.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/formats/tensor-list.h"
#include "engine/graph/model.h"

/* Nodes with the same role. */
typedef struct
{
  char   *role;  /* "lstm, 8 units, 5 steps", "Transpose", "before any run" */
  GArray *a, *b; /* of HybNodeId of the main graphs; neither is empty */
} HybCounterpart;

/* Pairs the nodes of two models whose inputs have the same names.  input: (nullable) fixes their shapes.  GPtrArray of
 * HybCounterpart, in the order of a; nodes without a counterpart are in none.  NULL and an error if a model cannot be
 * computed. (transfer full) */
GPtrArray *hyb_counterparts_find (HybModel *a, HybModel *b, HybTensorList *input, GError **error);
