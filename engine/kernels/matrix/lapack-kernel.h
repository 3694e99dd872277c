/* lapack-kernel.h — the functions of lapack.h for one element type.
 *
 * lapack.c includes this file twice, with the element type REAL, NAME (x) for x_f32 or x_f64 and
 * LAPACK (x) for the routine, so there is no include guard.  “By columns” below is how LAPACK sees
 * the memory.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Writes NaN to n elements. */
static void
NAME (spoil) (REAL *to, gint64 n)
{
  for (gint64 i = 0; i < n; i++)
    to[i] = (REAL) NAN;
}

/* Whether the lower triangle, or all, of an m × n matrix is finite.  Some routines do not end otherwise. */
static gboolean
NAME (is_finite) (const REAL *a, int m, int n, gboolean lower)
{
  for (gint64 i = 0; i < m; i++)
    for (gint64 j = 0; j < (lower ? i + 1 : n); j++)
      if (!isfinite (a[i * n + j]))
        return FALSE;
  return TRUE;
}

/* Turns the signs of a row so that its largest element is positive.  Returns whether it did. */
static gboolean
NAME (fix_sign) (REAL *row, int n)
{
  int largest = 0;

  for (int i = 1; i < n; i++)
    if (fabs ((double) row[i]) > fabs ((double) row[largest]))
      largest = i;
  if (n == 0 || !(row[largest] < 0))
    return FALSE;
  for (int i = 0; i < n; i++)
    row[i] = -row[i];
  return TRUE;
}

/* The lower triangle by rows is the upper one by columns. */
static int
NAME (cholesky) (int n, REAL *a)
{
  int info;

  LAPACK (potrf) ("U", &n, a, &n, &info, 1);
  for (gint64 i = 0; i < n; i++)
    for (gint64 j = i + 1; j < n; j++)
      a[i * n + j] = 0;
  return info;
}

static int
NAME (cholesky_inverse) (int n, REAL *a)
{
  int info;

  LAPACK (potri) ("U", &n, a, &n, &info, 1);
  for (gint64 i = 0; i < n; i++)
    for (gint64 j = i + 1; j < n; j++)
      a[i * n + j] = a[j * n + i];
  return info;
}

static int
NAME (lu) (int n, REAL *a, gint32 *pivot)
{
  int info;

  LAPACK (getrf) (&n, &n, a, &n, pivot, &info);
  return info;
}

static int
NAME (lu_inverse) (int n, REAL *lu, const gint32 *pivot, REAL *work)
{
  int info;

  LAPACK (getri) (&n, lu, &n, pivot, work, &n, &info);
  return info;
}

/* The factors are those of the transpose. */
static int
NAME (lu_solve) (const HybLu *lu, gboolean transposed, int k, REAL *b)
{
  int n = (int) lu->n, info;

  LAPACK (getrs) (transposed ? "N" : "T", &n, &k, lu->lu, &n, lu->pivot, b, &n, &info, 1);
  return info;
}

/* --- Routines with a workspace --- */

/* The numbers of REALs and ints that syevd needs. */
static void
NAME (eigen_symmetric_sizes) (int n, int *reals, int *integers)
{
  int  query = -1, info;
  REAL best, unused;

  LAPACK (syevd)
  ("V", "U", &n, &unused, &n, &unused, &best, &query, integers, &query, &info, 1, 1);
  *reals = (int) best;
}

/* The number of REALs that geev needs with eigenvectors, which is more than without. */
static int
NAME (eigen_size) (int n)
{
  int  query = -1, one = 1, info;
  REAL best, unused;

  LAPACK (geev)
  ("N", "V", &n, &unused, &n, &unused, &unused, &unused, &one, &unused, &n, &best, &query, &info, 1,
   1);
  return (int) best;
}

/* The number of REALs that geqrf and orgqr need, the m factors between them not counted. */
static int
NAME (lq_size) (int m, int n)
{
  int  query = -1, info;
  REAL best[2], unused;

  LAPACK (geqrf) (&n, &m, &unused, &n, &unused, &best[0], &query, &info);
  LAPACK (orgqr) (&n, &m, &m, &unused, &n, &unused, &best[1], &query, &info);
  return (int) MAX (best[0], best[1]);
}

/* The number of REALs that gesvd needs. */
static int
NAME (svd_size) (int m, int n)
{
  int  query = -1, one = 1, info;
  REAL best, unused;

  LAPACK (gesvd)
  ("O", "S", &n, &m, &unused, &n, &unused, &unused, &one, &unused, &m, &best, &query, &info, 1, 1);
  return (int) best;
}

/* Bytes for the routine and an m × n matrix. */
static gsize
NAME (workspace) (HybLapackRoutine routine, int m, int n)
{
  int reals, integers = 0;

  switch (routine)
    {
    case HYB_LAPACK_LQ:
      reals = m + NAME (lq_size) (m, n);
      break;
    case HYB_LAPACK_SVD:
      reals = NAME (svd_size) (m, n);
      break;
    case HYB_LAPACK_EIGEN:
      reals = NAME (eigen_size) (n);
      break;
    case HYB_LAPACK_EIGEN_SYMMETRIC:
    default:
      NAME (eigen_symmetric_sizes) (n, &reals, &integers);
    }
  return (gsize) reals * sizeof (REAL) + (gsize) integers * sizeof (int);
}

static int
NAME (eigen_symmetric) (int n, REAL *a, REAL *values, REAL *work)
{
  int size, integers, info;

  if (!NAME (is_finite) (a, n, n, TRUE))
    {
      NAME (spoil) (a, (gint64) n * n);
      NAME (spoil) (values, n);
      return 0;
    }

  NAME (eigen_symmetric_sizes) (n, &size, &integers);
  LAPACK (syevd)
  ("V", "U", &n, a, &n, values, work, &size, (int *) (gpointer) (work + size), &integers, &info, 1,
   1);

  for (gint64 i = 0; i < n; i++)
    NAME (fix_sign) (a + i * n, n);
  return info;
}

/* The right eigenvectors of a matrix by rows are those of the transposed copy by columns. */
static int
NAME (eigen) (int n, REAL *a, const HybEigen *to, REAL *work)
{
  REAL *real = to->real, *imaginary = to->imaginary, *vectors = to->vectors;
  int   one = 1, size = NAME (eigen_size) (n), info;
  REAL  unused;

  if (!NAME (is_finite) (a, n, n, FALSE))
    {
      NAME (spoil) (real, n);
      memset (imaginary, 0, (gsize) n * sizeof (REAL));
      if (vectors)
        NAME (spoil) (vectors, (gint64) n * n);
      return 0;
    }

  /* Transposed in place: LAPACK reads columns. */
  for (gint64 i = 0; i < n; i++)
    for (gint64 j = 0; j < i; j++)
      {
        REAL swap = a[i * n + j];

        a[i * n + j] = a[j * n + i];
        a[j * n + i] = swap;
      }
  LAPACK (geev)
  ("N", vectors ? "V" : "N", &n, a, &n, real, imaginary, &unused, &one, vectors ? vectors : &unused,
   vectors ? &n : &one, work, &size, &info, 1, 1);
  return info;
}

/* a = L Q by rows is aᵀ = Qᵀ Lᵀ by columns: a QR factorisation of an n × m matrix. */
static int
NAME (lq) (const HybLq *lq, REAL *tau)
{
  int   m = (int) lq->m, n = (int) lq->n, size = NAME (lq_size) (m, n), info;
  REAL *a = lq->a, *l = lq->l, *work = tau + m;

  LAPACK (geqrf) (&n, &m, a, &n, tau, work, &size, &info);
  for (gint64 i = 0; i < m; i++)
    for (gint64 j = 0; j < m; j++)
      l[i * m + j] = j <= i ? a[i * n + j] : 0;
  LAPACK (orgqr) (&n, &m, &m, a, &n, tau, work, &size, &info);
  return info;
}

/* By columns the matrix is aᵀ = vᵀ diag (values) utᵀ. */
static int
NAME (svd) (const HybSvd *svd, REAL *work)
{
  int   m = (int) svd->m, n = (int) svd->n;
  REAL *a = svd->a, *ut = svd->ut, *values = svd->values;
  int   size = NAME (svd_size) (m, n), info, one = 1;
  REAL  unused;

  if (!NAME (is_finite) (a, m, n, FALSE))
    {
      NAME (spoil) (a, (gint64) m * n);
      NAME (spoil) (ut, (gint64) m * m);
      NAME (spoil) (values, m);
      return 0;
    }

  LAPACK (gesvd)
  ("O", "S", &n, &m, a, &n, values, &unused, &one, ut, &m, work, &size, &info, 1, 1);

  /* Row i of v belongs to column i of ut. */
  for (gint64 i = 0; i < m; i++)
    if (NAME (fix_sign) (a + i * n, n))
      for (gint64 j = 0; j < m; j++)
        ut[j * m + i] = -ut[j * m + i];
  return info;
}
