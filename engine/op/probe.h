/* probe.h — how a run is watched.
 *
 * The engine measures nothing itself: it calls a probe, and knows nothing of
 * who listens.  profiler/record/recorder.c is the listener that matters; tests use a
 * ten-line one.
 *
 * Probe functions run on the computing thread, between operators.  They must
 * not lock, allocate (but for value) or touch the graph; copy what is needed and return.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct _HybGraph  HybGraph;  /* engine/graph/graph.h */
typedef struct _HybPlan   HybPlan;   /* engine/exec/plan.h */
typedef struct _HybTensor HybTensor; /* engine/tensor/tensor.h */

typedef enum
{
  HYB_SPAN_NODE,   /* one operator */
  HYB_SPAN_PASS,   /* one graph pass */
  HYB_SPAN_COPY,   /* between host and device */
  HYB_SPAN_BRANCH, /* one step of a loop, one arm of a condition */
} HybSpanKind;

typedef struct
{
  HybSpanKind kind;
  guint32     id;     /* node id in its own graph, or pass index, or body index */
  guint32     graph;  /* hyb_graph_get_id() of the graph that the node stands in */
  guint16     device; /* 0: the host */
  guint16     depth;  /* how many subgraphs deep */
  guint64     run;    /* which run of the graph */
  guint32     step;   /* which step of the innermost loop */
  /* Of nodes: the graph that id counts in, and its plan (NULL: operator by operator).
   * Both may be gone after the run; who wants them later takes a reference. */
  HybGraph      *in;
  const HybPlan *plan;
} HybSpan;

typedef struct
{
  gpointer data;

  void (*begin) (gpointer data, const HybSpan *span);
  void (*end) (gpointer data, const HybSpan *span);
  void (*memory) (gpointer data, guint16 device, gint64 bytes); /* negative: freed */
  /* A visible output of an operator that ran just now; the tensor is lent.  Only where a run goes
   * operator by operator: a plan has no place for what nobody reads.  Whoever sets it has loops
   * and branches run their bodies so, too; it is no clock, and may allocate. */
  void (*value) (gpointer data, const HybSpan *span, guint output, const HybTensor *tensor);
} HybProbe;

G_END_DECLS
