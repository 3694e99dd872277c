/* product-kernels.c — the inner loops of products of 8-bit integers for each instruction set, from product-kernel.h.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/kernels/integers/product-private.h"

#include "engine/kernels/vectorise.h"

#define SIMD_KERNEL "engine/kernels/integers/product-kernel.h"
#include "engine/kernels/simd/each-simd.h"

#ifdef __x86_64__
#define SIMD(x) x##_vnni
#define TARGET  __attribute__ ((target ("avx512f,avx512dq,avx512bw,avx512vl,avx512vnni")))
#define INLINE  static inline __attribute__ ((always_inline)) TARGET
#define LANES   16
#define USES_VNNI
#define Ints  Ints_avx512
#define Words Words_avx512
#include "engine/kernels/integers/product-kernel.h"
#endif

/* The kernels that processors of x86-64 choose from, the best first. */
static const struct
{
  const HybIntegerKernels *kernels;
  HybSimdLevel             level;
  gboolean                 uses_vnni;
} sets[] = {
#ifdef __x86_64__
  { &kernels_vnni, HYB_SIMD_AVX512, TRUE },
  { &kernels_avx512, HYB_SIMD_AVX512, FALSE },
  { &kernels_avx2, HYB_SIMD_AVX2, FALSE },
#endif
  { &kernels_plain, HYB_SIMD_PLAIN, FALSE },
};

static gboolean
has_vnni (void)
{
#ifdef __x86_64__
  return __builtin_cpu_supports ("avx512vnni") != 0;
#else
  return FALSE;
#endif
}

const HybIntegerKernels *
hyb_integer_kernels_with (guint index)
{
  HybSimdLevel level = hyb_simd_level ();

  for (guint i = 0; i < G_N_ELEMENTS (sets); i++)
    if (sets[i].level <= level && (!sets[i].uses_vnni || has_vnni ()) && index-- == 0)
      return sets[i].kernels;
  return NULL;
}

const HybIntegerKernels *
hyb_integer_kernels (void)
{
  return hyb_integer_kernels_with (0);
}

gint64
hyb_integer_strip_rows (const HybIntegerKernels *kernels, gint64 columns)
{
  return kernels->max_rows[MIN (columns / kernels->lanes, kernels->n_vectors)];
}

void
hyb_integer_multiply_strip (const HybIntegerKernels  *kernels,
                            const HybIntegerKernel    multiply[][HYB_INTEGER_MAX_ROWS + 1],
                            const HybIntegerOperands *operands,
                            gint64                    n_rows,
                            gint64                    columns)
{
  gint64 width = kernels->n_vectors * kernels->lanes;

  for (gint64 at = 0; at < columns; at += width)
    {
      HybIntegerOperands panel = *operands;

      panel.panel += at * operands->n_groups * kernels->group;
      panel.start += at;
      panel.y += at;
      multiply[MIN (width, columns - at) / kernels->lanes][n_rows](&panel);
    }
}

void
hyb_integer_finish (const HybIntegerKernels *kernels,
                    HybDType                 dtype,
                    const HybIntegerFinish  *finish,
                    gpointer                 y)
{
  if (dtype == HYB_I32)
    memcpy (y, finish->sums, (gsize) finish->n * sizeof (gint32));
  else if (dtype == HYB_F32)
    kernels->to_floats (finish, y);
  else if (dtype == HYB_I8)
    kernels->to_i8 (finish, y);
  else
    kernels->to_u8 (finish, y);
}
