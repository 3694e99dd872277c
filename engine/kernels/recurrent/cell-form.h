/* cell-form.h — cells with functions, limits and weights that MXNet's cells do not have, and a GRU whose reset gate is applied
 * before the product.
 *
 * Forward passes of floats only.  Sizes are named as in recurrent.h.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/kernels/recurrent/recurrent-cell.h"

/* Limits the sums of gates to ±clip, if the form says so, applies its functions, and writes row->h, the LSTM's row->cell too:
 *
 *   RNN:  h = f0 (a)
 *   GRU:  r, z = f0 of their sums; n = f1 (its sum + r (W_hn h' + b_hn)), or with resets_first f1 (its sum, in which W_hn (r h')
 *         is); h = (1 − z) n + z h'
 *   LSTM: i, f = f0 (sum + p c'), or f = 1 − i; g = f1 (sum); c = f c' + i g; o = f0 (sum + p c); h = o f2 (c)
 */
void hyb_cell_form_forward (const HybCellRow *row);
/* With resets_first, before the product that n needs: replaces the sums of r and z by the gates and writes r h' (H). */
void hyb_cell_form_reset (const HybCellRow *row, float *product);
