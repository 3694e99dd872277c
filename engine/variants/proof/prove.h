/* prove.h — shows on many inputs that two models compute the same, or lists the open cases.
 *
 * Outputs and gradients are compared for the given input, for random inputs of the same shapes, for other batch
 * sizes and lengths where both models accept them, and in float64 for numbers of several scales and signs, element
 * by element.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/device/gpu.h"
#include "engine/exec/executor.h"
#include "engine/formats/tensor-list.h"
#include "engine/variants/proof/proof.h"
#include "engine/variants/variant.h"

typedef struct
{
  HybTensorList *input; /* (nullable) fixes shapes, and is one of the inputs */
  gboolean is_made; /* input only fixes shapes; if a loop does not end with it, another is drawn */
  const HybVariant
         *variant;   /* (nullable) how b was made from a: which parameters were copied where */
  double  tolerance; /* of outputs, and nothing else is compared; 0: rounding in both */
  guint64 seed;
  HybGpu *gpu; /* (nullable) computes both models; NULL: the processor */
  const HybExecutorOptions
      *run; /* (nullable) mode, training and passes of both; NULL: planned, prediction */
} HybProveOptions;

/* Compares a and b.  FALSE with an error if nothing could be compared; the result is
 * proof->verdict. */
gboolean hyb_prove (HybModel              *a,
                    HybModel              *b,
                    const HybProveOptions *options,
                    HybProof              *proof,
                    GError               **error);
