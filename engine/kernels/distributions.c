/* distributions.c — random numbers of several distributions.
 *
 * Uniform, normal and exponential numbers are functions of one or two random words.  Gamma and
 * Poisson use rejection, which needs any number of words: each element has a stream of its own.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/kernels/distributions.h"

#include "engine/base/random.h"

#include <math.h>

/* The uniform numbers of one element, drawn one after another. */
typedef struct
{
  guint64 seed, next;
} Stream;

static Stream
stream_of (guint64 seed, guint64 index)
{
  return (Stream){ hyb_random_mix (seed, index), 0 };
}

static double
draw_uniform (Stream *stream)
{
  return hyb_random_uniform (stream->seed, stream->next++);
}

double
hyb_sample_uniform (guint64 seed, guint64 index, double low, double high)
{
  return low + (high - low) * hyb_random_uniform (seed, index);
}

double
hyb_sample_normal (guint64 seed, guint64 index, double mean, double deviation)
{
  return mean + deviation * hyb_random_normal (seed, index);
}

double
hyb_sample_exponential (guint64 seed, guint64 index, double rate, double unused)
{
  return -log1p (-hyb_random_uniform (seed, index)) / rate;
}

/* G. Marsaglia, W. W. Tsang, “A simple method for generating gamma variables” (2000);
 * for a shape below 1 as Gamma (shape + 1) · U^(1 / shape) with U uniform. */
static double
draw_gamma (Stream *stream, double shape)
{
  guint64 normals = hyb_random_mix (stream->seed, 1);
  double  boost = 1;
  double  d, c;

  if (!(shape > 0) || !isfinite (shape))
    return shape == 0 ? 0 : NAN;
  if (shape < 1)
    {
      boost = pow (1 - draw_uniform (stream), 1 / shape);
      shape += 1;
    }
  d = shape - 1 / 3.0;
  c = 1 / sqrt (9 * d);
  for (;;)
    {
      double x = hyb_random_normal (normals, stream->next);
      double u = 1 - draw_uniform (stream);
      double v = 1 + c * x;

      if (v <= 0)
        continue;
      v = v * v * v;
      if (log (u) < 0.5 * x * x + d - d * v + d * log (v))
        return d * v * boost;
    }
}

/* W. Hörmann, “The transformed rejection method for generating Poisson random
 * variables” (1993), algorithm PTRS. */
static double
draw_poisson_large (Stream *stream, double mean)
{
  double b = 0.931 + 2.53 * sqrt (mean);
  double a = -0.059 + 0.02483 * b;
  double inverse_alpha = 1.1239 + 1.1328 / (b - 3.4);
  double limit = 0.9277 - 3.6224 / (b - 2);

  for (;;)
    {
      double u = draw_uniform (stream) - 0.5;
      double v = 1 - draw_uniform (stream);
      double us = 0.5 - fabs (u);
      double k = floor ((2 * a / us + b) * u + mean + 0.43);
      int    sign;

      if (us >= 0.07 && v <= limit)
        return k;
      if (k < 0 || (us < 0.013 && v > us))
        continue;
      if (log (v * inverse_alpha / (a / (us * us) + b)) <=
          k * log (mean) - mean - lgamma_r (k + 1, &sign))
        return k;
    }
}

/* For small means: counts uniform numbers until their product falls below exp (−mean). */
static double
draw_poisson (Stream *stream, double mean)
{
  double limit, product = 1;
  double k = 0;

  if (!(mean >= 0) || !isfinite (mean))
    return NAN;
  if (mean > 30)
    return draw_poisson_large (stream, mean);
  limit = exp (-mean);
  for (product = 1 - draw_uniform (stream); product > limit; k++)
    product *= 1 - draw_uniform (stream);
  return k;
}

double
hyb_sample_gamma (guint64 seed, guint64 index, double shape, double scale)
{
  Stream stream = stream_of (seed, index);

  return draw_gamma (&stream, shape) * scale;
}

double
hyb_sample_poisson (guint64 seed, guint64 index, double mean, double unused)
{
  Stream stream = stream_of (seed, index);

  return draw_poisson (&stream, mean);
}

/* A Poisson number whose mean is drawn from a gamma distribution. */
double
hyb_sample_negative_binomial (guint64 seed, guint64 index, double successes, double p)
{
  Stream stream = stream_of (seed, index);

  return draw_poisson (&stream, draw_gamma (&stream, successes) * (1 - p) / p);
}

double
hyb_sample_dispersed_poisson (guint64 seed, guint64 index, double mean, double dispersion)
{
  Stream stream = stream_of (seed, index);

  if (dispersion == 0)
    return draw_poisson (&stream, mean);
  return draw_poisson (&stream, draw_gamma (&stream, 1 / dispersion) * dispersion * mean);
}
