/* entries.h — the entries of a capture's tables: graphs, nodes, samples and memory in use.
 *
 * The structs are stored in files as they are (see capture-format.h), so their layout must not change
 * without a new PROF_VERSION.  A node is referred to by its row, its index in the table of nodes.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

#define PROF_NONE G_MAXUINT32

typedef guint32 ProfText; /* where a text begins; 0: the empty one */

typedef enum
{
  PROF_NODE_VARIABLE = 1 << 0,
  PROF_NODE_EXECUTED = 1 << 1,
  PROF_NODE_ADDED = 1 << 2, /* not in the model: made by a pass or by autograd */
} ProfNodeFlags;

typedef struct
{
  ProfText name, type, shape; /* shape: of the first output */
  ProfText scope;             /* the block it belongs to, from its name */
  ProfText folded;            /* the name without the number of its step */
  guint32  graph;             /* index */
  guint32  id;                /* in that graph of the model; PROF_NONE if added */
  guint32  origin;            /* the row it was made from; PROF_NONE */
  guint32  step;              /* of an unrolled sequence, from its name; PROF_NONE */
  guint32  first_edge, n_edges;
  guint16  category; /* HybCategory */
  guint16  flags;
  double   flops, bytes_read, bytes_written; /* of one execution; NaN: not known */
} ProfNode;

typedef struct
{
  ProfText name;
  guint32  parent, body; /* the row whose body it is, which of them; PROF_NONE: the whole */
} ProfGraph;

typedef enum
{
  PROF_SAMPLE_FIRST, /* loading, planning, page faults */
  PROF_SAMPLE_WARM,
  PROF_SAMPLE_CLEAN, /* nobody watches: the only ones that say how long it takes */
  PROF_SAMPLE_TRACED,
  PROF_SAMPLE_EXACT, /* traced with two looks at the clock a node */
  PROF_N_SAMPLES,
} ProfSampleKind;

typedef struct
{
  guint32 kind, run;
  double  seconds;
} ProfSample;

/* Memory in use while a node ran. */
typedef struct
{
  guint32 row, reserved;
  guint64 bytes;
} ProfMemoryPoint;
