/* product-kernels.c — the inner loops of products of 8-bit integers for each instruction set, from product-kernel.h.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/kernels/integers/product-private.h"

#include "engine/kernels/integers/copy-bytes.h"
#include "engine/kernels/vectorise.h"

#define SIMD_KERNEL "engine/kernels/integers/product-kernel.h"
#include "engine/kernels/simd/each-simd.h"

#ifdef __x86_64__
#include <cpuid.h>
#include <stdatomic.h>

#define USES_VNNI
#define INLINE static inline __attribute__ ((always_inline)) TARGET

#define SIMD(x) x##_vnni
#define TARGET  __attribute__ ((target ("avx512f,avx512dq,avx512bw,avx512vl,avx512vnni")))
#define LANES   16
#define Ints    Ints_avx512
#define Words   Words_avx512
#include "engine/kernels/integers/product-kernel.h"
#include "engine/kernels/simd/simd-undefine.h"

#define SIMD(x) x##_avx_vnni
#define TARGET  __attribute__ ((target ("avx2,fma,f16c,avxvnni")))
#define LANES   8
#define Ints    Ints_avx2
#define Words   Words_avx2
#include "engine/kernels/integers/product-kernel.h"
#include "engine/kernels/simd/simd-undefine.h"
#endif

static gboolean
is_always_there (void)
{
  return TRUE;
}

#ifdef __x86_64__
static gboolean
has_vnni (void)
{
  return __builtin_cpu_supports ("avx512vnni") != 0;
}

/* The instruction for 256 bits that needs no AVX-512: bit 4 of EAX of leaf 7, part 1.  A virtual machine takes
 * microseconds for CPUID, so the answer is kept. */
static gboolean
has_avx_vnni (void)
{
  static _Atomic int answer = -1;
  int                known = atomic_load_explicit (&answer, memory_order_relaxed);
  unsigned           a = 0, b, c, d;

  if (known < 0)
    {
      known = __get_cpuid_count (7, 1, &a, &b, &c, &d) && (a & 1u << 4) != 0;
      atomic_store_explicit (&answer, known, memory_order_relaxed);
    }
  return known;
}
#endif

/* The kernels that processors choose from, the best first. */
static const struct
{
  const HybIntegerKernels *kernels;
  HybSimdLevel             level;
  gboolean (*is_there) (void);
  gboolean
      is_beyond_level; /* processors of this level need not have it: chosen only where it is the processor's own */
} sets[] = {
#ifdef __x86_64__
  { &kernels_vnni, HYB_SIMD_AVX512, has_vnni, FALSE },
  { &kernels_avx512, HYB_SIMD_AVX512, is_always_there, FALSE },
  { &kernels_avx_vnni, HYB_SIMD_AVX2, has_avx_vnni, TRUE },
  { &kernels_avx2, HYB_SIMD_AVX2, is_always_there, FALSE },
#endif
  { &kernels_plain, HYB_SIMD_PLAIN, is_always_there, FALSE },
};

static gboolean
can_run (guint set)
{
  return sets[set].level <= hyb_simd_level () && sets[set].is_there ();
}

const HybIntegerKernels *
hyb_integer_kernels_with (guint index)
{
  for (guint i = 0; i < G_N_ELEMENTS (sets); i++)
    if (can_run (i) && index-- == 0)
      return sets[i].kernels;
  return NULL;
}

const HybIntegerKernels *
hyb_integer_kernels (void)
{
  HybSimdLevel own = hyb_simd_processor_level ();

  for (guint i = 0; i < G_N_ELEMENTS (sets); i++)
    if (can_run (i) && (!sets[i].is_beyond_level || sets[i].level == own))
      return sets[i].kernels;
  g_assert_not_reached ();
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
  gint64 at = 0;

  for (; at + width <= columns; at += width)
    multiply[kernels->n_vectors][n_rows](operands, at);
  if (at < columns)
    multiply[(columns - at) / kernels->lanes][n_rows](operands, at);
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
