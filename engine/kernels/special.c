/* special.c — log-gamma, digamma and the inverse of erf.
 *
 * Each function names its series or approximation above its definition.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/kernels/special.h"

#include <math.h>

double
hyb_log_gamma (double x)
{
  int sign; /* lgamma() would write the global signgam */

  return lgamma_r (x, &sign);
}

/* Raises x to 12 or more by ψ(x) = ψ(x + 1) − 1/x, then sums the asymptotic series
 * ψ(x) ~ log x − 1/(2x) − Σ B₂ₖ / (2k x²ᵏ), whose terms are in `coefficients`.  For negative x
 * uses the reflection ψ(x) = ψ(1 − x) − π / tan(π x). */
double
hyb_digamma (double x)
{
  static const double coefficients[] = {
    -1 / 12.0, 1 / 120.0, -1 / 252.0, 1 / 240.0, -1 / 132.0, 691 / 32760.0, -1 / 12.0,
  };
  double sum = 0;
  double power = 1;

  if (x <= 0)
    return x == floor (x) ? INFINITY : hyb_digamma (1 - x) - M_PI / tan (M_PI * x);
  for (; x < 12; x++)
    sum -= 1 / x;
  sum += log (x) - 0.5 / x;
  for (unsigned k = 0; k < sizeof coefficients / sizeof coefficients[0]; k++)
    {
      power /= x * x;
      sum += coefficients[k] * power;
    }
  return sum;
}

/* Winitzki's approximation (relative error 2e-3), refined by three steps of Halley's method on
 * erf(x) − y: x −= u / (1 + x u) with u = (erf(x) − y) √π/2 exp(x²).  Near ±1 the error is
 * computed with erfc(), which keeps the digits that erf() loses. */
double
hyb_erf_inverse (double y)
{
  const double a = 0.147;
  double       size = fabs (y);
  double       logarithm, half, x;

  if (!(size < 1))
    return size == 1 ? copysign (INFINITY, y) : NAN;
  if (y == 0)
    return y;

  logarithm = log1p (-size * size);
  half = 2 / (M_PI * a) + logarithm / 2;
  x = sqrt (sqrt (half * half - logarithm / a) - half);
  for (int round = 0; round < 3; round++)
    {
      double error = size > 0.5 ? (1 - size) - erfc (x) : erf (x) - size;
      double u = error * sqrt (M_PI) / 2 * exp (x * x);

      x -= u / (1 + x * u);
    }
  return copysign (x, y);
}
