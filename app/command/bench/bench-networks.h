/* bench-networks.h — the networks of the benchmark, each written once in the words of F.
 *
 * Traced they become graphs, called at once they compute.  Parameter number k is filled
 * with seed 10 + k.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "app/command/bench/bench-case.h"

#include "engine/block/trace.h"

typedef struct
{
  HybF      *F;
  GPtrArray *values; /* of HybTensor: parameters in order of creation */
  GPtrArray *names;  /* of char *: "p0" … */
  guint      n_used; /* how many this pass over the network has taken */
  GError    *error;
} BenchNet;

HybValue *bench_lenet (BenchNet *net, HybValue *x);
HybValue *bench_mlp (BenchNet *net, HybValue *x);
HybValue *bench_conv3x3 (BenchNet *net, HybValue *x);
HybValue *bench_resnet18 (BenchNet *net, HybValue *x);
HybValue *bench_transformer_layer (BenchNet *net, HybValue *x);
HybValue *bench_overhead_chain (BenchNet *net, HybValue *x);
HybValue *bench_language_model (BenchNet *net, HybValue *x);

/* The language model: tokens (steps, batch), states (layers, batch, width). */
#define BENCH_VOCABULARY 10000
#define BENCH_WIDTH      650
#define BENCH_LAYERS     2
#define BENCH_STEPS      35
#define BENCH_BATCH      20
