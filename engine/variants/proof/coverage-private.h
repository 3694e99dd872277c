/* coverage-private.h — the points of a graph and where runs show that they were reached.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/variants/proof/coverage.h"

/* Something that a run reaches or not. */
typedef struct
{
  HybNodeId root; /* the node of the whole graph that it belongs to */
  char     *gap;  /* the sentence if it is not reached */
  gboolean  is_reached;
} CoveragePoint;

/* An output that is watched. */
typedef struct
{
  guint                  output;
  double                 low, high;        /* of a clip; infinite: no bound */
  CoveragePoint         *at_low, *at_high; /* NULL: no bound */
  CoveragePoint         *inside;           /* a number between both */
  CoveragePoint         *zero, *other;     /* of a condition of where() */
  struct _CoverageTable *table;            /* whose rows the output names */
} CoverageWatch;

/* A table whose rows are read. */
typedef struct _CoverageTable
{
  HybNodeId  root;
  HybTensor *tensor; /* owned by the model */
  char      *name;
  gint64     n;
  guint8    *is_read; /* by row */
} CoverageTable;

/* A loop or condition. */
typedef struct
{
  CoveragePoint *then[2];     /* of a condition */
  CoveragePoint *early, *all; /* of a loop: ended by its condition, or after max_iterations */
  gint64         max, n_steps;
} CoverageLoop;

/* A body of a loop or condition. */
typedef struct
{
  CoverageLoop *loop;
  guint         index;
} CoverageBody;

struct _HybCoverage
{
  HybModel   *model;
  GPtrArray  *points; /* of CoveragePoint */
  GPtrArray  *tables; /* of CoverageTable */
  GPtrArray  *loops;  /* of CoverageLoop */
  GHashTable *watches,
      *loop_of_node;            /* GArray of CoverageWatch, CoverageLoop: by hyb_coverage_key() */
  GHashTable   *body_of_graph;  /* CoverageBody by id of graph */
  GHashTable   *table_of_input; /* CoverageTable by name of a variable of the whole graph */
  HybProbe      probe;
  double        largest_bound;
  HybProbe      counter;
  guint64       n_steps;     /* of the run that is watched */
  GCancellable *cancellable; /* cancelled after many; NULL: never */
};

/* The key of a node, since nodes are counted from 0 in each graph. */
gpointer hyb_coverage_key (guint32 graph, HybNodeId id);
/* Fills points, tables, loops and watched values. */
void hyb_coverage_find_points (HybCoverage *coverage, HybGraph *graph);
