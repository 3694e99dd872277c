/* linalg-parts.h — shared parts of the operators on batches of matrices: rules, views, reports of
 * invalid matrices, and nodes of their gradients.
 *
 * Matrices lie in the last two axes; all axes before them count matrices.  Operators of LAPACK fail for
 * some values (a singular matrix), which they report by hyb_linalg_check().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/gradient/gradient.h"
#include "engine/op/op.h"
#include "engine/op/run.h"

/* Matrices of a known shape of at least 2 dimensions. */
typedef struct
{
  gint64 count, rows, columns;
} HybMatrices;

/* The view of a known shape.  The rank must be at least 2. */
HybMatrices hyb_linalg_view (const HybShape *shape);
/* Bytes from one matrix to the next. */
gsize hyb_linalg_bytes (const HybMatrices *matrices, HybDType dtype);

/* --- Rules --- */

/* FALSE if the shape is known not to be one of matrices that LAPACK can count; the two sizes of square
 * matrices are unified. */
gboolean
hyb_linalg_expect (HybShape *shape, const char *operand, gboolean is_square, GError **error);
/* infer_shape: all operands have the shape of the first, which is one of square matrices. */
gboolean hyb_linalg_infer_square (HybCall *call, GError **error);
/* Gives *to the axes of *from before the last n_from, followed by n_to unknown ones, and *from likewise
 * those of *to. */
gboolean
hyb_linalg_share_batch (HybShape *from, int n_from, HybShape *to, int n_to, GError **error);
/* infer_dtype: all operands are float32 or all are float64; MXNet refuses others, too. */
gboolean hyb_linalg_infer_dtype (HybCall *call, GError **error);
/* infer_dtype of NumPy's operators: float32 gives float32; other types but half floats give float64. */
gboolean hyb_linalg_infer_dtype_numpy (HybCall *call, GError **error);

/* --- Running --- */

/* Returns TRUE if info, of a function of lapack.h for matrix number `index`, is 0.  Else reports
 * the fault of the matrix, with the hint. */
gboolean
hyb_linalg_check (const HybRun *run, int info, gint64 index, const char *wrong, const char *hint);
/* Cost: `factor` times rows · columns · smaller of the two, for each matrix of input 0. */
void hyb_linalg_cost (const HybCall *call, double factor, HybCost *cost);

/* --- Notes --- */

/* HybOp.note of operators that spend their time in a factorisation by LAPACK; output 0 has the type of its elements. */
const char *hyb_linalg_note_lu (const HybCall *call);        /* L U */
const char *hyb_linalg_note_svd (const HybCall *call);       /* singular values */
const char *hyb_linalg_note_lq (const HybCall *call);        /* L Q */
const char *hyb_linalg_note_cholesky (const HybCall *call);  /* Cholesky */
const char *hyb_linalg_note_general (const HybCall *call);   /* eigenvalues */
const char *hyb_linalg_note_symmetric (const HybCall *call); /* eigenvalues of symmetric matrices */

/* --- Nodes of gradients --- */

/* A factor of a product of matrices. */
typedef struct
{
  HybValueId value;
  gboolean   is_transposed;
} HybFactor;

/* alpha times the product of the factors. */
HybValueId hyb_linalg_emit_product (HybGrad *grad, HybFactor a, HybFactor b, double alpha);

/* Attributes of _linalg_trmm and _linalg_trsm. */
typedef struct
{
  gboolean transpose, rightside, lower;
  double   alpha;
} HybTriangularParams;

/* A node of _linalg_trmm or _linalg_trsm. */
HybValueId hyb_linalg_emit_triangular (HybGrad                   *grad,
                                       const char                *op,
                                       HybValueId                 a,
                                       HybValueId                 b,
                                       const HybTriangularParams *params);

/* The part of a square matrix that _linalg_triangle keeps. */
typedef enum
{
  HYB_TRIANGLE_LOWER,  /* zeros above the diagonal */
  HYB_TRIANGLE_UPPER,  /* zeros below the diagonal */
  HYB_TRIANGLE_MIRROR, /* the lower triangle, also copied above the diagonal */
} HybTriangle;

/* A node of _linalg_triangle. */
HybValueId hyb_linalg_emit_triangle (HybGrad *grad, HybValueId x, HybTriangle part);

/* Spellings of HybTriangle for the attribute `part`. */
extern const char *const hyb_linalg_triangles[];
