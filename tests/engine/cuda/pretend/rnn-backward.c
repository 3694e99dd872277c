/* rnn-backward.c — the gradients of recurrent layers, step by step in double precision.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/engine/cuda/pretend/cudnn-private.h"
#include "tests/engine/cuda/pretend/element.h"
#include "tests/engine/cuda/pretend/rnn-private.h"

#include <math.h>

/* --- Gates --- */

/* One step of one sequence. */
typedef struct
{
  const RnnLayer *layer;
  const double   *gates, *cell;         /* of this step */
  const double   *before, *cell_before; /* states before it */
  const double   *draw;                 /* gradient of the state before the projection */
  double         *dgates;               /* filled */
  double         *dh, *dc; /* of the states before it; dc comes in as that of the cell */
} Step;

static void
lstm_unit (const Step *step, int j)
{
  const RnnNet *net = step->layer->net;
  int           H = net->H;
  double        i = step->gates[j], f = step->gates[H + j], g = step->gates[2 * H + j];
  double        o = step->gates[3 * H + j], tanh_c = tanh (step->cell[j]);
  double        unclipped = f * step->cell_before[j] + i * g;
  double        dc = step->dc[j] + step->draw[j] * o * (1 - tanh_c * tanh_c);

  if (net->clips && (unclipped < net->low || unclipped > net->high))
    dc = 0;
  step->dgates[j] = dc * g * i * (1 - i);
  step->dgates[H + j] = dc * step->cell_before[j] * f * (1 - f);
  step->dgates[2 * H + j] = dc * i * (1 - g * g);
  step->dgates[3 * H + j] = step->draw[j] * tanh_c * o * (1 - o);
  step->dc[j] = dc * f;
}

static void
gru_unit (const Step *step, int j)
{
  int    H = step->layer->net->H;
  double r = step->gates[j], z = step->gates[H + j], n = step->gates[2 * H + j];
  double dn = step->draw[j] * (1 - z) * (1 - n * n);

  step->dgates[j] = dn * step->gates[3 * H + j] * r * (1 - r);
  step->dgates[H + j] = step->draw[j] * (step->before[j] - n) * z * (1 - z);
  step->dgates[2 * H + j] = dn;
  step->dgates[3 * H + j] = dn * r;
  step->dh[j] += step->draw[j] * z;
}

static void
plain_unit (const Step *step, int j)
{
  double h = step->gates[j];

  step->dgates[j] = step->layer->net->cell == CUDNN_RNN_TANH ? step->draw[j] * (1 - h * h)
                    : h > 0                                  ? step->draw[j]
                                                             : 0;
}

/* The gradient of gate g of unit j, for the product with the state. */
static double
recurrent_gate (const RnnNet *net, const double *dgates, int g, int j)
{
  return dgates[(net->cell == CUDNN_GRU && g == 2 ? 3 : g) * net->H + j];
}

/* Adds matrixᵀ · gradient of all gates to a row; part: the first of the matrices. */
static void
add_products (const Step *step, int part, int columns, double *to)
{
  const RnnNet *net = step->layer->net;

  for (int g = 0; g < net->G; g++)
    for (int j = 0; j < net->H; j++)
      {
        const double *row = rnn_matrix (step->layer, part + g) + (gsize) j * (gsize) columns;
        double        gradient =
            part ? recurrent_gate (net, step->dgates, g, j) : step->dgates[g * net->H + j];

        for (int k = 0; k < columns; k++)
          to[k] += gradient * row[k];
      }
}

/* --- One sequence --- */

typedef struct
{
  const RnnPass *pass;
  RnnLayer       layer;
  const double  *dy;      /* (T, N, D P) of the layer */
  double        *din;     /* (T, N, columns), added to */
  const double  *h0, *c0; /* (N, P), (N, H): the first states of this pseudo-layer */
  double        *dh, *dc; /* their gradients; come in as those of the last states */
} Direction;

/* States of a pseudo-layer: those after each step, and the first one. */
typedef struct
{
  const double *kept, *first;
  int           size;
} States;

/* The state that comes before step s of sequence n. */
static const double *
state_before (const Direction *d, States states, int s, int n)
{
  const RnnNet *net = d->layer.net;
  gsize         cell;

  if (s == 0)
    return states.first + (gsize) n * (gsize) states.size;
  cell =
      (gsize) rnn_step (net, d->layer.pl, s - 1, d->pass->lengths[n]) * (gsize) net->N + (gsize) n;
  return states.kept + cell * (gsize) states.size;
}

/* The gradient of the state after step `cell`: of later steps (dh, cleared) and of the output; and before
 * the projection: draw. */
static void
take_gradient (const Direction *d, gsize cell, double *dh, double *draw)
{
  const RnnNet *net = d->layer.net;
  double       *dstate = d->layer.kept.dstate + cell * (gsize) net->P;
  int           direction = d->layer.pl % net->D;

  for (int k = 0; k < net->P; k++)
    {
      dstate[k] =
          dh[k] + d->dy[(cell * (gsize) net->D + (gsize) direction) * (gsize) net->P + (gsize) k];
      dh[k] = 0;
    }
  for (int j = 0; j < net->H; j++)
    {
      draw[j] = net->P < net->H ? 0 : dstate[j];
      for (int k = 0; net->P < net->H && k < net->P; k++)
        draw[j] += rnn_matrix (&d->layer, 2 * net->G)[k * net->H + j] * dstate[k];
    }
}

static void
backward_sequence (const Direction *d, int n)
{
  const RnnNet      *net = d->layer.net;
  int                columns = rnn_input_size (net, d->layer.pl), length = d->pass->lengths[n];
  g_autofree double *draw = g_new (double, net->H);

  for (int s = length - 1; s >= 0; s--)
    {
      gsize cell = (gsize) rnn_step (net, d->layer.pl, s, length) * (gsize) net->N + (gsize) n;
      gsize gates = cell * ((gsize) net->G + 1) * (gsize) net->H;
      Step  step = { .layer = &d->layer,
                     .gates = d->layer.kept.gates + gates,
                     .cell = d->layer.kept.cell + cell * (gsize) net->H,
                     .before =
                         state_before (d, (States){ d->layer.kept.state, d->h0, net->P }, s, n),
                     .cell_before =
                         state_before (d, (States){ d->layer.kept.cell, d->c0, net->H }, s, n),
                     .draw = draw,
                     .dgates = d->layer.kept.dgates + gates,
                     .dh = d->dh + (gsize) n * (gsize) net->P,
                     .dc = d->dc + (gsize) n * (gsize) net->H };

      take_gradient (d, cell, step.dh, draw);
      for (int j = 0; j < net->H; j++)
        (net->cell == CUDNN_LSTM  ? lstm_unit
         : net->cell == CUDNN_GRU ? gru_unit
                                  : plain_unit) (&step, j);
      add_products (&step, net->G, net->P, step.dh);
      add_products (&step, 0, columns, d->din + cell * (gsize) columns);
    }
}

/* --- The gradient of data and states --- */

/* The arrays of both backward passes. */
typedef struct
{
  double *reserve, *w, *h, *c, *dy, *dh, *dc;
} Arrays;

static void
clear_arrays (Arrays *arrays)
{
  g_free (arrays->w);
  g_free (arrays->h);
  g_free (arrays->c);
  g_free (arrays->dy);
  g_free (arrays->dh);
  g_free (arrays->dc);
}

static gboolean
read_arrays (const RnnPass *pass, Arrays *arrays, GError **error)
{
  const RnnNet *net = &pass->net;
  RnnSizes      sizes = rnn_sizes (net);
  double       *owned;

  return (arrays->reserve = rnn_reserve (pass, &owned, 1, error)) &&
         (arrays->w = rnn_read (net, pass->weights, rnn_n_weights (net), TRUE, error)) &&
         (arrays->h = rnn_read (net, pass->hx, sizes.h, FALSE, error)) &&
         (arrays->c = rnn_read (net, pass->cx, sizes.c, FALSE, error)) &&
         (arrays->dy = rnn_read (net, pass->dy, sizes.y, FALSE, error)) &&
         (arrays->dh = rnn_read (net, pass->dhy, sizes.h, FALSE, error)) &&
         (arrays->dc = rnn_read (net, pass->dcy, sizes.c, FALSE, error)) &&
         element_reach (pass->y, sizes.y * element_bytes (net->type), FALSE, error);
}

/* The gradient of the input of a layer, from that of its output. */
static double *
backward_layer (const RnnPass *pass, const Arrays *arrays, int layer)
{
  const RnnNet *net = &pass->net;
  gsize         cells = (gsize) net->T * (gsize) net->N;
  double       *din = g_new0 (double, cells *(gsize) rnn_input_size (net, layer * net->D));

  for (int pl = layer * net->D; pl < (layer + 1) * net->D; pl++)
    {
      gsize     h = (gsize) pl * (gsize) net->N * (gsize) net->P;
      gsize     c = (gsize) pl * (gsize) net->N * (gsize) net->H;
      Direction direction = { .pass = pass,
                              .layer = { net, arrays->w, pl, rnn_kept (net, arrays->reserve, pl) },
                              .dy = arrays->dy,
                              .din = din,
                              .h0 = arrays->h + h,
                              .c0 = arrays->c + c,
                              .dh = arrays->dh + h,
                              .dc = arrays->dc + c };

      for (int n = 0; n < net->N; n++)
        backward_sequence (&direction, n);
    }
  return din;
}

gboolean
rnn_backward_data (gpointer data, GError **error)
{
  const RnnPass *pass = data;
  const RnnNet  *net = &pass->net;
  RnnSizes       sizes = rnn_sizes (net);
  Arrays         arrays = { 0 };
  gboolean       is_done;

  is_done = read_arrays (pass, &arrays, error) && cudnn_use (pass->work, pass->work_bytes, error);
  for (int layer = net->L - 1; is_done && layer >= 0; layer--)
    {
      double *din = backward_layer (pass, &arrays, layer);

      g_free (arrays.dy);
      arrays.dy = din;
    }
  if (is_done)
    arrays.reserve[0] = 2;
  is_done = is_done && rnn_write (net, pass->dx, sizes.x, arrays.dy, error) &&
            rnn_write (net, pass->dhx, sizes.h, arrays.dh, error) &&
            rnn_write (net, pass->dcx, sizes.c, arrays.dc, error);
  clear_arrays (&arrays);
  return is_done;
}

/* --- The gradient of weights --- */

/* Adds gradient · rowᵀ of one unit. */
static void
add_row (double *matrix, int j, int columns, double gradient, const double *row)
{
  for (int k = 0; k < columns; k++)
    matrix[(gsize) j * (gsize) columns + (gsize) k] += gradient * row[k];
}

/* Adds what one step of one sequence gives.  in: the row of its input. */
static void
add_step (const Direction *d, double *dw, gsize cell, const double *in, const double *before)
{
  const RnnNet *net = d->layer.net;
  int           pl = d->layer.pl;
  const double *dgates = d->layer.kept.dgates + cell * ((gsize) net->G + 1) * (gsize) net->H;

  for (int g = 0; g < net->G; g++)
    for (int j = 0; j < net->H; j++)
      {
        double of_input = dgates[g * net->H + j], of_state = recurrent_gate (net, dgates, g, j);

        add_row (dw + rnn_weight_offset (net, pl, g, FALSE), j, rnn_input_size (net, pl), of_input,
                 in);
        add_row (dw + rnn_weight_offset (net, pl, net->G + g, FALSE), j, net->P, of_state, before);
        dw[rnn_weight_offset (net, pl, g, TRUE) + (gsize) j] += of_input;
        dw[rnn_weight_offset (net, pl, net->G + g, TRUE) + (gsize) j] += of_state;
      }
  for (int k = 0; net->P < net->H && k < net->P; k++)
    add_row (dw + rnn_weight_offset (net, pl, 2 * net->G, FALSE), k, net->H,
             d->layer.kept.dstate[cell * (gsize) net->P + (gsize) k],
             d->layer.kept.raw + cell * (gsize) net->H);
}

/* The arrays of the pass. */
typedef struct
{
  const RnnPass *pass;
  double        *reserve, *in, *h, *dw;
} Weights;

static void
add_layer (const Weights *w, int pl)
{
  const RnnNet *net = &w->pass->net;
  Direction     d = { .pass = w->pass,
                      .layer = { net, NULL, pl, rnn_kept (net, w->reserve, pl) },
                      .h0 = w->h + (gsize) pl * (gsize) net->N * (gsize) net->P };

  for (int n = 0; n < net->N; n++)
    for (int s = 0; s < w->pass->lengths[n]; s++)
      {
        gsize cell =
            (gsize) rnn_step (net, pl, s, w->pass->lengths[n]) * (gsize) net->N + (gsize) n;

        add_step (&d, w->dw, cell, w->in + cell * (gsize) rnn_input_size (net, pl),
                  state_before (&d, (States){ d.layer.kept.state, d.h0, net->P }, s, n));
      }
}

gboolean
rnn_backward_weights (gpointer data, GError **error)
{
  const RnnPass     *pass = data;
  const RnnNet      *net = &pass->net;
  RnnSizes           sizes = rnn_sizes (net);
  double            *owned, *reserve = rnn_reserve (pass, &owned, 2, error);
  g_autofree double *in = reserve ? rnn_read (net, pass->x, sizes.x, TRUE, error) : NULL;
  g_autofree double *h = in ? rnn_read (net, pass->hx, sizes.h, FALSE, error) : NULL;
  g_autofree double *dw =
      h ? rnn_read (net, pass->sets ? 0 : pass->dw, rnn_n_weights (net), FALSE, error) : NULL;

  if (!dw || !cudnn_use (pass->work, pass->work_bytes, error) ||
      !element_reach (pass->y, sizes.y * element_bytes (net->type), FALSE, error))
    return FALSE;
  for (int layer = 0; layer < net->L; layer++)
    {
      for (int pl = layer * net->D; pl < (layer + 1) * net->D; pl++)
        add_layer (&(Weights){ pass, reserve, in, h, dw }, pl);
      g_free (in);
      in = rnn_join_directions (pass, reserve, layer);
    }
  return rnn_write (net, pass->dw, rnn_n_weights (net), dw, error);
}
