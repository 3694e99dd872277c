/* sparse.h — the two sparse layouts of MXNet's files, made dense.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/tensor/tensor.h"

typedef struct
{
  HybType    type; /* of the dense array */
  HybTensor *data;
  HybTensor *row_starts; /* csr's indptr; NULL: row_sparse */
  HybTensor *indices;    /* columns of csr, rows of row_sparse */
  gsize      file_bytes; /* a small file may not ask for a lot of memory */
} HybSparse;

/* Every index is checked. */
HybTensor *hyb_sparse_to_dense (const HybSparse *sparse, GError **error);
