/* bench-networks.c — the networks of the benchmark: layers, then one function per network.
 *
 * Layers create their parameters in the order in which they are called, which fixes the seeds.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/command/bench/bench-networks.h"

#include <math.h>

#define FIRST_SEED  10
#define CHAIN_PAIRS 500

/* --- Layers --- */

/* The next parameter: filled when the network is built for the first time, then reused. */
static HybValue *
parameter (BenchNet *net, HybShape shape, double scale, double offset)
{
  guint k = net->n_used++;

  if (k == net->values->len)
    {
      BenchFill  fill = { FIRST_SEED + k, scale, offset };
      HybTensor *tensor = bench_fill (&shape, fill, !net->error ? &net->error : NULL);

      if (!tensor)
        return hyb_list (net->F, 0, NULL);
      g_ptr_array_add (net->values, tensor);
      g_ptr_array_add (net->names, g_strdup_printf ("p%u", k));
    }
  return hyb_f_is_tracing (net->F) ? hyb_value_variable (net->F, net->names->pdata[k], NULL)
                                   : hyb_value_from_tensor (net->F, net->values->pdata[k]);
}

typedef struct
{
  gint64   in, out, kernel, stride, pad;
  gboolean no_bias;
} Conv;

static HybValue *
convolution (BenchNet *net, HybValue *x, Conv c)
{
  double      scale = sqrt (6.0 / (double) (c.in * c.kernel * c.kernel));
  HybValue   *w = parameter (net, hyb_shape_4d (c.out, c.in, c.kernel, c.kernel), scale, 0);
  HybValue   *b = c.no_bias ? NULL : parameter (net, hyb_shape_1d (c.out), 0.1, 0);
  const char *kernel = hyb_f_text (net->F, "(%d, %d)", (int) c.kernel, (int) c.kernel);
  const char *stride = hyb_f_text (net->F, "(%d, %d)", (int) c.stride, (int) c.stride);
  const char *pad = hyb_f_text (net->F, "(%d, %d)", (int) c.pad, (int) c.pad);

  return HYB_OP (net->F, "Convolution", .in = { x, w, b },
                 .attributes = HYB_WITH ("kernel", kernel, "stride", stride, "pad", pad,
                                         "num_filter", hyb_f_text (net->F, "%d", (int) c.out),
                                         "no_bias", c.no_bias ? "True" : "False"));
}

static HybValue *
dense (BenchNet *net, HybValue *x, gint64 in, gint64 out)
{
  HybValue *w = parameter (net, hyb_shape_2d (out, in), sqrt (3.0 / (double) in), 0);
  HybValue *b = parameter (net, hyb_shape_1d (out), 0.1, 0);

  return HYB_OP (net->F, "FullyConnected", .in = { x, w, b },
                 .attributes = HYB_WITH ("num_hidden", hyb_f_text (net->F, "%d", (int) out)));
}

static HybValue *
batch_norm (BenchNet *net, HybValue *x, gint64 channels)
{
  HybShape  shape = hyb_shape_1d (channels);
  HybValue *gamma = parameter (net, shape, 0.1, 1);
  HybValue *beta = parameter (net, shape, 0.1, 0);
  HybValue *mean = parameter (net, shape, 0.1, 0);
  HybValue *variance = parameter (net, shape, 0.1, 1);

  return HYB_OP (net->F, "BatchNorm", .in = { x, gamma, beta, mean, variance },
                 .attributes = HYB_WITH ("eps", "1e-5", "fix_gamma", "False"));
}

static HybValue *
layer_norm (BenchNet *net, HybValue *x, gint64 channels)
{
  HybValue *gamma = parameter (net, hyb_shape_1d (channels), 0.1, 1);
  HybValue *beta = parameter (net, hyb_shape_1d (channels), 0.1, 0);

  return HYB_OP (net->F, "LayerNorm", .in = { x, gamma, beta },
                 .attributes = HYB_WITH ("eps", "1e-5"));
}

static HybValue *
max_pool (BenchNet *net, HybValue *x, const char *kernel, const char *stride, const char *pad)
{
  return HYB_OP (net->F, "Pooling", .in = { x },
                 .attributes =
                     HYB_WITH ("kernel", kernel, "stride", stride, "pad", pad, "pool_type", "max"));
}

static HybValue *
activation (BenchNet *net, HybValue *x, const char *type)
{
  return hyb_activation (net->F, x, type, NULL);
}

/* --- The networks --- */

HybValue *
bench_lenet (BenchNet *net, HybValue *x)
{
  x = activation (net, convolution (net, x, (Conv){ 1, 20, 5, 1, 0, FALSE }), "tanh");
  x = max_pool (net, x, "(2, 2)", "(2, 2)", "(0, 0)");
  x = activation (net, convolution (net, x, (Conv){ 20, 50, 5, 1, 0, FALSE }), "tanh");
  x = max_pool (net, x, "(2, 2)", "(2, 2)", "(0, 0)");
  x = HYB_OP (net->F, "Flatten", .in = { x });
  return dense (net, activation (net, dense (net, x, 800, 500), "tanh"), 500, 10);
}

HybValue *
bench_mlp (BenchNet *net, HybValue *x)
{
  x = activation (net, dense (net, x, 784, 512), "relu");
  x = activation (net, dense (net, x, 512, 512), "relu");
  return dense (net, x, 512, 10);
}

HybValue *
bench_conv3x3 (BenchNet *net, HybValue *x)
{
  return convolution (net, x, (Conv){ 64, 64, 3, 1, 1, FALSE });
}

static HybValue *
residual_block (BenchNet *net, HybValue *x, gint64 width, gint64 out, gint64 stride)
{
  HybValue *y = convolution (net, x, (Conv){ width, out, 3, stride, 1, TRUE });

  y = activation (net, batch_norm (net, y, out), "relu");
  y = batch_norm (net, convolution (net, y, (Conv){ out, out, 3, 1, 1, TRUE }), out);
  if (stride != 1 || width != out)
    x = batch_norm (net, convolution (net, x, (Conv){ width, out, 1, stride, 0, TRUE }), out);
  return activation (net, hyb_add (net->F, x, y), "relu");
}

HybValue *
bench_resnet18 (BenchNet *net, HybValue *x)
{
  static const gint64 widths[] = { 64, 128, 256, 512 };
  gint64              width = 64;

  x = batch_norm (net, convolution (net, x, (Conv){ 3, 64, 7, 2, 3, TRUE }), 64);
  x = max_pool (net, activation (net, x, "relu"), "(3, 3)", "(2, 2)", "(1, 1)");
  for (guint stage = 0; stage < G_N_ELEMENTS (widths); stage++)
    for (guint block = 0; block < 2; block++)
      {
        x = residual_block (net, x, width, widths[stage], stage > 0 && block == 0 ? 2 : 1);
        width = widths[stage];
      }
  x = HYB_OP (net->F, "Pooling", .in = { x },
              .attributes =
                  HYB_WITH ("global_pool", "True", "kernel", "(1, 1)", "pool_type", "avg"));
  return dense (net, HYB_OP (net->F, "Flatten", .in = { x }), 512, 1000);
}

/* Self-attention with 8 heads.  x: (T, 3C) is split into queries, keys and values (8, T, C / 8).
 * Returns (T, C). */
static HybValue *
attention (BenchNet *net, HybValue *x)
{
  HybF     *F = net->F;
  HybValue *parts = hyb_transpose (F, hyb_reshape (F, x, "(0, 3, 8, -1)"), "(1, 2, 0, 3)");
  HybValue *split = hyb_split (F, parts, 3, 0, TRUE);
  HybValue *query = hyb_mul_scalar (F, hyb_item (F, split, 0), 1 / sqrt (64.0));
  HybValue *scores = HYB_OP (F, "batch_dot", .in = { query, hyb_item (F, split, 1) },
                             .attributes = HYB_WITH ("transpose_b", "True"));
  HybValue *y =
      HYB_OP (F, "batch_dot", .in = { hyb_softmax (F, scores, -1), hyb_item (F, split, 2) });

  return hyb_reshape (F, hyb_transpose (F, y, "(1, 0, 2)"), "(0, -1)");
}

HybValue *
bench_transformer_layer (BenchNet *net, HybValue *x)
{
  HybValue *a = attention (net, dense (net, x, 512, 1536));
  HybValue *y;

  x = layer_norm (net, hyb_add (net->F, x, dense (net, a, 512, 512)), 512);
  y = dense (net, activation (net, dense (net, x, 512, 2048), "relu"), 2048, 512);
  return layer_norm (net, hyb_add (net->F, x, y), 512);
}

HybValue *
bench_overhead_chain (BenchNet *net, HybValue *x)
{
  HybValue *a = parameter (net, hyb_shape_2d (1, 8), 0.01, 1);
  HybValue *b = parameter (net, hyb_shape_2d (1, 8), 0.01, 0);

  for (guint i = 0; i < CHAIN_PAIRS; i++)
    x = hyb_add (net->F, hyb_mul (net->F, x, a), b);
  return x;
}

/* --- The language model --- */

/* The flat parameter vector of the fused RNN: the weights of all layers, then the biases.  Parameters
 * are created layer by layer, as the other programs number them. */
static HybValue *
rnn_parameters (BenchNet *net)
{
  HybValue *parts[4 * BENCH_LAYERS], *ordered[4 * BENCH_LAYERS];
  double    scale = 1 / sqrt ((double) BENCH_WIDTH);

  for (guint i = 0; i < 4 * BENCH_LAYERS; i++)
    parts[i] = parameter (net,
                          i % 4 < 2 ? hyb_shape_2d (4 * BENCH_WIDTH, BENCH_WIDTH)
                                    : hyb_shape_1d (4 * BENCH_WIDTH),
                          scale, 0);
  for (guint i = 0; i < 4 * BENCH_LAYERS; i++)
    ordered[i] =
        hyb_reshape (net->F,
                     i < 2 * BENCH_LAYERS ? parts[i / 2 * 4 + i % 2]
                                          : parts[(i - 2 * BENCH_LAYERS) / 2 * 4 + 2 + i % 2],
                     "-1");
  return HYB_OP (net->F, "_rnn_param_concat", .inputs = ordered, .n_inputs = 4 * BENCH_LAYERS,
                 .attributes = HYB_WITH ("dim", "0", "num_args",
                                         hyb_f_text (net->F, "%d", 4 * BENCH_LAYERS)));
}

HybValue *
bench_language_model (BenchNet *net, HybValue *tokens)
{
  HybF     *F = net->F;
  HybValue *table = parameter (net, hyb_shape_2d (BENCH_VOCABULARY, BENCH_WIDTH), 0.1, 0);
  HybValue *x = HYB_OP (F, "Embedding", .in = { tokens, table },
                        .attributes = HYB_WITH ("input_dim", G_STRINGIFY (BENCH_VOCABULARY),
                                                "output_dim", G_STRINGIFY (BENCH_WIDTH)));
  HybValue *flat = rnn_parameters (net), *w, *b;
  HybValue *inputs[] = { x, flat, hyb_value_variable (F, "state0", NULL),
                         hyb_value_variable (F, "state1", NULL) };

  x = hyb_item (F,
                HYB_OP (F, "RNN", .inputs = inputs, .n_inputs = G_N_ELEMENTS (inputs),
                        .attributes =
                            HYB_WITH ("mode", "lstm", "num_layers", G_STRINGIFY (BENCH_LAYERS),
                                      "state_size", G_STRINGIFY (BENCH_WIDTH), "state_outputs",
                                      "True")),
                0);
  w = parameter (net, hyb_shape_2d (BENCH_VOCABULARY, BENCH_WIDTH), 1 / sqrt ((double) BENCH_WIDTH),
                 0);
  b = parameter (net, hyb_shape_1d (BENCH_VOCABULARY), 0.1, 0);
  return HYB_OP (F, "FullyConnected", .in = { x, w, b },
                 .attributes =
                     HYB_WITH ("num_hidden", G_STRINGIFY (BENCH_VOCABULARY), "flatten", "False"));
}
