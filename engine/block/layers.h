/* layers.h — Gluon's ready-made layers.
 *
 *   HybBlock *net = hyb_sequential (NULL);
 *   hyb_add (net, hyb_dense (.units = 128, .activation = "relu"));
 *
 * Every option left out has Gluon's default.  prefix as in hyb_block_new().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/block/block.h"

G_BEGIN_DECLS

typedef struct
{
  gint64      units;
  const char *activation; /* NULL: none */
  gboolean    no_bias;
  gboolean    no_flatten;              /* contract the last axis only */
  gint64      in_units;                /* 0: from the first input */
  const char *weight_init, *bias_init; /* bias: "zeros" */
  const char *prefix;
  HybBlock   *shared;
} HybDenseOptions;
HybBlock *hyb_dense_new (const HybDenseOptions *options);
#define hyb_dense(...) hyb_dense_new (&(const HybDenseOptions){ __VA_ARGS__ })

/* Convolutions: rank 1 to 3, from kernel; transposed with adj. */
typedef struct
{
  gint64      channels;
  HybShape    kernel, stride, pad, dilate, output_pad; /* rank 0: 1, 0, 1, 0 */
  gint64      groups;                                  /* 0: 1 */
  gboolean    no_bias;
  gboolean    transposed;
  gint64      in_channels; /* 0: from the first input */
  const char *activation;
  const char *weight_init, *bias_init;
  const char *prefix;
} HybConvOptions;
HybBlock *hyb_conv_new (const HybConvOptions *options);
#define hyb_conv(...) hyb_conv_new (&(const HybConvOptions){ __VA_ARGS__ })

typedef struct
{
  const char *type;              /* "max", "avg" */
  HybShape    size, stride, pad; /* stride rank 0: like size */
  gboolean    ceil_mode;
  gboolean    global;
  int         rank;        /* of a global one: 1 to 3 */
  gboolean    exclude_pad; /* count_include_pad=False */
  const char *prefix;
} HybPoolOptions;
HybBlock *hyb_pool_new (const HybPoolOptions *options);
#define hyb_pool(...) hyb_pool_new (&(const HybPoolOptions){ __VA_ARGS__ })

typedef struct
{
  int         axis;     /* BatchNorm: 0 stands for 1; LayerNorm: 0 for -1 */
  double      momentum; /* 0: 0.9 */
  double      epsilon;  /* 0: 1e-5 */
  gboolean    no_center, no_scale;
  gboolean    use_global_stats;
  gint64      in_channels; /* 0: from the first input */
  gint64      groups;      /* GroupNorm */
  const char *prefix;
} HybNormOptions;
HybBlock *hyb_batch_norm_new (const HybNormOptions *options);
HybBlock *hyb_gluon_norm_new (const HybNormOptions *options);
HybBlock *hyb_instance_norm_new (const HybNormOptions *options);
HybBlock *hyb_group_norm_new (const HybNormOptions *options);
#define hyb_batch_norm(...)    hyb_batch_norm_new (&(const HybNormOptions){ __VA_ARGS__ })
#define hyb_gluon_norm(...)    hyb_gluon_norm_new (&(const HybNormOptions){ __VA_ARGS__ })
#define hyb_instance_norm(...) hyb_instance_norm_new (&(const HybNormOptions){ __VA_ARGS__ })
#define hyb_group_norm(...)    hyb_group_norm_new (&(const HybNormOptions){ __VA_ARGS__ })

HybBlock *hyb_dropout_new (double rate, const char *prefix);
HybBlock *hyb_embedding_new (gint64 input_dim, gint64 output_dim, const char *prefix);
HybBlock *hyb_flatten_new (const char *prefix);
HybBlock *hyb_activation_new (const char *act_type, const char *prefix);
/* kind: "leaky" (slope), "prelu", "elu" (slope), "selu", "gelu", "swish" (slope: beta) */
HybBlock *hyb_leaky_new (const char *kind, double slope, const char *prefix);
/* Any function as a block. */
HybBlock *hyb_lambda_new (HybValue *(*function) (HybF *F, HybValue *input), const char *prefix);

/* Blocks one after the other; plain: Gluon's Sequential instead of HybridSequential. */
HybBlock *hyb_sequential (const char *prefix);
HybBlock *hyb_plain_sequential (const char *prefix);
/* Blocks beside each other on the same input, joined along axis. */
HybBlock *hyb_concurrent (int axis, const char *prefix);
/* Appends child, (transfer full), and returns it. */
HybBlock *hyb_append (HybBlock *container, HybBlock *child);

/* --- Losses: (prediction, label) to one number a sample --- */

typedef struct
{
  double      weight; /* 0: Gluon's default */
  int         batch_axis;
  int         axis;        /* softmax: 0 stands for -1 */
  gboolean    dense_label; /* softmax: label holds probabilities */
  gboolean    from_logits; /* softmax: input is log-probability already */
  double      margin;      /* hinge; 0: 1 */
  double      rho;         /* huber; 0: 1 */
  const char *prefix;
} HybLossOptions;
/* kind: "softmax-cross-entropy", "sigmoid-bce", "l1", "l2", "huber", "hinge", "kl-div", "ctc" */
HybBlock *hyb_loss_new (const char *kind, const HybLossOptions *options);
gboolean  hyb_loss_exists (const char *kind);
char     *hyb_loss_list (void); /* "softmax-cross-entropy, sigmoid-bce, …"; (transfer full) */

G_END_DECLS
