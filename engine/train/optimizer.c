/* optimizer.c — the optimizers, computed as MXNet computes them; the table is hyb_optimizers().
 *
 * The formulas are in kernels/optimizer-step.h, which the operators such as sgd_update share.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/train/optimizer.h"

#include "engine/base/error.h"
#include "engine/train/optimizer-private.h"
#include "engine/train/settings.h"

#include <math.h>
#include <string.h>

static guint
one_state (gconstpointer options)
{
  return 1;
}

static guint
two_states (gconstpointer options)
{
  return 2;
}

/* --- SGD, NAG --- */

typedef struct
{
  double momentum;
} MomentumOptions;

static const HybParam momentum_options[] = {
  { HYB_FIELD (MomentumOptions, momentum), HYB_PARAM_FLOAT, "0.0",
    .doc = "the fraction of the last step that is added to the next" },
  { 0 },
};

static guint
momentum_states (gconstpointer options)
{
  return ((const MomentumOptions *) options)->momentum != 0;
}

static void
set_momentum (gconstpointer options, HybOptimizerStep *step)
{
  step->momentum = ((const MomentumOptions *) options)->momentum;
}

/* --- Adam --- */

typedef struct
{
  double beta1, beta2, epsilon;
} AdamOptions;

static const HybParam adam_options[] = {
  { HYB_FIELD (AdamOptions, beta1), HYB_PARAM_FLOAT, "0.9",
    .doc = "decay rate of the mean gradient" },
  { HYB_FIELD (AdamOptions, beta2), HYB_PARAM_FLOAT, "0.999",
    .doc = "decay rate of the mean squared gradient" },
  { HYB_FIELD (AdamOptions, epsilon), HYB_PARAM_FLOAT, "1e-8", .doc = "added to the denominator" },
  { 0 },
};

static void
set_adam (gconstpointer data, HybOptimizerStep *step)
{
  const AdamOptions *options = data;

  step->beta1 = options->beta1;
  step->beta2 = options->beta2;
  step->epsilon = options->epsilon;
  step->rate *= sqrt (1 - pow (step->beta2, step->t)) / (1 - pow (step->beta1, step->t));
}

/* --- RMSProp --- */

typedef struct
{
  double   gamma1, gamma2, epsilon, clip_weights;
  gboolean centered;
} RmspropOptions;

static const HybParam rmsprop_options[] = {
  { HYB_FIELD (RmspropOptions, gamma1), HYB_PARAM_FLOAT, "0.9",
    .doc = "decay rate of the mean squared gradient" },
  { HYB_FIELD (RmspropOptions, gamma2), HYB_PARAM_FLOAT, "0.9", .doc = "momentum, if centered" },
  { HYB_FIELD (RmspropOptions, epsilon), HYB_PARAM_FLOAT, "1e-8",
    .doc = "added under the square root" },
  { HYB_FIELD (RmspropOptions, clip_weights), HYB_PARAM_OPTIONAL_FLOAT, "None",
    .doc = "limit of the absolute weights" },
  { HYB_FIELD (RmspropOptions, centered), HYB_PARAM_BOOL, "False",
    .doc = "divides by the deviation of the gradient, not its root mean square" },
  { 0 },
};

static guint
rmsprop_states (gconstpointer options)
{
  return ((const RmspropOptions *) options)->centered ? 3 : 1;
}

static void
set_rmsprop (gconstpointer data, HybOptimizerStep *step)
{
  const RmspropOptions *options = data;

  step->beta1 = options->gamma1;
  step->momentum = options->gamma2;
  step->epsilon = options->epsilon;
  if (options->clip_weights > 0)
    step->clip_weights = options->clip_weights;
}

/* --- AdaGrad, AdaDelta --- */

typedef struct
{
  double eps;
} AdagradOptions;

static const HybParam adagrad_options[] = {
  { HYB_FIELD (AdagradOptions, eps), HYB_PARAM_FLOAT, "1e-7",
    .doc = "added under the square root" },
  { 0 },
};

static void
set_adagrad (gconstpointer options, HybOptimizerStep *step)
{
  step->epsilon = ((const AdagradOptions *) options)->eps;
}

typedef struct
{
  double rho, epsilon;
} AdadeltaOptions;

static const HybParam adadelta_options[] = {
  { HYB_FIELD (AdadeltaOptions, rho), HYB_PARAM_FLOAT, "0.9",
    .doc = "decay rate of both mean squares" },
  { HYB_FIELD (AdadeltaOptions, epsilon), HYB_PARAM_FLOAT, "1e-5",
    .doc = "added under both square roots" },
  { 0 },
};

static void
set_adadelta (gconstpointer data, HybOptimizerStep *step)
{
  const AdadeltaOptions *options = data;

  step->beta1 = options->rho;
  step->epsilon = options->epsilon;
}

/* --- The table --- */

static const HybOptimizerFormula sgd_formula = { "_update_sgd", hyb_step_sgd, set_momentum };
static const HybOptimizerFormula nag_formula = { "_update_nag", hyb_step_nag, set_momentum };
static const HybOptimizerFormula adam_formula = { "_update_adam", hyb_step_adam, set_adam };
static const HybOptimizerFormula rmsprop_formula = { "_update_rmsprop", hyb_step_rmsprop,
                                                     set_rmsprop };
static const HybOptimizerFormula adagrad_formula = { "_update_adagrad", hyb_step_adagrad,
                                                     set_adagrad };
static const HybOptimizerFormula adadelta_formula = { "_update_adadelta", hyb_step_adadelta,
                                                      set_adadelta };

static const HybOptimizerClass sgd = {
  "sgd",
  "Gradient descent, optionally with momentum.",
  momentum_options,
  sizeof (MomentumOptions),
  0.01,
  momentum_states,
  &sgd_formula,
};
static const HybOptimizerClass nag = {
  "nag",
  "Gradient descent with Nesterov's momentum.",
  momentum_options,
  sizeof (MomentumOptions),
  0.1,
  momentum_states,
  &nag_formula,
};
static const HybOptimizerClass adam = {
  "adam",        "Steps scaled by running means of the gradient and its square.",
  adam_options,  sizeof (AdamOptions),
  0.001,         two_states,
  &adam_formula,
};
static const HybOptimizerClass rmsprop = {
  "rmsprop",
  "Steps scaled by a running mean of the gradient's square.",
  rmsprop_options,
  sizeof (RmspropOptions),
  0.001,
  rmsprop_states,
  &rmsprop_formula,
};
static const HybOptimizerClass adagrad = {
  "adagrad",
  "Steps scaled by the sum of all squared gradients.",
  adagrad_options,
  sizeof (AdagradOptions),
  0.01,
  one_state,
  &adagrad_formula,
};
static const HybOptimizerClass adadelta = {
  "adadelta",
  "Steps as large as recent steps, without a learning rate.",
  adadelta_options,
  sizeof (AdadeltaOptions),
  1,
  two_states,
  &adadelta_formula,
};

const HybOptimizerClass *const *
hyb_optimizers (void)
{
  static const HybOptimizerClass *const table[] = {
    &sgd, &nag, &adam, &rmsprop, &adagrad, &adadelta, NULL,
  };

  return table;
}

/* --- An optimizer with its options --- */

typedef struct
{
  double   learning_rate, wd, rescale_grad, clip_gradient;
  gboolean lazy_update, multi_precision;
} CommonOptions;

static const HybParam common_options[] = {
  { HYB_FIELD (CommonOptions, learning_rate), HYB_PARAM_OPTIONAL_FLOAT, "None" },
  { HYB_FIELD (CommonOptions, wd), HYB_PARAM_FLOAT, "0.0", .doc = "weight decay" },
  { HYB_FIELD (CommonOptions, rescale_grad), HYB_PARAM_FLOAT, "1.0" },
  { HYB_FIELD (CommonOptions, clip_gradient), HYB_PARAM_OPTIONAL_FLOAT, "None" },
  /* Accepted for MXNet, where they concern sparse gradients and half floats. */
  { HYB_FIELD (CommonOptions, lazy_update), HYB_PARAM_BOOL, "True", .doc = "has no effect" },
  { HYB_FIELD (CommonOptions, multi_precision), HYB_PARAM_BOOL, "False", .doc = "has no effect" },
  { 0 },
};

struct _HybOptimizer
{
  const HybOptimizerClass *klass;
  CommonOptions           *common;
  gpointer                 options;
};

static const HybOptimizerClass *
find_class (const char *name, GError **error)
{
  g_autoptr (GString) names = g_string_new (NULL);

  for (const HybOptimizerClass *const *klass = hyb_optimizers (); *klass != NULL; klass++)
    {
      if (g_strcmp0 ((*klass)->name, name) == 0)
        return *klass;
      g_string_append_printf (names, "%s%s", names->len > 0 ? ", " : "", (*klass)->name);
    }
  hyb_error_at (error, HYB_OP_ERROR, HYB_OP_ERROR_ATTRIBUTE, NULL, NULL,
                "there is no optimizer “%s”; there are %s", name, names->str);
  return NULL;
}

static gboolean
check_settings (const HybOptimizerClass *klass, const char *const *settings, GError **error)
{
  HybSettingRules rules = { "optimizer", klass->name, common_options,
                            "learning_rate, wd, rescale_grad, clip_gradient", klass->options };

  return hyb_settings_check (settings, &rules, error);
}

HybOptimizer *
hyb_optimizer_new (const char *name, const char *const *settings, GError **error)
{
  const HybOptimizerClass *klass = find_class (name, error);
  g_autoptr (HybOptimizer) optimizer = NULL;

  if (!klass || !check_settings (klass, settings, error))
    return NULL;

  optimizer = g_new0 (HybOptimizer, 1);
  optimizer->klass = klass;
  optimizer->common =
      hyb_params_parse (common_options, sizeof (CommonOptions), settings, NULL, error);
  if (!optimizer->common)
    return NULL;
  optimizer->options =
      hyb_params_parse (klass->options, klass->options_size, settings, NULL, error);
  if (!optimizer->options)
    return NULL;
  if (isnan (optimizer->common->learning_rate))
    optimizer->common->learning_rate = klass->learning_rate;
  return g_steal_pointer (&optimizer);
}

void
hyb_optimizer_free (HybOptimizer *optimizer)
{
  g_return_if_fail (optimizer);
  hyb_params_unref (optimizer->common);
  hyb_params_unref (optimizer->options);
  g_free (optimizer);
}

const char *
hyb_optimizer_get_name (HybOptimizer *optimizer)
{
  g_return_val_if_fail (optimizer, NULL);
  return optimizer->klass->name;
}

guint
hyb_optimizer_n_states (HybOptimizer *optimizer)
{
  g_return_val_if_fail (optimizer, 0);
  return optimizer->klass->n_states (optimizer->options);
}

double
hyb_optimizer_get_learning_rate (HybOptimizer *optimizer)
{
  g_return_val_if_fail (optimizer, 0);
  return optimizer->common->learning_rate;
}

void
hyb_optimizer_set_learning_rate (HybOptimizer *optimizer, double rate)
{
  g_return_if_fail (optimizer);
  optimizer->common->learning_rate = rate;
}

void
hyb_optimizer_set_rescale (HybOptimizer *optimizer, double rescale)
{
  g_return_if_fail (optimizer);
  optimizer->common->rescale_grad = rescale;
}

HybOptimizerStep
hyb_optimizer_get_step (HybOptimizer *optimizer, guint64 t, double lr_mult, double wd_mult)
{
  HybOptimizerStep step = { .dtype = HYB_F32,
                            .rate = optimizer->common->learning_rate * lr_mult,
                            .decay = optimizer->common->wd * wd_mult,
                            .rescale = optimizer->common->rescale_grad,
                            .clip = optimizer->common->clip_gradient,
                            .clip_weights = NAN,
                            .t = (double) t };

  optimizer->klass->formula->set (optimizer->options, &step);
  return step;
}

void
hyb_optimizer_apply (HybOptimizer *optimizer, HybUpdate *update, double lr_mult, double wd_mult)
{
  g_return_if_fail (optimizer);

  HybOptimizerStep step = hyb_optimizer_get_step (optimizer, update->t, lr_mult, wd_mult);

  step.n = update->n;
  step.weight = step.to = update->weight;
  step.gradient = update->gradient;
  for (guint k = 0; k < hyb_optimizer_n_states (optimizer); k++)
    step.state[k] = update->state[k];
  optimizer->klass->formula->run (&step);
}

const char *
hyb_optimizer_get_operator (HybOptimizer *optimizer)
{
  return optimizer->klass->formula->op;
}
