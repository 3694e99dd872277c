/* layers-norm.c — Gluon's normalisation layers: BatchNorm, LayerNorm, InstanceNorm, GroupNorm.
 *
 * All share the instance struct Norm; norm_new() fills in Gluon's defaults.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/block/layers.h"

#include "engine/block/layers-private.h"

typedef struct
{
  HybBlock       parent;
  HybNormOptions options;
  HybParameter  *gamma, *beta, *mean, *var;
} Norm;

static const char *
epsilon (HybF *F, const Norm *self)
{
  return hyb_gluon_number (F, self->options.epsilon);
}

static HybValue *
batch_norm_forward (HybF *F, HybBlock *block, HybValue *x)
{
  Norm *self = (Norm *) block;

  return HYB_OP (F, "BatchNorm", .name = "fwd",
                 .in = { x, hyb_use (F, self->gamma), hyb_use (F, self->beta),
                         hyb_use (F, self->mean), hyb_use (F, self->var) },
                 .attributes =
                     HYB_WITH ("axis", hyb_gluon_int (F, self->options.axis), "eps",
                               epsilon (F, self), "fix_gamma",
                               hyb_gluon_bool (self->options.no_scale), "momentum",
                               hyb_gluon_number (F, self->options.momentum), "use_global_stats",
                               hyb_gluon_bool (self->options.use_global_stats)));
}

static HybValue *
layer_norm_forward (HybF *F, HybBlock *block, HybValue *x)
{
  Norm *self = (Norm *) block;

  return HYB_OP (F, "LayerNorm", .in = { x, hyb_use (F, self->gamma), hyb_use (F, self->beta) },
                 .attributes = HYB_WITH ("axis", hyb_gluon_int (F, self->options.axis), "eps",
                                         epsilon (F, self)));
}

static HybValue *
group_norm_forward (HybF *F, HybBlock *block, HybValue *x)
{
  Norm *self = (Norm *) block;

  return HYB_OP (F, "GroupNorm", .in = { x, hyb_use (F, self->gamma), hyb_use (F, self->beta) },
                 .attributes = HYB_WITH ("eps", epsilon (F, self), "num_groups",
                                         hyb_gluon_int (F, self->options.groups)));
}

/* The operator normalises axis 1 only; another axis is swapped with it before and after. */
static HybValue *
instance_norm_forward (HybF *F, HybBlock *block, HybValue *x)
{
  Norm    *self = (Norm *) block;
  int      axis = self->options.axis;
  gboolean swap = axis != 1;

  if (swap)
    x = hyb_swap_axes (F, x, 1, axis);
  x = HYB_OP (F, "InstanceNorm", .name = "fwd",
              .in = { x, hyb_use (F, self->gamma), hyb_use (F, self->beta) },
              .attributes = HYB_WITH ("eps", epsilon (F, self)));
  return swap ? hyb_swap_axes (F, x, 1, axis) : x;
}

static const HybBlockClass batch_norm_class = {
  .name = "BatchNorm",
  .size = sizeof (Norm),
  .keeps_single = TRUE,
  .forward = batch_norm_forward,
};
static const HybBlockClass layer_norm_class = {
  .name = "LayerNorm",
  .size = sizeof (Norm),
  .forward = layer_norm_forward,
};
static const HybBlockClass group_norm_class = {
  .name = "GroupNorm",
  .size = sizeof (Norm),
  .forward = group_norm_forward,
};
static const HybBlockClass instance_norm_class = {
  .name = "InstanceNorm",
  .size = sizeof (Norm),
  .forward = instance_norm_forward,
};

static HybParameter *
add_vector (HybBlock *block, const char *name, gint64 length, const char *init, gboolean is_trained)
{
  return hyb_block_add_parameter (block,
                                  &(HybParameterSpec){
                                      .name = name,
                                      .shape = hyb_shape_1d (length > 0 ? length : HYB_UNKNOWN),
                                      .init = init,
                                      .request = is_trained ? HYB_GRAD_WRITE : HYB_GRAD_NULL,
                                      .allow_deferred = TRUE });
}

static Norm *
norm_new (const HybBlockClass *klass, const HybNormOptions *options, int axis, gint64 length)
{
  HybBlock *block = hyb_block_new (klass, options->prefix);
  Norm     *self = (Norm *) block;

  self->options = *options;
  if (self->options.axis == 0)
    self->options.axis = axis;
  if (self->options.epsilon == 0)
    self->options.epsilon = 1e-5;
  if (self->options.momentum == 0)
    self->options.momentum = 0.9;
  self->gamma = add_vector (block, "gamma", length, "ones", !options->no_scale);
  self->beta = add_vector (block, "beta", length, "zeros", !options->no_center);
  return self;
}

static HybParameter *
add_running (HybBlock *block, const char *name, gint64 length, const char *init)
{
  return hyb_block_add_parameter (block,
                                  &(HybParameterSpec){
                                      .name = name,
                                      .shape = hyb_shape_1d (length > 0 ? length : HYB_UNKNOWN),
                                      .init = init,
                                      .allow_deferred = TRUE,
                                      .is_auxiliary = TRUE });
}

HybBlock *
hyb_batch_norm_new (const HybNormOptions *given)
{
  const HybNormOptions *options = given ? given : &(const HybNormOptions){ 0 };
  Norm                 *self = norm_new (&batch_norm_class, options, 1, options->in_channels);

  self->mean = add_running (&self->parent, "running_mean", options->in_channels, "zeros");
  self->var = add_running (&self->parent, "running_var", options->in_channels, "ones");
  return &self->parent;
}

HybBlock *
hyb_layer_norm_new (const HybNormOptions *given)
{
  const HybNormOptions *options = given ? given : &(const HybNormOptions){ 0 };
  return &norm_new (&layer_norm_class, options, -1, options->in_channels)->parent;
}

HybBlock *
hyb_instance_norm_new (const HybNormOptions *given)
{
  const HybNormOptions *options = given ? given : &(const HybNormOptions){ 0 };
  return &norm_new (&instance_norm_class, options, 1, options->in_channels)->parent;
}

HybBlock *
hyb_group_norm_new (const HybNormOptions *given)
{
  const HybNormOptions *options = given ? given : &(const HybNormOptions){ 0 };
  HybNormOptions        with_groups = *options;

  with_groups.groups = MAX (options->groups, 1);
  return &norm_new (&group_norm_class, &with_groups, 1, with_groups.groups)->parent;
}
