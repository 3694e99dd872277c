/* distributions.h — numbers drawn from distributions: number `index` of a seed is a function of
 * both, whichever thread asks.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

/* Each takes the seed, the index and up to two parameters. */
typedef double (*HybSampler) (guint64 seed, guint64 index, double a, double b);

double hyb_sample_uniform (guint64 seed, guint64 index, double low, double high);
double hyb_sample_normal (guint64 seed, guint64 index, double mean, double deviation);
double hyb_sample_exponential (guint64 seed, guint64 index, double rate, double unused);
double hyb_sample_gamma (guint64 seed, guint64 index, double shape, double scale);
double hyb_sample_poisson (guint64 seed, guint64 index, double mean, double unused);
/* Failures before `successes` successes of probability p. */
double hyb_sample_negative_binomial (guint64 seed, guint64 index, double successes, double p);
/* The same by its mean, and its dispersion: variance = mean + dispersion mean². */
double hyb_sample_dispersed_poisson (guint64 seed, guint64 index, double mean, double dispersion);
