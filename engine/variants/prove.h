/* prove.h — shows on random inputs that two models compute the same.
 *
 * Outputs and gradients are compared for the given input, for random inputs of the same shapes, and
 * for other batch sizes and lengths where both models accept them.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/device/gpu.h"
#include "engine/variants/variant.h"

typedef struct
{
  HybTensorList *input; /* (nullable) fixes shapes, and is one of the inputs */
  const HybVariant
         *variant;   /* (nullable) how b was made from a: which parameters were copied where */
  double  tolerance; /* of outputs, and gradients are not compared; 0: rounding in both */
  guint64 seed;
  HybGpu *gpu; /* (nullable) computes both models; NULL: the processor */
} HybProveOptions;

typedef struct
{
  guint    n_inputs;         /* inputs that were compared */
  double   max_abs, max_rel; /* largest differences; max_rel is relative to the largest element */
  double   tolerance;        /* of a difference, relative to 1 + the largest element of its array */
  gboolean gradients;        /* gradients were compared, too */
  gboolean ok;
  char    *worst_output;   /* the output, or "gradient of " and the variable; NULL: no difference */
  gint64   worst_index;    /* its element; -1 if shapes differ */
  char    *device_work[2]; /* what a GPU computed in the last runs of a and b; NULL without a GPU */
} HybProof;

/* Frees what proof owns, not proof itself. */
void hyb_proof_clear (HybProof *proof);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (HybProof, hyb_proof_clear)

/* Compares a and b.  FALSE with an error if nothing could be compared; whether they agree is
 * proof->ok. */
gboolean hyb_prove (HybModel              *a,
                    HybModel              *b,
                    const HybProveOptions *options,
                    HybProof              *proof,
                    GError               **error);
