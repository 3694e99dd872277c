/* recurrent-cell-typed.h — the arithmetic of recurrent cells for one element type.
 *
 * Each function runs over j < H of one row; formulas are above the functions, where a prime means
 * the step before.  recurrent-cell-f32.c and recurrent-cell-f64.c include this file once each and
 * define Real, real_tanh and real_sigmoid (over arrays), real_gemm, and CELL_MATHS, the name of the
 * table at the end, in which LSTM_FORWARD and GRU_FORWARD stand, lstm_forward() and gru_forward()
 * or functions that call them.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/base/random.h"
#include "engine/kernels/recurrent/recurrent-cell.h"

#include <string.h>

static void
add (gint64 n, gconstpointer x_data, gconstpointer y_data, gpointer sum_data)
{
  const Real *x = x_data;
  const Real *y = y_data;
  Real       *sum = sum_data;

  for (gint64 i = 0; i < n; i++)
    sum[i] = x[i] + y[i];
}

static void
multiply (gint64 n, gconstpointer x_data, gconstpointer y_data, gpointer product_data)
{
  const Real *x = x_data;
  const Real *y = y_data;
  Real       *product = product_data;

  for (gint64 i = 0; i < n; i++)
    product[i] = x[i] * y[i];
}

static void
make_mask (gint64 n, guint64 seed, guint64 index, double p, gpointer mask_data)
{
  Real *mask = mask_data;
  Real  scale = (Real) (1 / (1 - p));
  float uniform[256];

  for (gint64 begin = 0; begin < n; begin += 256)
    {
      gint64 count = MIN (n - begin, 256);

      hyb_random_uniform_fill (seed, index + (guint64) begin, uniform, (gsize) count);
      for (gint64 i = 0; i < count; i++)
        mask[begin + i] = uniform[i] < (float) p ? 0 : scale;
    }
}

static void
sum_rows (gint64 rows, gint64 columns, gconstpointer x_data, gpointer sum_data)
{
  const Real *x = x_data;
  Real       *sum = sum_data;

  memset (sum, 0, (gsize) columns * sizeof (Real));
  for (gint64 r = 0; r < rows; r++)
    for (gint64 c = 0; c < columns; c++)
      sum[c] += x[r * columns + c];
}

/* Adds the bias, if it is not contained in the gates yet. */
static void
complete_gates (const HybCellRow *row, gint64 n)
{
  Real       *gates = row->gates;
  const Real *bias = row->bias;

  for (gint64 j = 0; j < n && bias; j++)
    gates[j] += bias[j];
}

/* h = max (a, 0), NaN if a is; a is the only gate. */
static void
relu_forward (const HybCellRow *row)
{
  gint64 H = row->net->hidden;
  Real  *gates = row->gates;
  Real  *h = row->h;

  complete_gates (row, H);
  for (gint64 j = 0; j < H; j++)
    h[j] = gates[j] > 0 || gates[j] != gates[j] ? gates[j] : 0;
}

/* h = tanh (a). */
static void
tanh_forward (const HybCellRow *row)
{
  complete_gates (row, row->net->hidden);
  real_tanh (row->net->hidden, row->gates, row->h);
}

/* Limits c to [clip_min, clip_max]; NaN stays NaN or, with clip_nan, becomes clip_min. */
static Real
clip (const HybRecurrent *net, Real c)
{
  if (net->clip_nan && c != c)
    return (Real) net->clip_min;
  return c < net->clip_min ? (Real) net->clip_min : c > net->clip_max ? (Real) net->clip_max : c;
}

/* i, f, o = sigmoid, g = tanh of their gates; c = f c' + i g; h = o tanh (c). */
static void
lstm_forward (const HybCellRow *row)
{
  gint64      H = row->net->hidden;
  Real       *i = row->gates;
  Real       *f = i + H;
  Real       *g = f + H;
  Real       *o = g + H;
  const Real *before = row->cell_before;
  Real       *c = row->cell;
  Real       *h = row->h;

  complete_gates (row, 4 * H);
  real_sigmoid (2 * H, i, i);
  real_tanh (H, g, g);
  real_sigmoid (H, o, o);

  for (gint64 j = 0; j < H; j++)
    c[j] = f[j] * before[j] + i[j] * g[j];
  if (row->net->clips)
    for (gint64 j = 0; j < H; j++)
      c[j] = clip (row->net, c[j]);

  real_tanh (H, c, h);
  for (gint64 j = 0; j < H; j++)
    h[j] *= o[j];
}

/* r, z = sigmoid of their gates; n = tanh (W_in x + b_in + r (W_hn h' + b_hn)); h = (1 - z) n +
 * z h'. */
static void
gru_forward (const HybCellRow *row)
{
  gint64      H = row->net->hidden;
  Real       *r = row->gates;
  Real       *z = r + H;
  Real       *n = z + H;
  const Real *recurrent = row->recurrent;
  const Real *bias = row->candidate_bias;
  const Real *before = row->before;
  Real       *candidate = row->candidate;
  Real       *h = row->h;

  complete_gates (row, 3 * H);
  for (gint64 j = 0; j < 2 * H; j++)
    r[j] += recurrent[j];
  real_sigmoid (2 * H, r, r);

  /* The reset gate multiplies the product with its bias (W_hn h' + b_hn), so this sum stays
   * separate from the gates; the backward pass reads it again. */
  for (gint64 j = 0; j < H; j++)
    {
      Real linear = recurrent[2 * H + j] + bias[j];

      n[j] += r[j] * linear;
      if (candidate)
        candidate[j] = linear;
    }
  real_tanh (H, n, n);

  for (gint64 j = 0; j < H; j++)
    h[j] = (1 - z[j]) * n[j] + z[j] * before[j];
}

/* da = dh where h > 0. */
static void
relu_backward (const HybCellGradient *row)
{
  const Real *h = row->h;
  const Real *dh = row->dh;
  Real       *da = row->dgates;

  for (gint64 j = 0; j < row->net->hidden; j++)
    da[j] = h[j] > 0 ? dh[j] : 0;
}

/* da = dh (1 - h²). */
static void
tanh_backward (const HybCellGradient *row)
{
  const Real *h = row->h;
  const Real *dh = row->dh;
  Real       *da = row->dgates;

  for (gint64 j = 0; j < row->net->hidden; j++)
    da[j] = dh[j] * (1 - h[j] * h[j]);
}

/* Whether clipping leaves c unchanged, so that its gradient passes. */
static gboolean
passed_clipping (const HybRecurrent *net, Real c)
{
  return c >= net->clip_min && c <= net->clip_max;
}

/* With t = tanh (c) and dc += dh o (1 - t²): do = dh t o (1 - o), di = dc g i (1 - i),
 * df = dc c' f (1 - f), dg = dc i (1 - g²), dc' = dc f.  dO is used for t first. */
static void
lstm_backward (const HybCellGradient *row)
{
  gint64      H = row->net->hidden;
  const Real *i = row->gates;
  const Real *f = i + H;
  const Real *g = f + H;
  const Real *o = g + H;
  const Real *before = row->cell_before;
  const Real *dh = row->dh;
  Real       *dc = row->dcell;
  Real       *di = row->dgates;
  Real       *df = di + H;
  Real       *dg = df + H;
  Real       *dO = dg + H;

  real_tanh (H, row->cell, dO);
  for (gint64 j = 0; j < H; j++)
    {
      Real t = dO[j];
      Real d = dc[j] + dh[j] * o[j] * (1 - t * t);

      /* f, c', i and g give c before it was clipped; where clipping changed it, nothing flows into
       * the gates or the earlier steps. */
      if (row->net->clips && !passed_clipping (row->net, f[j] * before[j] + i[j] * g[j]))
        d = 0;
      dO[j] = dh[j] * t * o[j] * (1 - o[j]);
      di[j] = d * g[j] * i[j] * (1 - i[j]);
      df[j] = d * before[j] * f[j] * (1 - f[j]);
      dg[j] = d * i[j] * (1 - g[j] * g[j]);
      dc[j] = d * f[j];
    }
}

/* dn = dh (1 - z) (1 - n²), dz = dh (h' - n) z (1 - z), dr = dn (W_hn h' + b_hn) r (1 - r); r and z
 * have the same gradient on both sides, n has dn r on the recurrent side; dh' = dh z. */
static void
gru_backward (const HybCellGradient *row)
{
  gint64      H = row->net->hidden;
  const Real *r = row->gates;
  const Real *z = r + H;
  const Real *n = z + H;
  const Real *linear = row->candidate;
  const Real *before = row->before;
  const Real *dh = row->dh;
  Real       *dbefore = row->dbefore;
  Real       *dx = row->dgates;
  Real       *dr = row->drecurrent;

  for (gint64 j = 0; j < H; j++)
    {
      Real d = dh[j];
      Real dn = d * (1 - z[j]) * (1 - n[j] * n[j]);

      dx[j] = dr[j] = dn * linear[j] * r[j] * (1 - r[j]);
      dx[H + j] = dr[H + j] = d * (before[j] - n[j]) * z[j] * (1 - z[j]);
      dx[2 * H + j] = dn;
      dr[2 * H + j] = dn * r[j];
      dbefore[j] = d * z[j];
    }
}

const HybCellMaths CELL_MATHS = {
  .size = sizeof (Real),
  .gemm = real_gemm,
  .forward = { relu_forward, tanh_forward, LSTM_FORWARD, GRU_FORWARD },
  .backward = { relu_backward, tanh_backward, lstm_backward, gru_backward },
  .add = add,
  .multiply = multiply,
  .mask = make_mask,
  .sum_rows = sum_rows,
};
