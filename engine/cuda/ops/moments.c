/* moments.c — moments: the mean and then the variance over axes, the mean of squared distances from it.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/cuda/ops/op-lists.h"
#include "engine/cuda/ops/reductions.h"

typedef struct
{
  HybReduce *mean, *variance;
} Prepared;

static void
moments_release (gpointer data)
{
  Prepared *prepared = data;

  g_free (prepared->mean);
  g_free (prepared->variance);
  g_free (prepared);
}

/* Both have accumulators of the same number and use the same workspace in turn. */
static gpointer
moments_prepare (HybDevice *device, const HybCall *call, gsize *workspace, GError **error)
{
  HybDeviceReduction mean = { .rule = &hyb_reduce_mean, .term = "x", .n = 1 };
  HybDeviceReduction variance = {
    .rule = &hyb_reduce_mean, .term = "(x - w) * (x - w)", .n = 2, .second_is_per_output = TRUE
  };
  Prepared *prepared = g_new0 (Prepared, 1);

  mean.divisor = hyb_cuda_lay_reduction (call, &mean);
  variance.divisor = hyb_cuda_lay_reduction (call, &variance);
  prepared->mean = hyb_reduce_new (device, call, &mean, workspace, error);
  if (prepared->mean)
    prepared->variance = hyb_reduce_new (device, call, &variance, workspace, error);
  if (!prepared->variance)
    g_clear_pointer (&prepared, moments_release);
  return prepared;
}

static void
moments_launch (HybQueue *queue, const HybCall *call, const HybRun *run, gpointer data)
{
  const Prepared *prepared = data;
  gconstpointer   input[] = { run->input[0], run->output[0] };
  HybRun          second = *run;

  hyb_reduce_launch (queue, call, run, prepared->mean);
  second.input = input;
  second.output = run->output + 1;
  hyb_reduce_launch (queue, call, &second, prepared->variance);
}

const HybDeviceOp hyb_cuda_ops_moments[] = {
  { .name = "moments",
    .prepare = moments_prepare,
    .launch = moments_launch,
    .release = moments_release },
  { NULL },
};
