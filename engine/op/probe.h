/* probe.h — callbacks through which a run is observed.
 *
 * The engine measures nothing itself.  It calls a probe before and after every operator.
 * profiler/record/recorder.c is the probe that matters; tests write small ones of their own.
 *
 * Threads: the callbacks run on the computing thread, between operators.  They must not take locks,
 * allocate memory (except in value()) or change the graph: copy what is needed and return.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct _HybGraph  HybGraph;  /* engine/graph/graph.h */
typedef struct _HybPlan   HybPlan;   /* engine/exec/plan.h */
typedef struct _HybTensor HybTensor; /* engine/tensor/tensor.h */
typedef struct _HybPhase  HybPhase;  /* engine/op/phase.h */
typedef struct _HybCost   HybCost;   /* engine/op/op.h */
/* The subject of a span of time. */
typedef enum
{
  HYB_SPAN_NODE,   /* one operator */
  HYB_SPAN_PASS,   /* one graph pass */
  HYB_SPAN_COPY,   /* a copy between host and device */
  HYB_SPAN_BRANCH, /* one step of a loop, or one branch of a condition */
  HYB_SPAN_PHASE,  /* a part of an operator, inside the span of its node */
} HybSpanKind;

/* A span that begins or ends. */
typedef struct
{
  HybSpanKind kind;
  guint32     id; /* node id in its graph (of a phase: its node's), or index of the pass or body */
  guint32     graph;  /* hyb_graph_get_id() of the graph that holds the node */
  guint16     device; /* 0 is the host */
  guint16     depth;  /* number of enclosing subgraphs */
  guint64     run;    /* HybRun.number */
  guint32     step;   /* step of the innermost loop */

  /* For nodes: the graph in which id counts, and its plan (NULL when it runs operator by
   * operator).  Both may be freed after the run; take a reference to use them later. */
  HybGraph      *in;
  const HybPlan *plan;

  /* For phases: the kind of the part, and at its end its work.  Both are valid during the call
   * only. */
  const HybPhase *phase;
  const HybCost  *cost;
} HybSpan;

/* The callbacks; each may be NULL. */
typedef struct
{
  gpointer data; /* passed to every callback */

  void (*begin) (gpointer data, const HybSpan *span);
  void (*end) (gpointer data, const HybSpan *span);
  /* The operator itself begins: in a run operator by operator, preparations such as finding types and
   * allocating outputs are done.  The span is the one that began last. */
  void (*ready) (gpointer data, const HybSpan *span);
  /* `bytes` more are allocated on the device; negative if memory was freed. */
  void (*memory) (gpointer data, guint16 device, gint64 bytes);
  /* A visible output of the operator that just ran; the tensor is valid during the call only.
   * Called only where a run goes operator by operator, because a plan does not keep every value;
   * setting it makes loops and conditions run their bodies that way too.  It may allocate, so
   * times measured by the same probe are distorted. */
  void (*value) (gpointer data, const HybSpan *span, guint output, const HybTensor *tensor);

  /* Not 0: the work of a device is traced elsewhere, so a run does not wait for it after every operator
   * and replays its recording.  A recording under another number is made anew, with spans around the
   * operators; a replay has none. */
  guint64 follows_device;
} HybProbe;

G_END_DECLS
