/* npy.h — a single NumPy array: a text header, then the elements.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/tensor/tensor.h"

/* Versions 1 to 3, both byte orders, both axis orders. */
HybTensor *hyb_npy_read (GBytes *bytes, const char *where, GError **error);
/* The header, a multiple of 64 bytes long. */
GBytes *hyb_npy_make_header (const HybType *type);
