/* cell-form.c — one row of cells with functions, limits and weights of their own; the formulas are in cell-form.h.
 *
 * Each function goes over a whole row, which is in the first-level cache.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/kernels/recurrent/cell-form.h"

/* Adds the bias of n gate elements, starting at `first`, if the sums do not contain it yet. */
static void
complete (const HybCellRow *row, gint64 first, gint64 n)
{
  float       *sums = row->gates;
  const float *bias = row->bias;

  for (gint64 j = first; j < first + n && bias; j++)
    sums[j] += bias[j];
}

/* A function of n limited sums.  NaN stays NaN. */
static void
activate (const HybCellRow *row, guint function, gint64 n, float *x)
{
  float limit = (float) row->net->form->clip;

  for (gint64 j = 0; j < n && limit > 0; j++)
    x[j] = x[j] < -limit ? -limit : x[j] > limit ? limit : x[j];
  hyb_cell_function_apply (&row->functions[function], n, x);
}

/* x[j] += weights[j] cell[j]; nothing without weights. */
static void
look (gint64 n, const float *weights, const float *cell, float *x)
{
  for (gint64 j = 0; j < n && weights; j++)
    x[j] += weights[j] * cell[j];
}

static void
rnn_row (const HybCellRow *row)
{
  gint64 H = row->net->hidden;
  float *h = row->h, *sums = row->gates;

  complete (row, 0, H);
  activate (row, 0, H, sums);
  for (gint64 j = 0; j < H; j++)
    h[j] = sums[j];
}

static void
lstm_row (const HybCellRow *row)
{
  gint64       H = row->net->hidden;
  float       *i = row->gates, *f = i + H, *g = f + H, *o = g + H, *c = row->cell, *h = row->h;
  const float *before = row->cell_before, *p = row->peepholes;
  gboolean     joins = row->net->form->couples_input_forget;

  complete (row, 0, 4 * H);
  look (H, p, before, i);
  if (joins)
    activate (row, 0, H, i);
  else
    {
      look (H, p ? p + H : NULL, before, f);
      activate (row, 0, 2 * H, i);
    }
  activate (row, 1, H, g);
  for (gint64 j = 0; j < H; j++)
    {
      float kept = joins ? 1 - i[j] : f[j];

      h[j] = c[j] = kept * before[j] + i[j] * g[j];
    }
  look (H, p ? p + 2 * H : NULL, c, o);
  activate (row, 0, H, o);
  /* The cell is not limited. */
  hyb_cell_function_apply (&row->functions[2], H, h);
  for (gint64 j = 0; j < H; j++)
    h[j] *= o[j];
}

/* Adds r (W_hn h' + b_hn) to the sum of n, from the sums of r and z without their products. */
static void
reset_late (const HybCellRow *row)
{
  gint64       H = row->net->hidden;
  float       *r = row->gates, *n = r + 2 * H;
  const float *recurrent = row->recurrent, *bias = row->candidate_bias;

  complete (row, 0, 3 * H);
  for (gint64 j = 0; j < 2 * H; j++)
    r[j] += recurrent[j];
  activate (row, 0, 2 * H, r);
  for (gint64 j = 0; j < H; j++)
    n[j] += r[j] * (recurrent[2 * H + j] + bias[j]);
}

static void
gru_row (const HybCellRow *row)
{
  gint64       H = row->net->hidden;
  float       *z = (float *) row->gates + H, *n = z + H, *h = row->h;
  const float *before = row->before;

  if (row->net->form->resets_first)
    complete (row, 2 * H, H);
  else
    reset_late (row);
  activate (row, 1, H, n);
  for (gint64 j = 0; j < H; j++)
    h[j] = (1 - z[j]) * n[j] + z[j] * before[j];
}

void
hyb_cell_form_reset (const HybCellRow *row, float *product)
{
  gint64       H = row->net->hidden;
  float       *r = row->gates;
  const float *before = row->before;

  complete (row, 0, 2 * H);
  activate (row, 0, 2 * H, r);
  for (gint64 j = 0; j < H; j++)
    product[j] = r[j] * before[j];
}

void
hyb_cell_form_forward (const HybCellRow *row)
{
  static void (*const cells[HYB_RNN_N_MODES]) (const HybCellRow *row) = {
    [HYB_RNN_RELU] = rnn_row,
    [HYB_RNN_TANH] = rnn_row,
    [HYB_RNN_LSTM] = lstm_row,
    [HYB_RNN_GRU] = gru_row,
  };

  cells[row->net->cell](row);
}
