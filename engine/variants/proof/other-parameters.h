/* other-parameters.h — reaches with other parameters what no input reaches with the stored ones.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/variants/proof/side.h"

/* Runs both models on values with scaled parameters, the same in both, as long as something was not reached.  What such a run reaches
 * counts only if all outputs agree; otherwise nothing is concluded, since a parameter may also be part of another one.  Does
 * nothing if a parameter of a is not in b.  Returns how many runs agreed. */
guint hyb_proof_try_parameters (HybProofSide  *a,
                                HybProofSide  *b,
                                HybTensorList *values,
                                double         tolerance);
