/* half-gemm.c — matrix products of half floats, for each block of rows of A: convert it to floats, multiply it
 * with B, which is converted while it is packed, and round the sums.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/kernels/matrix/half-gemm.h"

#include "engine/kernels/matrix/panels.h"

#include <string.h>

gsize
hyb_half_gemm_workspace (gint64 m, gint64 n, gint64 k)
{
  gsize rows = (gsize) CLAMP (m, 0, HYB_PANELS_MAX_ROWS), floats, bytes;

  return g_size_checked_add (&floats, (gsize) n, (gsize) k) &&
                 g_size_checked_mul (&bytes, floats, rows * sizeof (float))
             ? bytes
             : G_MAXSIZE;
}

/* Computes `rows` rows of C from row `first` on. */
static void
multiply_rows (const HybHalfGemm *gemm, gint64 first, gint64 rows)
{
  gsize   item = hyb_dtype_size (gemm->dtype);
  float  *a = gemm->workspace, *c = a + rows * gemm->k;
  HybGemm shape = { .m = rows,
                    .n = gemm->n,
                    .k = gemm->k,
                    .lda = gemm->k,
                    .ldb = gemm->n,
                    .ldc = gemm->n,
                    .alpha = 1 };

  hyb_dtype_convert (a, HYB_F32, (const char *) gemm->a + (gsize) (first * gemm->k) * item,
                     gemm->dtype, (gsize) (rows * gemm->k));
  hyb_panels_gemm_half (&shape, a, gemm->dtype, gemm->b, c);
  hyb_dtype_convert ((char *) gemm->c + (gsize) (first * gemm->n) * item, gemm->dtype, c, HYB_F32,
                     (gsize) (rows * gemm->n));
}

void
hyb_half_gemm (const HybHalfGemm *gemm)
{
  if (gemm->k == 0)
    {
      memset (gemm->c, 0, (gsize) (gemm->m * gemm->n) * hyb_dtype_size (gemm->dtype));
      return;
    }
  for (gint64 i = 0; i < gemm->m && gemm->n > 0; i += HYB_PANELS_MAX_ROWS)
    multiply_rows (gemm, i, MIN (gemm->m - i, HYB_PANELS_MAX_ROWS));
}
