/* touch.h — reads every byte of tensors, so that a sanitizer notices memory that is not theirs.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/formats/tensor-list.h"

/* Reads all elements of a tensor. */
void fuzz_touch_tensor (HybTensor *tensor);
/* Reads all elements of all tensors. */
void fuzz_touch_list (HybTensorList *list);
