/* lapack.h — factorisations and eigenvalues of single row-major matrices, by LAPACK.
 *
 * LAPACK is part of OpenBLAS.  It reads matrices by columns, so a row-major matrix is its transpose
 * there; each function says what that makes of the result.  All functions work in place on
 * contiguous matrices of HYB_F32 or HYB_F64 with at most HYB_LAPACK_MAX rows or columns, and use one
 * thread.  They return 0, or LAPACK's number of what failed (positive).  Some need a workspace, whose
 * size hyb_lapack_workspace() gives.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/tensor/dtype.h"

/* LAPACK counts elements of workspaces as int. */
#define HYB_LAPACK_MAX 16384

/* The functions that need a workspace. */
typedef enum
{
  HYB_LAPACK_EIGEN_SYMMETRIC,
  HYB_LAPACK_EIGEN,
  HYB_LAPACK_LQ,
  HYB_LAPACK_SVD,
} HybLapackRoutine;

/* Bytes of the workspace for an m × n matrix, to be aligned as doubles are. */
gsize hyb_lapack_workspace (HybLapackRoutine routine, HybDType dtype, gint64 m, gint64 n);

/* a (n × n), of which the lower triangle is read, becomes L with L Lᵀ = a, and zeros above. */
int hyb_lapack_cholesky (HybDType dtype, gint64 n, gpointer a);
/* a, whose lower triangle is L, becomes the inverse of L Lᵀ. */
int hyb_lapack_cholesky_inverse (HybDType dtype, gint64 n, gpointer a);

/* Factors L and U of the transpose of an n × n matrix, by columns, and the n row numbers of its
 * exchanges, counted from 1. */
typedef struct
{
  HybDType dtype;
  gint64   n;
  gpointer lu;
  gint32  *pivot;
} HybLu;

/* Replaces the matrix in lu->lu by its factors and sets lu->pivot.  A positive result means that U has
 * a zero on its diagonal. */
int hyb_lapack_lu (const HybLu *lu);
/* Replaces the factors by the inverse of the matrix, by rows.  work: space for n elements. */
int hyb_lapack_lu_inverse (const HybLu *lu, gpointer work);
/* b (k × n, by rows): every row b becomes x with A x = b, or Aᵀ x = b if transposed. */
int hyb_lapack_lu_solve (const HybLu *lu, gboolean transposed, gint64 k, gpointer b);

/* a (n × n, symmetric, of which the lower triangle is read): its rows become eigenvectors, values
 * gets the eigenvalues in ascending order.  The largest element of each row is positive. */
int
hyb_lapack_eigen_symmetric (HybDType dtype, gint64 n, gpointer a, gpointer values, gpointer work);
/* Where the eigenvalues of an n × n matrix go: their parts, and unless it is NULL an eigenvector in every
 * row of vectors. */
typedef struct
{
  gpointer real, imaginary, vectors;
} HybEigen;

/* Computes the eigenvalues of a (n × n), which is destroyed. */
int hyb_lapack_eigen (HybDType dtype, gint64 n, gpointer a, const HybEigen *to, gpointer work);

/* A matrix a (m × n, m ≤ n), and space for a lower triangular one, l (m × m). */
typedef struct
{
  gint64   m, n;
  gpointer a, l;
} HybLq;

/* a becomes Q with orthonormal rows, l the lower triangular L: a = L Q. */
int hyb_lapack_lq (HybDType dtype, const HybLq *lq, gpointer work);
/* A matrix (m × n, m ≤ n) and its singular values: a = ut · diag (values) · v, where v replaces a and
 * ut is m × m. */
typedef struct
{
  gint64   m, n;
  gpointer a, ut, values;
} HybSvd;

/* Computes v, ut and values from a.  The largest element of each row of v is positive. */
int hyb_lapack_svd (HybDType dtype, const HybSvd *svd, gpointer work);
