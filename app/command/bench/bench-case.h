/* bench-case.h — one benchmark case: built once, run many times.
 *
 * Names, numbers and networks are those that MXNet, PyTorch and ONNX Runtime are
 * measured with, so that checksums can be compared between programs.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/exec/executor.h"

typedef struct _BenchCase BenchCase;

typedef struct
{
  gboolean (*run) (BenchCase *bench, GError **error);
  /* What the checksum is taken of, after a run; (transfer full). */
  HybTensor *(*result) (BenchCase *bench, GError **error);
  void (*free) (BenchCase *bench);
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
} BenchOptions;

/* Names in a list of GPtrArray of char *, or a case by name: NULL with no error set when
 * no file here knows the name. */
void       bench_rnn_list (GPtrArray *names);
BenchCase *bench_rnn_new (const char *name, const BenchOptions *options, GError **error);
void       bench_net_list (GPtrArray *names);
BenchCase *bench_net_new (const char *name, const BenchOptions *options, GError **error);
void       bench_op_list (GPtrArray *names);
BenchCase *bench_op_new (const char *name, const BenchOptions *options, GError **error);

/* --- Numbers --- */

typedef struct
{
  guint32 seed;
  double  scale, offset;
} BenchFill;

/* Floats in [offset - scale, offset + scale): element i is a hash of i and the seed. */
HybTensor *bench_fill (const HybShape *shape, BenchFill how, GError **error);
HybTensor *bench_zeros (const HybShape *shape, GError **error);
/* Mean of y[i] × (1 + i mod 7). */
double bench_checksum (HybTensor *tensor);

/* --- Cases that are a graph --- */

typedef struct
{
  HybGraph          *graph;
  guint              n_values;
  const char *const *names;    /* variables … */
  HybTensor *const  *values;   /* … and their contents */
  guint              n_inputs; /* the first of them change from run to run; the rest are weights */
  gboolean           training;
  guint              watched; /* head that the checksum is taken of */
} BenchGraph;

BenchCase *bench_graph_new (const BenchGraph *graph, const BenchOptions *options, GError **error);
