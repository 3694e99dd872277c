/* layers.h — Gluon's ready-made layers, containers and losses.
 *
 *   HybBlock *net = hyb_sequential (NULL);
 *   hyb_append (net, hyb_dense (.units = 128, .activation = "relu"));
 * The macros take the members of an options struct; a member that is left out has Gluon's default, and options that are
 * NULL have all defaults.  prefix is as in hyb_block_new().  All functions return a new block (transfer full).
 * Threads: any thread may make blocks; the counters of automatic prefixes belong to the thread.  Using them: see block.h.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/base/api.h"
#include "engine/block/block.h"

G_BEGIN_DECLS
/* Options of a dense layer. */
typedef struct
{
  gint64      units;      /* outputs */
  const char *activation; /* an act_type of Activation; NULL: no activation */
  gboolean    no_bias;
  gboolean    no_flatten;              /* contract the last axis only */
  gint64      in_units;                /* 0: taken from the first input */
  const char *weight_init, *bias_init; /* bias_init NULL: "zeros" */
  const char *prefix;
  HybBlock   *shared; /* whose parameters are used */
} HybDenseOptions;
/* A fully connected layer. */
HYB_API HybBlock *hyb_dense_new (const HybDenseOptions *options);
#define hyb_dense(...) hyb_dense_new (HYB_OPTIONS (HybDenseOptions, __VA_ARGS__))

/* Shapes of rank 0 mean 1 in every dimension for stride and dilate, 0 for pad and output_pad. */
typedef struct
{
  gint64      channels;                        /* of the output */
  HybShape    kernel;                          /* its rank, 1 to 3, is that of the convolution */
  HybShape    stride, pad, dilate, output_pad; /* output_pad: MXNet's adj, transposed only */
  gint64      groups;                          /* 0: 1 */
  gboolean    no_bias;
  gboolean    transposed;  /* a deconvolution */
  gint64      in_channels; /* 0: taken from the first input */
  const char *activation;  /* NULL: no activation */
  const char *weight_init, *bias_init;
  const char *prefix;
} HybConvOptions;
/* A convolution or a transposed convolution; arrays have the channels in axis 1 (NCHW). */
HYB_API HybBlock *hyb_conv_new (const HybConvOptions *options);
#define hyb_conv(...) hyb_conv_new (HYB_OPTIONS (HybConvOptions, __VA_ARGS__))
/* Options of a pooling layer. */
typedef struct
{
  const char *type;              /* "max" (default) or "avg" */
  HybShape    size, stride, pad; /* stride of rank 0: equal to size */
  gboolean    ceil_mode;         /* round the extent of the output up */
  gboolean    global;            /* over the whole extent of the input */
  int         rank;              /* of global pooling: 1 to 3 */
  gboolean    exclude_pad;       /* averages leave padding out (count_include_pad=False) */
  const char *prefix;
} HybPoolOptions;
/* Maximum or average pooling. */
HYB_API HybBlock *hyb_pool_new (const HybPoolOptions *options);
#define hyb_pool(...) hyb_pool_new (HYB_OPTIONS (HybPoolOptions, __VA_ARGS__))
/* Options of the four normalisations. */
typedef struct
{
  int         axis;                /* 0: 1 for BatchNorm and InstanceNorm, -1 for LayerNorm */
  double      momentum;            /* 0: 0.9 */
  double      epsilon;             /* 0: 1e-5 */
  gboolean    no_center, no_scale; /* beta or gamma is not trained */
  gboolean    use_global_stats;    /* use the moving statistics in training, too */
  gint64      in_channels;         /* 0: taken from the first input */
  gint64      groups;              /* of GroupNorm; 0: 1 */
  const char *prefix;
} HybNormOptions;
/* BatchNorm. */
HYB_API HybBlock *hyb_batch_norm_new (const HybNormOptions *options);
/* LayerNorm. */
HYB_API HybBlock *hyb_layer_norm_new (const HybNormOptions *options);
/* InstanceNorm. */
HYB_API HybBlock *hyb_instance_norm_new (const HybNormOptions *options);
/* GroupNorm. */
HYB_API HybBlock *hyb_group_norm_new (const HybNormOptions *options);
#define hyb_batch_norm(...)    hyb_batch_norm_new (HYB_OPTIONS (HybNormOptions, __VA_ARGS__))
#define hyb_layer_norm(...)    hyb_layer_norm_new (HYB_OPTIONS (HybNormOptions, __VA_ARGS__))
#define hyb_instance_norm(...) hyb_instance_norm_new (HYB_OPTIONS (HybNormOptions, __VA_ARGS__))
#define hyb_group_norm(...)    hyb_group_norm_new (HYB_OPTIONS (HybNormOptions, __VA_ARGS__))

/* Dropout; rate is the probability that an element becomes 0. */
HYB_API HybBlock *hyb_dropout_new (double rate, const char *prefix);
/* A table of input_dim vectors of length output_dim. */
HYB_API HybBlock *hyb_embedding_new (gint64 input_dim, gint64 output_dim, const char *prefix);
/* All axes except the first become one. */
HYB_API HybBlock *hyb_flatten_new (const char *prefix);
/* The operator Activation: "relu", "sigmoid", "tanh", "softrelu" or "softsign". */
HYB_API HybBlock *hyb_activation_new (const char *act_type, const char *prefix);
/* kind: "leaky" or "elu" (slope is used), "prelu", "selu", "gelu", "swish" (slope is beta). */
HYB_API HybBlock *hyb_leaky_new (const char *kind, double slope, const char *prefix);
/* A function as a block. */
HYB_API HybBlock *
hyb_lambda_new (HybValue *(*function) (HybF *F, HybValue *input), const char *prefix);

/* --- Containers --- */

/* Calls its children one after the other (HybridSequential). */
HYB_API HybBlock *hyb_sequential (const char *prefix);
/* The same as a plain block, which cannot be hybridized (Sequential). */
HYB_API HybBlock *hyb_plain_sequential (const char *prefix);
/* Calls all children on the same input and joins their outputs along axis (HybridConcurrent). */
HYB_API HybBlock *hyb_concurrent (int axis, const char *prefix);
/* Appends child to a container, which takes over the caller's reference.  Returns child. */
HYB_API HybBlock *hyb_append (HybBlock *container, HybBlock *child);

/* --- Losses: (prediction, label) to one number for each sample --- */
/* Options of hyb_loss_new(). */
typedef struct
{
  double      weight; /* 0: Gluon's default */
  int         batch_axis;
  int         axis;        /* of the classes, for softmax; 0: -1 */
  gboolean    dense_label; /* softmax: the label holds probabilities */
  gboolean    from_logits; /* softmax: the prediction is log-probabilities already */
  double      margin;      /* hinge; 0: 1 */
  double      rho;         /* huber; 0: 1 */
  const char *prefix;
} HybLossOptions;
/* options: NULL for Gluon's defaults.  kind: "softmax-cross-entropy", "sigmoid-bce", "l1", "l2", "huber", "hinge", "kl-div"
 * or "ctc".  An unknown kind is a programming error: NULL and a critical message. */
HYB_API HybBlock *hyb_loss_new (const char *kind, const HybLossOptions *options);
/* TRUE if hyb_loss_new() supports the kind. */
HYB_API gboolean hyb_loss_exists (const char *kind);
/* All kinds: "softmax-cross-entropy, sigmoid-bce, …".  (transfer full) */
HYB_API char *hyb_loss_list (void);

G_END_DECLS
