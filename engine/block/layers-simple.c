/* layers-simple.c — activations, Dropout, Flatten and Lambda; also
 * hyb_gluon_add_activation().
 *
 * Only PReLU has a parameter, its slope.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/block/layers.h"

#include "engine/block/layers-private.h"

#include <string.h>

HybBlock *
hyb_gluon_add_activation (HybBlock *block, const char *act_type)
{
  g_autofree char *prefix = NULL;
  HybBlock        *child;

  if (!act_type)
    return NULL;
  prefix = g_strconcat (act_type, "_", NULL);
  hyb_block_enter_scope (block);
  child = hyb_block_add_child (block, hyb_activation_new (act_type, prefix), "act");
  hyb_block_leave_scope (block);
  return child;
}

/* --- Activations --- */

typedef struct
{
  HybBlock      parent;
  const char   *kind;
  double        slope;
  HybParameter *alpha;
} Activation;

static HybValue *
activation_forward (HybF *F, HybBlock *block, HybValue *x)
{
  return hyb_activation (F, x, ((Activation *) block)->kind, "fwd");
}

static HybValue *
leaky_forward (HybF *F, HybBlock *block, HybValue *x)
{
  Activation *self = (Activation *) block;
  gboolean    has_slope = strcmp (self->kind, "leaky") == 0 || strcmp (self->kind, "elu") == 0;

  return HYB_OP (F, "LeakyReLU",
                 .name = strcmp (self->kind, "elu") != 0 ? "fwd" : NULL, /* as Gluon names it */
                 .in = { x, self->alpha ? hyb_use (F, self->alpha) : NULL },
                 .attributes = HYB_WITH ("act_type", self->kind, "slope",
                                         has_slope ? hyb_gluon_number (F, self->slope) : NULL));
}

static HybValue *
swish_forward (HybF *F, HybBlock *block, HybValue *x)
{
  HybValue *scaled = hyb_mul_scalar (F, x, ((Activation *) block)->slope);

  return hyb_mul (F, x, HYB_OP (F, "sigmoid", .name = "fwd", .in = { scaled }));
}

static const HybBlockClass activation_class = {
  .name = "Activation",
  .size = sizeof (Activation),
  .forward = activation_forward,
};
static const HybBlockClass leaky_class = {
  .name = "LeakyReLU",
  .size = sizeof (Activation),
  .forward = leaky_forward,
};
static const HybBlockClass swish_class = {
  .name = "Swish",
  .size = sizeof (Activation),
  .forward = swish_forward,
};

HybBlock *
hyb_activation_new (const char *act_type, const char *prefix)
{
  HybBlock *block = hyb_block_new_full (&activation_class, act_type, prefix, NULL);

  ((Activation *) block)->kind = g_intern_string (act_type);
  return block;
}

HybBlock *
hyb_leaky_new (const char *kind, double slope, const char *prefix)
{
  g_return_val_if_fail (kind, NULL);

  gboolean    swish = strcmp (kind, "swish") == 0;
  const char *alias = strcmp (kind, "leaky") == 0 ? "LeakyReLU" : kind;
  HybBlock   *block = hyb_block_new_full (swish ? &swish_class : &leaky_class, alias, prefix, NULL);
  Activation *self = (Activation *) block;

  self->kind = g_intern_string (kind);
  self->slope = slope;
  if (strcmp (kind, "prelu") == 0)
    self->alpha =
        hyb_block_add_parameter (block, &(HybParameterSpec){
                                            .name = "alpha",
                                            .shape = hyb_shape_1d (1),
                                            .init = "[\"constant\", {\"value\": 0.25}]" });
  return block;
}

/* --- Dropout, Flatten, Lambda --- */

typedef struct
{
  HybBlock parent;
  double   rate;
} Dropout;

static HybValue *
dropout_forward (HybF *F, HybBlock *block, HybValue *x)
{
  double rate = ((Dropout *) block)->rate;

  if (rate == 0)
    return HYB_OP (F, "_copy", .hint = "identity", .in = { x });
  return HYB_OP (F, "Dropout", .name = "fwd", .in = { x },
                 .attributes = HYB_WITH ("axes", "()", "cudnn_off", "False", "p",
                                         hyb_gluon_number (F, rate)));
}

static const HybBlockClass dropout_class = {
  .name = "Dropout",
  .size = sizeof (Dropout),
  .forward = dropout_forward,
};

HybBlock *
hyb_dropout_new (double rate, const char *prefix)
{
  HybBlock *block = hyb_block_new (&dropout_class, prefix);

  ((Dropout *) block)->rate = rate;
  return block;
}

static HybValue *
flatten_forward (HybF *F, HybBlock *block, HybValue *x)
{
  return hyb_unary (F, "Flatten", x);
}

static const HybBlockClass flatten_class = {
  .name = "Flatten",
  .size = sizeof (HybBlock),
  .forward = flatten_forward,
};

HybBlock *
hyb_flatten_new (const char *prefix)
{
  return hyb_block_new (&flatten_class, prefix);
}

typedef struct
{
  HybBlock parent;
  HybValue *(*function) (HybF *F, HybValue *input);
} Lambda;

static HybValue *
lambda_forward (HybF *F, HybBlock *block, HybValue *x)
{
  return ((Lambda *) block)->function (F, x);
}

static const HybBlockClass lambda_class = {
  .name = "HybridLambda",
  .size = sizeof (Lambda),
  .forward = lambda_forward,
};

HybBlock *
hyb_lambda_new (HybValue *(*function) (HybF *F, HybValue *input), const char *prefix)
{
  HybBlock *block = hyb_block_new (&lambda_class, prefix);

  ((Lambda *) block)->function = function;
  return block;
}
