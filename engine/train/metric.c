/* metric.c — the metrics of models; the table is hyb_metrics().
 *
 * Each metric is a function that adds a batch to a HybMetricSum and one that gives the value.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/train/metric.h"

#include "engine/base/error.h"

#include <math.h>
#include <string.h>

static double
mean_value (const HybMetricSum *sum)
{
  return sum->count > 0 ? sum->sum / sum->count : NAN;
}

static void
loss_update (HybMetricSum *sum, HybTensor *output, HybTensor *label, double loss)
{
  sum->sum += loss;
  sum->count += 1;
}

static double
perplexity_value (const HybMetricSum *sum)
{
  return exp (mean_value (sum));
}

/* Counts labels that equal the index of the largest element of their row of output.  If there is
 * one output for each label, a positive output means class 1. */
static void
accuracy_update (HybMetricSum *sum, HybTensor *output, HybTensor *label, double loss)
{
  gint64 n = label && output ? hyb_tensor_get_size (label) : 0;
  gint64 classes = n > 0 ? hyb_tensor_get_size (output) / n : 0;

  if (classes < 1 || classes * n != hyb_tensor_get_size (output))
    return;
  for (gint64 i = 0; i < n; i++)
    {
      gint64 best = 0;

      if (classes == 1)
        best = hyb_tensor_get_value (output, i) > 0;
      for (gint64 k = 1; k < classes; k++)
        if (hyb_tensor_get_value (output, i * classes + k) >
            hyb_tensor_get_value (output, i * classes + best))
          best = k;
      sum->sum += (double) best == hyb_tensor_get_value (label, i);
    }
  sum->count += (double) n;
}

static const HybMetric loss = { "loss", "The mean loss.", loss_update, mean_value };
static const HybMetric accuracy = {
  "accuracy",
  "The fraction of labels whose class has the largest output.",
  accuracy_update,
  mean_value,
  TRUE,
};
static const HybMetric perplexity = {
  "perplexity",
  "The exponential of the mean cross entropy: the effective number of classes that remain "
  "possible.",
  loss_update,
  perplexity_value,
};

const HybMetric *const *
hyb_metrics (void)
{
  static const HybMetric *const table[] = { &loss, &accuracy, &perplexity, NULL };

  return table;
}

const HybMetric *
hyb_metric_find (const char *name, GError **error)
{
  g_autoptr (GString) names = g_string_new (NULL);

  for (const HybMetric *const *metric = hyb_metrics (); *metric != NULL; metric++)
    {
      if (strcmp ((*metric)->name, name) == 0)
        return *metric;
      g_string_append_printf (names, "%s%s", names->len > 0 ? ", " : "", (*metric)->name);
    }
  hyb_error_at (error, HYB_OP_ERROR, HYB_OP_ERROR_ATTRIBUTE, NULL, NULL,
                "there is no metric “%s”; there are %s", name, names->str);
  return NULL;
}
