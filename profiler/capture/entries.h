/* entries.h — the entries of a capture's tables: graphs, nodes, samples and memory in use.
 *
 * The structs are stored in files as they are (capture-format.h), so their layout must not change
 * without a new PROF_VERSION.  A node is referred to by its row, its index in the table of nodes.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

#define PROF_NONE G_MAXUINT32 /* no row, no graph, no step */

typedef guint32 ProfText; /* offset of a text in the section of strings; 0: the empty text */

typedef enum
{
  PROF_NODE_VARIABLE = 1 << 0,
  PROF_NODE_EXECUTED = 1 << 1,
  PROF_NODE_ADDED = 1 << 2,   /* not in the model: made by a pass or by autograd, or a part */
  PROF_NODE_PHASE = 1 << 3,   /* a part of the operator in the row `origin` */
  PROF_NODE_DIVIDED = 1 << 4, /* its work is done by parts or bodies with rows of their own */
  PROF_NODE_UNCHANGING =
      1 << 5, /* depends on parameters alone, so that a plan may compute it once */
} ProfNodeFlags;

typedef struct
{
  ProfText name, type, shape; /* shape: of the first output */
  ProfText scope;             /* the block it belongs to, derived from its name */
  ProfText folded;            /* the name with "*" for the number of its step */
  guint32  graph;             /* index of its graph */
  guint32  id;                /* in that graph of the model; PROF_NONE for added nodes */
  guint32  origin;            /* row of the node that it was made from; PROF_NONE */
  guint32  step;              /* of an unrolled sequence, derived from its name; PROF_NONE */
  guint32  first_edge, n_edges;
  guint16  category;                         /* HybCategory */
  guint16  flags;                            /* ProfNodeFlags */
  double   flops, bytes_read, bytes_written; /* of one execution; NaN: not known */
} ProfNode;

typedef struct
{
  ProfText name;
  guint32  parent; /* row of the node that has this graph as a body; PROF_NONE: the main graph */
  guint32  body;   /* which of its bodies; PROF_NONE */
} ProfGraph;

typedef enum
{
  PROF_SAMPLE_FIRST, /* the first run, with planning and page faults */
  PROF_SAMPLE_WARM,
  PROF_SAMPLE_CLEAN, /* not recorded: only these say how long a run takes */
  PROF_SAMPLE_TRACED,
  PROF_SAMPLE_EXACT,  /* traced with two clock readings per node */
  PROF_SAMPLE_DEVICE, /* a clean run by the clock of the GPU, from its first work to its last */
  PROF_N_SAMPLES,
} ProfSampleKind;

typedef struct
{
  guint32 kind, run;
  double  seconds;
} ProfSample;

/* More about a node that ran. */
typedef struct
{
  guint32  row;
  ProfText inputs;    /* types of its inputs: “f32(32,64) f32(64)” */
  double   allocated; /* bytes that one execution takes for outputs and workspace; NaN: not known */
} ProfNodeDetail;

/* How a node that ran was computed. */
typedef struct
{
  guint32  row;
  ProfText kernel; /* “OpenBLAS sgemm” */
} ProfNodeKernel;

/* The relation of a node that ran to a node of the model. */
typedef enum
{
  PROF_COMPUTES,
  PROF_HELPS,          /* prepares inputs of the node that computes it */
  PROF_DIFFERENTIATES, /* computes its gradient, or helps to */
  PROF_N_ROLES,
} ProfRole;

/* A node of the model that is a source of a node that ran.  A node of the model without such entries is
 * its own source. */
typedef struct
{
  guint32 row;            /* of the node that ran */
  guint32 of;             /* row of the node of the model */
  guint32 role, reserved; /* role: ProfRole */
} ProfOrigin;

/* Memory in use while a node ran. */
typedef struct
{
  guint32 row, reserved;
  guint64 bytes;
} ProfMemoryPoint;
