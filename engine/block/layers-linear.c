/* layers-linear.c — Gluon's Dense, Conv1D to Conv3D, their transposes, and Embedding.
 *
 * The attributes of the nodes and their spelling are those of Gluon's exports.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/block/layers.h"

#include "engine/block/layers-private.h"

typedef struct
{
  HybBlock        parent;
  HybDenseOptions options;
  HybParameter   *weight, *bias;
  HybBlock       *activation;
} Dense;

static HybValue *
dense_forward (HybF *F, HybBlock *block, HybValue *x)
{
  Dense    *self = (Dense *) block;
  HybValue *y =
      HYB_OP (F, "FullyConnected", .name = "fwd",
              .in = { x, hyb_use (F, self->weight), self->bias ? hyb_use (F, self->bias) : NULL },
              .attributes = HYB_WITH ("flatten", hyb_gluon_bool (!self->options.no_flatten),
                                      "no_bias", hyb_gluon_bool (self->options.no_bias),
                                      "num_hidden", hyb_gluon_int (F, self->options.units)));

  return self->activation ? hyb_call (F, self->activation, y) : y;
}

static const HybBlockClass dense_class = {
  .name = "Dense",
  .size = sizeof (Dense),
  .forward = dense_forward,
};

HybBlock *
hyb_dense_new (const HybDenseOptions *given)
{
  const HybDenseOptions *options = given ? given : &(const HybDenseOptions){ 0 };
  HybBlock *block = hyb_block_new_shared (&dense_class, options->prefix, options->shared);
  Dense    *self = (Dense *) block;

  self->options = *options;
  self->weight =
      hyb_block_add_parameter (block,
                               &(HybParameterSpec){
                                   .name = "weight",
                                   .shape = hyb_shape_2d (options->units, options->in_units > 0
                                                                              ? options->in_units
                                                                              : HYB_UNKNOWN),
                                   .init = options->weight_init,
                                   .allow_deferred = TRUE });
  if (!options->no_bias)
    self->bias = hyb_block_add_parameter (block, &(HybParameterSpec){
                                                     .name = "bias",
                                                     .shape = hyb_shape_1d (options->units),
                                                     .init = options->bias_init ? options->bias_init
                                                                                : "zeros",
                                                     .allow_deferred = TRUE });
  self->activation = hyb_gluon_add_activation (block, options->activation);
  return block;
}

typedef struct
{
  HybBlock      parent;
  int           rank;
  gboolean      transposed;
  HybShape      kernel, stride, pad, dilate, output_pad;
  gint64        channels, groups;
  HybParameter *weight, *bias;
  HybBlock     *activation;
} Conv;

static const char *
channel_first (int rank)
{
  static const char *const layouts[] = { "NC", "NCW", "NCHW", "NCDHW" };

  return layouts[rank];
}

static HybValue *
conv_forward (HybF *F, HybBlock *block, HybValue *x)
{
  Conv     *self = (Conv *) block;
  HybValue *y =
      HYB_OP (F, self->transposed ? "Deconvolution" : "Convolution", .name = "fwd",
              .in = { x, hyb_use (F, self->weight), self->bias ? hyb_use (F, self->bias) : NULL },
              .attributes =
                  HYB_WITH ("adj", self->transposed ? hyb_gluon_shape (F, &self->output_pad) : NULL,
                            "dilate", hyb_gluon_shape (F, &self->dilate), "kernel",
                            hyb_gluon_shape (F, &self->kernel), "layout",
                            channel_first (self->rank), "no_bias", hyb_gluon_bool (!self->bias),
                            "num_filter", hyb_gluon_int (F, self->channels), "num_group",
                            hyb_gluon_int (F, self->groups), "pad", hyb_gluon_shape (F, &self->pad),
                            "stride", hyb_gluon_shape (F, &self->stride)));

  return self->activation ? hyb_call (F, self->activation, y) : y;
}

static const HybBlockClass conv_class = {
  .name = "Conv",
  .size = sizeof (Conv),
  .forward = conv_forward,
};

/* (filters, inputs / groups, kernel …), or (inputs, filters / groups, kernel …) if transposed. */
static HybShape
conv_weight_shape (const Conv *self, gint64 in_channels)
{
  HybShape shape = { .rank = self->rank + 2 };
  gint64   inputs = in_channels > 0 ? in_channels : HYB_UNKNOWN;

  shape.dim[0] = self->transposed ? inputs : self->channels;
  shape.dim[1] = self->transposed ? self->channels / self->groups
                 : inputs > 0     ? inputs / self->groups
                                  : HYB_UNKNOWN;
  for (int i = 0; i < self->rank; i++)
    shape.dim[2 + i] = self->kernel.dim[i];
  return shape;
}

HybBlock *
hyb_conv_new (const HybConvOptions *given)
{
  const HybConvOptions *options = given ? given : &(const HybConvOptions){ 0 };
  HybBlock             *block = hyb_block_new (&conv_class, options->prefix);
  Conv                 *self = (Conv *) block;

  self->rank = options->kernel.rank;
  self->transposed = options->transposed;
  self->channels = options->channels;
  self->groups = MAX (options->groups, 1);
  self->kernel = options->kernel;
  self->stride = hyb_gluon_extent (&options->stride, self->rank, 1);
  self->dilate = hyb_gluon_extent (&options->dilate, self->rank, 1);
  self->pad = hyb_gluon_extent (&options->pad, self->rank, 0);
  self->output_pad = hyb_gluon_extent (&options->output_pad, self->rank, 0);
  self->weight =
      hyb_block_add_parameter (block, &(HybParameterSpec){
                                          .name = "weight",
                                          .shape = conv_weight_shape (self, options->in_channels),
                                          .init = options->weight_init,
                                          .allow_deferred = TRUE });
  if (!options->no_bias)
    self->bias = hyb_block_add_parameter (block, &(HybParameterSpec){
                                                     .name = "bias",
                                                     .shape = hyb_shape_1d (options->channels),
                                                     .init = options->bias_init ? options->bias_init
                                                                                : "zeros",
                                                     .allow_deferred = TRUE });
  self->activation = hyb_gluon_add_activation (block, options->activation);
  return block;
}

typedef struct
{
  HybBlock      parent;
  gint64        input_dim, output_dim;
  HybParameter *weight;
} Embedding;

static HybValue *
embedding_forward (HybF *F, HybBlock *block, HybValue *x)
{
  Embedding *self = (Embedding *) block;

  return HYB_OP (F, "Embedding", .name = "fwd", .in = { x, hyb_use (F, self->weight) },
                 .attributes =
                     HYB_WITH ("dtype", "float32", "input_dim", hyb_gluon_int (F, self->input_dim),
                               "output_dim", hyb_gluon_int (F, self->output_dim), "sparse_grad",
                               "False"));
}

static const HybBlockClass embedding_class = {
  .name = "Embedding",
  .size = sizeof (Embedding),
  .forward = embedding_forward,
};

HybBlock *
hyb_embedding_new (gint64 input_dim, gint64 output_dim, const char *prefix)
{
  HybBlock  *block = hyb_block_new (&embedding_class, prefix);
  Embedding *self = (Embedding *) block;

  self->input_dim = input_dim;
  self->output_dim = output_dim;
  self->weight =
      hyb_block_add_parameter (block,
                               &(HybParameterSpec){ .name = "weight",
                                                    .shape = hyb_shape_2d (input_dim, output_dim),
                                                    .allow_deferred = TRUE });
  return block;
}
