/* fill.h — one value, many times.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/tensor/dtype.h"

void hyb_fill (gpointer to, HybDType dtype, double value, gsize count);
