/* lapack.c — calls of LAPACK, for float and double; lapack-kernel.h has them once.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/kernels/matrix/lapack.h"

#include "engine/kernels/matrix/blas.h"
#include "engine/kernels/matrix/small-lu.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LAPACK(routine) hyb_blas ()->s##routine##_
#define REAL            float
#define NAME(x)         x##_f32
#include "engine/kernels/matrix/lapack-kernel.h"
#undef LAPACK
#undef REAL
#undef NAME

#define LAPACK(routine) hyb_blas ()->d##routine##_
#define REAL            double
#define NAME(x)         x##_f64
#include "engine/kernels/matrix/lapack-kernel.h"
#undef LAPACK
#undef REAL
#undef NAME

/* Calls the function for the dtype. */
#define BY_DTYPE(function, ...) \
  (dtype == HYB_F64 ? function##_f64 (__VA_ARGS__) : function##_f32 (__VA_ARGS__))

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
  int      first_zero;

  if (dtype == HYB_F32 && lu->n <= HYB_SMALL_LU_MAX &&
      hyb_small_lu (lu->n, lu->lu, lu->pivot, &first_zero))
    return first_zero;
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
