/* batch-norm-kernel.h — the loops of batch-norm.c, for float and double.  Sums are
 * kept in double, so that a large batch loses nothing.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/kernels/row-sums-kernel.h"

/* Mean and biased variance of one channel, in two passes: the difference of large
 * sums of squares would lose what the second pass keeps. */
static void
NAME (channel_statistics) (const Work *work, gint64 channel, double *mean, double *variance)
{
  const ChannelView *view = &work->view;
  double             n = (double) (view->outer * view->inner);
  double             sum = 0.0, squares = 0.0;

  for (gint64 o = 0; o < view->outer; o++)
    {
      const REAL *x = (const REAL *) work->x + (o * view->channels + channel) * view->inner;

      sum += NAME (hyb_row_sum) (view->inner, x);
    }
  *mean = sum / n;

  for (gint64 o = 0; o < view->outer; o++)
    {
      const REAL *x = (const REAL *) work->x + (o * view->channels + channel) * view->inner;

      squares += NAME (hyb_row_squares) (view->inner, x, *mean);
    }
  *variance = squares / n;
}

static void
NAME (update_moving) (const Work *work, gint64 channel, double mean, double variance)
{
  REAL  *moving_mean = work->moving_mean;
  REAL  *moving_var = work->moving_var;
  double keep = work->params->momentum;

  moving_mean[channel] = (REAL) (keep * (double) moving_mean[channel] + (1.0 - keep) * mean);
  moving_var[channel] = (REAL) (keep * (double) moving_var[channel] + (1.0 - keep) * variance);
}

static void
NAME (normalise_channels) (gint64 begin, gint64 end, gpointer data)
{
  const Work        *work = data;
  const ChannelView *view = &work->view;

  for (gint64 channel = begin; channel < end; channel++)
    {
      double mean, variance;
      REAL   scale, shift;

      if (work->of_batch)
        {
          NAME (channel_statistics) (work, channel, &mean, &variance);
          if (work->moves && view->outer * view->inner > 0)
            NAME (update_moving) (work, channel, mean, variance);
        }
      else
        {
          mean = (double) ((const REAL *) work->moving_mean)[channel];
          variance = (double) ((const REAL *) work->moving_var)[channel];
        }

      ((REAL *) work->mean)[channel] = (REAL) mean;
      scale = (REAL) (1.0 / sqrt (variance + work->params->eps));
      ((REAL *) work->spread)[channel] = work->shows_variance ? (REAL) variance : scale;
      if (work->gamma)
        scale *= ((const REAL *) work->gamma)[channel];
      shift = ((const REAL *) work->beta)[channel];

      for (gint64 o = 0; o < view->outer; o++)
        {
          gint64      base = (o * view->channels + channel) * view->inner;
          const REAL *x = (const REAL *) work->x + base;
          REAL       *y = (REAL *) work->to + base;

          for (gint64 i = 0; i < view->inner; i++)
            y[i] = (x[i] - (REAL) mean) * scale + shift;
          for (gint64 i = 0; work->with_relu && i < view->inner; i++)
            y[i] = y[i] > 0 ? y[i] : 0;
        }
    }
}

/* The gradient that reaches the normalisation: that of the output, but nothing where
 * the rectifier cut off.  The rest is written to dx, where it will be read in place. */
static const REAL *
NAME (incoming) (const Work *work, gint64 base, REAL *dx)
{
  const REAL *dy = (const REAL *) work->dy + base;
  const REAL *y = (const REAL *) work->y + base;

  if (!work->y)
    return dy;

  for (gint64 i = 0; i < work->view.inner; i++)
    dx[i] = y[i] > 0 ? dy[i] : 0;
  return dx;
}

static inline REAL
NAME (inverse_of) (const Work *work, gint64 channel)
{
  REAL spread = ((const REAL *) work->spread)[channel];

  return work->shows_variance ? (REAL) (1.0 / sqrt ((double) spread + work->params->eps)) : spread;
}

/* With x̂ = (x − mean) · inverse: dgamma = Σ dy x̂, dbeta = Σ dy, and
 * dx = gamma · inverse · (dy − mean (dy) − x̂ · mean (dy x̂)), where the two means
 * are left out if the statistics are constants. */
static void
NAME (backward_channels) (gint64 begin, gint64 end, gpointer data)
{
  const Work        *work = data;
  const ChannelView *view = &work->view;
  double             n = (double) (view->outer * view->inner);

  for (gint64 channel = begin; channel < end; channel++)
    {
      REAL   mean = ((const REAL *) work->mean)[channel];
      REAL   inverse = NAME (inverse_of) (work, channel);
      REAL   scale = inverse;
      double sum = 0.0, product = 0.0;
      REAL   mean_dy = 0, slope = 0;

      if (work->gamma)
        scale *= ((const REAL *) work->gamma)[channel];

      for (gint64 o = 0; o < view->outer; o++)
        {
          gint64      base = (o * view->channels + channel) * view->inner;
          const REAL *dy = NAME (incoming) (work, base, (REAL *) work->to + base);

          sum += NAME (hyb_row_sum) (view->inner, dy);
          product +=
              NAME (row_centred_product) ((const REAL *) work->x + base, mean, dy, view->inner);
        }
      product *= (double) inverse;

      ((REAL *) work->dgamma)[channel] = work->gamma ? (REAL) product : 0;
      ((REAL *) work->dbeta)[channel] = (REAL) sum;
      if (work->of_batch)
        {
          mean_dy = (REAL) (sum / n);
          slope = inverse * (REAL) (product / n);
        }

      for (gint64 o = 0; o < view->outer; o++)
        {
          gint64      base = (o * view->channels + channel) * view->inner;
          const REAL *x = (const REAL *) work->x + base;
          REAL       *dx = (REAL *) work->to + base;
          const REAL *dy = work->y ? dx : (const REAL *) work->dy + base;

          for (gint64 i = 0; i < view->inner; i++)
            dx[i] = scale * (dy[i] - mean_dy - (x[i] - mean) * slope);
        }
    }
}
