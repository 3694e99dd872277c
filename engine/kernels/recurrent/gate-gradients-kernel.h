/* gate-gradients-kernel.h — the loops of gate-gradients.c for one instruction set; see each-simd.h.
 *
 * Products and sums are rounded one by one, as those of the single operators are.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* LANES elements at k, or the last n of a row. */
#define READ(p) (is_part ? simd_load_part ((p) + k, n) : simd_load ((p) + k))
#define WRITE(p, v)                        \
  do                                       \
    {                                      \
      if (is_part)                         \
        simd_store_part ((p) + k, n, (v)); \
      else                                 \
        simd_store ((p) + k, (v));         \
    }                                      \
  while (0)

INLINE Floats
SIMD (sigmoid_slope) (Floats y)
{
  return (simd_fill (1) - y) * y;
}

INLINE Floats
SIMD (tanh_slope) (Floats y)
{
  return simd_fill (1) - y * y;
}

/* dc = dc' + dh o (1 − tanh² c); then the gradients of the sums of i, f, g, o, and f dc. */
INLINE void
SIMD (lstm_step) (const HybLstmGradient *a, gint64 k, gint64 n, const gboolean is_part)
{
  Floats dh = READ (a->output), o = READ (a->o), t = READ (a->t);
  Floats i = READ (a->i), f = READ (a->f), g = READ (a->g), before = READ (a->before);
  Floats dc = SIMD (tanh_slope) (t) * (dh * o);

  if (a->cell)
    dc = READ (a->cell) + dc;
  WRITE (a->to_i, SIMD (sigmoid_slope) (i) * (dc * g));
  WRITE (a->to_f, SIMD (sigmoid_slope) (f) * (dc * before));
  WRITE (a->to_g, SIMD (tanh_slope) (g) * (dc * i));
  WRITE (a->to_o, SIMD (sigmoid_slope) (o) * (dh * t));
  WRITE (a->to_before, dc * f);
}

/* dc = dh (1 − z) (1 − c²), dr = dc y, dz = dh h' − dh c; y gets r dc, and h' gets z dh. */
INLINE void
SIMD (gru_step) (const HybGruGradient *a, gint64 k, gint64 n, const gboolean is_part)
{
  Floats dh = READ (a->output), r = READ (a->r), z = READ (a->z), c = READ (a->c);
  Floats y = READ (a->y), before = READ (a->before);
  Floats dc = SIMD (tanh_slope) (c) * (dh * (simd_fill (1) - z));
  Floats dr = SIMD (sigmoid_slope) (r) * (dc * y);
  Floats dz = SIMD (sigmoid_slope) (z) * (dh * before - dh * c);

  WRITE (a->to_r[0], dr);
  WRITE (a->to_r[1], dr);
  WRITE (a->to_z[0], dz);
  WRITE (a->to_z[1], dz);
  WRITE (a->to_c, dc);
  WRITE (a->to_y, dc * r);
  WRITE (a->to_before, dh * z);
}

#define ALL(name, Gradient)                                    \
  static TARGET void SIMD (name) (const Gradient *gradient)    \
  {                                                            \
    gint64 k = 0;                                              \
                                                               \
    for (; k + LANES <= gradient->n; k += LANES)               \
      SIMD (name##_step) (gradient, k, LANES, FALSE);          \
    if (k < gradient->n)                                       \
      SIMD (name##_step) (gradient, k, gradient->n - k, TRUE); \
  }

ALL (lstm, HybLstmGradient)
ALL (gru, HybGruGradient)

#undef ALL
#undef READ
#undef WRITE
