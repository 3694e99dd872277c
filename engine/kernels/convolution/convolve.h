/* convolve.h — convolution (correlation), its transpose, and the gradient of its weights.
 *
 *   map[n,f,p] = sum over channels c and taps t of weight[f,c,t] image[n,c,q],
 *   q = p stride + t dilate − pad
 *
 * For the operator Convolution the image is the input and the map the output; for Deconvolution
 * the other way round.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/kernels/convolution/convolution-shape.h"
#include "engine/tensor/dtype.h"

/* The epilogue of a convolution: map = f (sum + bias +
 * other). */
typedef struct
{
  const float *bias;    /* (map_channels); NULL for no bias */
  const float *other;   /* laid out like the map, added; NULL to add nothing */
  gboolean     rectify; /* f is relu, or with a slope x where positive, else slope x */
  float        slope;
} HybConvolveFinish;

/* The arrays of a convolution of floats by direct-convolution.h, depthwise.h or winograd.h. */
typedef struct
{
  const float *image;
  const float *weight;    /* for Winograd: the result of hyb_winograd_filters() */
  float       *map;       /* the result */
  gpointer     workspace; /* as many bytes as the method needs */
} HybDirectOperands;

/* Returns the bytes of workspace for a convolution or a transposed one; G_MAXSIZE if that
 * overflows. */
gsize hyb_convolve_workspace (const HybConvolve *convolve, gsize element_size);
/* Returns the bytes of workspace for the gradient of the weights; G_MAXSIZE if that overflows. */
gsize hyb_convolve_weight_workspace (const HybConvolve *convolve, gsize element_size);
/* Returns in a few words how hyb_convolve() and hyb_convolve_transposed() compute the convolution, as a constant
 * text. */
const char *hyb_convolve_note (const HybConvolve *convolve);
/* The same for hyb_convolve_weight(). */
const char *hyb_convolve_weight_note (const HybConvolve *convolve);
/* Returns the multiplications plus additions of any of the functions below. */
double hyb_convolve_flops (const HybConvolve *convolve);

/* The arrays of a convolution or a transposed convolution. */
typedef struct
{
  HybDType      dtype; /* of all arrays: HYB_F32 or HYB_F64 */
  gconstpointer data;  /* the image; transposed: the map */
  gconstpointer weight;
  gconstpointer bias;      /* (map_channels); transposed: (image_channels); NULL for no bias */
  gpointer      result;    /* the map; transposed: the image */
  gpointer      workspace; /* hyb_convolve_workspace() bytes */
} HybConvolveOperands;

/* Computes the map from the image and weights, plus the bias. */
void hyb_convolve (const HybConvolve *convolve, const HybConvolveOperands *operands);

/* Computes the image from the map: each map position adds weight · map to the cells that its window
 * covers.  Plus the bias. */
void hyb_convolve_transposed (const HybConvolve *convolve, const HybConvolveOperands *operands);

/* The arrays from which the gradient of the weights is computed. */
typedef struct
{
  HybDType      dtype; /* of all arrays: HYB_F32 or HYB_F64 */
  gconstpointer image;
  gconstpointer map;       /* the gradient of the map */
  gpointer      weight;    /* receives the gradient of the weights */
  gpointer      workspace; /* hyb_convolve_weight_workspace() bytes */
} HybConvolveWeightOperands;

/* Computes the weights' gradient from the map's: weight[f,c,t] = sum over n and p of map[n,f,p]
 * times the image cell that tap t of position p covers. */
void hyb_convolve_weight (const HybConvolve *convolve, const HybConvolveWeightOperands *operands);
