/* blas.c — loads OpenBLAS and finds its functions; see blas.h.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/kernels/matrix/blas.h"

#include "engine/base/library.h"

#include <dlfcn.h>

#define LIBRARY "libopenblas.so.0"

#define FUNCTION(name) HYB_LIBRARY_FUNCTION (HybBlas, name)
#define LAPACK(p)                                                                            \
  FUNCTION (p##potrf_), FUNCTION (p##potri_), FUNCTION (p##getrf_), FUNCTION (p##getri_),    \
      FUNCTION (p##getrs_), FUNCTION (p##syevd_), FUNCTION (p##geev_), FUNCTION (p##geqrf_), \
      FUNCTION (p##orgqr_), FUNCTION (p##gesvd_)

static const HybLibraryFunction functions[] = {
  FUNCTION (cblas_dgemv),
  FUNCTION (cblas_dgemm),
  FUNCTION (cblas_strmm),
  FUNCTION (cblas_dtrmm),
  FUNCTION (cblas_strsm),
  FUNCTION (cblas_dtrsm),
  FUNCTION (openblas_get_config),
  FUNCTION (openblas_get_corename),
  FUNCTION (openblas_get_num_threads),
  FUNCTION (openblas_set_num_threads),
  LAPACK (s),
  LAPACK (d),
};

static HybBlas blas;

static void
load (void)
{
  /* Its 14,000 symbols are bound when they are called. */
  void       *library = dlopen (LIBRARY, RTLD_LAZY | RTLD_LOCAL);
  const char *missing;

  if (!library)
    g_error ("%s; install OpenBLAS (Debian: libopenblas0)", dlerror ());
  missing = hyb_library_bind (library, functions, G_N_ELEMENTS (functions), &blas);
  if (missing)
    g_error ("%s has no function %s; install OpenBLAS with LAPACK (Debian: libopenblas0)", LIBRARY,
             missing);
  blas.openblas_set_num_threads (1);
}

const HybBlas *
hyb_blas (void)
{
  static gsize is_loaded;

  if (g_once_init_enter (&is_loaded))
    {
      load ();
      g_once_init_leave (&is_loaded, 1);
    }
  return &blas;
}
