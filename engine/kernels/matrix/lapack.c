/* lapack.c — calls of LAPACK, for float and double; lapack-kernel.h has them once.
 *
 * OpenBLAS contains LAPACK, but its headers declare only a few of the routines, so those that are used
 * are declared here.  Fortran appends the length of every text argument.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/kernels/matrix/lapack.h"

#include "engine/kernels/matrix/gemm.h"

#include <cblas.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define DECLARE(T, p)                                                                              \
  void p##potrf_ (const char *uplo, const int *n, T *a, const int *lda, int *info, size_t);        \
  void p##potri_ (const char *uplo, const int *n, T *a, const int *lda, int *info, size_t);        \
  void p##getrf_ (const int *m, const int *n, T *a, const int *lda, int *pivot, int *info);        \
  void p##getri_ (const int *n, T *a, const int *lda, const int *pivot, T *work, const int *size,  \
                  int *info);                                                                      \
  void p##getrs_ (const char *trans, const int *n, const int *k, const T *a, const int *lda,       \
                  const int *pivot, T *b, const int *ldb, int *info, size_t);                      \
  void p##syevd_ (const char *job, const char *uplo, const int *n, T *a, const int *lda, T *w,     \
                  T *work, const int *size, int *iwork, const int *isize, int *info, size_t,       \
                  size_t);                                                                         \
  void p##geev_ (const char *left, const char *right, const int *n, T *a, const int *lda, T *real, \
                 T *imaginary, T *vl, const int *ldvl, T *vr, const int *ldvr, T *work,            \
                 const int *size, int *info, size_t, size_t);                                      \
  void p##geqrf_ (const int *m, const int *n, T *a, const int *lda, T *tau, T *work,               \
                  const int *size, int *info);                                                     \
  void p##orgqr_ (const int *m, const int *n, const int *k, T *a, const int *lda, const T *tau,    \
                  T *work, const int *size, int *info);                                            \
  void p##gesvd_ (const char *jobu, const char *jobv, const int *m, const int *n, T *a,            \
                  const int *lda, T *s, T *u, const int *ldu, T *v, const int *ldv, T *work,       \
                  const int *size, int *info, size_t, size_t)

DECLARE (float, s);
DECLARE (double, d);

#undef DECLARE

#define LAPACK(routine) s##routine##_
#define REAL            float
#define NAME(x)         x##_f32
#include "engine/kernels/matrix/lapack-kernel.h"
#undef LAPACK
#undef REAL
#undef NAME

#define LAPACK(routine) d##routine##_
#define REAL            double
#define NAME(x)         x##_f64
#include "engine/kernels/matrix/lapack-kernel.h"
#undef LAPACK
#undef REAL
#undef NAME

/* Calls the function for the dtype. */
#define BY_DTYPE(function, ...) \
  (hyb_gemm_use_one_thread (),  \
   dtype == HYB_F64 ? function##_f64 (__VA_ARGS__) : function##_f32 (__VA_ARGS__))

int
hyb_lapack_cholesky (HybDType dtype, gint64 n, gpointer a)
{
  return n == 0 ? 0 : BY_DTYPE (cholesky, (int) n, a);
}

int
hyb_lapack_cholesky_inverse (HybDType dtype, gint64 n, gpointer a)
{
  return n == 0 ? 0 : BY_DTYPE (cholesky_inverse, (int) n, a);
}

int
hyb_lapack_lu (const HybLu *lu)
{
  HybDType dtype = lu->dtype;

  return lu->n == 0 ? 0 : BY_DTYPE (lu, (int) lu->n, lu->lu, lu->pivot);
}

int
hyb_lapack_lu_inverse (const HybLu *lu, gpointer work)
{
  HybDType dtype = lu->dtype;

  return lu->n == 0 ? 0 : BY_DTYPE (lu_inverse, (int) lu->n, lu->lu, lu->pivot, work);
}

int
hyb_lapack_lu_solve (const HybLu *lu, gboolean transposed, gint64 k, gpointer b)
{
  HybDType dtype = lu->dtype;

  return lu->n == 0 || k == 0 ? 0 : BY_DTYPE (lu_solve, lu, transposed, (int) k, b);
}

gsize
hyb_lapack_workspace (HybLapackRoutine routine, HybDType dtype, gint64 m, gint64 n)
{
  return m == 0 || n == 0 ? 0 : BY_DTYPE (workspace, routine, (int) m, (int) n);
}

int
hyb_lapack_eigen_symmetric (HybDType dtype, gint64 n, gpointer a, gpointer values, gpointer work)
{
  return n == 0 ? 0 : BY_DTYPE (eigen_symmetric, (int) n, a, values, work);
}

int
hyb_lapack_eigen (HybDType dtype, gint64 n, gpointer a, const HybEigen *to, gpointer work)
{
  return n == 0 ? 0 : BY_DTYPE (eigen, (int) n, a, to, work);
}

int
hyb_lapack_lq (HybDType dtype, const HybLq *lq, gpointer work)
{
  return lq->m == 0 ? 0 : BY_DTYPE (lq, lq, work);
}

int
hyb_lapack_svd (HybDType dtype, const HybSvd *svd, gpointer work)
{
  return svd->m == 0 ? 0 : BY_DTYPE (svd, svd, work);
}
