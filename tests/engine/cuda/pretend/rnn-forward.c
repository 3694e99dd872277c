/* rnn-forward.c — the forward pass of recurrent layers, step by step in double precision.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/engine/cuda/pretend/cudnn-private.h"
#include "tests/engine/cuda/pretend/rnn-private.h"

#include <math.h>

static double
dot (const double *a, const double *b, int n)
{
  double sum = 0;

  for (int i = 0; i < n; i++)
    sum += a[i] * b[i];
  return sum;
}

static double
sigmoid (double x)
{
  return 1 / (1 + exp (-x));
}

/* Gate g of unit j before its function, from the input x alone or the state h alone. */
static double
part_of_gate (const RnnLayer *layer, int part, int j, const double *x)
{
  int           rows, columns;
  const double *bias = layer->w + rnn_weight_offset (layer->net, layer->pl, part, TRUE);

  rnn_matrix_size (layer->net, layer->pl, part, &rows, &columns);
  return dot (rnn_matrix (layer, part) + (gsize) j * (gsize) columns, x, columns) + bias[j];
}

/* One step of one sequence. */
typedef struct
{
  const double *x, *h; /* input, and state before the step */
  double       *gates; /* filled */
  double       *c;     /* cells of the LSTM, before and after */
} Cell;

/* Fills the gates of unit j and returns its state. */
static double
unit (const RnnLayer *layer, const Cell *cell, int j)
{
  const RnnNet *net = layer->net;
  double        a[5] = { 0 };
  double        recurrent = 0;
  double       *gates = cell->gates, *c = &cell->c[j];

  for (int g = 0; g < net->G; g++)
    {
      double state = part_of_gate (layer, net->G + g, j, cell->h);

      a[g] = part_of_gate (layer, g, j, cell->x);
      if (net->cell == CUDNN_GRU && g == 2)
        recurrent = state;
      else
        a[g] += state;
    }
  if (net->cell == CUDNN_LSTM)
    {
      double i = sigmoid (a[0]), f = sigmoid (a[1]), g = tanh (a[2]), o = sigmoid (a[3]);

      *c = f * *c + i * g;
      if (net->clips)
        *c = *c < net->low ? net->low : *c > net->high ? net->high : *c;
      gates[0 * net->H + j] = i;
      gates[1 * net->H + j] = f;
      gates[2 * net->H + j] = g;
      gates[3 * net->H + j] = o;
      return o * tanh (*c);
    }
  if (net->cell == CUDNN_GRU)
    {
      double r = sigmoid (a[0]), z = sigmoid (a[1]), n = tanh (a[2] + r * recurrent);

      gates[0 * net->H + j] = r;
      gates[1 * net->H + j] = z;
      gates[2 * net->H + j] = n;
      gates[3 * net->H + j] = recurrent;
      return (1 - z) * n + z * cell->h[j];
    }
  gates[j] = net->cell == CUDNN_RNN_TANH ? tanh (a[0]) : MAX (a[0], 0);
  return gates[j];
}

/* A pseudo-layer of a pass: its input (T, N, columns), and its states (N, P) and (N, H), which are replaced. */
typedef struct
{
  const RnnPass *pass;
  RnnLayer       layer;
  const double  *in;
  double        *h, *c;
} Direction;

/* The steps of sequence n. */
static void
run_sequence (const Direction *d, int n)
{
  const RnnLayer    *layer = &d->layer;
  const RnnNet      *net = layer->net;
  int                columns = rnn_input_size (net, layer->pl), length = d->pass->lengths[n];
  g_autofree double *h = g_new (double, net->H);
  double *state = d->h + (gsize) n * (gsize) net->P, *c = d->c + (gsize) n * (gsize) net->H;

  for (int s = 0; s < length; s++)
    {
      gsize cell = (gsize) rnn_step (net, layer->pl, s, length) * (gsize) net->N + (gsize) n;
      Cell  step = { d->in + cell * (gsize) columns, state,
                     layer->kept.gates + cell * ((gsize) net->G + 1) * (gsize) net->H, c };

      for (int j = 0; j < net->H; j++)
        {
          h[j] = unit (layer, &step, j);
          layer->kept.cell[cell * (gsize) net->H + (gsize) j] = c[j];
          layer->kept.raw[cell * (gsize) net->H + (gsize) j] = h[j];
        }
      for (int k = 0; k < net->P; k++)
        {
          state[k] =
              net->P < net->H
                  ? dot (rnn_matrix (layer, 2 * net->G) + (gsize) k * (gsize) net->H, h, net->H)
                  : h[k];
          layer->kept.state[cell * (gsize) net->P + (gsize) k] = state[k];
        }
    }
}

gboolean
rnn_forward (gpointer data, GError **error)
{
  const RnnPass     *pass = data;
  const RnnNet      *net = &pass->net;
  RnnSizes           sizes = rnn_sizes (net);
  g_autofree double *owned = NULL;
  double            *reserve = rnn_reserve (pass, &owned, 0, error);
  g_autofree double *in = reserve ? rnn_read (net, pass->x, sizes.x, TRUE, error) : NULL;
  g_autofree double *h = in ? rnn_read (net, pass->hx, sizes.h, FALSE, error) : NULL;
  g_autofree double *c = h ? rnn_read (net, pass->cx, sizes.c, FALSE, error) : NULL;
  g_autofree double *w = c ? rnn_read (net, pass->weights, rnn_n_weights (net), TRUE, error) : NULL;

  if (!w || !cudnn_use (pass->work, pass->work_bytes, error))
    return FALSE;
  for (int layer = 0; layer < net->L; layer++)
    {
      for (int pl = layer * net->D; pl < (layer + 1) * net->D; pl++)
        {
          Direction one = { pass,
                            { net, w, pl, rnn_kept (net, reserve, pl) },
                            in,
                            h + (gsize) pl * (gsize) net->N * (gsize) net->P,
                            c + (gsize) pl * (gsize) net->N * (gsize) net->H };

          for (int n = 0; n < net->N; n++)
            run_sequence (&one, n);
        }
      g_free (in);
      in = rnn_join_directions (pass, reserve, layer);
    }
  reserve[0] = 1;
  return rnn_write (net, pass->y, sizes.y, in, error) &&
         rnn_write (net, pass->hy, sizes.h, h, error) &&
         rnn_write (net, pass->cy, sizes.c, c, error);
}
