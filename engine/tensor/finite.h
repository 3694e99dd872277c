/* finite.h — whether an array holds NaN or infinity.
 *
 * Reading a model checks every parameter; hyb_tensor_statistics() would take ten times as long.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/tensor/tensor.h"

/* Whether all elements are finite; TRUE for integers. */
gboolean hyb_tensor_is_finite (const HybTensor *tensor);
