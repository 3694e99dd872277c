/* rnn-plan.h — how RNN and its relatives are planned and run: whether weights are packed, and the call of the kernel.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/ops/recurrent/rnn-rules.h"

/* The network with the decisions of hyb_rnn_prepare(). */
HybRecurrent hyb_rnn_planned (const HybCall *call);
/* For HybOp.prepare: refuses networks whose row numbers exceed the 32-bit integers of the BLAS or whose workspaces exceed the
 * address space, and decides about panels.  form: what the cell has beside MXNet's (transfer full); NULL: nothing. */
gboolean
hyb_rnn_prepare (HybCall *call, HybCellForm *form, gboolean may_keep_panels, GError **error);
/* HybOp.release. */
void hyb_rnn_release (HybCall *call);
/* HybOp.note: how weights are packed and multiplied. */
const char *hyb_rnn_note (const HybCall *call);
/* Bytes of an element that the kernel computes with. */
gsize hyb_rnn_element_size (const HybCall *call);
/* HybOp.workspace of a forward pass without a reserve. */
gsize hyb_rnn_workspace (const HybCall *call);
/* Runs the forward pass.  reserve: receives what the gradient needs; NULL: there is none.  peepholes: see
 * HybRecurrentForward. */
void hyb_rnn_run (const HybCall *call, const HybRun *run, gpointer reserve, const float *peepholes);
/* HybOp.cost. */
void hyb_rnn_cost (const HybCall *call, HybCost *cost);
