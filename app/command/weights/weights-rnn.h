/* weights-rnn.h — packs and unpacks the weights of recurrent cells in a list of arrays.
 *
 * MXNet's fused RNN takes all weights of its layers as one flat vector (packed); unfused cells
 * have one array per matrix (stacked) or per gate.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/formats/tensor-list.h"

/* Options of hscope weights. */
typedef struct
{
  gboolean pack, unpack, stacked, bidirectional;
  char    *symbol, *cell;
  gint64   hidden, projection;
  int      layers;
} ScopeRnnOptions;

/* Packs or unpacks the weights; returns a new reference to list if neither is requested.  Vectors
 * are recognised by names that end in "parameters"; their layout is taken from the symbol file,
 * else from the options.  (transfer full) */
HybTensorList *
scope_rnn_convert (const ScopeRnnOptions *options, HybTensorList *list, GError **error);
