/* memo.c — a reference to a result, which threads exchange under a lock.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/graph/memo.h"

#include "engine/graph/graph-private.h"

/* Of all graphs: it is held for the time of an exchange. */
static GMutex lock;

gpointer
hyb_graph_dup_memo (HybGraph *graph)
{
  gpointer box;

  g_mutex_lock (&lock);
  box = graph->memo ? g_atomic_rc_box_acquire (graph->memo) : NULL;
  g_mutex_unlock (&lock);
  return box;
}

void
hyb_graph_set_memo (HybGraph *graph, gpointer box, GDestroyNotify clear)
{
  gpointer       old;
  GDestroyNotify clear_old;

  g_mutex_lock (&lock);
  old = graph->memo;
  clear_old = graph->clear_memo;
  graph->memo = g_atomic_rc_box_acquire (box);
  graph->clear_memo = clear;
  g_mutex_unlock (&lock);
  if (old)
    g_atomic_rc_box_release_full (old, clear_old);
}
