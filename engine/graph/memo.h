/* memo.h — the last result of an analysis, kept with a frozen graph.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/graph/graph.h"

/* The stored value, with a new reference; NULL if there is none.  Any thread may call this.  (transfer full) */
gpointer hyb_graph_dup_memo (HybGraph *graph);
/* Keeps a memory area of g_atomic_rc_box_alloc(), with a reference of its own, in place of the former one.  clear: for the
 * last g_atomic_rc_box_release_full(). */
void hyb_graph_set_memo (HybGraph *graph, gpointer box, GDestroyNotify clear);
