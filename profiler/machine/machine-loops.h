/* machine-loops.h — loops of one level of vector instructions that are timed; see each-simd.h.
 *
 * Included once for each level by machine-samples.c.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Combines n floats, a multiple of 8 vectors, and returns something of all of them. */
static TARGET float
SIMD (read_floats) (const float *from, gsize n)
{
  Ints first = { 0 }, second = { 0 }, third = { 0 }, fourth = { 0 };

  for (gsize i = 0; i < n; i += 8 * LANES)
    {
      first |= (Ints) simd_load (from + i);
      second |= (Ints) simd_load (from + i + LANES);
      third |= (Ints) simd_load (from + i + 2 * LANES);
      fourth |= (Ints) simd_load (from + i + 3 * LANES);
      first |= (Ints) simd_load (from + i + 4 * LANES);
      second |= (Ints) simd_load (from + i + 5 * LANES);
      third |= (Ints) simd_load (from + i + 6 * LANES);
      fourth |= (Ints) simd_load (from + i + 7 * LANES);
    }
  return simd_sum ((Floats) (first | second | third | fourth));
}

/* Computes `steps` multiply-adds in each lane of CHAINS vectors, and returns something of all of them. */
static TARGET float
SIMD (multiply_add) (const float *from, gsize steps)
{
  Floats a = simd_load_register (from), b = simd_load_register (from + LANES), sum = { 0 };
  Floats chains[CHAINS];

#pragma GCC unroll 16
  for (guint i = 0; i < CHAINS; i++)
    chains[i] = simd_load (from + (2 + i) * LANES); /* the compiler would compute equal ones once */
  for (gsize step = 0; step < steps; step++)
    {
#pragma GCC unroll 16
      for (guint i = 0; i < CHAINS; i++)
        chains[i] = simd_multiply_add (chains[i], a, b);
    }
#pragma GCC unroll 16
  for (guint i = 0; i < CHAINS; i++)
    sum += chains[i];
  return simd_sum (sum);
}
