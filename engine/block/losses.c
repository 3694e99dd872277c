/* losses.c — Gluon's losses: from the list (prediction, label) to one number for each sample.
 *
 * Each loss has a function for the loss of every element (the table kinds); loss_forward() then
 * applies the weight and takes the mean over all axes except the batch.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/block/layers.h"

#include "engine/block/layers-private.h"

#include <string.h>

typedef struct
{
  HybBlock           parent;
  const struct Kind *kind;
  HybLossOptions     options;
} Loss;

typedef struct Kind
{
  const char *id;
  const char *class_name;
  double      weight;            /* default weight; 0: the loss is not multiplied */
  double      factor;            /* multiplies the weight: ½ for the squared error */
  gboolean    keeps_label_shape; /* FALSE: the label is reshaped like the prediction */
  gboolean    is_per_sample;     /* element() returns one number for each sample already */
  HybValue *(*element) (HybF *F, const Loss *loss, HybValue *prediction, HybValue *label);
} Kind;

static HybValue *
l2 (HybF *F, const Loss *loss, HybValue *prediction, HybValue *label)
{
  return hyb_unary (F, "square", hyb_sub (F, label, prediction));
}

static HybValue *
l1 (HybF *F, const Loss *loss, HybValue *prediction, HybValue *label)
{
  return hyb_unary (F, "abs", hyb_sub (F, label, prediction));
}

/* max(x, 0) − x · label + log(1 + e^−|x|), which does not overflow for large |x|. */
static HybValue *
sigmoid_bce (HybF *F, const Loss *loss, HybValue *prediction, HybValue *label)
{
  HybValue *linear = hyb_sub (F, hyb_unary (F, "relu", prediction), hyb_mul (F, prediction, label));
  HybValue *magnitude = HYB_OP (F, "negative", .in = { hyb_unary (F, "abs", prediction) });

  return hyb_add (F, linear, hyb_activation (F, magnitude, "softrelu", NULL));
}

static HybValue *
softmax_cross_entropy (HybF *F, const Loss *loss, HybValue *prediction, HybValue *label)
{
  int         axis = loss->options.axis != 0 ? loss->options.axis : -1;
  const char *axis_text = hyb_gluon_int (F, axis);
  HybValue   *chosen;

  if (!loss->options.from_logits)
    prediction = hyb_log_softmax (F, prediction, axis);
  if (loss->options.dense_label)
    {
      label = HYB_OP (F, "reshape_like", .in = { label, prediction });
      chosen = HYB_OP (F, "sum", .in = { hyb_mul (F, prediction, label) },
                       .attributes = HYB_WITH ("axis", axis_text, "keepdims", "True"));
    }
  else
    chosen = HYB_OP (F, "pick", .in = { prediction, label },
                     .attributes = HYB_WITH ("axis", axis_text, "keepdims", "True"));
  return hyb_mul_scalar (F, chosen, -1);
}

/* label · (log(label) − log softmax(prediction)) */
static HybValue *
kl_divergence (HybF *F, const Loss *loss, HybValue *prediction, HybValue *label)
{
  int axis = loss->options.axis != 0 ? loss->options.axis : -1;

  if (!loss->options.from_logits)
    prediction = hyb_log_softmax (F, prediction, axis);
  return hyb_mul (F, label,
                  hyb_sub (F, hyb_unary (F, "log", hyb_add_scalar (F, label, 1e-12)), prediction));
}

/* |d| − ρ/2 where |d| > ρ, d²/(2ρ) elsewhere. */
static HybValue *
huber (HybF *F, const Loss *loss, HybValue *prediction, HybValue *label)
{
  double      rho = loss->options.rho != 0 ? loss->options.rho : 1;
  HybValue   *distance = l1 (F, loss, prediction, label);
  const char *rho_text = hyb_gluon_number (F, rho);
  HybValue   *is_far = HYB_OP (F, "_greater_scalar", .hint = "_greaterscalar", .in = { distance },
                               .attributes = HYB_WITH ("scalar", rho_text));
  HybValue   *linear = HYB_OP (F, "_minus_scalar", .hint = "_minusscalar", .in = { distance },
                               .attributes = HYB_WITH ("scalar", hyb_gluon_number (F, rho / 2)));

  return hyb_where (F, is_far, linear,
                    hyb_mul_scalar (F, hyb_unary (F, "square", distance), 0.5 / rho));
}

/* max(0, margin − prediction · label), for labels −1 and 1. */
static HybValue *
hinge (HybF *F, const Loss *loss, HybValue *prediction, HybValue *label)
{
  double margin = loss->options.margin != 0 ? loss->options.margin : 1;

  return hyb_unary (F, "relu", hyb_rsub_scalar (F, hyb_mul (F, prediction, label), margin));
}

/* Predictions are (batch, time, classes); the operator CTCLoss takes (time, batch, classes). */
static HybValue *
ctc (HybF *F, const Loss *loss, HybValue *prediction, HybValue *label)
{
  return HYB_OP (F, "CTCLoss", .hint = "ctcloss",
                 .in = { hyb_swap_axes (F, prediction, 0, 1), label },
                 .attributes = HYB_WITH ("blank_label", "last", "use_data_lengths", "False",
                                         "use_label_lengths", "False"));
}

static const Kind kinds[] = {
  { "softmax-cross-entropy", "SoftmaxCrossEntropyLoss", 0, 1, TRUE, FALSE, softmax_cross_entropy },
  { "sigmoid-bce", "SigmoidBinaryCrossEntropyLoss", 0, 1, FALSE, FALSE, sigmoid_bce },
  { "l1", "L1Loss", 0, 1, FALSE, FALSE, l1 },
  { "l2", "L2Loss", 1, 0.5, FALSE, FALSE, l2 },
  { "huber", "HuberLoss", 0, 1, FALSE, FALSE, huber },
  { "hinge", "HingeLoss", 0, 1, FALSE, FALSE, hinge },
  { "kl-div", "KLDivLoss", 0, 1, TRUE, FALSE, kl_divergence },
  { "ctc", "CTCLoss", 0, 1, TRUE, TRUE, ctc },
};

static HybValue *
loss_forward (HybF *F, HybBlock *block, HybValue *input)
{
  const Loss *self = (const Loss *) block;
  HybValue   *prediction = hyb_item (F, input, 0);
  HybValue   *label = hyb_item (F, input, 1);
  double      weight = self->options.weight != 0 ? self->options.weight : self->kind->weight;
  HybValue   *loss;

  if (!self->kind->keeps_label_shape)
    label = HYB_OP (F, "reshape_like", .in = { label, prediction });
  loss = self->kind->element (F, self, prediction, label);
  if (weight != 0)
    loss = hyb_mul_scalar (F, loss, weight * self->kind->factor);
  if (self->kind->is_per_sample)
    return loss;
  return HYB_OP (F, "mean", .in = { loss },
                 .attributes = HYB_WITH ("axis", hyb_gluon_int (F, self->options.batch_axis),
                                         "exclude", "True"));
}

static const HybBlockClass loss_class = {
  .name = "Loss",
  .size = sizeof (Loss),
  .forward = loss_forward,
};

HybBlock *
hyb_loss_new (const char *id, const HybLossOptions *options)
{
  static const HybLossOptions defaults;

  if (!options)
    options = &defaults;
  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++)
    if (g_strcmp0 (kinds[i].id, id) == 0)
      {
        HybBlock *block =
            hyb_block_new_full (&loss_class, kinds[i].class_name, options->prefix, NULL);

        ((Loss *) block)->kind = &kinds[i];
        ((Loss *) block)->options = *options;
        return block;
      }
  g_critical ("there is no loss called %s", id ? id : "NULL");
  return NULL;
}

gboolean
hyb_loss_exists (const char *id)
{
  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++)
    if (g_strcmp0 (kinds[i].id, id) == 0)
      return TRUE;
  return FALSE;
}

char *
hyb_loss_list (void)
{
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++)
    g_string_append_printf (text, "%s%s", i > 0 ? ", " : "", kinds[i].id);
  return g_string_free (text, FALSE);
}
