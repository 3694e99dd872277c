/* special.h — special functions that the C library lacks or has with global state.
 *
 * Relative error below 1e-14 in the range where the result is neither tiny nor huge.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

double hyb_log_gamma (double x);   /* log |Γ(x)|; inf at 0, −1, −2 … */
double hyb_digamma (double x);     /* Γ′(x) / Γ(x); NaN at 0, −1, −2 … */
double hyb_erf_inverse (double y); /* ±inf at ±1, NaN outside */
