/* matrix.h — stored matrices in another order, and the same matrix stored twice.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/tensor/tensor.h"

/* A float32 matrix with rows and columns exchanged.  NULL: there is not enough memory.  (transfer full) */
HybTensor *hyb_matrix_transpose (HybTensor *matrix);

/* A hash of the bytes of a matrix (HybTensor), for GHashTable. */
guint hyb_matrix_hash (gconstpointer matrix);
/* Whether two matrices agree in shape and bytes; likewise. */
gboolean hyb_matrix_equal (gconstpointer a, gconstpointer b);
