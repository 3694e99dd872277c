/* metric.h — how well a model does, over many batches.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/tensor/tensor.h"

G_BEGIN_DECLS

typedef struct
{
  double sum;
  double count;
} HybMetricSum;

/* A row of the table in metric.c. */
typedef struct
{
  const char *name;
  const char *doc;
  /* loss: the mean over the batch.  output, label: NULL where there is none. */
  void (*update) (HybMetricSum *sum, HybTensor *output, HybTensor *label, double loss);
  double (*value) (const HybMetricSum *sum); /* NaN if nothing was counted */
} HybMetric;

const HybMetric *const *hyb_metrics (void); /* NULL-terminated */
const HybMetric        *hyb_metric_find (const char *name, GError **error);

G_END_DECLS
