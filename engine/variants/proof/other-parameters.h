/* other-parameters.h — reaches cases with other parameters that no input reaches with the stored
 * ones.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/variants/proof/side.h"

/* Runs both models on values with scaled parameters, the same in both, as long as cases remain.  A run counts only if all outputs
 * agree, since a parameter may also be part of another one.  Does nothing if a parameter of a is not in b.  Returns the number of
 * runs that agreed. */
guint hyb_proof_try_parameters (HybProofSide  *a,
                                HybProofSide  *b,
                                HybTensorList *values,
                                double         tolerance);
