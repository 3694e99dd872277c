/* batch-norm-kernel.h — the loops of batch-norm.c, for float and double.
 *
 * Data is (outer, channels, inner).  A slice is a range of channels: each channel is reduced
 * over outer × inner, then normalised.  Sums are kept in double, so that large batches do not
 * lose precision.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/kernels/reduction/row-sums-kernel.h"

/* Mean and biased variance of one channel.  Two passes: E[x²] − E[x]² in one pass would cancel
 * where the mean is large. */
static void
NAME (channel_statistics) (const BatchNormArgs *args,
                           gint64               channel,
                           double              *mean,
                           double              *variance)
{
  const ChannelView *view = &args->view;
  double             n = (double) (view->outer * view->inner);
  double             sum = 0.0, squares = 0.0;

  for (gint64 o = 0; o < view->outer; o++)
    {
      const REAL *x = (const REAL *) args->x + (o * view->channels + channel) * view->inner;

      sum += NAME (hyb_row_sum) (view->inner, x);
    }
  *mean = sum / n;

  for (gint64 o = 0; o < view->outer; o++)
    {
      const REAL *x = (const REAL *) args->x + (o * view->channels + channel) * view->inner;

      squares += NAME (hyb_row_squares) (view->inner, x, *mean);
    }
  *variance = squares / n;
}

static void
NAME (update_moving) (const BatchNormArgs *args, gint64 channel, double mean, double variance)
{
  REAL  *moving_mean = args->moving_mean;
  REAL  *moving_var = args->moving_var;
  double keep = args->params->momentum;

  moving_mean[channel] = (REAL) (keep * (double) moving_mean[channel] + (1.0 - keep) * mean);
  moving_var[channel] = (REAL) (keep * (double) moving_var[channel] + (1.0 - keep) * variance);
}

/* Sets the outputs of a channel besides y, and returns the function applied to its elements. */
static NAME (HybRowLine) NAME (prepare_channel) (const BatchNormArgs *args, gint64 channel)
{
  const ChannelView *view = &args->view;
  double             mean, variance;
  REAL               scale;

  if (args->uses_batch_statistics)
    {
      NAME (channel_statistics) (args, channel, &mean, &variance);
      if (args->updates_moving && view->outer * view->inner > 0)
        NAME (update_moving) (args, channel, mean, variance);
    }
  else
    {
      mean = (double) ((const REAL *) args->moving_mean)[channel];
      variance = (double) ((const REAL *) args->moving_var)[channel];
    }

  ((REAL *) args->mean)[channel] = (REAL) mean;
  scale = (REAL) (1.0 / sqrt (variance + args->params->eps));
  ((REAL *) args->spread)[channel] = args->returns_variance ? (REAL) variance : scale;
  if (args->gamma)
    scale *= ((const REAL *) args->gamma)[channel];
  return (NAME (HybRowLine)){ (REAL) mean, scale, ((const REAL *) args->beta)[channel] };
}

#define CHANNELS 64 /* that are normalised together */

static void
NAME (normalise_runs) (const BatchNormArgs *args,
                       gint64               begin,
                       gint64               end,
                       const NAME (HybRowLine) * line)
{
  const ChannelView *view = &args->view;

  for (gint64 o = 0; o < view->outer; o++)
    for (gint64 c = begin; c < end; c++)
      {
        gint64      base = (o * view->channels + c) * view->inner;
        const REAL *x = (const REAL *) args->x + base;
        REAL       *y = (REAL *) args->to + base;

        NAME (hyb_row_line) (view->inner, x, &line[c - begin], y);
        for (gint64 i = 0; args->with_relu && i < view->inner; i++)
          y[i] = y[i] > 0 ? y[i] : 0;
      }
}

/* Of channels that lie next to each other, because inner is 1. */
static void
NAME (normalise_columns) (const BatchNormArgs *args,
                          gint64               begin,
                          gint64               end,
                          const NAME (HybRowLine) * line)
{
  const ChannelView *view = &args->view;
  REAL               mean[CHANNELS], scale[CHANNELS], shift[CHANNELS];
  gint64             n = end - begin;

  for (gint64 c = 0; c < n; c++)
    {
      mean[c] = line[c].mean;
      scale[c] = line[c].scale;
      shift[c] = line[c].shift;
    }
  for (gint64 o = 0; o < view->outer; o++)
    {
      const REAL *x = (const REAL *) args->x + o * view->channels + begin;
      REAL       *y = (REAL *) args->to + o * view->channels + begin;

      HYB_INDEPENDENT
      for (gint64 c = 0; c < n; c++)
        y[c] = (x[c] - mean[c]) * scale[c] + shift[c];
      for (gint64 c = 0; args->with_relu && c < n; c++)
        y[c] = y[c] > 0 ? y[c] : 0;
    }
}

/* With known statistics several channels are prepared first, so that memory is read in its order.  Otherwise each channel
 * is normalised while it is in the cache. */
static void
NAME (normalise_channels) (gint64 begin, gint64 end, gpointer data)
{
  const BatchNormArgs *args = data;
  gboolean             has_runs = args->view.inner > 1;
  gint64               most = has_runs && args->uses_batch_statistics ? 1 : CHANNELS;

  for (gint64 first = begin; first < end; first += most)
    {
      NAME (HybRowLine) line[CHANNELS];
      gint64 last = MIN (end, first + most);

      for (gint64 channel = first; channel < last; channel++)
        line[channel - first] = NAME (prepare_channel) (args, channel);
      if (has_runs)
        NAME (normalise_runs) (args, first, last, line);
      else
        NAME (normalise_columns) (args, first, last, line);
    }
}

#undef CHANNELS

/* The gradient that reaches the normalisation: dy, or with a rectifier dy where y > 0 and 0
 * elsewhere.  The latter is written to dx and overwritten in place later. */
static const REAL *
NAME (incoming) (const BatchNormArgs *args, gint64 base, REAL *dx)
{
  const REAL *dy = (const REAL *) args->dy + base;
  const REAL *y;

  if (!args->y)
    return dy;
  y = (const REAL *) args->y + base;
  for (gint64 i = 0; i < args->view.inner; i++)
    dx[i] = y[i] > 0 ? dy[i] : 0;
  return dx;
}

static inline REAL
NAME (inverse_deviation) (const BatchNormArgs *args, gint64 channel)
{
  REAL spread = ((const REAL *) args->spread)[channel];

  return args->returns_variance ? (REAL) (1.0 / sqrt ((double) spread + args->params->eps))
                                : spread;
}

/* With x̂ = (x − mean) · inverse: dgamma = Σ dy x̂, dbeta = Σ dy, and
 * dx = gamma · inverse · (dy − mean (dy) − x̂ · mean (dy x̂)).  With moving statistics, which are
 * constants, the two means are left out. */
static void
NAME (backward_channels) (gint64 begin, gint64 end, gpointer data)
{
  const BatchNormArgs *args = data;
  const ChannelView   *view = &args->view;
  double               n = (double) (view->outer * view->inner);

  for (gint64 channel = begin; channel < end; channel++)
    {
      REAL   mean = ((const REAL *) args->mean)[channel];
      REAL   inverse = NAME (inverse_deviation) (args, channel);
      REAL   scale = inverse;
      double sum = 0.0, product = 0.0;
      REAL   mean_dy = 0, slope = 0;

      if (args->gamma)
        scale *= ((const REAL *) args->gamma)[channel];

      for (gint64 o = 0; o < view->outer; o++)
        {
          gint64      base = (o * view->channels + channel) * view->inner;
          const REAL *dy = NAME (incoming) (args, base, (REAL *) args->to + base);

          sum += NAME (hyb_row_sum) (view->inner, dy);
          product +=
              NAME (row_centred_product) ((const REAL *) args->x + base, mean, dy, view->inner);
        }
      product *= (double) inverse;

      ((REAL *) args->dgamma)[channel] = args->gamma ? (REAL) product : 0;
      ((REAL *) args->dbeta)[channel] = (REAL) sum;
      if (args->uses_batch_statistics)
        {
          mean_dy = (REAL) (sum / n);
          slope = inverse * (REAL) (product / n);
        }

      for (gint64 o = 0; o < view->outer; o++)
        {
          gint64      base = (o * view->channels + channel) * view->inner;
          const REAL *x = (const REAL *) args->x + base;
          REAL       *dx = (REAL *) args->to + base;
          const REAL *dy = args->y ? dx : (const REAL *) args->dy + base;

          for (gint64 i = 0; i < view->inner; i++)
            dx[i] = scale * (dy[i] - mean_dy - (x[i] - mean) * slope);
        }
    }
}
