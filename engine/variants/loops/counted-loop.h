/* counted-loop.h — while_loops that count their steps.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/graph/graph.h"

/* A while_loop whose condition compares a counter that grows by one with a number. */
typedef struct
{
  guint      state;   /* the loop variable that counts */
  double     begin;   /* its first value */
  guint      n_steps; /* at most max_iterations */
  HybValueId next;    /* of the body: the counter of the next step */
} HybCountedLoop;

/* Whether node id of graph is such a loop; fills counted. */
gboolean hyb_count_loop (HybGraph *graph, HybNodeId id, HybCountedLoop *counted);
/* Whether a node of a body reads the counter, apart from the one that makes next and from nodes
 * whose values are set (by value of body; HYB_NO_ID: not set). */
gboolean
hyb_counter_is_read (HybGraph *body, const HybValueId *values, HybValueId counter, HybValueId next);
/* The number that fills a constant array; NaN if value is something else. */
double hyb_constant_number (HybGraph *graph, HybValueId value);
/* The condition of a loop of n_steps steps: its counter is less.  (transfer full) */
HybGraph *hyb_counter_condition (guint n_steps, GError **error);
