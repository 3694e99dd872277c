/* proof.h — the result of comparing two models.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

/* The result of a comparison. */
typedef enum
{
  HYB_PROOF_EQUAL,
  HYB_PROOF_DIFFERENT,
  HYB_PROOF_OPEN, /* no difference, but the cases in `gaps` were not reached */
} HybProofVerdict;

typedef struct
{
  HybProofVerdict verdict;
  gboolean        ok;          /* the verdict is HYB_PROOF_EQUAL */
  guint           n_inputs;    /* inputs that were compared */
  guint           n_double;    /* of these, in float64 */
  double          low, high;   /* the smallest scale above 0, and the largest, of their numbers */
  double     max_abs, max_rel; /* largest differences; max_rel is relative to the largest element */
  double     tolerance; /* of results in the models' types, relative to 1 + the largest element */
  gboolean   gradients; /* gradients were compared, too */
  gboolean   training;  /* in training mode, with the same random numbers */
  guint64    n_not_numbers; /* elements that are NaN in both, and are not compared */
  GPtrArray *gaps;          /* of char *: sentences about cases that were not reached; NULL: none */
  char      *worst_output; /* the output, or "gradient of " and the variable; NULL: no difference */
  gint64     worst_index;  /* its element; -1 if shapes or types differ */
  char      *difference;   /* for types and shapes: the difference; NULL */
  char      *device_work[2]; /* the work of a GPU in the last runs of a and b; NULL without a GPU */
} HybProof;

/* Adds something that was not reached. */
void hyb_proof_add_gap (HybProof *proof, const char *format, ...) G_GNUC_PRINTF (2, 3);
/* Frees the members of proof, but not proof itself. */
void hyb_proof_clear (HybProof *proof);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (HybProof, hyb_proof_clear)
