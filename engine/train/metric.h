/* metric.h — metrics of a model, accumulated over many batches.
 *
 * Zero a HybMetricSum, call update() for each batch, then value().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/tensor/tensor.h"

typedef struct
{
  double sum;
  double count; /* terms in the sum */
} HybMetricSum;

/* A row of the table in metric.c. */
typedef struct
{
  const char *name;
  const char *doc;
  /* Adds a batch.  loss: the mean over the batch; output, label: may be NULL. */
  void (*update) (HybMetricSum *sum, HybTensor *output, HybTensor *label, double loss);
  double (*value) (const HybMetricSum *sum); /* NaN if nothing was counted */
  gboolean reads_output;                     /* else output is ignored */
} HybMetric;

const HybMetric *const *hyb_metrics (void); /* the table, NULL-terminated */
/* Returns the metric with this name, or NULL and an error that lists all names. */
const HybMetric *hyb_metric_find (const char *name, GError **error);
