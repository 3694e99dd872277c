/* sparse.h — converts the two sparse layouts of MXNet's files, CSR and row-sparse, to dense arrays.
 *
 * Used by the readers of parameter files and npz archives.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/tensor/tensor.h"

typedef struct
{
  HybType    type;       /* of the dense array */
  HybTensor *data;       /* CSR: stored elements; row-sparse: stored rows */
  HybTensor *row_starts; /* CSR's indptr; NULL for row-sparse */
  HybTensor *indices;    /* CSR: columns of the elements; row-sparse: numbers of the rows */
  gsize      file_bytes; /* size of the file, which limits the total size of its dense arrays */
  gsize     *expanded;   /* the sum of their bytes so far; the new array is added */
} HybSparse;

/* Fails if an index is out of range, or if the dense array would be too large for such a file.
 * (transfer full) */
HybTensor *hyb_sparse_to_dense (const HybSparse *sparse, GError **error);
