/* gates-kernel.h — the loops of gates.c for one instruction set; see each-simd.h.
 *
 * A vector of a row goes through all functions before the next one.  Products and sums are rounded one by one, as those
 * of the single functions are.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/kernels/simd/vector-functions.h"

/* LANES elements at k, or the last n_part of a row. */
#define READ(p) (is_part ? simd_load_part ((p) + k, n_part) : simd_load ((p) + k))
#define WRITE(p, v)                             \
  do                                            \
    {                                           \
      if (is_part)                              \
        simd_store_part ((p) + k, n_part, (v)); \
      else                                      \
        simd_store ((p) + k, (v));              \
    }                                           \
  while (0)
/* The sum of gate `index`, with its bias. */
#define SUM(index)                                                           \
  (a->bias ? READ (a->sums + (index) *a->n) + READ (a->bias + (index) *a->n) \
           : READ (a->sums + (index) *a->n))

INLINE void
SIMD (lstm_step) (const HybLstmGates *a, gint64 k, gint64 n_part, const gboolean is_part)
{
  Floats i = SIMD (vector_sigmoid) (SUM (0)), f = SIMD (vector_sigmoid) (SUM (1));
  Floats g = SIMD (vector_tanh) (SUM (2)), o = SIMD (vector_sigmoid) (SUM (3));
  Floats c = f * READ (a->before) + i * g;

  if (a->kept)
    {
      WRITE (a->kept, i);
      WRITE (a->kept + a->n, f);
      WRITE (a->kept + 2 * a->n, g);
      WRITE (a->kept + 3 * a->n, o);
    }
  WRITE (a->cell, c);
  WRITE (a->h, SIMD (vector_tanh) (c) * o);
}

INLINE void
SIMD (gru_step) (const HybGruGates *a, gint64 k, gint64 n_part, const gboolean is_part)
{
  Floats r = SIMD (vector_sigmoid) (SUM (0) + READ (a->recurrent));
  Floats z = SIMD (vector_sigmoid) (SUM (1) + READ (a->recurrent + a->n));
  Floats linear = READ (a->recurrent + 2 * a->n) + READ (a->candidate_bias);
  Floats n = SIMD (vector_tanh) (SUM (2) + r * linear);

  if (a->kept)
    {
      WRITE (a->kept, r);
      WRITE (a->kept + a->n, z);
      WRITE (a->kept + 2 * a->n, n);
    }
  if (a->candidate)
    WRITE (a->candidate, linear);
  WRITE (a->h, (1.f - z) * n + z * READ (a->before));
}

#define ALL(name, Gates)                                 \
  static TARGET void SIMD (name) (const Gates *gates)    \
  {                                                      \
    gint64 k = 0;                                        \
                                                         \
    for (; k + LANES <= gates->n; k += LANES)            \
      SIMD (name##_step) (gates, k, LANES, FALSE);       \
    if (k < gates->n)                                    \
      SIMD (name##_step) (gates, k, gates->n - k, TRUE); \
  }

ALL (lstm, HybLstmGates)
ALL (gru, HybGruGates)

#undef ALL
#undef READ
#undef SUM
#undef WRITE
