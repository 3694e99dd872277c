/* nudged.h — inputs whose last bits differ.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/formats/tensor-list.h"

/* A list with the same arrays, where each element of float32 arrays is replaced by one of its two neighbours in turn; other
 * arrays are shared.  (transfer full) */
HybTensorList *hyb_tensors_nudged (HybTensorList *list);
