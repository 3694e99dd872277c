/* distributions.h — random numbers of several distributions.
 *
 * Number `index` of a seed is a function of both and of the parameters, so that it does not depend
 * on the thread that draws it or on the order.  All functions have the type HybSampler.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

/* Draws number `index` of a seed from a distribution with parameters a and b. */
typedef double (*HybSampler) (guint64 seed, guint64 index, double a, double b);

/* Uniform in [low, high). */
double hyb_sample_uniform (guint64 seed, guint64 index, double low, double high);
/* Normal with a mean and a standard deviation. */
double hyb_sample_normal (guint64 seed, guint64 index, double mean, double deviation);
/* Exponential with mean 1 / rate. */
double hyb_sample_exponential (guint64 seed, guint64 index, double rate, double unused);
/* Gamma with mean shape · scale; NaN for a negative shape. */
double hyb_sample_gamma (guint64 seed, guint64 index, double shape, double scale);
/* Poisson; NaN for a negative mean. */
double hyb_sample_poisson (guint64 seed, guint64 index, double mean, double unused);
/* Negative binomial: the number of failures before `successes` successes of probability p. */
double hyb_sample_negative_binomial (guint64 seed, guint64 index, double successes, double p);
/* Negative binomial given by its mean and dispersion: variance = mean + dispersion · mean². */
double hyb_sample_dispersed_poisson (guint64 seed, guint64 index, double mean, double dispersion);
