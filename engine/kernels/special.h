/* special.h — special functions that the C library lacks or implements with global state.
 *
 * The relative error is below 1e-14, except where the result is near zero or near overflow.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

double hyb_log_gamma (double x);   /* log |Γ(x)|; ∞ at 0, −1, −2 … */
double hyb_digamma (double x);     /* Γ′(x) / Γ(x); ∞ at the poles 0, −1, −2 … */
double hyb_erf_inverse (double y); /* the x with erf (x) = y; ±∞ at ±1, NaN beyond */
