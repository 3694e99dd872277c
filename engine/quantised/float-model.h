/* float-model.h — the model that a quantised export was made from, as far as the export holds it.
 *
 * Bodies of fused layers are put in place of their nodes, quantised operators are replaced by their
 * float forms, and int8 parameters become floats again.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/formats/tensor-list.h"
#include "engine/graph/model.h"

/* The result of hyb_float_model(). */
typedef struct
{
  guint n_layers;     /* quantised operators and fused layers that were replaced */
  guint n_dropped;    /* quantize, dequantize and requantize, which have no float form */
  guint n_parameters; /* int8 parameters that became floats: right to half a level */
} HybFloatReport;

/* The float model.  NULL and an error if there is nothing quantised or fused, if something else reads
 * quantised values or ranges, or if the range of an int8 parameter is missing.  (transfer full) */
HybModel *hyb_float_model (HybModel *model, HybFloatReport *report, GError **error);

/* How far the outputs of two models are apart on one input. */
typedef struct
{
  double max_abs; /* the largest difference */
  double largest; /* the largest number in the first model's outputs */
  char  *output;  /* the output with that difference; NULL if all are equal */
} HybFloatDistance;

/* Runs both models on input, completed with random numbers.  FALSE and an error if one of them does
 * not run, or if the shapes of outputs differ.  The caller frees distance->output. */
gboolean hyb_float_distance (HybModel         *quantised,
                             HybModel         *floats,
                             HybTensorList    *input,
                             HybFloatDistance *distance,
                             GError          **error);
