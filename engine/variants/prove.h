/* prove.h — two models that compute the same, shown on random inputs.
 *
 * Outputs and gradients are compared for the given input, for random ones of the same
 * shapes, and for other batch sizes and lengths where both models take them.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/variants/variant.h"

typedef struct
{
  HybTensorList    *input;   /* fixes shapes, and is one of the inputs; may be NULL */
  const HybVariant *variant; /* b as it came from a: tells where parameters went; NULL */
  guint64           seed;
} HybProveOptions;

typedef struct
{
  guint    n_inputs; /* that were compared */
  double   max_abs, max_rel;
  double   tolerance; /* of a difference, relative to 1 and the largest element of its array */
  gboolean gradients; /* compared, too */
  gboolean ok;
  char    *worst_output; /* name, or gradient of which variable; NULL: no difference */
  gint64   worst_index;
} HybProof;

void hyb_proof_clear (HybProof *proof);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (HybProof, hyb_proof_clear)

/* FALSE and an error: nothing could be compared, and why. */
gboolean hyb_prove (HybModel              *a,
                    HybModel              *b,
                    const HybProveOptions *options,
                    HybProof              *proof,
                    GError               **error);
