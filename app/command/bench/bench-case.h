/* bench-case.h — one benchmark case: built once, run many times.
 *
 * Names, data and networks are the same as in the scripts that measure MXNet, PyTorch and ONNX
 * Runtime, so that checksums can be compared between programs.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/exec/executor.h"

typedef struct _BenchCase BenchCase;

typedef struct
{
  /* Runs the case once. */
  gboolean (*run) (BenchCase *bench, GError **error);
  /* The tensor that the checksum is computed of, after a run.  (transfer full) */
  HybTensor *(*result) (BenchCase *bench, GError **error);
  /* Frees the case. */
  void (*free) (BenchCase *bench);
  /* Bytes of the plan's block of memory; NULL if the case has no plan. */
  gsize (*plan_memory) (BenchCase *bench);
} BenchKind;

struct _BenchCase
{
  const BenchKind *kind;
};

/* How graphs are planned. */
typedef struct
{
  HybMode            mode;
  const char *const *without;
  const char        *dump_after;
  HybGpu            *gpu; /* NULL: the processor */
} BenchOptions;

/* For each family of cases: _list appends its names (of char *), _new makes the case of a name, or
 * returns NULL without an error if the name is not of this family. */
void       bench_rnn_list (GPtrArray *names);
BenchCase *bench_rnn_new (const char *name, const BenchOptions *options, GError **error);
void       bench_net_list (GPtrArray *names);
BenchCase *bench_net_new (const char *name, const BenchOptions *options, GError **error);
void       bench_op_list (GPtrArray *names);
BenchCase *bench_op_new (const char *name, const BenchOptions *options, GError **error);

/* --- Data of the cases --- */

/* How bench_fill() fills a tensor. */
typedef struct
{
  guint32 seed;
  double  scale, offset;
} BenchFill;

/* A float32 tensor with values in [offset - scale, offset + scale): element i is a hash of i and the
 * seed.  (transfer full) */
HybTensor *bench_fill (const HybShape *shape, BenchFill fill, GError **error);
/* A float32 tensor of zeros.  (transfer full) */
HybTensor *bench_zeros (const HybShape *shape, GError **error);
/* The mean of y[i] × (1 + i mod 7) over all elements. */
double bench_checksum (HybTensor *tensor);

/* --- Cases that are a graph --- */

typedef struct
{
  HybGraph          *graph;
  guint              n_values;
  const char *const *names;  /* of variables */
  HybTensor *const  *values; /* of these variables */
  guint    n_inputs; /* how many of them, from the first, are inputs; the rest are weights */
  gboolean training;
  guint    checked_head; /* the checksum is computed of this head */
} BenchGraph;

/* A case that runs a planned graph.  (transfer full) */
BenchCase *bench_graph_new (const BenchGraph *graph, const BenchOptions *options, GError **error);
