/* blas.h — the functions of OpenBLAS that kernels call, found when the first of them is needed.
 *
 * Binding OpenBLAS's 14,000 symbols takes longer than a small model does, and many models need none of its
 * functions.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <cblas.h>
#include <glib.h>

/* OpenBLAS contains LAPACK, but its headers declare only a few of the routines.  Fortran appends the length of
 * every text argument. */
#define HYB_LAPACK_TYPES(T, p)                                                                     \
  void (*p##potrf_) (const char *uplo, const int *n, T *a, const int *lda, int *info, size_t);     \
  void (*p##potri_) (const char *uplo, const int *n, T *a, const int *lda, int *info, size_t);     \
  void (*p##getrf_) (const int *m, const int *n, T *a, const int *lda, int *pivot, int *info);     \
  void (*p##getri_) (const int *n, T *a, const int *lda, const int *pivot, T *work,                \
                     const int *size, int *info);                                                  \
  void (*p##getrs_) (const char *trans, const int *n, const int *k, const T *a, const int *lda,    \
                     const int *pivot, T *b, const int *ldb, int *info, size_t);                   \
  void (*p##syevd_) (const char *job, const char *uplo, const int *n, T *a, const int *lda, T *w,  \
                     T *work, const int *size, int *iwork, const int *isize, int *info, size_t,    \
                     size_t);                                                                      \
  void (*p##geev_) (const char *left, const char *right, const int *n, T *a, const int *lda,       \
                    T *real, T *imaginary, T *vl, const int *ldvl, T *vr, const int *ldvr,         \
                    T *work, const int *size, int *info, size_t, size_t);                          \
  void (*p##geqrf_) (const int *m, const int *n, T *a, const int *lda, T *tau, T *work,            \
                     const int *size, int *info);                                                  \
  void (*p##orgqr_) (const int *m, const int *n, const int *k, T *a, const int *lda, const T *tau, \
                     T *work, const int *size, int *info);                                         \
  void (*p##gesvd_) (const char *jobu, const char *jobv, const int *m, const int *n, T *a,         \
                     const int *lda, T *s, T *u, const int *ldu, T *v, const int *ldv, T *work,    \
                     const int *size, int *info, size_t, size_t)

/* Every member has the name of its function. */
typedef struct
{
  __typeof__ (&cblas_dgemv)              cblas_dgemv;
  __typeof__ (&cblas_dgemm)              cblas_dgemm;
  __typeof__ (&cblas_strmm)              cblas_strmm;
  __typeof__ (&cblas_dtrmm)              cblas_dtrmm;
  __typeof__ (&cblas_strsm)              cblas_strsm;
  __typeof__ (&cblas_dtrsm)              cblas_dtrsm;
  __typeof__ (&openblas_get_config)      openblas_get_config;
  __typeof__ (&openblas_get_corename)    openblas_get_corename;
  __typeof__ (&openblas_get_num_threads) openblas_get_num_threads;
  __typeof__ (&openblas_set_num_threads) openblas_set_num_threads;
  HYB_LAPACK_TYPES (float, s);
  HYB_LAPACK_TYPES (double, d);
} HybBlas;

/* Returns the functions.  The first call loads the library, and ends the program if it is missing.  OpenBLAS has
 * one number of threads for the whole process: it is 1, because other threads of it would compete with those of
 * engine/base/parallel.h for the same cores. */
const HybBlas *hyb_blas (void);
