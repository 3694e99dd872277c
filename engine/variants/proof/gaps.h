/* gaps.h — nodes and cases that the runs of two models have not reached.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/variants/proof/proof.h"
#include "engine/variants/proof/side.h"

/* Adds cases that no run of one of the models reached, unless the other computes the same nodes from the
 * same inputs. given: types of the inputs. */
void hyb_proof_list_gaps (HybProof           *proof,
                          const HybProofSide *a,
                          const HybProofSide *b,
                          HybTensorList      *given);
