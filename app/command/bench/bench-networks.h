/* bench-networks.h — the networks of the benchmark, each written once with HybF.
 *
 * With a tracing HybF they become graphs, with an eager one they compute at once.  Parameter
 * number k is filled with seed 10 + k.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "app/command/bench/bench-case.h"

#include "engine/block/trace.h"

typedef struct
{
  HybF      *F;
  GPtrArray *values; /* of HybTensor: parameters in order of creation */
  GPtrArray *names;  /* of char *: "p0" … */
  guint      n_used; /* parameters used so far while the network is being built */
  GError    *error;
} BenchNet;

/* Each function builds a network on the input x with net->F and returns its output. */

/* LeNet-5 with tanh: (N, 1, 28, 28) → (N, 10). */
HybValue *bench_lenet (BenchNet *net, HybValue *x);
/* 784-512-512-10 with ReLU: (N, 784) → (N, 10). */
HybValue *bench_mlp (BenchNet *net, HybValue *x);
/* One 3×3 convolution, 64 → 64 channels. */
HybValue *bench_conv3x3 (BenchNet *net, HybValue *x);
/* ResNet-18: (N, 3, 224, 224) → (N, 1000). */
HybValue *bench_resnet18 (BenchNet *net, HybValue *x);
/* A transformer encoder layer, 8 heads: (T, 512) → (T, 512). */
HybValue *bench_transformer_layer (BenchNet *net, HybValue *x);
/* 500 pairs of multiply and add on (1, 8): measures the cost per operator. */
HybValue *bench_overhead_chain (BenchNet *net, HybValue *x);
/* Embedding, two-layer LSTM and output layer; tokens → logits. */
HybValue *bench_language_model (BenchNet *net, HybValue *x);

/* Sizes of the language model: tokens are (steps, batch), states (layers, batch, width). */
#define BENCH_VOCABULARY 10000
#define BENCH_WIDTH      650
#define BENCH_LAYERS     2
#define BENCH_STEPS      35
#define BENCH_BATCH      20
