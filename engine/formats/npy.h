/* npy.h — NumPy's format of a single array (npy): a text header, then the elements.
 *
 * npz.h has archives of such arrays.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/tensor/tensor.h"

/* Reads an array: versions 1 to 3 of the format, both byte orders, C and Fortran order.  where: name
 * of the file in messages.  (transfer full) */
HybTensor *hyb_npy_read (GBytes *bytes, const char *where, GError **error);
/* The header of an array in C order, whose length is a multiple of 64 bytes.  (transfer full) */
GBytes *hyb_npy_make_header (const HybType *type);
