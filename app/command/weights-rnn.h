/* weights-rnn.h — weights of recurrent cells between their forms.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/formats/tensor-list.h"

typedef struct
{
  gboolean pack, unpack, stacked, bidirectional;
  char    *symbol, *cell;
  gint64   hidden, projection;
  int      layers;
} ScopeRnnOptions;

/* The list itself where nothing is asked.  Vectors are found by name
 * (“…parameters”); what they hold by the symbol, else by the options. */
HybTensorList *
scope_rnn_convert (const ScopeRnnOptions *options, HybTensorList *list, GError **error);
